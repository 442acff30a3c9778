//! Algorithms name their sources: `//! Reference: key, key` in a Rust file, each key an
//! entry of docs/references.bib.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Rule};
use crate::workspace::Workspace;

const BIBLIOGRAPHY: &str = "docs/references.bib";
const MARK: &str = "Reference:";
/// Folders of published algorithms: whatever lies in them, file or folder, names its
/// source.
const ALGORITHMS: [&str; 1] = ["crates/sssp/src/cpu/"];
/// What lies there and is no algorithm of its own.
const HELPERS: [&str; 2] = ["key_search", "mod"];

pub(super) const RULE: Rule =
    Rule { name: "references", promise: "algorithms cite entries of docs/references.bib", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let Some(bibliography) = workspace.file(BIBLIOGRAPHY) else {
        return vec![Finding::new(BIBLIOGRAPHY, 0, "is missing")];
    };
    let mut findings = Vec::new();
    let mut keys: Vec<&str> = Vec::new();
    for (line, number) in bibliography.text.lines().zip(1..) {
        let Some(key) = entry_key(line) else { continue };
        if keys.contains(&key) {
            findings.push(Finding::new(BIBLIOGRAPHY, number, format!("{key} is defined twice")));
        }
        keys.push(key);
    }
    let mut silent: BTreeMap<&str, &str> = BTreeMap::new();
    let mut cited: BTreeSet<&str> = BTreeSet::new();
    for file in workspace.rust_files() {
        let citations: Vec<_> = file.text.lines().zip(1..).flat_map(citations).collect();
        for (key, line) in citations.iter().filter(|(key, _)| !keys.contains(key)) {
            let message = format!("cites {key:?}, which is not in {BIBLIOGRAPHY}");
            findings.push(Finding::new(&file.path, *line, message));
        }
        match algorithm_of(&file.path) {
            Some(algorithm) if citations.is_empty() => {
                silent.entry(algorithm).or_insert(&file.path);
            }
            Some(algorithm) => _ = cited.insert(algorithm),
            None => {}
        }
    }
    silent.retain(|algorithm, _| !cited.contains(algorithm));
    let message = "an algorithm names its paper: `//! Reference: key`";
    findings.extend(silent.values().map(|path| Finding::new(path, 1, message)));
    findings
}

/// The algorithm whose file this is: the name of the file or folder in [`ALGORITHMS`].
fn algorithm_of(path: &str) -> Option<&str> {
    let inside = ALGORITHMS.iter().find_map(|folder| path.strip_prefix(folder))?;
    let name = inside.split(['/', '.']).next()?;
    (!HELPERS.contains(&name)).then_some(name)
}

/// The key of a line such as `@article{key,`.
fn entry_key(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix('@')?.split_once('{')?;
    Some(rest.trim_end_matches(',').trim())
}

/// The keys that a documentation line cites, with its number.
fn citations((line, number): (&str, usize)) -> Vec<(&str, usize)> {
    let documentation =
        line.trim_start().strip_prefix("//!").or(line.trim_start().strip_prefix("///"));
    let keys = documentation.and_then(|text| text.trim_start().strip_prefix(MARK));
    let keys = keys.into_iter().flat_map(|keys| keys.split(','));
    keys.map(|key| (key.trim().trim_end_matches('.'), number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn unknown_double_and_missing_references_are_found() {
        let bib = "@article{a-1,\n  title = {A},\n}\n@book{b-2,\n}\n@book{b-2,\n}\n";
        let workspace = Workspace::of_files(&[
            (BIBLIOGRAPHY, bib),
            ("crates/sssp/src/cpu/good.rs", "//! Good.\n//!\n//! Reference: a-1, b-2.\n"),
            ("crates/sssp/src/cpu/mod.rs", "//! Contents.\n"),
            ("crates/sssp/src/cpu/parts/mod.rs", "//! Parts.\n//! Reference: a-1\n"),
            ("crates/sssp/src/cpu/parts/one.rs", "//! One of them.\n"),
            ("crates/sssp/src/cpu/silent.rs", "//! Silent.\n"),
            ("crates/paths/src/wrong.rs", "//! Wrong.\n/// Reference: c-3\n"),
        ]);
        assert_eq!(
            places(&check(&workspace)),
            [
                (BIBLIOGRAPHY, 6),
                ("crates/paths/src/wrong.rs", 2),
                ("crates/sssp/src/cpu/silent.rs", 1)
            ]
        );
    }
}

//! Words of our own where the field has others do not come back.

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// A word, and what the field says.
const WORDS: [(&str, &str); 8] = [
    (concat!("zo", "o"), "corner cases"),
    (concat!("cir", "cle"), "cycle"),
    (concat!("cir", "cles"), "cycles"),
    (concat!("fri", "nge"), "frontier"),
    (concat!("est", "ate"), "worker state"),
    (concat!("hori", "zon"), "settled bound"),
    (concat!("on", "ward"), "with an outgoing edge"),
    (concat!("bo", "ard"), "shared bucket"),
];

/// Crates whose texts are plain by now, and words that puzzled readers there.
const PLAIN: [&str; 10] = [
    "crates/breadth-first/",
    "crates/elimination/",
    "crates/gpu-runtime/",
    "crates/graph-formats/",
    "crates/k-paths/",
    "crates/paths/",
    "crates/pivots/",
    "crates/published/",
    "crates/search-parts/",
    "crates/sssp/",
];
const PUZZLES: [(&str, &str); 5] = [
    (concat!("who", "ever"), "the caller"),
    (concat!("no", "body"), "no caller, or no thread"),
    (concat!("every", "body"), "all threads"),
    (concat!("les", "ser"), "smaller"),
    (concat!("some", "body"), "the user, or a caller"),
];

pub(super) const RULE: Rule =
    Rule { name: "words", promise: "names and texts use the field's words", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let is_ours = |path: &str| !path.starts_with("docs/results/");
    let mut findings = Vec::new();
    for file in workspace.files.iter().filter(|file| is_ours(&file.path)) {
        let is_text = [".rs", ".cu", ".cuh", ".md"].iter().any(|end| file.path.ends_with(end));
        let is_plain = PLAIN.iter().any(|folder| file.path.starts_with(folder));
        let puzzles = if is_plain { &PUZZLES[..] } else { &[] };
        for (line, number) in file.text.lines().zip(1..).filter(|_| is_text) {
            let mut words = line.split(|c: char| !c.is_ascii_alphabetic());
            let known = WORDS.iter().chain(puzzles);
            let found = words.find_map(|word| known.clone().find(|entry| entry.0 == word));
            if let Some((word, instead)) = found {
                let message = format!("says \"{word}\", where the field says \"{instead}\"");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn words_are_found_in_names_and_texts() {
        let (word, other) = (WORDS[0].0, WORDS[1].0);
        let code =
            format!("//! A {other}.\nfn the_{word}() {{}}\nuse plotters::Circle;\n{word}m\n");
        let workspace = Workspace::of_files(&[
            ("src/a.rs", &code),
            ("docs/results/a.md", word),
            ("data.csv", word),
            ("crates/sssp/src/a.rs", PUZZLES[0].0),
            ("crates/apsp/src/a.rs", PUZZLES[0].0),
        ]);
        let expected = [("src/a.rs", 1), ("src/a.rs", 2), ("crates/sssp/src/a.rs", 1)];
        assert_eq!(places(&check(&workspace)), expected);
    }
}

//! What a document links to is there.

use super::{Finding, Rule};
use crate::workspace::Workspace;

pub(super) const RULE: Rule =
    Rule { name: "links", promise: "relative links in documents lead somewhere", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.files.iter().filter(|file| file.path.ends_with(".md")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, number) in file.text.lines().zip(1..) {
            for target in targets(line) {
                let path = resolve(folder, target);
                let leads_to = |other: &str| {
                    let rest = other.strip_prefix(&path);
                    path.is_empty()
                        || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                if !workspace.files.iter().any(|other| leads_to(&other.path)) {
                    let message = format!("links to {target}, which is not there");
                    findings.push(Finding::new(&file.path, number, message));
                }
            }
        }
    }
    findings
}

/// The relative targets of the links `[text](target)` in a line, without fragments.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let relative = ends.filter(|target| !target.contains("://") && !target.starts_with('#'));
    relative.filter_map(|target| target.split('#').next())
}

/// The path, seen from the root, of a target seen from a folder.
pub(super) fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/').filter(|part| !part.is_empty()) {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn dead_links_are_found() {
        let text =
            "[b](../b.md#there) [x](https://example.org/no)\n[c](c.md), [up](..)\n[self](#a)\n";
        let workspace =
            Workspace::of_files(&[("b.md", ""), ("docs/a.md", text), ("src/lib.rs", "")]);
        assert_eq!(places(&check(&workspace)), [("docs/a.md", 2)]);
        let workspace =
            Workspace::of_files(&[("README.md", "[crate](crates/a)"), ("crates/a/x", "")]);
        assert!(check(&workspace).is_empty());
    }
}

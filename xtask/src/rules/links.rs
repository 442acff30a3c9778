//! What a document links to is there: a file or a folder, and in a document the heading.

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
                let (target_path, heading) = target.split_once('#').unwrap_or((target, ""));
                let path = if target_path.is_empty() {
                    file.path.clone()
                } else {
                    resolve(folder, target_path)
                };
                let leads_to = |other: &str| {
                    let rest = other.strip_prefix(&path);
                    path.is_empty()
                        || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                let has_heading = || match workspace.file(&path) {
                    Some(document) if path.ends_with(".md") && !heading.is_empty() => {
                        headings(&document.text).any(|name| name == heading)
                    }
                    _ => true,
                };
                if !(workspace.files.iter().any(|other| leads_to(&other.path)) && has_heading()) {
                    let message = format!("links to {target}, which is not there");
                    findings.push(Finding::new(&file.path, number, message));
                }
            }
        }
    }
    findings
}

/// The relative targets of the links `[text](target)` in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.filter(|target| !target.contains("://"))
}

/// The headings of a document, as links name them: without signs, with hyphens for spaces.
fn headings(document: &str) -> impl Iterator<Item = String> {
    let lines = document.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| {
        let kept = line.trim_start_matches('#').trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
            _ => None,
        });
        kept.collect::<String>().to_lowercase()
    })
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
        let text = "[b](../b.md#over-there) [x](https://example.org/no)\n[c](c.md), [up](..)\n\
                    # A\n[self](#a)\n[self](#b) [b](../b.md#here)\n";
        let other = "## `Over` there?\n";
        let workspace =
            Workspace::of_files(&[("b.md", other), ("docs/a.md", text), ("src/lib.rs", "")]);
        let expected = [("docs/a.md", 2), ("docs/a.md", 5), ("docs/a.md", 5)];
        assert_eq!(places(&check(&workspace)), expected);
        let workspace =
            Workspace::of_files(&[("README.md", "[crate](crates/a)"), ("crates/a/x", "")]);
        assert!(check(&workspace).is_empty());
    }
}

//! No file names a folder of the machine on which it was written.

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// What absolute paths of people's machines begin with.
const BEGINNINGS: [&str; 4] = [
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("/", "root/"),
    concat!("\\", "Users\\"),
];

pub(super) const RULE: Rule =
    Rule { name: "machine-paths", promise: "no absolute path of a machine in any file", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let above = workspace.root.parent().filter(|parent| parent.file_name().is_some());
    let above = above.map(|parent| format!("{}/", parent.display()));
    let beginnings: Vec<&str> = BEGINNINGS.into_iter().chain(above.as_deref()).collect();
    let mut findings = Vec::new();
    for file in &workspace.files {
        for (line, number) in file.text.lines().zip(1..) {
            if let Some(beginning) =
                beginnings.iter().find(|beginning| begins_path(line, beginning))
            {
                let message = format!("names a folder of one machine ({beginning}...)");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// Whether `beginning` stands in `line` and not inside a longer path or address.
fn begins_path(line: &str, beginning: &str) -> bool {
    line.match_indices(beginning).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || ['.', '_', '-', '}', '*', '~'].contains(&c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn a_path_of_this_machine_is_found() {
        let text = format!(
            "../srv/x\n{0}srv/x\nhttps://example.org{0}home/\nlet p = \"{0}home/me\";\nC:{1}Users{1}me\n",
            '/', '\\'
        );
        let mut workspace = Workspace::of_files(&[("a.md", &text)]);
        workspace.root = "/srv/starpath".into();
        assert_eq!(places(&check(&workspace)), [("a.md", 2), ("a.md", 4), ("a.md", 5)]);
        workspace.root = "/starpath".into();
        assert_eq!(places(&check(&workspace)), [("a.md", 4), ("a.md", 5)]);
    }
}

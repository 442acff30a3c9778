//! What a Rust file looks like from afar: it opens by saying what it is, and it is not
//! too long to be read in one go.

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// From here on a file should be split.
const LONG: usize = 400;
/// From here on it must be.
const TOO_LONG: usize = 500;

pub(super) const RULE: Rule =
    Rule { name: "file-form", promise: "files open with //! and stay under 500 lines", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        if !file.text.starts_with("//!") {
            let message = "a file opens with `//!`: what it computes and how";
            findings.push(Finding::new(&file.path, 1, message));
        }
        let n_lines = file.text.lines().count();
        if n_lines > LONG {
            let message = format!("{n_lines} lines: split it where a reader would");
            let is_warning = n_lines <= TOO_LONG;
            findings.push(Finding { is_warning, ..Finding::new(&file.path, 0, message) });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nameless_and_long_files_are_found() {
        let lines = |n: usize| "//! x\n".repeat(n);
        let workspace = Workspace::of_files(&[
            ("nameless.rs", "use std::fmt;\n"),
            ("short.rs", &lines(LONG)),
            ("long.rs", &lines(LONG + 1)),
            ("too_long.rs", &lines(TOO_LONG + 1)),
            ("not_rust.md", ""),
        ]);
        let found = check(&workspace);
        let found: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.is_warning)).collect();
        assert_eq!(found, [("nameless.rs", false), ("long.rs", true), ("too_long.rs", false)]);
    }
}

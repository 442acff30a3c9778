//! What a Rust file looks like from afar: it opens by saying what it is, and it is not
//! too long to be read in one go.

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// Lines of code, comments and blank lines apart, from which on a file must be split: prose that
/// helps to read it does not count.
const TOO_LONG: usize = 450;

pub(super) const RULE: Rule = Rule {
    name: "file-form",
    promise: "files open with //! and have no more than 450 lines of code",
    check,
};

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in workspace.rust_files() {
        if !file.text.starts_with("//!") {
            let message = "a file opens with `//!`: what it computes and how";
            findings.push(Finding::new(&file.path, 1, message));
        }
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
        let n_lines = file.text.lines().map(str::trim).filter(is_code).count();
        if n_lines > TOO_LONG {
            let message = format!("{n_lines} lines of code: split it where a reader would");
            findings.push(Finding::new(&file.path, 0, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nameless_and_long_files_are_found() {
        let lines = |n: usize| "//! x\n\n".to_owned() + &"fn x() {} // x\n    // x\n".repeat(n);
        let workspace = Workspace::of_files(&[
            ("nameless.rs", "use std::fmt;\n"),
            ("short.rs", &lines(TOO_LONG)),
            ("too_long.rs", &lines(TOO_LONG + 1)),
            ("not_rust.md", ""),
        ]);
        let found = check(&workspace);
        let found: Vec<_> = found.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(found, ["nameless.rs", "too_long.rs"]);
    }
}

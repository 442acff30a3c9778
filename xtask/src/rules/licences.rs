//! The project can be used under permissive terms: the licence of every package in the lock file,
//! on any platform, allows it.

use spdx::{Expression, ParseMode};

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// SPDX identifiers of licences that ask for no more than a notice.
const PERMISSIVE: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "bzip2-1.0.6",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(super) const RULE: Rule =
    Rule { name: "licences", promise: "all dependencies are permissively licensed", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let licence = package.licence.as_deref();
        if !licence.is_some_and(is_permissive) {
            let licence = licence.unwrap_or("no stated licence");
            let message = format!("{} has {licence}: find another package", package.name);
            findings.push(Finding::new("Cargo.lock", 0, message));
        }
    }
    findings
}

/// Whether an SPDX expression can be met with permissive licences alone. An exception only adds
/// permissions.
fn is_permissive(expression: &str) -> bool {
    // the oldest packages wrote `/` for OR
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|asked| {
            asked.license.id().is_some_and(|licence| PERMISSIVE.contains(&licence.name))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_understood() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        ] {
            assert!(is_permissive(good), "{good}");
        }
        for bad in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT", "MIT AND", "MIT Apache-2.0"]
        {
            assert!(!is_permissive(bad), "{bad}");
        }
    }

    #[test]
    fn a_licence_that_asks_for_more_is_found() {
        let mut workspace =
            Workspace::of_members(&[("free", &[]), ("copyleft", &[]), ("silent", &[])]);
        workspace.packages[0].licence = Some("MIT".into());
        workspace.packages[1].licence = Some("AGPL-3.0-only".into());
        let messages: Vec<_> = check(&workspace).iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 2);
        assert!(messages[0].contains("copyleft has AGPL-3.0-only"), "{messages:?}");
    }
}

//! `cargo build` runs no compiler but rustc: there are no build scripts, and so none
//! that could call nvcc.

use super::{Finding, Rule};
use crate::workspace::Workspace;

pub(super) const RULE: Rule =
    Rule { name: "build-scripts", promise: "cargo build calls no other compiler", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let message = "no build scripts: generated files are made by an xtask and committed";
    let mut findings = Vec::new();
    for file in &workspace.files {
        if file.path.rsplit('/').next() == Some("build.rs") {
            findings.push(Finding::new(&file.path, 0, message));
        } else if file.path.ends_with("Cargo.toml") {
            // A script may have another name, which the manifest then gives.
            let is_build_key =
                |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "build");
            let lines = file.text.lines().zip(1..).filter(|(line, _)| is_build_key(line));
            findings.extend(lines.map(|(_, number)| Finding::new(&file.path, number, message)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn build_scripts_are_found() {
        let workspace = Workspace::of_files(&[
            ("crates/a/build.rs", "fn main() {}"),
            ("crates/a/src/rebuild.rs", "//! fine"),
            ("crates/b/Cargo.toml", "[package]\nname = \"b\"\nbuild = \"make.rs\"\n"),
        ]);
        assert_eq!(
            places(&check(&workspace)),
            [("crates/a/build.rs", 0), ("crates/b/Cargo.toml", 3)]
        );
    }
}

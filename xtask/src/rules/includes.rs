//! What is compiled of a published crate lies in its folder, for its package has no more.

use super::links::resolve;
use super::{Finding, Rule};
use crate::workspace::Workspace;

pub(super) const RULE: Rule =
    Rule { name: "includes", promise: "packages hold all that is compiled of them", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in workspace.members().filter(|member| member.is_published) {
        let folder = member.manifest.trim_end_matches("Cargo.toml");
        let sources = format!("{folder}src/");
        let files = workspace.rust_files().filter(|file| file.path.starts_with(&sources));
        for file in files {
            let beside = file.path.rsplit_once('/').map_or("", |(beside, _)| beside);
            for (line, number) in file.text.lines().zip(1..) {
                let is_outside = included(line).is_some_and(|target| {
                    let from = if target.starts_with('/') { folder } else { beside };
                    !resolve(from, target).starts_with(folder)
                });
                if is_outside {
                    let message = "includes what its package has not; copy it into the crate";
                    findings.push(Finding::new(&file.path, number, message));
                }
            }
        }
    }
    findings
}

/// The path that a line includes: beside its file, or from `/` on below its package.
fn included(line: &str) -> Option<&str> {
    let is_include =
        ["include_str!(", "include_bytes!(", "include!("].iter().any(|name| line.contains(name));
    let from_package = line.split_once("env!(\"CARGO_MANIFEST_DIR\"),").map(|(_, rest)| rest);
    if !is_include && from_package.is_none() {
        return None;
    }
    from_package.unwrap_or(line).split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn what_lies_outside_is_found() {
        let mut workspace = Workspace::of_files(&[
            ("crates/a/src/lib.rs", "#![doc = include_str!(\"../README.md\")]\n"),
            ("crates/a/src/b/c.rs", "\nconst X: &[u8] = include_bytes!(\"../../../b/x\");\n"),
            ("crates/a/src/d.rs", "concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../x\")\n"),
            ("crates/a/src/e.rs", "concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/x\")\n"),
            ("crates/a/tests/f.rs", "include!(\"../../x\");\n"),
        ]);
        workspace.packages = Workspace::of_members(&[("a", &[])]).packages;
        assert!(check(&workspace).is_empty());
        workspace.packages[0].is_published = true;
        assert_eq!(
            places(&check(&workspace)),
            [("crates/a/src/b/c.rs", 2), ("crates/a/src/d.rs", 1)]
        );
    }
}

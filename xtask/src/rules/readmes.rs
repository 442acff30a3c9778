//! Each crate can be pulled in by itself, so each says by itself what it is, with an example, what
//! it depends on and its features.

use super::{Finding, Rule};
use crate::workspace::Workspace;

pub(super) const RULE: Rule =
    Rule { name: "readmes", promise: "every crate has a README.md that says what it is", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in &workspace.files {
        let is_library = |folder: &&str| folder.starts_with("crates/") || *folder == "kernels";
        let folder = manifest.path.strip_suffix("/Cargo.toml").filter(is_library);
        let Some(path) = folder.map(|folder| format!("{folder}/README.md")) else { continue };
        let text = workspace.file(&path).map_or("", |file| &file.text);
        let features = features(&manifest.text).map(|name| format!("`{name}`"));
        let parts = ["```".to_owned(), "Depends on".to_owned()].into_iter().chain(features);
        let missing: Vec<_> = parts.filter(|part| !text.contains(part)).collect();
        if !missing.is_empty() {
            let message = "say what the crate is for, with an example, what it depends on and its \
                           features: there is no";
            findings.push(Finding::new(&path, 0, format!("{message} {}", missing.join(", "))));
        }
    }
    findings
}

/// The names of the features in a manifest.
fn features(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let section = lines.take_while(|line| !line.starts_with('['));
    section.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn a_crate_without_a_readme_or_a_part_of_it_is_found() {
        let whole = "```rust\n```\nDepends on nothing. Feature `x`.\n";
        let workspace = Workspace::of_files(&[
            ("Cargo.toml", ""),
            ("crates/a/Cargo.toml", "[features]\n# Why.\nx = []\n\n[dependencies]\ny = \"1\"\n"),
            ("crates/a/README.md", whole),
            ("crates/b/Cargo.toml", ""),
            ("crates/c/Cargo.toml", "[features]\nx = []\nz = []\n"),
            ("crates/c/README.md", whole),
            ("kernels/Cargo.toml", ""),
        ]);
        let without = ["crates/b/README.md", "crates/c/README.md", "kernels/README.md"];
        assert_eq!(places(&check(&workspace)), without.map(|path| (path, 0)));
    }
}

//! Versions and lints are written once, in the workspace manifest, and members take
//! them from there; what they describe is themselves.

use super::{Finding, Rule};
use crate::workspace::{File, Workspace};

const WORKSPACE: &str = "Cargo.toml";

pub(super) const RULE: Rule = Rule {
    name: "manifests",
    promise: "versions and lints come from the workspace manifest; the lock file is kept",
    check,
};

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    // The fuzz targets are a workspace of their own, for they need a nightly toolchain.
    let is_root = |file: &File| file.text.lines().any(|line| line == "[workspace]");
    let is_member = |file: &&File| file.path.ends_with("/Cargo.toml") && !is_root(file);
    for file in workspace.files.iter().filter(is_member) {
        for entry in entries(&file.text).filter(|e| e.section.ends_with("dependencies")) {
            let (name, value) = (entry.key.split('.').next().unwrap_or(entry.key), entry.value);
            used.push(name);
            let is_shared =
                entry.key == format!("{name}.workspace") || value.contains("workspace = true");
            if !is_shared {
                let message = format!("{name}: take it from the workspace (workspace = true)");
                findings.push(Finding::new(&file.path, entry.line, message));
            }
        }
        if !entries(&file.text).any(|e| (e.section, e.key) == ("package", "description")) {
            let message = "say in a description what it is, for a registry takes none without";
            findings.push(Finding::new(&file.path, 0, message));
        }
        if !entries(&file.text)
            .any(|e| (e.section, e.key, e.value) == ("lints", "workspace", "true"))
        {
            let message = "take the lints from the workspace ([lints] workspace = true)";
            findings.push(Finding::new(&file.path, 0, message));
        }
    }
    let text = workspace.file(WORKSPACE).map_or("", |file| &file.text);
    for entry in entries(text).filter(|e| e.section == "workspace.dependencies") {
        if !used.contains(&entry.key) {
            let message = format!("no member uses {}", entry.key);
            findings.push(Finding::new(WORKSPACE, entry.line, message));
        }
    }
    let ignores = workspace.file(".gitignore").map_or("", |file| &file.text);
    if workspace.file("Cargo.lock").is_none() || ignores.contains("Cargo.lock") {
        findings.push(Finding::new("Cargo.lock", 0, "must be there and committed"));
    }
    findings
}

/// `key = value` in `[section]`.
struct Entry<'a> {
    section: &'a str,
    key: &'a str,
    value: &'a str,
    line: usize,
}

/// The entries of a manifest. A line that opens no section and has no ` = ` is taken
/// for the rest of a value.
fn entries(manifest: &str) -> impl Iterator<Item = Entry<'_>> {
    let mut section = "";
    manifest.lines().zip(1..).filter_map(move |(text, line)| {
        if let Some(header) = text.strip_prefix('[') {
            section = header.trim_end().trim_end_matches(']');
            return None;
        }
        let (key, value) = text.split_once(" = ").filter(|_| !text.starts_with(['#', ' ']))?;
        Some(Entry { section, key: key.trim(), value: value.trim(), line })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn own_versions_unused_ones_and_what_is_missing_are_found() {
        let top = "[workspace.dependencies]\na = \"1\"\nb = \"2\"\nunused = \"3\"\n";
        let good = "[package]\ndescription = \"x\"\n[dependencies]\na.workspace = true\n\n[dev-dependencies]\n\
                    b = { workspace = true, features = [\"x\"] }\n\n[lints]\nworkspace = true\n";
        let bad = "[package]\nname = \"bad\"\n[target.'cfg(unix)'.dependencies]\nc = \"1.0\"\n";
        let workspace = Workspace::of_files(&[
            ("Cargo.toml", top),
            ("Cargo.lock", ""),
            ("crates/good/Cargo.toml", good),
            ("crates/bad/Cargo.toml", bad),
            ("fuzz/Cargo.toml", "[workspace]\n[dependencies]\nd = \"4.0\"\n"),
        ]);
        assert_eq!(
            places(&check(&workspace)),
            [
                ("crates/bad/Cargo.toml", 4),
                ("crates/bad/Cargo.toml", 0),
                ("crates/bad/Cargo.toml", 0),
                ("Cargo.toml", 4)
            ]
        );
    }

    #[test]
    fn a_lock_file_that_git_ignores_is_found() {
        let workspace = Workspace::of_files(&[("Cargo.lock", ""), (".gitignore", "Cargo.lock\n")]);
        assert_eq!(places(&check(&workspace)), [("Cargo.lock", 0)]);
    }
}

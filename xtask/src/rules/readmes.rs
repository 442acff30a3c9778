//! Each crate can be pulled in by itself, so each says by itself what it is.

use super::{Finding, Rule};
use crate::workspace::Workspace;

pub(super) const RULE: Rule =
    Rule { name: "readmes", promise: "every crate has a README.md", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let manifests = workspace.files.iter().filter_map(|file| {
        let is_library = |folder: &&str| folder.starts_with("crates/") || *folder == "kernels";
        file.path.strip_suffix("/Cargo.toml").filter(is_library)
    });
    let readmes = manifests.map(|folder| format!("{folder}/README.md"));
    let missing = readmes.filter(|path| workspace.file(path).is_none());
    missing
        .map(|path| Finding::new(&path, 0, "say what the crate is for, with an example"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn a_crate_without_a_readme_is_found() {
        let workspace = Workspace::of_files(&[
            ("Cargo.toml", ""),
            ("crates/a/Cargo.toml", ""),
            ("crates/a/README.md", ""),
            ("crates/b/Cargo.toml", ""),
            ("kernels/Cargo.toml", ""),
        ]);
        assert_eq!(
            places(&check(&workspace)),
            [("crates/b/README.md", 0), ("kernels/README.md", 0)]
        );
    }
}

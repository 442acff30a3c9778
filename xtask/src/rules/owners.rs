//! Packages, and features of them, that only some crates may name, so that one crate is enough to
//! replace them, that libraries keep typed errors, or that solvers compile no decompressor.

use super::{Finding, Rule};
use crate::source::{code_of, lines_with_word};
use crate::workspace::Workspace;

/// The crates that read or write files.
const READ_FILES: &[&str] = &[
    "starpath-hierarchy",
    "starpath-centrality",
    "starpath-partitioned",
    "starpath",
    "bench",
    "test-support",
];

/// A package, the crates that may name it, and why no other.
const OWNERS: [(&str, &[&str], &str); 5] = [
    ("cust", &["gpu-runtime"], "the CUDA driver is reached through gpu-runtime"),
    ("mpi", &["collectives-mpi"], "ranks are reached through collectives-mpi"),
    ("rustacuda_core", &["graph-formats"], "it is for users of graph-formats, not for us"),
    ("anyhow", &["starpath", "bench", "xtask"], "libraries have typed errors"),
    ("graph-formats/files", READ_FILES, "who takes a solver alone compiles no decompressor"),
];

pub(super) const RULE: Rule =
    Rule { name: "owners", promise: "cust and its like are named by their owners only", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (package, owners, reason) in OWNERS {
        let is_owner = |name: &str| owners.contains(&name);
        for member in workspace.members().filter(|member| !is_owner(&member.name)) {
            if member.dependencies.iter().any(|name| name == package) {
                let message = format!("{} must not depend on {package}: {reason}", member.name);
                findings.push(Finding::new(&member.manifest, 0, message));
            }
        }
        let is_owned = |path: &str| owners.iter().any(|owner| crate_of(path) == *owner);
        for file in workspace.rust_files().filter(|file| !is_owned(&file.path)) {
            for line in lines_with_word(&code_of(&file.text), package) {
                let message = format!("names {package}: {reason}");
                findings.push(Finding::new(&file.path, line, message));
            }
        }
    }
    findings
}

/// The name of the crate that a file belongs to.
fn crate_of(path: &str) -> &str {
    let inside = path.strip_prefix("crates/").unwrap_or(path);
    inside.split('/').next().unwrap_or(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::places;

    #[test]
    fn a_name_outside_its_crate_is_found() {
        let sources = Workspace::of_files(&[
            ("crates/gpu-runtime/src/lib.rs", "use cust::context::Context;"),
            ("crates/sssp/src/lib.rs", "// cust is hidden\nuse cust::stream;\nlet custom = 1;"),
            ("xtask/src/main.rs", "use anyhow::Result;"),
        ]);
        assert_eq!(places(&check(&sources)), [("crates/sssp/src/lib.rs", 2)]);
        let manifests = Workspace::of_members(&[
            ("gpu-runtime", &["cust"]),
            ("paths", &["anyhow"]),
            ("sssp", &["graph-formats/files"]),
        ]);
        let found = [("crates/paths/Cargo.toml", 0), ("crates/sssp/Cargo.toml", 0)];
        assert_eq!(places(&check(&manifests)), found);
    }
}

//! Which crate may depend on which: the arrows point one way.
//!
//! Dependencies for tests and for building obey the same table, but that every crate may
//! name [`FOR_TESTS`]. It stands among dev-dependencies: cargo packages no other dependency
//! that has no version.

use super::{Finding, Rule};
use crate::workspace::Workspace;

/// What tests share.
const FOR_TESTS: &str = "test-support";

/// Each package of the workspace, and the packages of the workspace that it may name.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("graph-formats", &[]),
    (FOR_TESTS, &["graph-formats"]),
    ("collectives", &[]),
    ("starpath-pictures", &[]),
    ("collectives-mpi", &["collectives"]),
    ("gpu-runtime", &[]),
    ("starpath-kernels", &[]),
    ("starpath-paths", &["graph-formats"]),
    ("starpath-pivots", &["starpath-paths"]),
    ("starpath-elimination", &["graph-formats"]),
    (
        "starpath-search-parts",
        &["graph-formats", "starpath-paths", "gpu-runtime", "starpath-kernels"],
    ),
    (
        "starpath-published",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    (
        "starpath-breadth-first",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    ("starpath-k-paths", &["graph-formats", "starpath-paths", "starpath-search-parts"]),
    (
        "sssp",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "starpath-breadth-first",
            "starpath-published",
            "starpath-k-paths",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    (
        "apsp",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-pivots",
            "starpath-published",
            "starpath-elimination",
            "sssp",
            "collectives",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    (
        "starpath-partitioned",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "sssp",
            "collectives",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    (
        "starpath-centrality",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "starpath-breadth-first",
            "sssp",
            "apsp",
            "starpath-hierarchy",
            "collectives",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    (
        "starpath-closure",
        &["graph-formats", "starpath-paths", "starpath-pivots", "gpu-runtime", "starpath-kernels"],
    ),
    (
        "starpath-hierarchy",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-search-parts",
            "starpath-k-paths",
            "starpath-elimination",
            "gpu-runtime",
            "starpath-kernels",
        ],
    ),
    ("star-machine", &["graph-formats", "starpath-paths", "gpu-runtime", "starpath-kernels"]),
    (
        "starpath",
        &[
            "graph-formats",
            "starpath-paths",
            "collectives",
            "collectives-mpi",
            "gpu-runtime",
            "starpath-partitioned",
            "sssp",
            "apsp",
            "starpath-centrality",
            "starpath-closure",
            "starpath-hierarchy",
            "star-machine",
            "starpath-pictures",
        ],
    ),
    (
        "bench",
        &[
            "graph-formats",
            "starpath-paths",
            "starpath-published",
            "gpu-runtime",
            "starpath-partitioned",
            "sssp",
            "apsp",
            "starpath-centrality",
            "starpath-closure",
            "starpath-hierarchy",
            "star-machine",
            "starpath-pictures",
        ],
    ),
    (
        "starpaths",
        &[
            "graph-formats",
            "gpu-runtime",
            "starpath-paths",
            "collectives",
            "starpath-partitioned",
            "sssp",
            "apsp",
            "starpath-centrality",
            "starpath-closure",
            "starpath-hierarchy",
        ],
    ),
    ("xtask", &[]),
];

pub(super) const RULE: Rule =
    Rule { name: "arrows", promise: "crates depend on lower crates only", check };

fn check(workspace: &Workspace) -> Vec<Finding> {
    let is_ours = |name: &str| workspace.members().any(|member| member.name == name);
    let mut findings = Vec::new();
    for member in workspace.members() {
        let name = member.name.as_str();
        let Some((_, allowed)) = MAY_NAME.iter().find(|(of, _)| *of == name) else {
            let message = "say here which crates it may depend on";
            findings.push(Finding::new(
                "xtask/src/rules/arrows.rs",
                0,
                format!("{name}: {message}"),
            ));
            continue;
        };
        for other in member.dependencies.iter().filter(|other| is_ours(other)) {
            if other != FOR_TESTS && !allowed.contains(&other.as_str()) {
                let message = format!("{name} must not depend on {other}");
                findings.push(Finding::new(&member.manifest, 0, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_that_points_up_is_found() {
        let good = [
            ("graph-formats", &["rayon"][..]),
            ("starpath-paths", &["graph-formats", FOR_TESTS]),
            (FOR_TESTS, &["graph-formats"]),
        ];
        assert!(check(&Workspace::of_members(&good)).is_empty());
        let bad = [("graph-formats", &["gpu-runtime"][..]), ("gpu-runtime", &[])];
        let findings = check(&Workspace::of_members(&bad));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("graph-formats must not depend on gpu-runtime"));
    }

    #[test]
    fn a_crate_outside_the_table_is_found() {
        let findings = check(&Workspace::of_members(&[("stranger", &[])]));
        assert!(findings[0].message.starts_with("stranger"), "{findings:?}");
    }

    #[test]
    fn the_table_has_no_cycle() {
        let mut settled: Vec<&str> = Vec::new();
        for _ in MAY_NAME {
            let free =
                MAY_NAME.iter().filter(|(_, lower)| lower.iter().all(|l| settled.contains(l)));
            settled = free.map(|(name, _)| *name).collect();
        }
        assert_eq!(settled.len(), MAY_NAME.len());
    }
}

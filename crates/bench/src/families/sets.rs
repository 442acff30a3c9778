//! The graphs that are measured: those that the choices of `auto` were tuned on, and others.
//!
//! The choices were made on `tuned`. Its graphs with seeds from 1000 on and the squared roads
//! were held out at first, but were looked at while choices were still made. `held-out` is only
//! measured: who makes a choice because of a graph in it moves the graph to `tuned`, with its
//! seed. One choice was made by all of it together: from how many arcs on many threads are
//! worth their starting.

use anyhow::Result;
use clap::ValueEnum;

use super::graphs::{Named, Shape};
use crate::workloads::Workload;

/// Graphs that are asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// Those of the other parts, and what the choices of auto were tuned on.
    Tuned,
    /// Other seeds, sizes, weights and families, which no choice was made by.
    HeldOut,
}

/// R-MAT, grid, geometric and road graphs of several sizes.
pub(super) fn sizes() -> impl Iterator<Item = Named> {
    let rmat = [16, 18, 20, 22].map(|scale| Workload::Rmat { scale });
    let grid = [256, 512, 1024, 2048].map(|side| Workload::Grid { side });
    let geometric = [14, 16, 18, 20].map(|scale| Workload::Geometric { scale });
    let roads = [Workload::Rome99, Workload::Delaware, Workload::NewYork];
    rmat.into_iter().chain(grid).chain(geometric).chain(roads).map(Named::of)
}

/// What else choices are tuned on.
const TUNED: &[&str] = &[
    "rmat-8",
    "rmat-10",
    "rmat-12",
    "rmat-14",
    "grid-16",
    "grid-64",
    "grid-128",
    "geometric-8",
    "geometric-12",
    "uniform-65536-4",
    "uniform-65536-16",
    "rmat-16+to-1",
    "rmat-16+to-65536",
    "rmat-16+reals",
    "grid-512+to-1",
    "grid-512+to-65536",
    "grid-512+reals",
    "path-10000",
    "star-100000",
    "complete-1000",
    "rmat-9+seed-1000",
    "rmat-11+to-10+seed-1001",
    "rmat-13+to-16777216+seed-1002",
    "rmat-15+seed-1003",
    "rmat-15+heavy+seed-1004",
    "rmat-17+seed-1005",
    "rmat-17+to-1+seed-1006",
    "rmat-17+to-65536+seed-1007",
    "rmat-17+zeros+seed-1008",
    "rmat-17+reals+seed-1009",
    "rmat-14+negative+seed-1010",
    "uniform-1000-2+seed-1011",
    "uniform-200-64+to-10+seed-1012",
    "uniform-10000-8+to-65536+seed-1013",
    "uniform-100000-2+seed-1014",
    "uniform-100000-8+seed-1015",
    "uniform-50000-64+seed-1016",
    "uniform-200000-8+to-1+seed-1017",
    "uniform-200000-8+heavy+seed-1018",
    "uniform-100000-8+reals+seed-1019",
    "uniform-300000-16+to-16777216+seed-1020",
    "uniform-20000-8+negative+seed-1021",
    "complete-12+seed-1022",
    "complete-300+to-65536+seed-1023",
    "complete-1500+seed-1024",
    "complete-1500+to-1+seed-1025",
    "star-1000+seed-1026",
    "star-1000000+seed-1027",
    "path-100+seed-1028",
    "path-30000+seed-1029",
    "path-1000000+to-10+seed-1030",
    "tree-5000+seed-1031",
    "tree-1000000+seed-1032",
    "tree-1000000+to-65536+seed-1033",
    "caterpillar-40000+seed-1034",
    "caterpillar-1000000+heavy+seed-1035",
    "small-world-10000+seed-1036",
    "small-world-500000+seed-1037",
    "small-world-500000+to-1+seed-1038",
    "torus-20+seed-1039",
    "torus-150+to-65536+seed-1040",
    "torus-400+seed-1041",
    "torus-700+zeros+seed-1042",
    "torus-700+reals+seed-1043",
    "layered-3000+seed-1044",
    "layered-200000+seed-1045",
    "layered-1000000+to-16777216+seed-1046",
    "grid-90+seed-1047",
    "grid-333+to-10+seed-1048",
    "grid-777+seed-1049",
    "grid-777+to-16777216+seed-1050",
    "grid-777+zeros+seed-1051",
    "grid-1300+heavy+seed-1052",
    "geometric-11+seed-1053",
    "geometric-15+to-1+seed-1054",
    "geometric-17+seed-1055",
    "geometric-19+seed-1056",
    "geometric-17+reals+seed-1057",
    "rome99+squared",
    "delaware+squared",
    "new-york+squared",
];

/// Each is given a seed of its own, where it is drawn.
const HELD_OUT: &[&str] = &[
    "rmat-4",
    "rmat-7+to-1000",
    "rmat-13+zeros",
    "rmat-16+heavy",
    "rmat-18+to-1000",
    "rmat-17+negative",
    "grid-7+to-65536",
    "grid-40+heavy",
    "grid-200+heavy",
    "grid-450+to-1000",
    "grid-1500",
    "geometric-9+reals",
    "geometric-13+heavy",
    "geometric-16+to-65536",
    "geometric-18+zeros",
    "uniform-50-4",
    "uniform-3000-32+reals",
    "uniform-30000-5+to-1000",
    "uniform-150000-24",
    "uniform-100000-6+negative",
    "uniform-1000000-3",
    "torus-60+heavy",
    "torus-500+to-1",
    "torus-1000+to-1000",
    "small-world-3000+to-16777216",
    "small-world-80000+to-16777216",
    "small-world-1200000+zeros",
    "layered-1500+to-1",
    "layered-60000+to-1",
    "layered-60000+negative",
    "complete-30+to-1",
    "complete-700+to-10",
    "complete-2500+to-65536",
    "path-5000+reals",
    "path-400000",
    "star-30000+to-65536",
    "tree-60+zeros",
    "tree-300000+to-10",
    "caterpillar-200000",
    "caterpillar-3000+to-1",
    "hypercube-6",
    "hypercube-12",
    "hypercube-15+heavy",
    "hypercube-17+to-1",
    "hypercube-18+reals",
    "attachment-500-3",
    "attachment-20000-16+reals",
    "attachment-100000-4",
    "attachment-400000-8+to-65536",
    "attachment-50000-1+to-1000",
    "attachment-100000-4+negative",
    "bipartite-2000-8+to-10",
    "bipartite-60000-20",
    "bipartite-800000-5+heavy",
    "ladder-200",
    "ladder-50000+to-1000",
    "ladder-2000000",
    "rome99+zeros",
    "delaware+heavy",
    "new-york+to-1",
];

impl Set {
    /// Its name in the tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::HeldOut => "held-out",
        }
    }

    /// Its graphs; seeds of what is held out start from `seed`.
    pub(super) fn graphs(self, seed: u64) -> Result<Vec<Named>> {
        match self {
            Self::Tuned => {
                let more: Result<Vec<Named>> = TUNED.iter().map(|name| name.parse()).collect();
                Ok(sizes().chain(more?).collect())
            }
            Self::HeldOut => {
                let drawn = (seed..).zip(HELD_OUT);
                drawn.map(|(seed, name)| Ok(Named { seed, ..name.parse()? })).collect()
            }
        }
    }
}

/// Whether a graph has no more arcs than that, and has its file where it has one; says so
/// where not.
pub(super) fn is_at_hand(graph: &Named, most_arcs: u64) -> bool {
    if graph.shape.about_arcs() > most_arcs {
        eprintln!("SKIPPED: {graph}: more than {most_arcs} arcs; --most-arcs lets it in");
        return false;
    }
    let Shape::Workload(workload) = graph.shape else { return true };
    if !workload.is_available() {
        let file = workload.file().unwrap_or_default();
        eprintln!("SKIPPED: {graph}: there is no file {}", file.display());
    }
    workload.is_available()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_share_no_graph() {
        let name = |graph: &Named| graph.to_string();
        let [tuned, held_out] = [Set::Tuned, Set::HeldOut].map(|set| set.graphs(1000).unwrap());
        for (at, graph) in held_out.iter().enumerate() {
            let is_like =
                |other: &&Named| (other.shape, other.weights) == (graph.shape, graph.weights);
            let others = tuned.iter().chain(&held_out[..at]);
            assert_eq!(others.clone().find(is_like).map(name), None, "{graph}");
            assert!(graph.shape.about_arcs() <= 10_000_000, "{graph} is left out by default");
        }
        for graph in tuned.iter().chain(&held_out) {
            assert_eq!(name(graph).parse::<Named>().unwrap(), *graph);
        }
    }
}

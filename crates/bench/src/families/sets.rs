//! The graphs that are measured: those that the choices of `auto` were tuned on, and others
//! that they have never seen.

use anyhow::Result;
use clap::ValueEnum;

use super::graphs::{Named, Shape, Weights};
use crate::workloads::Workload;

/// Graphs that are asked for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// Those of the other parts, and what the choices of auto were tuned on.
    Tuned,
    /// Other seeds, sizes, weights and families.
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
];

/// Each is given a seed of its own.
const HELD_OUT: &[&str] = &[
    "rmat-9",
    "rmat-11+to-10",
    "rmat-13+to-16777216",
    "rmat-15",
    "rmat-15+heavy",
    "rmat-17",
    "rmat-17+to-1",
    "rmat-17+to-65536",
    "rmat-17+zeros",
    "rmat-17+reals",
    "rmat-14+negative",
    "uniform-1000-2",
    "uniform-200-64+to-10",
    "uniform-10000-8+to-65536",
    "uniform-100000-2",
    "uniform-100000-8",
    "uniform-50000-64",
    "uniform-200000-8+to-1",
    "uniform-200000-8+heavy",
    "uniform-100000-8+reals",
    "uniform-300000-16+to-16777216",
    "uniform-20000-8+negative",
    "complete-12",
    "complete-300+to-65536",
    "complete-1500",
    "complete-1500+to-1",
    "star-1000",
    "star-1000000",
    "path-100",
    "path-30000",
    "path-1000000+to-10",
    "tree-5000",
    "tree-1000000",
    "tree-1000000+to-65536",
    "caterpillar-40000",
    "caterpillar-1000000+heavy",
    "small-world-10000",
    "small-world-500000",
    "small-world-500000+to-1",
    "torus-20",
    "torus-150+to-65536",
    "torus-400",
    "torus-700+zeros",
    "torus-700+reals",
    "layered-3000",
    "layered-200000",
    "layered-1000000+to-16777216",
    "grid-90",
    "grid-333+to-10",
    "grid-777",
    "grid-777+to-16777216",
    "grid-777+zeros",
    "grid-1300+heavy",
    "geometric-11",
    "geometric-15+to-1",
    "geometric-17",
    "geometric-19",
    "geometric-17+reals",
];

const ROADS: [Workload; 3] = [Workload::Rome99, Workload::Delaware, Workload::NewYork];

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
                let drawn: Result<Vec<Named>> =
                    drawn.map(|(seed, name)| Ok(Named { seed, ..name.parse()? })).collect();
                let squared = |road| Named { weights: Weights::Squared, ..Named::of(road) };
                Ok(drawn?.into_iter().chain(ROADS.map(squared)).collect())
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

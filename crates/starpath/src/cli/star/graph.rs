//! The graph algorithms of the STAR-machine.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::GraphArgs;

/// A graph algorithm.
#[derive(Debug, Subcommand)]
pub(crate) enum GraphAlgorithm {
    /// Shortest paths from --source, by Dijkstra's algorithm
    #[command(after_help = "Example:\n  starpath star dijkstra rome99.gr --source 1 -o tree.tsv")]
    Dijkstra(FromSource),
    /// Shortest paths from --source where weights have either sign, or a negative cycle
    #[command(after_help = "Example:\n  starpath star bellman-ford net.el --source 0")]
    BellmanFord(FromSource),
    /// Distances between all vertices, by Floyd's algorithm
    #[command(after_help = "Example:\n  starpath star floyd brain.mtx -o pairs.tsv --cost")]
    Floyd(OnGraph),
    /// A minimum spanning forest of an undirected graph, by Kruskal's algorithm
    #[command(after_help = "Example:\n  starpath star kruskal rome99.gr -o forest.tsv")]
    Kruskal(OnGraph),
    /// A minimum spanning tree of the component of --source, by the algorithm of Prim and Dijkstra
    #[command(after_help = "Example:\n  starpath star prim rome99.gr --source 1")]
    Prim(FromSource),
}

/// A graph, and what is wanted of it.
#[derive(Debug, Args)]
pub(crate) struct OnGraph {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Write the result: OUT.tsv
    #[arg(short, long, value_name = "OUT.tsv")]
    pub(crate) output: Option<PathBuf>,
    /// Count the operations on the abstract machine, in a run of its own on the CPU
    #[arg(long)]
    pub(crate) cost: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FromSource {
    #[command(flatten)]
    pub(crate) on: OnGraph,
    /// The vertex to start from
    #[arg(long, value_name = "ID")]
    pub(crate) source: String,
}

impl GraphAlgorithm {
    /// Its name, what it is called with, and the source if it has one.
    pub(crate) fn parts(&self) -> (&'static str, &OnGraph, Option<&str>) {
        match self {
            Self::Dijkstra(from) => ("dijkstra", &from.on, Some(&from.source)),
            Self::BellmanFord(from) => ("bellman-ford", &from.on, Some(&from.source)),
            Self::Floyd(on) => ("floyd", on, None),
            Self::Kruskal(on) => ("kruskal", on, None),
            Self::Prim(from) => ("prim", &from.on, Some(&from.source)),
        }
    }
}

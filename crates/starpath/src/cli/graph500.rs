//! Flags of `graph500`.

use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

/// Run the Graph500 benchmark: its graph, its roots, its checks, its rates
#[derive(Debug, Args)]
#[command(after_help = "\
The edges, their weights and the roots are those of the benchmark's reference code, version 3. Loops are
dropped from the graph, and all but the lightest of parallel edges; the check of every result and TEPS,
the traversed edges a second, are by the edges drawn. So they count loops and parallel edges, but arcs a
second count what the graph stores.

A search from the first root comes before the timed ones. A time is that of distances and predecessors,
in memory; with --backend cuda with their copy from the GPU.

Example:
  starpath graph500 --scale 20
  starpath graph500 --scale 22 --kernel bfs --backend cuda --json
  mpirun -n 2 starpath graph500 --scale 20 --partitioned")]
pub(crate) struct Graph500Args {
    /// The graph has 2^S vertices
    #[arg(long, value_name = "S")]
    pub(crate) scale: u32,
    /// Edges drawn for each vertex
    #[arg(long, value_name = "K", default_value_t = 16)]
    pub(crate) edge_factor: u32,
    /// Searches to make, each from another vertex; fewer in a graph with fewer vertices with arcs
    #[arg(long, value_name = "N", default_value = "64")]
    pub(crate) roots: NonZeroUsize,
    /// Which searches to make: kernel 2, kernel 3, or one after the other
    #[arg(long, value_name = "K", value_enum, default_value_t = Kernels::Both)]
    pub(crate) kernel: Kernels,
    /// Deal the graph to the processes that mpirun starts. Each draws a share of the edges and checks
    /// results by it, and searches by one thread, or with --backend cuda by a GPU; results stay where
    /// their vertices are
    #[arg(long)]
    pub(crate) partitioned: bool,
}

/// Kernels of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kernels {
    /// Kernel 2: breadth-first search
    Bfs,
    /// Kernel 3: shortest paths
    Sssp,
    Both,
}

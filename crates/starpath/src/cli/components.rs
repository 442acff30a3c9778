//! `starpath components`: its options.

use std::path::PathBuf;

use clap::Args;

use super::{GpuCount, GraphArgs};

/// Find the weakly connected components: the vertices that arcs join, whatever their direction
#[derive(Debug, Args)]
#[command(after_help = "\
A component is named by the first of its vertices. OUT.tsv has a line with both names for each vertex;
OUT.npy has the number of that first vertex, from 0, for each.

Example:
  starpath components web.spg -o components.tsv
  mpirun -n 2 starpath components web.spg --partitioned -o components.tsv
  starpath components web.spg --backend cuda --gpus 2 -o components.npy")]
pub(crate) struct ComponentsArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Let each of the processes that mpirun starts read its part of an .spg file, so that none needs
    /// memory for the whole graph; each takes 12 bytes for each vertex besides
    #[arg(long, conflicts_with = "map")]
    pub(crate) partitioned: bool,
    /// Number of GPUs of this machine that share the graph, or all [default: 1]
    #[arg(long, value_name = "N|all")]
    pub(crate) gpus: Option<GpuCount>,
    /// Write the component of every vertex: OUT.tsv or OUT.npy, see below; - is standard output, as
    /// .tsv
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

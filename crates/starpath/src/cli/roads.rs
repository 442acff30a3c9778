//! Flags of `path`, and of `prepare` and `customize`, which make it a matter of microseconds.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use graph_formats::VertexId;

use super::{GraphArgs, SOLVER_OPTIONS, SolverArgs};
use crate::ids::Names;

/// A shortest path between two vertices, the k shortest, or the distances of many pairs
#[derive(Debug, Args)]
#[command(after_help = "\
With --k, paths pass no vertex twice, and are told by length, those of equal length in the order in
which the graph numbers their vertices; where there are fewer, all of them. Parallel arcs are one
path, by the lightest. That runs on the CPU, and takes weights of at least zero.

--pairs is for a graph that `starpath prepare` has prepared: each pair takes some microseconds.

Example:
  starpath path rome99.gr 1 3353
  starpath path rome99.gr 1 3353 --k 10
  starpath path roads.prepared --pairs trips.txt -o distances.tsv")]
pub(crate) struct PathArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Where the path starts
    #[arg(value_name = "FROM", required_unless_present = "pairs")]
    pub(crate) source: Option<String>,
    /// Where it ends
    #[arg(value_name = "TO", required_unless_present = "pairs")]
    pub(crate) target: Option<String>,
    /// The K shortest paths that pass no vertex twice, by Yen's algorithm
    #[arg(long, value_name = "K", conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) k: Option<NonZeroUsize>,
    /// Many pairs of a prepared graph: a file with two ids a line, a tab between them, or blanks or
    /// a comma; an id that contains these stands in double quotes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "target", "k"], conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) pairs: Option<PathBuf>,
    /// With --pairs: the vertices on the way, too
    #[arg(long, requires = "pairs")]
    pub(crate) paths: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// With --pairs: write a line for each, OUT.tsv: source, target, distance, which is empty where
    /// there is no path, and with --paths the vertices
    #[arg(short, long, value_name = "OUT", requires = "pairs")]
    pub(crate) output: Option<PathBuf>,
}

impl PathArgs {
    /// Where the path starts and ends.
    pub(crate) fn ends(&self, names: &Names<'_>) -> anyhow::Result<(VertexId, VertexId)> {
        let id = |id: &Option<String>| id.clone().ok_or_else(|| anyhow!("FROM and TO are missing"));
        let source = names.vertex("source", &id(&self.source)?)?;
        Ok((source, names.vertex("target", &id(&self.target)?)?))
    }
}

/// Prepare a road network, so that a path takes microseconds
#[derive(Debug, Args)]
#[command(after_help = "\
Orders the vertices by nested dissection, adds the shortcuts and weighs them: seconds for a city,
once. OUT.prepared is the graph with all that, and is read wherever a graph is: `path`, `sssp` and
`centrality` then answer from it. For graphs with small separators, as roads, grids and meshes
have; others are refused. Weights must be at least zero.

Example:
  starpath prepare rome99.gr -o rome99.prepared
  starpath prepare NY.gr.gz --coordinates NY.co.gz -o NY.prepared
  starpath path rome99.prepared 1 3353")]
pub(crate) struct PrepareArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Where the vertices lie: .co, .csv or .tsv, with x and y of each [default: what hops from
    /// landmarks say]
    #[arg(long, value_name = "FILE")]
    pub(crate) coordinates: Option<PathBuf>,
    /// The file to write: OUT.prepared
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

/// Give a prepared road network new weights
#[derive(Debug, Args)]
#[command(after_help = "\
The graph must have the vertices and arcs of the prepared one; its weights may be any of at least
zero, of another type too. That takes milliseconds, where `prepare` takes seconds.

Example:
  starpath customize roads.prepared rush-hour.gr -o rush-hour.prepared")]
pub(crate) struct CustomizeArgs {
    /// What `starpath prepare` has written
    #[arg(value_name = "PREPARED")]
    pub(crate) prepared: PathBuf,
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The file to write: OUT.prepared
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

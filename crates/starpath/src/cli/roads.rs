//! Flags of `path`, and of `prepare` and `customize`, with which it takes microseconds.

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
With --k, paths are simple (no vertex twice) and sorted by length; paths of equal length are sorted by
the numbers of their vertices. If there are fewer than K, all are found. Of parallel arcs only the
lightest counts; with --parallel-arcs paths by different ones are different, even if they pass the
same vertices. --k runs on the CPU and needs weights of at least zero.

With --pairs, a pair of a graph that `starpath prepare` has prepared takes a few microseconds. In any
other graph there is one search for each source, on one thread. It ends when the targets are settled;
with --paths it settles all vertices if the source has several targets.

Example:
  starpath path rome99.gr 1 3353
  starpath path rome99.gr 1 3353 --k 10
  starpath path rome99.gr 1 3353 --k 10 --parallel-arcs
  starpath path rome99.gr --pairs trips.txt -o distances.tsv
  starpath path roads.prepared --pairs trips.txt -o distances.tsv")]
pub(crate) struct PathArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The first vertex of the path
    #[arg(value_name = "FROM", required_unless_present = "pairs")]
    pub(crate) source: Option<String>,
    /// The last vertex of the path
    #[arg(value_name = "TO", required_unless_present = "pairs")]
    pub(crate) target: Option<String>,
    /// Find the K shortest simple paths, by Yen's algorithm
    #[arg(long, value_name = "K", conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) k: Option<NonZeroUsize>,
    /// With --k: leave out paths longer than D, in the unit of the weights
    #[arg(long, value_name = "D", requires = "k", allow_negative_numbers = true)]
    pub(crate) cutoff: Option<String>,
    /// With --k: take each of several parallel arcs, not only the lightest; a prepared graph is then
    /// searched
    #[arg(long, requires = "k")]
    pub(crate) parallel_arcs: bool,
    /// Many pairs: a file with two ids a line, separated by a tab, blanks or a comma; an id that
    /// contains these is in double quotes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "target", "k"], conflicts_with_all = SOLVER_OPTIONS)]
    pub(crate) pairs: Option<PathBuf>,
    /// With --pairs: find the vertices of each path, too
    #[arg(long, requires = "pairs")]
    pub(crate) paths: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArgs,
    /// With --pairs: write OUT.tsv, a line for each pair: source, target, distance (empty if there
    /// is no path) and, with --paths, the vertices; an id with a blank or a comma is then in quotes
    #[arg(short, long, value_name = "OUT", requires = "pairs")]
    pub(crate) output: Option<PathBuf>,
}

impl PathArgs {
    /// The first and the last vertex of the path.
    pub(crate) fn ends(&self, names: &Names<'_>) -> anyhow::Result<(VertexId, VertexId)> {
        let id = |id: &Option<String>| {
            id.clone().ok_or_else(|| {
                anyhow!(
                    "FROM and TO are missing; \
                                                                         name two vertices, or a \
                                                                         file of them with --pairs"
                )
            })
        };
        let source = names.vertex("source", &id(&self.source)?)?;
        Ok((source, names.vertex("target", &id(&self.target)?)?))
    }
}

/// Prepare a road network, so that a path takes microseconds
#[derive(Debug, Args)]
#[command(after_help = "\
Orders the vertices by nested dissection, adds shortcuts and computes their weights. For a city this
takes seconds. OUT.prepared has the graph and its shortcuts, and every command reads it as a graph;
`path`, `sssp` and `centrality` use the shortcuts. The graph must have small separators, as roads,
grids and meshes have; other graphs are refused. Weights must be at least zero.

Example:
  starpath prepare rome99.gr -o rome99.prepared
  starpath prepare NY.gr.gz --coordinates NY.co.gz -o NY.prepared
  starpath path rome99.prepared 1 3353")]
pub(crate) struct PrepareArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The coordinates of the vertices: .co, .csv or .tsv, with x and y of each [default: estimated
    /// from hops to landmarks]
    #[arg(long, value_name = "FILE")]
    pub(crate) coordinates: Option<PathBuf>,
    /// The file to write: OUT.prepared
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

/// Give a prepared road network new weights
#[derive(Debug, Args)]
#[command(after_help = "\
The graph must have the vertices and arcs of the prepared one. Its weights must be at least zero, and
may be of another type. `customize` takes milliseconds where `prepare` takes seconds.

A file of --changes closes roads, opens them and gives them other weights, as for `sssp`. A new road
has to join two vertices that a road or a shortcut joins; for others, `prepare` the graph with it.

Example:
  starpath customize roads.prepared rush-hour.gr -o rush-hour.prepared
  starpath customize roads.prepared roads.prepared --changes works.txt -o works.prepared")]
pub(crate) struct CustomizeArgs {
    /// The file that `starpath prepare` wrote
    #[arg(value_name = "PREPARED")]
    pub(crate) prepared: PathBuf,
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Make the changes of the graph in this file, one a line: insert, delete, reweight and
    /// delete-vertex as for sssp. Of several files, each is made after the one before
    #[arg(long, value_name = "FILE")]
    pub(crate) changes: Vec<PathBuf>,
    /// The file to write: OUT.prepared
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
}

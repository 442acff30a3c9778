//! The configuration of measures: how paths are measured, in which direction, and from which
//! vertices.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use graph_formats::VertexId;

/// The configuration of measures. `Config::default()` takes all vertices as sources, and counts
/// arcs on paths out of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// What the length of a path is.
    pub lengths: Lengths,
    /// The direction of distances.
    pub side: Side,
    /// Which vertices distances are measured to, or from.
    pub sources: Sources,
    /// For betweenness in weights: how much longer than a shortest path to a vertex a path may be
    /// that still counts as one, as a share of the length. Zero counts only equal sums, which sums
    /// of floats may miss by their rounding; 1e-12 is enough for `f64`, 1e-4 for `f32`.
    pub tie_tolerance: f64,
    /// For betweenness of vertices: whether a path also counts for the two vertices at its ends, as
    /// with `endpoints` in NetworkX and cuGraph.
    pub endpoints: bool,
    /// The most CPU threads to use. `None` is one for each core.
    pub threads: Option<NonZeroUsize>,
    /// A file with the state of the run, replaced as a whole from time to time and when the run
    /// ends. Another run on the same graph with the same config continues from it. The file is not
    /// deleted.
    pub checkpoint: Option<PathBuf>,
}

/// What the length of a path is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lengths {
    /// The number of its arcs.
    #[default]
    Hops,
    /// The sum of its weights, of which none may be negative.
    Weights,
}

/// Which way distances go; the same where a graph is undirected. Paths of
/// [`betweenness`](crate::betweenness()) begin at the vertices of a sample, or end there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// From a vertex to the others, as igraph's `mode="out"` and networkit have them.
    #[default]
    Out,
    /// From the others to a vertex, as closeness in NetworkX has them.
    In,
}

/// Which vertices distances are measured to, or from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// All vertices: measures are exact.
    #[default]
    All,
    /// `n` vertices, drawn without replacement; all if there are no more. Measures are
    /// [estimates](crate::sampling_error).
    Sample {
        /// The number of sources.
        n: NonZeroUsize,
        /// The seed of the sample.
        seed: u64,
    },
    /// These vertices, each once, as a sample.
    Listed(Vec<VertexId>),
}

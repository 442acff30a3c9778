//! What distances are of, and from where they are searched.

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What is added up; `Config::default()` takes all vertices, and counts arcs out of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// What the length of a path is.
    pub lengths: Lengths,
    /// Which way distances go.
    pub side: Side,
    /// Which vertices distances are measured to, or from.
    pub sources: Sources,
    /// Threads of the CPU to use at most; all processors when `None`.
    pub threads: Option<NonZeroUsize>,
    /// A file with the state of the run, replaced as a whole from time to time and when the run
    /// ends. Another run on the same graph with the same config continues from it. The file is not
    /// deleted.
    pub checkpoint: Option<PathBuf>,
}

/// What the length of a path is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lengths {
    /// How many arcs it has.
    #[default]
    Hops,
    /// What they weigh together; no weight may be negative.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// All: measures are exact.
    #[default]
    All,
    /// `n` vertices, drawn without replacement; all if there are no more. Measures are
    /// [estimates](crate::sampling_error).
    Sample {
        /// The number of sources.
        n: NonZeroUsize,
        /// Another seed, others.
        seed: u64,
    },
}

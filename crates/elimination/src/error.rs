//! Why there is no order, or nothing made from it.

use graph_formats::{Interrupted, NoMemory, VertexId};

/// Everything that this crate refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EliminationError {
    /// A graph that elimination makes dense.
    #[error(
        "the graph has no small separators: its hierarchy would have more than {max_arcs} arcs; use sssp, which prepares nothing"
    )]
    NoSmallSeparators {
        /// How many would be made.
        max_arcs: u64,
    },
    /// More arcs or vertices than are numbered.
    #[error("a hierarchy takes graphs of up to {limit} {what}, and this one has {found}; use sssp")]
    TooLarge {
        /// "arcs or vertices".
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A list that does not have an entry for each vertex.
    #[error("{found} {what} for {expected} vertices; there must be one for each")]
    NotAllVertices {
        /// What is in the list.
        what: &'static str,
        /// The number of vertices.
        expected: usize,
        /// The length of the list.
        found: usize,
    },
    /// An order that leaves a vertex out.
    #[error("an order has each vertex once, but {vertex} is there twice or is no vertex")]
    NotAPermutation {
        /// The vertex.
        vertex: VertexId,
    },
    /// Memory cannot hold what the work is done in.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

//! The errors of the crate.

use graph_formats::{Interrupted, NoMemory, VertexId};

/// Why an order cannot be made, or cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EliminationError {
    /// Elimination would make the graph dense.
    #[error(
        "the graph has no small separators: its hierarchy would have more than {max_arcs} arcs; \
         search the graph without preparing it"
    )]
    NoSmallSeparators {
        /// The limit of arcs that it exceeds.
        max_arcs: u64,
    },
    /// The graph has too many arcs or vertices.
    #[error(
        "a hierarchy supports up to {limit} {what}, and this graph has {found}; search the \
             graph without preparing it"
    )]
    TooLarge {
        /// "arcs or vertices".
        what: &'static str,
        /// How many there are.
        found: usize,
        /// The most that are supported.
        limit: usize,
    },
    /// A list that does not have an entry for each vertex.
    #[error("there are {found} {what} and {expected} vertices; expected one for each vertex")]
    NotAllVertices {
        /// What is in the list.
        what: &'static str,
        /// The number of vertices.
        expected: usize,
        /// The length of the list.
        found: usize,
    },
    /// An order that leaves a vertex out.
    #[error("an order must have each vertex once, but {vertex} occurs twice or is not a vertex")]
    NotAPermutation {
        /// The vertex.
        vertex: VertexId,
    },
    /// The system refuses the memory for the work space.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
}

//! Changes of a graph, and a graph that takes them.

mod dynamic;
mod error;
mod read;
mod rows;

use std::fmt;

use crate::VertexId;

pub use dynamic::{ArcChange, Changed, DynamicGraph};
pub use error::{ChangeError, ChangeProblem, NoChange};
pub use read::ReadChanges;

/// A change of a graph: of one arc, which in an undirected graph is an edge, or one vertex.
///
/// Of parallel arcs, the lightest is meant where no weight is given.
///
/// ```
/// use graph_formats::Change;
///
/// let change = Change::Insert { from: 0, to: 1, weight: 5u32 };
/// assert_eq!(change.to_string(), "insert 0 1 5");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change<W> {
    /// A new arc.
    Insert {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: W,
    },
    /// One arc less.
    Delete {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: Option<W>,
    },
    /// Another weight for an arc.
    Reweight {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its new weight.
        weight: W,
    },
    /// A new vertex, without arcs. Its number is the number of vertices before.
    InsertVertex,
    /// A vertex loses all its arcs. It keeps its number, and may get arcs again.
    DeleteVertex(VertexId),
}

impl<W> Change<W> {
    /// The weight that it names, if it does.
    pub fn weight(&self) -> Option<&W> {
        match self {
            Self::Insert { weight, .. } | Self::Reweight { weight, .. } => Some(weight),
            Self::Delete { weight, .. } => weight.as_ref(),
            Self::InsertVertex | Self::DeleteVertex(_) => None,
        }
    }
}

impl<W: fmt::Display> fmt::Display for Change<W> {
    /// As in a file, with numbers for names, of which a new vertex has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert { from, to, weight } => write!(f, "insert {from} {to} {weight}"),
            Self::Delete { from, to, weight: None } => write!(f, "delete {from} {to}"),
            Self::Delete { from, to, weight: Some(weight) } => {
                write!(f, "delete {from} {to} {weight}")
            }
            Self::Reweight { from, to, weight } => write!(f, "reweight {from} {to} {weight}"),
            Self::InsertVertex => write!(f, "insert-vertex"),
            Self::DeleteVertex(vertex) => write!(f, "delete-vertex {vertex}"),
        }
    }
}

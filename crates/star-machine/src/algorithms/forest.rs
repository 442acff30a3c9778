//! Minimum spanning trees and forests of undirected graphs.

use graph_formats::VertexId;

use super::{EdgeList, Task, Value, task, vertex};
use crate::{StarError, Word};

/// `KRUSKAL(L, R, W, X; T)`: a minimum spanning forest.
pub const KRUSKAL: &str = include_str!("kruskal.star");

/// `PRIM(L, R, W, X, r; T)`: a minimum spanning tree of the component of a vertex.
pub const PRIM: &str = include_str!("prim.star");

/// The task of a minimum spanning forest, whose edges `T` marks.
///
/// # Errors
/// Where there is no memory.
pub fn kruskal(edges: &EdgeList) -> Result<Task, StarError> {
    task(KRUSKAL, edges.values()?.into_iter().chain([edges.none()?]))
}

/// The task of a minimum spanning tree of the component that `root` is in, whose edges `T` marks.
///
/// # Errors
/// [`StarError::OutOfRange`] where there is no such vertex, and where there is no memory.
pub fn prim(edges: &EdgeList, root: VertexId) -> Result<Task, StarError> {
    let root = vertex(root, edges.n_vertices())?;
    let code = Word::from_u64(u64::from(root), edges.code_bits())?;
    task(PRIM, edges.values()?.into_iter().chain([Value::Word(code), edges.none()?]))
}

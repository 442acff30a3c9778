//! Minimum spanning trees and forests of undirected graphs.

use std::ops::RangeInclusive;

use graph_formats::VertexId;

use super::{EdgeList, Task, Value, WeightMatrix, bits, task, vertex};
use crate::{StarError, Table, Word};

/// `KRUSKAL(L, R, W, X; T)`: a minimum spanning forest.
pub const KRUSKAL: &str = include_str!("kruskal.star");

/// `PRIM(L, R, W, X, r; T)`: a minimum spanning tree of the component of a vertex.
pub const PRIM: &str = include_str!("prim.star");

/// `GABOW(G, r, a, b; P, D, d)`: a minimum spanning tree in which the degree of a vertex is in a
/// range.
pub const GABOW: &str = include_str!("gabow.star");

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

/// The task of a minimum spanning tree in which the degree of `root` is in a range, of the graph of
/// a [symmetric](WeightMatrix::symmetric) matrix: `2..=2` asks for two neighbours, `0..=2` for at
/// most two. `P` holds the codes of the parents of all vertices but the root, and `D` the codes of
/// the weights of the edges to them. `d` holds the degree of the root, none where there is no such
/// tree.
///
/// ```
/// use star_machine::Host;
/// use star_machine::algorithms::{Runner, WeightMatrix, gabow};
///
/// // a triangle
/// let matrix = WeightMatrix::symmetric(3, &[(0, 1, 3), (1, 2, 1), (2, 0, 5)])?;
/// let mut m = Host::new();
/// let task = gabow(&matrix, 0, 2..=2)?;
/// let mut run = task.on(&mut m)?;
/// run.run()?;
/// assert_eq!(run.table("P")?.to_values()?, [0, 0, 0]);
/// assert_eq!((run.table("D")?.to_values()?, run.int("d")?), (vec![0, 3, 5], Some(2)));
/// # Ok::<(), star_machine::StarError>(())
/// ```
///
/// # Errors
/// [`StarError::OutOfRange`] where there is no such vertex, and where there is no memory.
pub fn gabow(
    matrix: &WeightMatrix,
    root: VertexId,
    degrees: RangeInclusive<usize>,
) -> Result<Task, StarError> {
    let n = matrix.n_vertices();
    let root = vertex(root, n)?;
    // every degree is less than n, so that greater numbers mean the same
    let degrees = [degrees.start(), degrees.end()].map(|degree| (*degree).min(n) as u32);
    let integers = [root, degrees[0], degrees[1]].map(|number| Value::Int(Some(number)));
    let tables = [Table::zeros(n, bits(n as u64 - 1))?, Table::zeros(n, matrix.bits())?];
    let values = [matrix.value()].into_iter().chain(integers);
    task(GABOW, values.chain(tables.map(Value::Table)).chain([Value::Int(None)]))
}

//! Shortest paths from a vertex, and between all.

use graph_formats::VertexId;

use super::{Task, Value, WeightMatrix, bits, task, vertex};
use crate::{Slice, StarError, Table};

/// `FLOYD(D, N)`: the distances between all vertices, and the next hops.
pub const FLOYD: &str = include_str!("floyd.star");

/// `DIJKSTRA(OUT, s; D, P, Z)`: distances from a vertex, and the tree of shortest paths.
pub const DIJKSTRA: &str = include_str!("dijkstra.star");

/// The task of shortest paths from `source`, in a matrix of the arcs that
/// [leave](WeightMatrix::leaving) each vertex: `Z` marks the vertices that are reached, `D` has
/// their distances, `P` the codes of those before them.
///
/// # Errors
/// [`StarError::OutOfRange`] where there is no such vertex, and where there is no memory.
pub fn dijkstra(out: &WeightMatrix, source: VertexId) -> Result<Task, StarError> {
    let n = out.n_vertices();
    let source = vertex(source, n)?;
    let code_bits = bits(n as u64 - 1);
    let tables = [Table::zeros(n, out.bits())?, Table::zeros(n, code_bits)?].map(Value::Table);
    let values = [out.value(), Value::Int(Some(source))].into_iter().chain(tables);
    task(DIJKSTRA, values.chain([Value::Slice(Slice::zeros(n)?)]))
}

/// The task of shortest paths between all vertices, in a matrix of the arcs that
/// [enter](WeightMatrix::entering) each: field v of `D` has, in row u, the distance from u to v,
/// and field v of `N` the code of the vertex after u on the way there.
///
/// # Errors
/// [`StarError::TooLarge`] where the tables do not fit.
pub fn floyd(into: &WeightMatrix) -> Result<Task, StarError> {
    let n = into.n_vertices();
    let code_bits = bits(n.saturating_sub(1) as u64);
    task(FLOYD, [into.value(), Value::Table(Table::zeros(n, n.saturating_mul(code_bits))?)])
}

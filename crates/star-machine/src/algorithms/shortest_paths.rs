//! Shortest paths from a vertex, and between all.

use graph_formats::VertexId;

use super::{Task, Value, WeightMatrix, bits, task, vertex};
use crate::{Slice, StarError, Table};

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

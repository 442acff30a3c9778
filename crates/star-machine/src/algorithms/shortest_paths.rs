//! Shortest paths from a vertex, and between all vertices.

use graph_formats::VertexId;

use super::{SignedMatrix, Task, Value, WeightMatrix, bits, task, vertex};
use crate::{Slice, StarError, Table};

/// `BELLMAN-FORD(OUT, s; D, P, Z, c)`: distances and tree where weights may be negative, or a
/// vertex of a negative cycle.
pub const BELLMAN_FORD: &str = include_str!("bellman-ford.star");

/// `FLOYD(D, N)`: the distances between all vertices, and the next hops.
pub const FLOYD: &str = include_str!("floyd.star");

/// `DIJKSTRA(OUT, s; D, P, Z)`: distances from a vertex, and the tree of shortest paths.
pub const DIJKSTRA: &str = include_str!("dijkstra.star");

/// The task of shortest paths from `source`, in a matrix of the arcs that
/// [leave](WeightMatrix::leaving) each vertex: `Z` marks the vertices that are reached, `D` holds
/// their distances, `P` the codes of their predecessors.
///
/// # Errors
/// [`StarError::OutOfRange`] where there is no such vertex, and where there is no memory.
pub fn dijkstra(out: &WeightMatrix, source: VertexId) -> Result<Task, StarError> {
    task(DIJKSTRA, search(out.value(), out.n_vertices(), out.bits(), source)?)
}

/// The task of shortest paths from `source`, in a matrix of the arcs that
/// [leave](SignedMatrix::leaving) each vertex. If `c` is none, the results are those of
/// [`dijkstra`], with distances in [two's complement](SignedMatrix::number); otherwise `c` is a
/// vertex of a [`cycle`] of negative weight that can be reached.
///
/// # Errors
/// [`StarError::OutOfRange`] where there is no such vertex, and where there is no memory.
pub fn bellman_ford(out: &SignedMatrix, source: VertexId) -> Result<Task, StarError> {
    let values = search(out.value(), out.n_vertices(), out.bits(), source)?;
    task(BELLMAN_FORD, values.into_iter().chain([Value::Int(None)]))
}

/// The vertices of the cycle that a vertex is on, from the codes of predecessors, in the direction
/// of the arcs; `None` where the codes do not lead back to it. O(n l).
#[must_use]
pub fn cycle(before: &Table, vertex: VertexId) -> Option<Vec<VertexId>> {
    let before = before.to_values().ok()?;
    let (mut at, mut cycle) = (vertex, Vec::new());
    for _ in 0..before.len() {
        cycle.push(at);
        at = VertexId::try_from(*before.get(at as usize)?).ok()?;
        if at == vertex {
            cycle.reverse();
            return Some(cycle);
        }
    }
    None
}

/// The arguments of a search from a vertex: the graph, the source, and zeros for the results.
fn search(
    out: Value,
    n: usize,
    distance_bits: usize,
    source: VertexId,
) -> Result<[Value; 5], StarError> {
    let source = Value::Int(Some(vertex(source, n)?));
    let [distances, before] =
        [Table::zeros(n, distance_bits)?, Table::zeros(n, bits(n as u64 - 1))?];
    let reached = Value::Slice(Slice::zeros(n)?);
    Ok([out, source, Value::Table(distances), Value::Table(before), reached])
}

/// The task of shortest paths between all vertices, in a matrix of the arcs that
/// [enter](WeightMatrix::entering) each: field v of `D` holds, in row u, the distance from u to
/// v, and field v of `N` the code of the next hop from u to v.
///
/// # Errors
/// [`StarError::TooLarge`] where the tables do not fit.
pub fn floyd(into: &WeightMatrix) -> Result<Task, StarError> {
    let n = into.n_vertices();
    let code_bits = bits(n.saturating_sub(1) as u64);
    task(FLOYD, [into.value(), Value::Table(Table::zeros(n, n.saturating_mul(code_bits))?)])
}

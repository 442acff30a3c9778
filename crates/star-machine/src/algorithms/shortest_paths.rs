//! Shortest paths from a vertex, and between all vertices.

use graph_formats::VertexId;

use super::{SignedMatrix, Task, Value, WeightMatrix, bits, task, vertex};
use crate::{Slice, StarError, Table};

/// `BELLMAN-FORD(OUT, s; D, P, Z, c)`: distances and tree where weights may be negative, or a
/// vertex of a negative cycle.
pub const BELLMAN_FORD: &str = include_str!("bellman-ford.star");

/// `FLOYD(D, N)`: the distances between all vertices, and the next hops.
pub const FLOYD: &str = include_str!("floyd.star");

/// `FLOYD-SIGNED(D, N, c, d)`: the same where weights may be negative, or two vertices on a walk of
/// negative weight.
pub const FLOYD_SIGNED: &str = include_str!("floyd-signed.star");

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
/// [enter](WeightMatrix::entering) each. Field v of `D` holds, in row u, the distance from u to v,
/// and field v of `N` the code of the next hop from u to v.
///
/// # Errors
/// [`StarError::TooLarge`] where the tables do not fit.
pub fn floyd(into: &WeightMatrix) -> Result<Task, StarError> {
    task(FLOYD, pairs(into.value(), into.n_vertices())?)
}

/// The task of shortest paths between all vertices, in a matrix of the arcs that
/// [enter](SignedMatrix::entering) each. If `c` is none, the results are those of [`floyd`], with
/// distances in [two's complement](SignedMatrix::number); otherwise next hops from `c` to `d` and
/// back lead round a [`cycle`](cycle_of_hops) of negative weight.
///
/// ```
/// use star_machine::Host;
/// use star_machine::algorithms::{Runner, SignedMatrix, cycle_of_hops, floyd_signed};
///
/// let matrix = SignedMatrix::entering(3, &[(0, 1, 3), (1, 2, -4), (2, 1, 1)])?;
/// let (task, mut m) = (floyd_signed(&matrix)?, Host::new());
/// let mut run = task.on(&mut m)?;
/// run.run()?;
/// let (c, d) = (run.int("c")?.unwrap(), run.int("d")?.unwrap());
/// let mut cycle = cycle_of_hops(&run.table("N")?, c, d).unwrap();
/// cycle.sort_unstable(); // wherever it begins
/// assert_eq!(cycle, [1, 2]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
///
/// # Errors
/// [`StarError::TooLarge`] where the tables do not fit.
pub fn floyd_signed(into: &SignedMatrix) -> Result<Task, StarError> {
    let values = pairs(into.value(), into.n_vertices())?;
    task(FLOYD_SIGNED, values.into_iter().chain([Value::Int(None), Value::Int(None)]))
}

/// The arguments of all pairs: the graph, and zeros for the next hops.
fn pairs(into: Value, n: usize) -> Result<[Value; 2], StarError> {
    let code_bits = bits(n.saturating_sub(1) as u64);
    Ok([into, Value::Table(Table::zeros(n, n.saturating_mul(code_bits))?)])
}

/// The vertices of a cycle, in the direction of the arcs, from next hops that lead from `c` to `d`
/// and back; `None` where they do not. Of the walk those vertices are left out which it passes
/// before and after the cycle. O(n² + n l).
pub fn cycle_of_hops(hops: &Table, c: VertexId, d: VertexId) -> Option<Vec<VertexId>> {
    let n = hops.rows();
    let bits = hops.columns().checked_div(n)?;
    let hop = |from: VertexId, to: VertexId| {
        let to = to as usize;
        let code = hops.field(to * bits..(to + 1) * bits).ok()?.row(from as usize).ok()?;
        VertexId::try_from(code.to_u64().ok()?).ok()
    };
    let mut way = vec![c];
    while *way.last()? != d {
        way.push(hop(*way.last()?, d)?);
        if way.len() > n {
            return None;
        }
    }
    let (mut back, mut at) = (Vec::new(), hop(d, c)?);
    while back.len() < n {
        if let Some(first) = way.iter().position(|&v| v == at) {
            return Some(way.into_iter().skip(first).chain(back).collect());
        }
        back.push(at);
        at = hop(at, c)?;
    }
    None
}

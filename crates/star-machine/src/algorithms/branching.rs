//! Branchings and arborescences of directed graphs.

use graph_formats::VertexId;

use super::{Edge, EdgeList, Task, Value, task, vertex};
use crate::{StarError, Table, Word};

/// `EDMONDS(L, R, W, X; P, T)`: a branching of maximum weight.
pub const EDMONDS: &str = include_str!("edmonds.star");

/// `ARBORESCENCE(L, R, W, X, r; P, T)`: a minimum spanning arborescence, by [`EDMONDS`].
pub const ARBORESCENCE: &str =
    concat!(include_str!("edmonds.star"), include_str!("arborescence.star"));

/// The task of a branching of maximum weight. `T` marks its arcs, and `P` holds, for every vertex
/// that one of these enters, the code of the arc's tail. Only arcs of positive weight are taken.
///
/// ```
/// use star_machine::Host;
/// use star_machine::algorithms::{Runner, edmonds};
///
/// // a cycle of 4 and 5, which 7 enters
/// let (task, mut m) = (edmonds(3, &[(0, 1, 7), (1, 2, 5), (2, 1, 4)])?, Host::new());
/// let mut run = task.on(&mut m)?;
/// run.run()?;
/// assert_eq!(run.slice("T")?.to_string(), "110");
/// # Ok::<(), star_machine::StarError>(())
/// ```
///
/// # Errors
/// [`StarError::OutOfRange`] for a vertex that does not exist, and when there is no memory.
pub fn edmonds(n_vertices: usize, arcs: &[Edge]) -> Result<Task, StarError> {
    // arcs of weight zero are left out
    let arcs: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, w.max(0))).collect();
    let arcs = EdgeList::with_codes(n_vertices, &arcs, codes(n_vertices))?;
    task(EDMONDS, arcs.values()?.into_iter().chain(results(&arcs)?))
}

/// The task of a minimum spanning arborescence rooted at `root`. `T` marks its arcs, and `P` holds,
/// for every other vertex, the code of its predecessor. Where the root does not reach all vertices,
/// `T` marks no arc.
///
/// # Errors
/// As [`edmonds`], and [`StarError::OutOfRange`] where there is no such root.
pub fn arborescence(n_vertices: usize, arcs: &[Edge], root: VertexId) -> Result<Task, StarError> {
    let root = vertex(root, n_vertices)?;
    let arcs = EdgeList::with_codes(n_vertices, arcs, codes(n_vertices))?;
    let root = Word::from_u64(u64::from(root), arcs.code_bits())?;
    let values = arcs.values()?.into_iter().chain([Value::Word(root)]);
    task(ARBORESCENCE, values.chain(results(&arcs)?))
}

/// The number of vertices, those that cycles are contracted to included.
fn codes(n_vertices: usize) -> usize {
    n_vertices.saturating_mul(2)
}

/// `P` and `T`.
fn results(arcs: &EdgeList) -> Result<[Value; 2], StarError> {
    let before = Table::zeros(arcs.n_vertices(), arcs.code_bits())?;
    Ok([Value::Table(before), arcs.none()?])
}

//! Checks for distances that overflow their type.

use breadth_first::BreadthFirst;
use graph_formats::{Csr, Distance, VertexId, Weight, parallel};
use paths::Distances;
use search_parts::{Query, Team};

use crate::{Plan, SsspError};

/// Vertices of one task of a parallel check.
const VERTICES_PER_TASK: usize = 1 << 12;

/// An error if a vertex has a path but its distance overflows. An arc from a reached vertex leads
/// to such a vertex, if there is one. With negative weights the vertex that is named may have a path
/// that fits, through another whose distance does not. O(m) if sums can overflow at all.
pub(crate) fn check_overflow<W: Weight>(
    graph: &Csr<W>,
    distances: &Distances<W::Distance>,
) -> Result<(), SsspError> {
    let widened = size_of::<W>() < size_of::<W::Distance>();
    if widened {
        return Ok(());
    }
    let overflowing = |from: usize| {
        let distance = distances.get(from as VertexId)?;
        let mut arcs = graph.arcs_from(from as VertexId);
        arcs.find(|&(to, weight)| distances.get(to).is_none() && weight.after(distance).is_none())
    };
    let from = parallel::find_first(graph.n_vertices(), VERTICES_PER_TASK, &|mut vertices| {
        vertices.find(|&from| overflowing(from).is_some())
    });
    let Some((vertex, _)) = from.and_then(overflowing) else { return Ok(()) };
    Err(SsspError::Overflow { vertex, kind: std::any::type_name::<W::Distance>() })
}

/// The same, but with `targets` only these must not overflow, unless a weight is negative: a path
/// that overflows may then become shorter.
pub(crate) fn check_overflow_to<W: Weight>(
    graph: &Csr<W>,
    distances: &Distances<W::Distance>,
    source: VertexId,
    targets: &[VertexId],
) -> Result<(), SsspError> {
    let checked = check_overflow(graph, distances);
    if checked.is_err() && !targets.is_empty() && graph.first_negative().is_none() {
        let mut levels = BreadthFirst::new(graph, None, 1, Team::WhereItPays);
        levels.run(&Query { source, targets: &[], limit: u32::MAX, progress: None })?;
        let overflows = |&v: &VertexId| distances.get(v).is_none() && levels.level(v).is_some();
        if !targets.iter().any(overflows) {
            return Ok(());
        }
    }
    checked
}

/// The same of a row of a table, which has the distances of `targets`. `all` gives the distances of
/// all vertices; it is called only if a target is unreached or a weight is negative.
pub(crate) fn check_overflow_of_row<W: Weight>(
    graph: &Csr<W>,
    plan: &Plan,
    source: VertexId,
    targets: &[VertexId],
    row: &[W::Distance],
    all: impl FnOnce() -> Vec<W::Distance>,
) -> Result<(), SsspError> {
    // without negative weights, a distance does not depend on greater ones
    let all_are_held = plan.negative.is_none() && !row.contains(&W::Distance::UNREACHED);
    if plan.bounded || all_are_held {
        return Ok(());
    }
    check_overflow_to(graph, &Distances::from_storage(all()), source, targets)
}

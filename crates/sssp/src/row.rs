//! A row of a table, by a search from its source.

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Distances;
use search_parts::Query;

use crate::overflow::check_overflow_to;
use crate::{Plan, SsspError};

/// The query of the search. If half of the vertices or more are targets, it has no targets:
/// checking for the last one would cost more than a complete search.
pub(crate) fn query<D: Distance>(
    source: VertexId,
    targets: &[VertexId],
    n_vertices: usize,
) -> Query<'_, D> {
    let targets = if targets.len() < n_vertices / 2 { targets } else { &[] };
    Query { source, targets, limit: D::UNREACHED, progress: None }
}

/// An error if the distance of one of `targets` from `source` overflows. `row` has their distances.
/// `all` gives the distances of all vertices; it is called only if a target is unreached or a
/// weight is negative.
pub(crate) fn check<W: Weight>(
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

//! A row of a table, found by a search from its source.

use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Distances;
use search_parts::Query;

use crate::overflow::check_overflow_to;
use crate::{Plan, SsspError};

/// What is asked of the search. Where nearly all vertices are targets, looking out for the last one
/// costs more than going on to the end.
pub(crate) fn query<D: Distance>(
    source: VertexId,
    targets: &[VertexId],
    n_vertices: usize,
) -> Query<'_, D> {
    let targets = if targets.len() < n_vertices / 2 { targets } else { &[] };
    Query { source, targets, limit: D::UNREACHED, progress: None }
}

/// An error where one of `targets`, whose distances from `source` are in `row`, has a path that
/// cannot be held. `all` are the distances of all vertices, which are needed only where one of
/// these is not reached, or weights are negative.
pub(crate) fn check<W: Weight>(
    graph: &Csr<W>,
    plan: &Plan,
    source: VertexId,
    targets: &[VertexId],
    row: &[W::Distance],
    all: impl FnOnce() -> Vec<W::Distance>,
) -> Result<(), SsspError> {
    // where no weight is negative, a distance hangs on none that is greater
    let all_are_held = plan.negative.is_none() && !row.contains(&W::Distance::UNREACHED);
    if plan.bounded || all_are_held {
        return Ok(());
    }
    check_overflow_to(graph, &Distances::from_storage(all()), source, targets)
}

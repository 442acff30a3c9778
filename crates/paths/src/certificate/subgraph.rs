//! The certificate of all shortest paths to a sink.

use std::collections::BTreeSet;

use graph_formats::{Csr, Weight};

use super::all_pairs::restated;
use super::{Violation, check_distances};
use crate::ShortestPathSubgraph;

/// Proves that `subgraph` has the right distances to its sink, and exactly the arcs that
/// shortest paths to it go along.
///
/// In the reversed graph the distances are those from the sink, which [`check_distances`] proves.
/// An arc (u, v, w) is on a shortest path if u is not the sink and d(u) = w + d(v), since a
/// shortest path leads on from v; and on none if not. Distances are compared exactly, floats as
/// sums rounded from the sink backwards. O(n + m log m) time.
///
/// # Errors
/// The first [`Violation`], the same in every run.
///
/// ```
/// use graph_formats::Csr;
/// use paths::certificate::{Violation, check_shortest_path_subgraph};
/// use paths::oracle;
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 2), (0, 2, 3)])?;
/// let mut subgraph = oracle::shortest_path_subgraph(&graph, 2)?;
/// check_shortest_path_subgraph(&graph, &subgraph)?;
/// subgraph.arcs.remove(&(0, 2));
/// let violation = check_shortest_path_subgraph(&graph, &subgraph).unwrap_err();
/// assert_eq!(violation, Violation::ArcLeftOut { from: 0, to: 2, sink: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_shortest_path_subgraph<W: Weight>(
    graph: &Csr<W>,
    subgraph: &ShortestPathSubgraph<W>,
) -> Result<(), Violation> {
    let ShortestPathSubgraph { sink, distances, arcs } = subgraph;
    check_distances(&graph.transposed(), *sink, None, distances)
        .map_err(|violation| restated(violation, *sink))?;
    let mut on_paths = BTreeSet::new();
    for (u, v, weight) in graph.arcs().filter(|arc| arc.0 != *sink) {
        let Some(rest) = distances.get(v) else { continue };
        if weight.after(rest).is_some_and(|through| distances.get(u) == Some(through)) {
            on_paths.insert((u, v));
        }
    }
    match on_paths.symmetric_difference(arcs).next() {
        None => Ok(()),
        Some(&(from, to)) if arcs.contains(&(from, to)) => {
            Err(Violation::ArcOnNoShortestPath { from, to, sink: *sink })
        }
        Some(&(from, to)) => Err(Violation::ArcLeftOut { from, to, sink: *sink }),
    }
}

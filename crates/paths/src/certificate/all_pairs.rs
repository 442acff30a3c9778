//! The certificates of all pairs: distances, and the next hops of their paths.

use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

use super::{Violation, check_distances, check_tree};
use crate::{DistanceTable, Distances, NextHops, Predecessors, Tree};

/// Proves that `table` has the distances of all pairs of vertices.
///
/// In the reversed graph, column v of the table has the distances from v, and [`check_distances`]
/// proves three conditions. d(v, v) = 0. For every arc (u, x, w), d(u, v) ≤ w + d(x, v). Every d(u,
/// v) is attained along tight arcs, where a cycle of weight zero does not support itself.
///
/// The comparison is exact. Floats pass where they are the least sums that are rounded from the
/// destination backwards; sums in another order may not, and can be checked by
/// [`check_triangles`](super::check_triangles). O(n (n + m)) time, n bytes a thread.
///
/// # Errors
/// The first [`Violation`], the same in every run.
///
/// ```
/// use graph_formats::Csr;
/// use paths::DistanceTable;
/// use paths::certificate::{Violation, check_all_pairs};
/// use ndarray::array;
///
/// let graph = Csr::from_arcs(2, &[(0, 1, 5i32), (1, 0, -2)])?;
/// check_all_pairs(&graph, &DistanceTable::from_storage(array![[0, 5], [-2, 0]]))?;
/// let wrong = DistanceTable::from_storage(array![[0, 5], [-1, 0]]);
/// let violation = check_all_pairs(&graph, &wrong).unwrap_err();
/// assert!(matches!(violation, Violation::PairTooFar { from: 1, to: 0, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_all_pairs<W: Weight>(
    graph: &Csr<W>,
    table: &DistanceTable<W>,
) -> Result<(), Violation> {
    check_shape(graph, table)?;
    let reversed = graph.transposed();
    for_every_destination(graph, |to| check_distances(&reversed, to, None, &column(table, to)))
}

/// Proves that `table` has the distances of all pairs of vertices, and that `hops` lead
/// along paths that have them.
///
/// In the reversed graph, the hops to v are predecessors from v, and [`check_tree`] proves both
/// distances and hops. Every hop is an arc with w + d(x, v) = d(u, v), pairs without a path have
/// none, and following hops ends at v. No path is walked twice: O(n (n + m)) time, n bytes a
/// thread. Floats are compared exactly, as [`check_all_pairs`] does.
///
/// The hops may take any of several shortest paths.
///
/// # Errors
/// The first [`Violation`], the same in every run.
pub fn check_next_hops<W: Weight>(
    graph: &Csr<W>,
    table: &DistanceTable<W>,
    hops: &NextHops,
) -> Result<(), Violation> {
    check_shape(graph, table)?;
    let (n, found) = (graph.n_vertices(), hops.n_vertices());
    if found != n {
        return Err(Violation::WrongLength { what: "next hops", expected: n, found });
    }
    let reversed = graph.transposed();
    for_every_destination(graph, |to| {
        let predecessors = graph.vertices().map(|from| hops.get(from, to));
        let tree = Tree {
            source: to,
            limit: None,
            distances: column(table, to),
            predecessors: Predecessors::from_iter(predecessors),
        };
        check_tree(&reversed, &tree)
    })
}

fn check_shape<W: Weight>(graph: &Csr<W>, table: &DistanceTable<W>) -> Result<(), Violation> {
    let (n_vertices, rows, columns) = (graph.n_vertices(), table.n_sources(), table.n_targets());
    if (rows, columns) == (n_vertices, n_vertices) {
        return Ok(());
    }
    Err(Violation::NotAllPairs { n_vertices, rows, columns })
}

/// The distances to `to`, from every vertex.
fn column<W: Weight>(table: &DistanceTable<W>, to: VertexId) -> Distances<W::Distance> {
    (0..table.n_sources()).map(|from| table.get(from, to as usize)).collect()
}

/// Runs `check` for every destination in the reversed graph, in parallel. The first violation is
/// restated for the graph itself.
fn for_every_destination<W: Weight>(
    graph: &Csr<W>,
    check: impl Fn(VertexId) -> Result<(), Violation> + Sync,
) -> Result<(), Violation> {
    let violation = graph
        .vertices()
        .into_par_iter()
        .find_map_first(|to| check(to).err().map(|violation| restated(violation, to)));
    violation.map_or(Ok(()), Err)
}

/// Restates a violation in the reversed graph, searched from `to`, for the graph itself.
pub(super) fn restated(violation: Violation, to: VertexId) -> Violation {
    match violation {
        Violation::Missed { from: hop, to: from, weight } => {
            Violation::PairMissed { from, to, hop, weight }
        }
        Violation::TooFar { from: hop, to: from, weight, distance } => {
            Violation::PairTooFar { from, to, hop, weight, distance }
        }
        Violation::Unrealised { vertex: from, distance, .. } => {
            Violation::Unrealised { vertex: to, source_vertex: from, distance }
        }
        Violation::SourcePredecessor { predecessor: hop, .. } => {
            Violation::HopWithoutPath { from: to, to, hop }
        }
        Violation::UnreachedPredecessor { vertex: from, predecessor: hop } => {
            Violation::HopWithoutPath { from, to, hop }
        }
        Violation::NoPredecessor { vertex: from } => Violation::NoHop { from, to },
        Violation::PredecessorUnreached { vertex: from, predecessor: hop } => {
            Violation::HopUnreached { from, to, hop }
        }
        Violation::PredecessorWithoutArc { vertex: from, predecessor: hop } => {
            Violation::HopWithoutArc { from, to, hop }
        }
        Violation::PredecessorNotTight {
            vertex: from,
            distance,
            predecessor: hop,
            predecessor_distance: rest,
        } => Violation::HopNotTight { from, to, distance, hop, rest },
        Violation::PredecessorCycle { vertex: from } => Violation::HopCycle { from, to },
        // sizes and distances from a vertex to itself are the same in both graphs
        other => other,
    }
}

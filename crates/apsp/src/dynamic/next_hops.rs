//! Next hops of some pairs, found again where all weights are positive: then a hop follows from
//! distances alone.

use graph_formats::{Distance, DynamicGraph, Interrupted, VertexId, Weight};
use ndarray::Array2;
use paths::NextHops;
use sssp::Progress;

use super::table::of_rows;
use crate::host::next_hops::nearest_hops;

/// For the columns of each row, in order, the next hops. O(arcs) for a row, and O(tight arcs) for a
/// pair.
pub(super) fn find<W: Weight>(
    graph: &DynamicGraph<W>,
    distances: &Array2<W::Distance>,
    columns: &[Vec<VertexId>],
    progress: Option<Progress<'_>>,
) -> Result<Vec<Vec<VertexId>>, Interrupted> {
    let of_row = |row: usize| {
        let mut hops = vec![VertexId::MAX; columns[row].len()];
        if hops.is_empty() {
            return hops;
        }
        let from = row as VertexId;
        let whole = distances.row(row);
        // heavier arcs are on no shortest path
        let used = graph.arcs_from(from).iter().copied().filter(|&(to, weight)| {
            weight.after(W::Distance::ZERO).is_some_and(|weight| weight <= whole[to as usize])
        });
        let is_reached = |&column: &VertexId| whole[column as usize] != W::Distance::UNREACHED;
        let mut left: Vec<_> = columns[row].iter().copied().filter(is_reached).collect();
        nearest_hops(used, distances, from, &mut left, |column, hop| {
            let place = columns[row].binary_search(&column);
            place.into_iter().for_each(|place| hops[place] = hop);
        });
        hops
    };
    of_rows(graph.n_vertices(), progress, of_row)
}

/// Writes what was found.
pub(super) fn write(hops: &mut NextHops, columns: &[Vec<VertexId>], found: &[Vec<VertexId>]) {
    for (from, (columns, found)) in (0..).zip(columns.iter().zip(found)) {
        for (&to, &hop) in columns.iter().zip(found) {
            hops.set(from, to, Some(hop).filter(|&hop| hop != VertexId::MAX));
        }
    }
}

//! Next hops of some pairs, found again where all weights are positive: then a hop follows from
//! distances alone.

use graph_formats::{Distance, DynamicGraph, Interrupted, VertexId, Weight, parallel, tell};
use ndarray::Array2;
use paths::NextHops;
use sssp::Progress;

use super::table::{PAIRS_A_REPORT, ROWS};
use crate::host::next_hops::nearest_hops;

/// For the columns of each row, in order, the next hops. O(arcs) for a row, and O(tight arcs) for a
/// pair.
pub(super) fn find<W: Weight>(
    graph: &DynamicGraph<W>,
    distances: &Array2<W::Distance>,
    columns: &[Vec<VertexId>],
    progress: Option<Progress<'_>>,
) -> Result<Vec<Vec<VertexId>>, Interrupted> {
    let n = graph.n_vertices();
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
    let mut all = Vec::with_capacity(n);
    while all.len() < n {
        tell(progress, all.len() as u64, n as u64)?;
        let first = all.len();
        let rows = (PAIRS_A_REPORT / n).max(1).min(n - first);
        let found = parallel::map(rows.div_ceil(ROWS), &|task| {
            let rows = (task * ROWS..rows.min((task + 1) * ROWS)).map(|row| of_row(first + row));
            rows.collect::<Vec<_>>()
        });
        all.extend(found.into_iter().flatten());
    }
    Ok(all)
}

/// Writes what was found.
pub(super) fn write(hops: &mut NextHops, columns: &[Vec<VertexId>], found: &[Vec<VertexId>]) {
    for (from, (columns, found)) in (0..).zip(columns.iter().zip(found)) {
        for (&to, &hop) in columns.iter().zip(found) {
            hops.set(from, to, Some(hop).filter(|&hop| hop != VertexId::MAX));
        }
    }
}

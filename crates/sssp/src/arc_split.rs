//! The arcs of a dense undirected graph, split into short and long.
//!
//! The short arcs lie together, so that a search can [defer](crate::cpu::delta_stepping) the long
//! ones. This is Meyer and Sanders' split into light and heavy arcs, made only if enough arcs are
//! long.
//!
//! Reference: meyer-sanders-2003

use std::ops::Range;

use graph_formats::{Csr, Direction, VertexId, Weight, parallel};
use rayon::prelude::*;
use search_parts::buckets::{defers_enough, has_many_arcs, limit_below};

/// Rows that one parallel task counts or copies.
const ROWS_PER_TASK: usize = 1 << 12;
/// Arcs that are compared with the limit before a copy.
const BLOCK: usize = 64;

/// The arcs of a graph, split into short and long.
pub(crate) struct ArcSplit<W> {
    /// Arcs below it are short. A search sets each settled bound this far after the last one.
    pub(crate) limit: W,
    /// The short arcs: only these can end before the next bound.
    pub(crate) short: ShortArcs<W>,
}

/// Whether deferring arcs may pay on `graph`: it is undirected and dense. O(n).
pub(crate) fn is_dense<W: Weight>(graph: &Csr<W>) -> bool {
    let n_linked = || graph.row_offsets().par_windows(2).filter(|row| row[0] < row[1]).count();
    graph.direction() == Direction::Undirected && has_many_arcs(graph.n_arcs(), n_linked())
}

/// The limit of short arcs of `graph`; `None` if no arcs should be deferred. O(n).
pub(crate) fn short_limit<W: Weight>(graph: &Csr<W>, max_weight: W) -> Option<W> {
    if is_dense(graph) { limit_below(max_weight) } else { None }
}

/// The arcs of `graph`, split; `None` if no arcs should be deferred. O(n + m).
pub(crate) fn split<W: Weight>(graph: &Csr<W>) -> Option<ArcSplit<W>> {
    let limit = short_limit(graph, graph.weight_summary().greatest)?;
    let short = ShortArcs::new(graph, limit);
    defers_enough(short.arcs.len(), graph.n_arcs()).then_some(ArcSplit { limit, short })
}

/// The arcs below a limit, as rows in the graph's order.
pub(crate) struct ShortArcs<W> {
    /// The start of each row, and the end of the last one.
    pub(crate) row_offsets: Vec<usize>,
    /// All short arcs, row by row.
    pub(crate) arcs: Vec<(VertexId, W)>,
}

impl<W: Weight> ShortArcs<W> {
    /// Copies the arcs of `graph` below `limit`. O(n + m), in two passes over the weights.
    pub(crate) fn new(graph: &Csr<W>, limit: W) -> Self {
        let n = graph.n_vertices();
        let mut row_offsets = vec![0; n + 1];
        parallel::fill(&mut row_offsets[1..], ROWS_PER_TASK, &|first, counts| {
            for (count, vertex) in counts.iter_mut().zip(first as VertexId..) {
                let weights = &graph.weights()[graph.row(vertex)];
                *count = weights.iter().filter(|&&weight| weight < limit).count();
            }
        });
        for vertex in 0..n {
            row_offsets[vertex + 1] += row_offsets[vertex];
        }
        let mut arcs = vec![(0, W::ZERO); row_offsets[n]];
        let mut tasks = Vec::with_capacity(n.div_ceil(ROWS_PER_TASK));
        let mut rest = &mut arcs[..];
        for first in (0..n).step_by(ROWS_PER_TASK) {
            let last = (first + ROWS_PER_TASK).min(n);
            let (copies, others) = rest.split_at_mut(row_offsets[last] - row_offsets[first]);
            let rows = &graph.row_offsets()[first..=last];
            tasks.push((rows[0] as usize..rows[rows.len() - 1] as usize, copies));
            rest = others;
        }
        let tasks = tasks.into_iter();
        parallel::for_each_of(tasks, &|(arcs, copies)| copy_short(graph, limit, arcs, copies));
        Self { row_offsets, arcs }
    }

    /// The positions of the short arcs that leave `vertex`.
    #[inline(always)]
    pub(crate) fn row_range(&self, vertex: VertexId) -> Range<usize> {
        self.row_offsets[vertex as usize]..self.row_offsets[vertex as usize + 1]
    }

    /// The short arcs that leave `vertex`.
    #[inline(always)]
    pub(crate) fn row(&self, vertex: VertexId) -> &[(VertexId, W)] {
        &self.arcs[self.row_range(vertex)]
    }
}

/// Copies those of `arcs` below `limit` to `copies`, whose length is their number.
fn copy_short<W: Weight>(
    graph: &Csr<W>,
    limit: W,
    arcs: Range<usize>,
    mut copies: &mut [(VertexId, W)],
) {
    let mut short = [(0, W::ZERO); BLOCK];
    let ends = graph.column_indices()[arcs.clone()].chunks(BLOCK);
    for (ends, weights) in ends.zip(graph.weights()[arcs].chunks(BLOCK)) {
        // without a branch, which would be unpredictable
        let mut n_short = 0;
        for (&end, &weight) in ends.iter().zip(weights) {
            short[n_short % BLOCK] = (end, weight);
            n_short += usize::from(weight < limit);
        }
        let (these, others) = copies.split_at_mut(n_short);
        these.copy_from_slice(&short[..n_short]);
        copies = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_are_the_rows_without_their_long_arcs() {
        // more rows than a task has; some are empty, some longer than a block
        let n = 2 * ROWS_PER_TASK as u32 + 77;
        let degree = |v: u32| if v.is_multiple_of(1000) { 3 * BLOCK as u32 + 1 } else { v % 4 };
        let arcs: Vec<_> = (0..n)
            .flat_map(|v| (0..degree(v)).map(move |k| (v, (v * 7 + k) % n, v.wrapping_mul(k) % 10)))
            .collect();
        let graph = Csr::from_arcs(n as usize, &arcs).expect("it is a graph");
        for limit in [0, 1, 5, 10] {
            let short = ShortArcs::new(&graph, limit);
            for vertex in graph.vertices() {
                let row: Vec<_> = graph.arcs_from(vertex).filter(|arc| arc.1 < limit).collect();
                assert_eq!(short.row(vertex), row, "of {vertex} below {limit}");
            }
        }
    }
}

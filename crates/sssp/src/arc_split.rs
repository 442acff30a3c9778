//! The arcs of a dense undirected graph, split into short and long.
//!
//! The short ones lie together, so that a search can [defer](crate::cpu::delta_stepping) the long
//! ones. It is the split into light and heavy arcs of Meyer and Sanders, made where the long ones
//! are so many that it pays.
//!
//! Reference: meyer-sanders-2003

use std::ops::Range;

use graph_formats::{Csr, Direction, VertexId, Weight, parallel};
use rayon::prelude::*;

/// Rows that a thread copies in one go.
const ROWS_A_TASK: usize = 1 << 12;
/// Arcs that are compared in one go.
const BLOCK: usize = 64;
/// Arcs a vertex, on average over those that have any, below which no arcs are deferred:
/// where they are few, most must be followed anyway. Random graphs of 16 take twice as long
/// with deferred arcs as without, those of 32 three quarters.
const LEAST_DEGREE: usize = 20;
/// The limit of short arcs in parts of the largest weight.
const LIMITS_PER_WEIGHT: f64 = 6.0;

/// The arcs of a graph, split into short and long.
pub(crate) struct ArcSplit<W> {
    /// Shorter arcs are short; how far ahead the settled bound of a search is set.
    pub(crate) limit: W,
    /// The short arcs: no others can end before the bound.
    pub(crate) short: ShortArcs<W>,
}

/// Whether `graph` is one of those where deferring arcs may pay. O(n).
pub(crate) fn is_dense<W: Weight>(graph: &Csr<W>) -> bool {
    graph.direction() == Direction::Undirected
        && has_many_arcs(graph.n_arcs(), n_linked(graph.row_offsets()))
}

/// How many vertices have an arc.
fn n_linked(row_offsets: &[u64]) -> usize {
    row_offsets.par_windows(2).filter(|row| row[0] < row[1]).count()
}

/// Whether so many arcs are many for so many vertices that have some.
pub(crate) fn has_many_arcs(n_arcs: usize, n_linked: usize) -> bool {
    n_arcs >= LEAST_DEGREE * n_linked
}

/// The limit of short arcs of `graph`; `None` where none are to be deferred. O(n).
pub(crate) fn short_limit<W: Weight>(graph: &Csr<W>, max_weight: W) -> Option<W> {
    if is_dense(graph) { limit_below(max_weight) } else { None }
}

/// The limit of short arcs where the longest is so long; `None` where there is none in between.
pub(crate) fn limit_below<W: Weight>(max_weight: W) -> Option<W> {
    let limit = max_weight.to_f64() / LIMITS_PER_WEIGHT;
    // whole weights have none in between
    let limit = W::from_f64(limit).or_else(|| W::from_f64(limit.ceil()))?;
    (W::ZERO < limit && limit < max_weight).then_some(limit)
}

/// The arcs of `graph`, split; `None` where none are to be deferred. O(n + m).
pub(crate) fn split<W: Weight>(graph: &Csr<W>) -> Option<ArcSplit<W>> {
    let limit = short_limit(graph, graph.weight_summary().greatest)?;
    let short = ShortArcs::new(graph, limit);
    defers_enough(short.n_arcs(), graph.n_arcs()).then_some(ArcSplit { limit, short })
}

/// Whether so many arcs are long that deferring them pays: where a few weights are
/// many times as great as the others, nearly all arcs are short.
pub(crate) fn defers_enough(n_short: usize, n_arcs: usize) -> bool {
    2 * n_short <= n_arcs
}

/// Rows of the arcs below some weight, in the order of the graph's.
pub(crate) struct ShortArcs<W> {
    row_offsets: Vec<usize>,
    arcs: Vec<(VertexId, W)>,
}

impl<W: Weight> ShortArcs<W> {
    /// Copies the arcs of `graph` that are shorter than `limit`. O(n + m), in two passes
    /// over the weights.
    pub(crate) fn new(graph: &Csr<W>, limit: W) -> Self {
        let n = graph.n_vertices();
        let mut row_offsets = vec![0; n + 1];
        parallel::fill(&mut row_offsets[1..], ROWS_A_TASK, &|first, counts| {
            for (count, vertex) in counts.iter_mut().zip(first as VertexId..) {
                let weights = &graph.weights()[graph.row(vertex)];
                *count = weights.iter().filter(|&&weight| weight < limit).count();
            }
        });
        for vertex in 0..n {
            row_offsets[vertex + 1] += row_offsets[vertex];
        }
        let mut arcs = vec![(0, W::ZERO); row_offsets[n]];
        let mut tasks = Vec::with_capacity(n.div_ceil(ROWS_A_TASK));
        let mut rest = &mut arcs[..];
        for first in (0..n).step_by(ROWS_A_TASK) {
            let last = (first + ROWS_A_TASK).min(n);
            let (copies, others) = rest.split_at_mut(row_offsets[last] - row_offsets[first]);
            let rows = &graph.row_offsets()[first..=last];
            tasks.push((rows[0] as usize..rows[rows.len() - 1] as usize, copies));
            rest = others;
        }
        let tasks = tasks.into_iter();
        parallel::for_each_of(tasks, &|(arcs, copies)| copy_short(graph, limit, arcs, copies));
        Self { row_offsets, arcs }
    }

    /// How many there are.
    pub(crate) fn n_arcs(&self) -> usize {
        self.arcs.len()
    }

    /// Where each row begins, and the last one ends.
    pub(crate) fn row_offsets(&self) -> &[usize] {
        &self.row_offsets
    }

    /// All of them, row by row.
    pub(crate) fn arcs(&self) -> &[(VertexId, W)] {
        &self.arcs
    }

    /// Where the short arcs that leave `vertex` lie.
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

/// Copies those of `arcs` that are shorter than `limit` to `copies`, which has just the
/// room for them.
fn copy_short<W: Weight>(
    graph: &Csr<W>,
    limit: W,
    arcs: Range<usize>,
    mut copies: &mut [(VertexId, W)],
) {
    let mut short = [(0, W::ZERO); BLOCK];
    let ends = graph.column_indices()[arcs.clone()].chunks(BLOCK);
    for (ends, weights) in ends.zip(graph.weights()[arcs].chunks(BLOCK)) {
        // chosen without a branch, which could not be foretold
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
        // more rows than one task takes, some of them empty, some longer than a block
        let n = 2 * ROWS_A_TASK as u32 + 77;
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

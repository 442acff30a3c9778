//! The short arcs of a graph, apart from the long ones.
//!
//! Up to its horizon a search follows only arcs shorter than the window. In a row of the
//! graph they lie among the others, so that nearly every cache line of the row has to be
//! fetched for the few of them. Here they lie together: the split into light and heavy
//! arcs that Meyer and Sanders make at Δ, made at the window.
//!
//! Reference: meyer-sanders-2003

use std::ops::Range;

use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

/// Rows that a thread copies in one go.
const ROWS_A_TASK: usize = 1 << 12;
/// Arcs that are compared in one go.
const BLOCK: usize = 64;

/// Rows of the arcs below some weight, in the order of the graph's.
pub(super) struct ShortArcs<W> {
    row_offsets: Vec<usize>,
    arcs: Vec<(VertexId, W)>,
}

impl<W: Weight> ShortArcs<W> {
    /// Copies the arcs of `graph` that are shorter than `limit`. O(n + m), in two passes
    /// over the weights.
    pub(super) fn new(graph: &Csr<W>, limit: W) -> Self {
        let n = graph.n_vertices();
        let mut row_offsets = vec![0; n + 1];
        let counts = row_offsets[1..].par_iter_mut().with_min_len(ROWS_A_TASK).enumerate();
        counts.for_each(|(vertex, count)| {
            let weights = &graph.weights()[graph.row(vertex as VertexId)];
            *count = weights.iter().filter(|&&weight| weight < limit).count();
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
        tasks.into_par_iter().for_each(|(arcs, copies)| copy_short(graph, limit, arcs, copies));
        Self { row_offsets, arcs }
    }

    /// How many there are.
    pub(super) fn n_arcs(&self) -> usize {
        self.arcs.len()
    }

    /// Where each row begins, and the last one ends.
    pub(super) fn row_offsets(&self) -> &[usize] {
        &self.row_offsets
    }

    /// The short arcs that leave `vertex`.
    #[inline(always)]
    pub(super) fn row(&self, vertex: VertexId) -> &[(VertexId, W)] {
        let vertex = vertex as usize;
        &self.arcs[self.row_offsets[vertex]..self.row_offsets[vertex + 1]]
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

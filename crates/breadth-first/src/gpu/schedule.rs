//! The order in which groups of lanes take rows.

use std::cmp::Reverse;

use graph_formats::{Csr, VertexId};
use rayon::prelude::*;

/// Arcs of a part; longer rows are cut into parts.
const PART_LENGTH: usize = 256;

/// The order in which groups of lanes take rows, so that those of a warp have equal work.
pub(super) struct Schedule {
    /// Vertices with arcs, the longest rows first.
    pub(super) order: Vec<VertexId>,
    /// How many of these have rows longer than a part.
    pub(super) n_long: usize,
    /// The parts of the long rows: vertex, first arc, end, and 0.
    pub(super) parts: Vec<[u32; 4]>,
}

impl Schedule {
    pub(super) fn of(graph: &Csr<u32>) -> Self {
        let length = |v: VertexId| graph.out_degree(v);
        let mut order: Vec<_> = graph.vertices().filter(|&v| length(v) > 0).collect();
        order.par_sort_by_key(|&v| Reverse(length(v).min(PART_LENGTH + 1)));
        let n_long = order.partition_point(|&v| length(v) > PART_LENGTH);
        let part = |v: VertexId, first: usize| {
            let end = graph.row(v).end.min(first + PART_LENGTH);
            [v, first as u32, end as u32, 0]
        };
        let parts = order[..n_long]
            .iter()
            .flat_map(|&v| graph.row(v).step_by(PART_LENGTH).map(move |first| part(v, first)));
        let parts = parts.collect();
        Self { order, n_long, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rows_come_first_and_in_parts() {
        let hub: Vec<_> =
            (0..600).map(|v| (3, v, 1u32)).chain([(5, 1, 1), (5, 2, 1), (0, 1, 1)]).collect();
        let schedule = Schedule::of(&Csr::from_arcs(600, &hub).unwrap());
        assert_eq!((schedule.n_long, &schedule.order[..]), (1, &[3, 5, 0][..]));
        assert_eq!(schedule.parts, [[3, 1, 257, 0], [3, 257, 513, 0], [3, 513, 601, 0]]);
    }
}

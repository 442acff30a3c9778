//! The distances of levels: multiples of one weight, as repeated sums.

use graph_formats::{Csr, Distance, Weight};
use search_parts::Query;

/// The distances of levels from 0 on, as many as were needed and fit the type.
#[derive(Clone)]
pub(crate) struct LevelDistances<W: Weight> {
    weight: W,
    n_vertices: usize,
    sums: Vec<W::Distance>,
}

impl<W: Weight> LevelDistances<W> {
    /// Levels of a graph whose arcs all have the same positive weight.
    pub(crate) fn of(graph: &Csr<W>) -> Self {
        let (weight, n_vertices) = (graph.weight_summary().greatest, graph.n_vertices());
        Self { weight, n_vertices, sums: vec![W::Distance::ZERO] }
    }

    /// Computes the distances of `n_levels` levels, or up to the first that does not fit. Returns
    /// whether all fit.
    pub(crate) fn extend_to(&mut self, n_levels: usize) -> bool {
        while self.sums.len() < n_levels
            && let Some(next) = self.sums.last().and_then(|&last| self.weight.after(last))
        {
            self.sums.push(next);
        }
        self.sums.len() >= n_levels
    }

    /// The distance of a level, or the code for unreached if it does not fit.
    #[inline(always)]
    pub(crate) fn get(&self, level: u32) -> W::Distance {
        self.sums.get(level as usize).copied().unwrap_or(W::Distance::UNREACHED)
    }

    /// The distances of the computed levels, followed by the code for unreached.
    pub(crate) fn or_unreached(&self) -> Vec<W::Distance> {
        self.sums.iter().copied().chain([W::Distance::UNREACHED]).collect()
    }

    /// The same query in levels.
    pub(crate) fn in_levels<'q>(&mut self, query: &Query<'q, W::Distance>) -> Query<'q, u32> {
        query.with_limit(match query.limit {
            limit if limit < W::Distance::UNREACHED => self.last_within(limit),
            _ => u32::MAX,
        })
    }

    /// The last level within `limit`; the first if none is, as below zero.
    fn last_within(&mut self, limit: W::Distance) -> u32 {
        while self.sums.len() < self.n_vertices
            && self.sums.last() <= Some(&limit)
            && self.extend_to(self.sums.len() + 1)
        {}
        self.known_within(limit).saturating_sub(1) as u32
    }

    /// The last computed level within `limit`; `None` if two of the levels up to it have the same
    /// distance, which happens where sums of floats stop growing.
    pub(crate) fn last_distinct_within(&self, limit: W::Distance) -> Option<u32> {
        let n = self.known_within(limit);
        (!self.sums[..n].windows(2).any(|two| two[0] == two[1])).then(|| n.saturating_sub(1) as u32)
    }

    fn known_within(&self, limit: W::Distance) -> usize {
        self.sums.partition_point(|&distance| distance <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels<W: Weight>(n_vertices: usize, weight: W) -> LevelDistances<W> {
        LevelDistances::of(&Csr::from_arcs(n_vertices, &[(0, 1, weight)]).unwrap())
    }

    #[test]
    fn limits_end_at_levels() {
        let mut sevens = levels(5, 7u32);
        let last = [0, 6, 7, 20, 28, 29, 1 << 40].map(|limit| sevens.last_within(limit));
        assert_eq!(last, [0, 0, 1, 2, 4, 4, 4]);
        assert_eq!((sevens.get(3), sevens.get(u32::MAX)), (21, u64::UNREACHED));
        assert_eq!(sevens.last_distinct_within(15), Some(2));
        let mut halves = levels(5, 0.5f32);
        assert_eq!((halves.last_within(-1.0), halves.last_distinct_within(-1.0)), (0, Some(0)));
    }

    #[test]
    fn sums_that_are_too_large_are_not_reached() {
        let mut thirds = levels(9, u64::MAX / 3);
        thirds.extend_to(9);
        assert_eq!(thirds.get(2), u64::MAX / 3 * 2);
        assert_eq!(thirds.get(4), u64::UNREACHED);
        assert_eq!(thirds.last_within(u64::MAX / 2), 1);
    }

    #[test]
    fn floats_may_stop_growing() {
        let mut small = levels(1 << 25, 1.0f32);
        small.extend_to(1 << 25);
        assert_eq!(small.get((1 << 24) + 5), 16_777_216.0);
        assert_eq!(small.last_distinct_within(1e9), None);
        assert_eq!(small.last_distinct_within(1e6), Some(1_000_000));
    }
}

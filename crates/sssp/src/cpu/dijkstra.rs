//! Dijkstra's algorithm: vertices in the order of their distance.
//!
//! The vertex of least tentative distance is settled: no path through another vertex is shorter,
//! since no weight is negative. Its arcs are relaxed. Each vertex is settled once, except dead
//! ends, which get a distance and are never queued. O(n + m) queue operations; the queue decides
//! their cost.
//!
//! The paper's version scans all vertices for the least one, in parallel on a GPU; here a queue
//! holds the vertices that have a tentative distance.
//!
//! Reference: dijkstra-1959

use graph_formats::{Csr, Direction, DistanceKey, VertexId, Weight};
use search_parts::Query;

use super::key_search::KeySearch;
use super::queue::MonotoneQueue;
use crate::key::{KeyArithmetic, Keys};
use crate::{SsspError, Work};

/// Vertices settled between two calls of the progress callback.
const SETTLED_PER_REPORT: u64 = 1 << 16;

/// The solver with its work space, for any number of sources.
pub(crate) struct Dijkstra<W: Weight, L: KeyArithmetic<W>, Q> {
    graph: Csr<W>,
    keys: Vec<L::Key>,
    queue: Q,
    unsettled: Targets,
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> Dijkstra<W, L, Q> {
    pub(crate) fn new(graph: Csr<W>, queue: Q) -> Self {
        let keys = vec![L::Key::GREATEST; graph.n_vertices()];
        Self { graph, keys, queue, unsettled: Targets::default() }
    }
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> KeySearch<L::Key>
    for Dijkstra<W, L, Q>
{
    /// Finds the key of every vertex within the limit of `search`, and no farther than its farthest
    /// target, and perhaps of some beyond.
    fn solve(&mut self, search: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        // local variables, which the compiler can prove to be unaliased
        let Self { graph, keys, queue, unsettled } = self;
        let graph = &*graph;
        let keys = keys.as_mut_slice();
        keys.fill(L::Key::GREATEST);
        queue.clear();
        let mut work = Work::default();
        let mut limit = search.limit;
        unsettled.set(search.targets, keys.len());
        // a vertex without an arc other than the one back is not queued, unless there are targets,
        // which must be popped
        let dead_end = match graph.direction() {
            _ if !search.targets.is_empty() => None,
            Direction::Directed => Some(0),
            Direction::Undirected => Some(1),
        };
        keys[search.source as usize] = L::Key::LEAST;
        queue.push(L::Key::LEAST, search.source);
        while let Some((key, vertex)) = queue.pop() {
            if key > limit {
                break;
            }
            if keys[vertex as usize] != key {
                continue;
            }
            if unsettled.settle(vertex) {
                limit = limit.min(key);
            }
            work.settled += 1;
            if work.settled.is_multiple_of(SETTLED_PER_REPORT) {
                search.report(work.settled, keys.len() as u64)?;
            }
            let arcs = graph.arcs_from(vertex);
            work.relaxations += arcs.len() as u64;
            for (to, weight) in arcs {
                let through = L::after(key, weight);
                let before = &mut keys[to as usize];
                if through < *before {
                    *before = through;
                    work.improvements += 1;
                    if dead_end.is_none_or(|degree| graph.out_degree(to) > degree) {
                        queue.push(through, to);
                    }
                }
            }
        }
        Ok(work)
    }

    fn keys(&self) -> Keys<'_, L::Key> {
        Keys::Plain(&self.keys)
    }
}

/// The targets that are not settled yet.
#[derive(Default)]
struct Targets {
    /// A bit for each vertex; not used without targets.
    bits: Vec<u64>,
    n_left: usize,
}

impl Targets {
    /// Replaces the targets. O(n / 64 + t).
    fn set(&mut self, targets: &[VertexId], n_vertices: usize) {
        self.n_left = 0;
        if targets.is_empty() {
            return;
        }
        self.bits.clear();
        self.bits.resize(n_vertices.div_ceil(64), 0);
        for &target in targets {
            let (word, bit) = (&mut self.bits[target as usize / 64], 1 << (target % 64));
            self.n_left += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Removes `vertex`, which is settled once; true if it was the last target.
    #[inline(always)]
    fn settle(&mut self, vertex: VertexId) -> bool {
        if self.n_left == 0 || self.bits[vertex as usize / 64] >> (vertex % 64) & 1 == 0 {
            return false;
        }
        self.n_left -= 1;
        self.n_left == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also with repeated targets, and with targets left by an earlier search.
        #[test]
        fn the_last_target_is_the_last(
            targets in prop::collection::vec(0u32..200, 0..300),
            order in Just((0u32..200).collect::<Vec<_>>()).prop_shuffle(),
            left in prop::collection::vec(0u32..200, 0..9),
        ) {
            let mut unsettled = Targets::default();
            unsettled.set(&left, 200);
            unsettled.set(&targets, 200);
            let last = order.iter().rposition(|vertex| targets.contains(vertex));
            for (at, &vertex) in order.iter().enumerate() {
                prop_assert_eq!(unsettled.settle(vertex), Some(at) == last, "at {}", at);
            }
        }
    }

    /// Removal from a list of targets would take minutes.
    #[test]
    fn many_targets_cost_no_more_than_a_bit_each() {
        let n = 3_000_000;
        let targets: Vec<VertexId> = (0..n).collect();
        let mut unsettled = Targets::default();
        unsettled.set(&targets, n as usize);
        assert_eq!((0..n).find(|&vertex| unsettled.settle(vertex)), Some(n - 1));
    }
}

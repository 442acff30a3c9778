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

use graph_formats::{Csr, Direction, DistanceKey, Weight};
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
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> Dijkstra<W, L, Q> {
    pub(crate) fn new(graph: Csr<W>, queue: Q) -> Self {
        let keys = vec![L::Key::GREATEST; graph.n_vertices()];
        Self { graph, keys, queue }
    }
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> KeySearch<L::Key>
    for Dijkstra<W, L, Q>
{
    /// Finds the key of every vertex within the limit of `search`, and no farther than its farthest
    /// target, and perhaps of some beyond.
    fn solve(&mut self, search: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        // local variables, which the compiler can prove to be unaliased
        let Self { graph, keys, queue } = self;
        let graph = &*graph;
        let keys = keys.as_mut_slice();
        keys.fill(L::Key::GREATEST);
        queue.clear();
        let mut work = Work::default();
        let mut limit = search.limit;
        let mut unsettled = search.targets;
        // a vertex without an arc other than the one back is not queued
        let dead_end = usize::from(graph.direction() == Direction::Undirected);
        keys[search.source as usize] = L::Key::LEAST;
        queue.push(L::Key::LEAST, search.source);
        while let Some((key, vertex)) = queue.pop() {
            if key > limit {
                break;
            }
            if keys[vertex as usize] != key {
                continue;
            }
            // keys up to this one are final
            while let Some((&target, others)) = unsettled.split_first()
                && keys[target as usize] <= key
            {
                unsettled = others;
                if others.is_empty() {
                    limit = limit.min(key);
                }
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
                    if graph.out_degree(to) > dead_end {
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

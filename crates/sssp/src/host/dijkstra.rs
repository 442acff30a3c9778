//! Dijkstra's algorithm: vertices in the order of their distance.
//!
//! The vertex of least tentative distance is settled, for no path through another can
//! be shorter when no weight is negative, and its arcs are relaxed; each vertex is
//! settled once, but for dead ends, which are labelled and never queued. O(n + m) queue
//! operations; the queue decides their cost.
//!
//! The paper's version scans all vertices for the least one, in parallel on a GPU; here
//! a queue holds those that have a label.
//!
//! Reference: dijkstra-1959

use graph_formats::{Csr, Direction, DistanceKey, VertexId, Weight};

use super::lengths::Lengths;
use super::queue::MonotoneQueue;
use super::search::Search;
use crate::{SsspError, Work};

/// Vertices settled between two calls of the progress callback.
const SETTLED_A_REPORT: u64 = 1 << 16;

/// The solver with its work space, for any number of sources.
pub(crate) struct Dijkstra<'g, W: Weight, L: Lengths<W>, Q> {
    graph: &'g Csr<W>,
    labels: Vec<L::Key>,
    queue: Q,
}

impl<'g, W: Weight, L: Lengths<W>, Q: MonotoneQueue<L::Key>> Dijkstra<'g, W, L, Q> {
    pub(crate) fn new(graph: &'g Csr<W>, queue: Q) -> Self {
        Self { graph, labels: vec![L::Key::GREATEST; graph.n_vertices()], queue }
    }

    /// The labels of the last search; the greatest key where there is no path.
    pub(crate) fn labels(&self) -> &[L::Key] {
        &self.labels
    }

    /// Labels every vertex within the limit of `search`, or as near as the farthest of
    /// its targets if that is less, and perhaps some beyond.
    pub(crate) fn solve(&mut self, search: &Search<'_, L::Key>) -> Result<Work, SsspError> {
        // as locals, for the compiler to know that nobody else changes them
        let Self { graph, labels, queue } = self;
        let labels = labels.as_mut_slice();
        labels.fill(L::Key::GREATEST);
        queue.clear();
        let mut work = Work::default();
        let mut limit = search.limit;
        let mut unsettled = Targets::new(search.targets);
        // from a vertex with no arc, or with none but back, no path goes on; targets have to be
        // seen all the same
        let dead_end = match graph.direction() {
            _ if !search.targets.is_empty() => None,
            Direction::Directed => Some(0),
            Direction::Undirected => Some(1),
        };
        labels[search.source as usize] = L::Key::LEAST;
        queue.push(L::Key::LEAST, search.source);
        while let Some((key, vertex)) = queue.pop() {
            if key > limit {
                break;
            }
            if labels[vertex as usize] != key {
                continue;
            }
            if unsettled.settle(vertex) {
                limit = limit.min(key);
            }
            work.settled += 1;
            if work.settled.is_multiple_of(SETTLED_A_REPORT) {
                search.report(work.settled, labels.len() as u64)?;
            }
            let arcs = graph.arcs_from(vertex);
            work.relaxations += arcs.len() as u64;
            for (to, weight) in arcs {
                let through = L::after(key, weight);
                let label = &mut labels[to as usize];
                if through < *label {
                    *label = through;
                    work.improvements += 1;
                    if dead_end.is_none_or(|degree| graph.out_degree(to) > degree) {
                        queue.push(through, to);
                    }
                }
            }
        }
        Ok(work)
    }
}

/// The targets that are not settled yet, ascending.
struct Targets(Vec<VertexId>);

impl Targets {
    fn new(targets: &[VertexId]) -> Self {
        let mut sorted = targets.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        Self(sorted)
    }

    /// Takes `vertex` off; true when it was the last one.
    fn settle(&mut self, vertex: VertexId) -> bool {
        if self.0.is_empty() {
            return false;
        }
        if let Ok(at) = self.0.binary_search(&vertex) {
            self.0.remove(at);
            return self.0.is_empty();
        }
        false
    }
}

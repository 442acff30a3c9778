//! Bellman-Ford with a queue of the vertices whose tentative distance fell.
//!
//! A vertex is in the queue at most once, so the queue is the paper's circular array of n places:
//! pushing and popping at either end is O(1). O(n·m) in the worst case.
//! Two rules take near vertices first ("label" is the papers' word for a tentative distance):
//!
//! * SLF, small label first: a vertex nearer than the first of the queue goes to the front, any
//!   other to the back;
//! * LLL, large label last: while the first of the queue is farther than the mean of the queue, it
//!   goes to the back.
//!
//! Neither rule has a good worst case; on some graphs SLF takes exponential time. So the rules are
//! applied for a number of relaxations proportional to n + m. After that the queue is first in,
//! first out, which is O(n·m).
//!
//! origin-four-families takes the mean over all n vertices as printed. Here, as in Bertsekas, it
//! is over the queue, since unreached vertices have no distance.
//!
//! Reference: moore-1959, bertsekas-1993, bertsekas-1996

use std::collections::VecDeque;

use graph_formats::{Csr, Direction, Distance, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Pool, Query};

use super::bellman_ford::BellmanFord;
use crate::search::Search;
use crate::{QueueRule, SsspError, Work};

/// Vertices popped between two calls of the progress callback.
const POPS_PER_REPORT: u64 = 1 << 16;

/// Relaxations per vertex and arc after which the queue is first in, first out. The graphs of the
/// benchmarks need at most 13.
const RULED_RELAXATIONS: u64 = 256;

/// Relaxes the arcs of queued vertices until the queue is empty.
pub(crate) struct QueuedBellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    asked: QueueRule,
    rule: QueueRule,
    /// Tentative distances and parents.
    state: BellmanFord<'g, W>,
    queue: VecDeque<VertexId>,
    queued: Vec<bool>,
    /// Whether some weight is negative.
    negative: bool,
    /// Vertices of at most this out-degree are not queued. They have no arc, or only the one back,
    /// which lowers nothing if no weight is negative.
    dead_end: usize,
    /// The sum of the tentative distances in the queue, for the mean. Its rounding affects only the
    /// order of the work.
    distance_sum: f64,
}

impl<'g, W: Weight> QueuedBellmanFord<'g, W> {
    pub(crate) fn new(graph: &'g Csr<W>, rule: QueueRule) -> Self {
        let (n, negative) = (graph.n_vertices(), graph.first_negative().is_some());
        Self {
            graph,
            asked: rule,
            rule,
            state: BellmanFord::new(graph),
            queue: VecDeque::with_capacity(n),
            queued: vec![false; n],
            negative,
            dead_end: usize::from(graph.direction() == Direction::Undirected && !negative),
            distance_sum: 0.0,
        }
    }

    fn distance(&self, vertex: VertexId) -> f64 {
        self.state.tentative[vertex as usize].to_f64()
    }

    fn push(&mut self, vertex: VertexId) {
        let distances = &self.state.tentative;
        let smaller = |first: VertexId| distances[vertex as usize] < distances[first as usize];
        if self.rule.small_first() && self.queue.front().copied().is_some_and(smaller) {
            self.queue.push_front(vertex);
        } else {
            self.queue.push_back(vertex);
        }
        self.queued[vertex as usize] = true;
        self.distance_sum += self.distance(vertex);
    }

    fn pop(&mut self) -> Option<VertexId> {
        if self.rule.large_last() {
            let mean = self.distance_sum / self.queue.len() as f64;
            // but for rounding, some distance is at most the mean
            for _ in 1..self.queue.len() {
                let first = *self.queue.front()?;
                if self.distance(first) <= mean {
                    break;
                }
                self.queue.rotate_left(1);
            }
        }
        let vertex = self.queue.pop_front()?;
        self.queued[vertex as usize] = false;
        self.distance_sum -= self.distance(vertex);
        Some(vertex)
    }
}

impl<W: Weight> Search<W> for QueuedBellmanFord<'_, W> {
    /// Finds the distances of all vertices within the limit of `query` or as near as its one
    /// target, and perhaps some beyond. With negative weights it finds all distances.
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        let limit = if self.negative { W::Distance::UNREACHED } else { query.limit };
        let target = query.target().filter(|_| !self.negative);
        self.state.reset(query.source);
        self.queue.clear();
        self.queued.fill(false);
        self.distance_sum = 0.0;
        let max_ruled = RULED_RELAXATIONS * (self.graph.n_vertices() + self.graph.n_arcs()) as u64;
        self.rule = self.asked;
        self.push(query.source);
        while let Some(from) = self.pop() {
            self.state.work.settled += 1;
            // no path returns from beyond the limit
            let own = self.state.tentative[from as usize];
            let least = target.map(|target| self.state.tentative[target as usize]);
            if own > limit || least.is_some_and(|least| own > least) {
                continue;
            }
            for (to, weight) in self.graph.arcs_from(from) {
                let before = self.state.tentative[to as usize];
                if self.state.relax(from, to, weight)? {
                    if self.queued[to as usize] {
                        let fall = before.to_f64() - self.distance(to);
                        self.distance_sum -= fall;
                    } else if self.graph.out_degree(to) > self.dead_end {
                        self.push(to);
                    }
                }
            }
            self.state.check_if_due()?;
            if self.state.work.relaxations > max_ruled {
                self.rule = QueueRule::Fifo;
            }
            let settled = self.state.work.settled;
            if settled.is_multiple_of(POPS_PER_REPORT) {
                query.report(settled, 0)?;
            }
        }
        Ok(self.state.work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.state.distances()
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        self.state.predecessors(pool, source, limit)
    }
}

//! Bellman-Ford with a queue of the vertices whose label fell.
//!
//! A vertex waits in the queue at most once, so the queue is the paper's circular array
//! of n places: pushing and popping at either end is O(1). O(n·m) in the worst case.
//! Two rules bring small labels forward:
//!
//! * SLF, small label first: a vertex whose label is less than that of the first in
//!   the queue goes to the front, otherwise to the back;
//! * LLL, large label last: while the first in the queue has a label above the mean
//!   label of the queue, it goes to the back.
//!
//! Neither rule has a good worst case; there are graphs on which small labels first take
//! exponential time. So the rules hold for a multiple of the arcs, and what is left after
//! that is worked off first in, first out, which is O(n·m) again.
//!
//! origin-four-families takes the mean over all n vertices as printed; here, as in Bertsekas, it
//! is that of the queue, since unreached vertices have no label.
//!
//! Reference: moore-1959, bertsekas-1993, bertsekas-1996

use std::collections::VecDeque;

use graph_formats::{Csr, Direction, Distance, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Pool, Query};

use super::bellman_ford::{CycleWatch, Labels};
use crate::search::Search;
use crate::{QueueRule, SsspError, Work};

/// Vertices taken from the queue between two calls of the progress callback.
const POPS_A_REPORT: u64 = 1 << 16;

/// Relaxations per vertex and arc after which the rules no longer hold. The graphs of
/// the benchmarks need at most 13.
const PATIENCE: u64 = 256;

/// Lowers labels of and around queued vertices until the queue is empty.
pub(crate) struct QueuedBellmanFord<'g, W: Weight> {
    graph: &'g Csr<W>,
    asked: QueueRule,
    rule: QueueRule,
    labels: Labels<W>,
    queue: VecDeque<VertexId>,
    queued: Vec<bool>,
    /// Whether some weight is negative.
    negative: bool,
    /// Arcs up to which a vertex is a dead end: it has none, or none but back, by which
    /// nothing falls where no weight is negative. It is labelled, and not queued.
    dead_end: usize,
    /// The sum of the labels in the queue, for the mean; its rounding only shifts the
    /// order of the work.
    label_sum: f64,
}

impl<'g, W: Weight> QueuedBellmanFord<'g, W> {
    /// For searches on `graph`, of whose weights some are `negative` or none is.
    pub(crate) fn new(graph: &'g Csr<W>, rule: QueueRule, negative: bool) -> Self {
        let n = graph.n_vertices();
        Self {
            graph,
            asked: rule,
            rule,
            labels: Labels::new(n),
            queue: VecDeque::with_capacity(n),
            queued: vec![false; n],
            negative,
            dead_end: usize::from(graph.direction() == Direction::Undirected && !negative),
            label_sum: 0.0,
        }
    }

    fn label(&self, vertex: VertexId) -> f64 {
        self.labels.distances[vertex as usize].to_f64()
    }

    fn push(&mut self, vertex: VertexId) {
        let distances = &self.labels.distances;
        let smaller = |first: VertexId| distances[vertex as usize] < distances[first as usize];
        if self.rule.small_first() && self.queue.front().copied().is_some_and(smaller) {
            self.queue.push_front(vertex);
        } else {
            self.queue.push_back(vertex);
        }
        self.queued[vertex as usize] = true;
        self.label_sum += self.label(vertex);
    }

    fn pop(&mut self) -> Option<VertexId> {
        if self.rule.large_last() {
            let mean = self.label_sum / self.queue.len() as f64;
            // some label is no greater than the mean, but for rounding
            for _ in 1..self.queue.len() {
                let first = *self.queue.front()?;
                if self.label(first) <= mean {
                    break;
                }
                self.queue.rotate_left(1);
            }
        }
        let vertex = self.queue.pop_front()?;
        self.queued[vertex as usize] = false;
        self.label_sum -= self.label(vertex);
        Some(vertex)
    }
}

impl<W: Weight> Search<W> for QueuedBellmanFord<'_, W> {
    /// Labels every vertex within the limit of `query`, or as near as its one target, and perhaps
    /// some beyond it; all, where a weight is negative.
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        let limit = if self.negative { W::Distance::UNREACHED } else { query.limit };
        let target = query.target().filter(|_| !self.negative);
        self.labels.reset(query.source);
        self.queue.clear();
        self.queued.fill(false);
        self.label_sum = 0.0;
        let mut watch = CycleWatch::new(self.graph);
        let patience = PATIENCE * (self.graph.n_vertices() + self.graph.n_arcs()) as u64;
        self.rule = self.asked;
        self.push(query.source);
        while let Some(from) = self.pop() {
            self.labels.work.settled += 1;
            // no path through what lies beyond leads back
            let own = self.labels.distances[from as usize];
            let least = target.map(|target| self.labels.distances[target as usize]);
            if own > limit || least.is_some_and(|least| own > least) {
                continue;
            }
            for (to, weight) in self.graph.arcs_from(from) {
                let before = self.labels.distances[to as usize];
                if self.labels.relax(from, to, weight)? {
                    if self.queued[to as usize] {
                        let fall = before.to_f64() - self.label(to);
                        self.label_sum -= fall;
                    } else if self.graph.out_degree(to) > self.dead_end {
                        self.push(to);
                    }
                }
            }
            watch.look(&self.labels)?;
            if self.labels.work.relaxations > patience {
                self.rule = QueueRule::Fifo;
            }
            let settled = self.labels.work.settled;
            if settled.is_multiple_of(POPS_A_REPORT) {
                query.report(settled, 0)?;
            }
        }
        Ok(self.labels.work)
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.labels.distances.clone()
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        pool.run(|| self.labels.predecessors(self.graph, source, limit))
    }
}

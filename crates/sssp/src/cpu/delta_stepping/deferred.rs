//! Deferring long arcs, on dense undirected graphs.
//!
//! In such a graph nearly every relaxation is in vain: the end of the arc has a smaller distance
//! already, or gets one later. Each one reads a key at a random place in memory. So a search
//! defers long arcs. It sets a settled bound ahead, and relaxes only the arcs that may end before
//! it, which lie together ([`ShortArcs`](crate::arc_split::ShortArcs)). When the buckets before the
//! bound are empty, all distances below it are settled. Then the deferred arcs are relaxed, in the
//! cheaper of two ways:
//!
//! * push: the vertices settled since the last bound relax their long arcs;
//! * pull: every vertex beyond the bound takes the minimum over its neighbours of distance plus
//!   weight, and is put into a bucket only if it also has a neighbour beyond the bound.
//!
//! On R-MAT graphs most arcs belong to vertices whose distances are close together. Beyond these
//! only vertices of few arcs are left. One pull to them replaces the pushes over all arcs: five
//! arcs of six are never relaxed.
//!
//! Chakaravarthy et al. defer long arcs and choose between push and pull in this way for each
//! bucket of Δ-stepping; here the bound is many buckets ahead.
//!
//! Reference: chakaravarthy-2014

use graph_formats::{DistanceKey, VertexId, Weight};
use search_parts::{Threads, prefetch};

use super::buckets::Entry;
use super::{Phase, Worker};
use crate::key::KeyArithmetic;

/// Vertices of one task of a pull.
const VERTICES_PER_TASK: usize = 1024;
/// A pull prefetches the arcs of the vertex this many places ahead.
const ARCS_AHEAD: usize = 16;
/// A pull prefetches the keys at the ends of arcs of the vertex this many places ahead.
const KEYS_AHEAD: usize = 8;
/// The most keys that a pull prefetches for a vertex.
const PREFETCHED: usize = 16;

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Relaxes the arcs deferred at this bound, if there are any; all buckets before it are empty.
    /// Returns whether by pulling.
    pub(super) fn relax_deferred(
        &self,
        workers: &mut [Worker<L::Key>],
        threads: &Threads,
    ) -> Option<bool> {
        let workers = &mut workers[..self.team.len()];
        let arcs = |workers: &[Worker<L::Key>]| workers.iter().map(|worker| worker.arcs).sum();
        let before: u64 = arcs(workers);
        threads.each(workers, |_, worker| {
            let degree = |entry: &Entry<L::Key>| self.graph.out_degree(entry.vertex) as u64;
            worker.arcs += worker.settled.iter().map(degree).sum::<u64>();
        });
        let of_settled: u64 = arcs(workers);
        let to_push = of_settled - before;
        let to_pull = (self.graph.n_arcs() as u64).saturating_sub(of_settled);
        if to_push == 0 && workers.iter_mut().all(|worker| worker.buckets.first().is_none()) {
            return None;
        }
        let pulls = to_push > to_pull;
        threads.each(workers, |index, worker| {
            if pulls {
                worker.buckets.clear();
            }
            worker.buckets.work_from(self.bucket(self.settled_bound));
            if pulls {
                self.pull(index, worker)
            } else {
                self.push(worker)
            }
            worker.settled.clear();
        });
        Some(pulls)
    }

    /// The vertices settled since the last bound relax their deferred arcs.
    fn push(&self, worker: &mut Worker<L::Key>) {
        let settled = std::mem::take(&mut worker.settled);
        for entry in &settled {
            if L::Key::load(&self.keys[entry.vertex as usize]) == entry.key {
                let cap = self.cap(worker);
                let arcs = self.graph.arcs_from(entry.vertex);
                self.relax_if(worker, entry.key, arcs, cap, |key| key >= self.settled_bound);
            }
        }
        worker.settled = settled;
    }

    /// Pulls to the vertices beyond the bound, a share for each thread.
    fn pull(&self, index: usize, worker: &mut Worker<L::Key>) {
        let n = self.keys.len();
        let mut beyond = [0; VERTICES_PER_TASK];
        for task in (index..n.div_ceil(VERTICES_PER_TASK)).step_by(self.team.len()) {
            let first = task * VERTICES_PER_TASK;
            let mut n_beyond = 0;
            for vertex in first..(first + VERTICES_PER_TASK).min(n) {
                beyond[n_beyond] = vertex as VertexId;
                n_beyond += usize::from(L::Key::load(&self.keys[vertex]) >= self.settled_bound);
            }
            let beyond = &beyond[..n_beyond];
            for (at, &vertex) in beyond.iter().enumerate() {
                if let Some(&later) = beyond.get(at + ARCS_AHEAD) {
                    let row = self.graph.row(later);
                    prefetch(self.graph.column_indices(), row.start);
                    prefetch(self.graph.weights(), row.start);
                }
                if let Some(&later) = beyond.get(at + KEYS_AHEAD) {
                    let row = self.graph.row(later);
                    for &end in self.graph.column_indices()[row].iter().take(PREFETCHED) {
                        prefetch(self.keys, end as usize);
                    }
                }
                self.pull_to(worker, vertex);
            }
        }
    }

    /// Gives `vertex` the least key through a neighbour before the bound, and puts it into its
    /// bucket if a neighbour is beyond the bound.
    fn pull_to(&self, worker: &mut Worker<L::Key>, vertex: VertexId) {
        let slot = &self.keys[vertex as usize];
        let before = L::Key::load(slot);
        let mut best = before;
        let mut helps = false;
        for (neighbour, weight) in self.graph.arcs_from(vertex) {
            let key = L::Key::load(&self.keys[neighbour as usize]);
            if key < self.settled_bound {
                best = best.min(L::after(key, weight));
            } else {
                helps |= neighbour != vertex;
            }
        }
        worker.work.relaxations += self.graph.out_degree(vertex) as u64;
        if best < before {
            L::Key::store(slot, best);
            worker.work.improvements += 1;
        }
        if helps && best < L::Key::GREATEST {
            worker.buckets.push(self.bucket(best), Entry { key: best, vertex });
        }
    }
}

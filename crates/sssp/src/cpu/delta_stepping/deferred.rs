//! Deferring long arcs, on dense undirected graphs.
//!
//! In such a graph nearly every arc is relaxed in vain: its end has a lesser distance
//! already, or will have. To find that out costs a look at the label at its end, which lies
//! anywhere in memory. So a search defers long arcs. It sets a bound ahead, relaxes the
//! arcs that may lead to a place before it, which lie together ([`ShortArcs`](crate::arc_split::ShortArcs)), and when the
//! buckets before it are empty, all distances below it are settled. Then the deferred arcs are
//! made up for, in the cheaper of two ways:
//!
//! * push: the vertices settled since the last bound relax theirs, or
//! * pull: every vertex beyond the bound takes the least of its neighbours' distances
//!   plus the arc between, and is put into a bucket only if it has a neighbour beyond, too.
//!
//! On R-MAT graphs the bulk of the arcs belongs to vertices whose distances lie close
//! together. Behind them only vertices of few arcs are left, and one pull over these replaces
//! the pushes over all: five arcs of six are never relaxed.
//!
//! Chakaravarthy et al. defer long arcs and choose between push and pull in this way for the
//! buckets of Δ-stepping proper; here the bound is many buckets ahead.
//!
//! Reference: chakaravarthy-2014

use graph_formats::{DistanceKey, VertexId, Weight};
use search_parts::{Threads, prefetch};

use super::buckets::Entry;
use super::{Deferred, Phase, Worker};
use crate::key::KeyArithmetic;

/// Vertices that a thread pulls for in one go.
const VERTICES_A_TASK: usize = 1024;
/// How many vertices ahead a pull prefetches arcs.
const ARCS_AHEAD: usize = 16;
/// How many vertices ahead it prefetches the labels at the ends of arcs.
const LABELS_AHEAD: usize = 8;
/// How many labels it prefetches for a vertex.
const PREFETCHED: usize = 16;

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Makes up for the arcs deferred at this bound, before which all buckets are empty.
    pub(super) fn relax_deferred(
        &self,
        workers: &mut [Worker<L::Key>],
        threads: &Threads,
    ) -> Deferred {
        let workers = &mut workers[..self.team.len()];
        threads.each(workers, |_, worker| {
            let degree = |entry: &Entry<L::Key>| self.graph.out_degree(entry.vertex) as u64;
            worker.arcs_since = worker.settled.iter().map(degree).sum();
            worker.arcs += worker.arcs_since;
        });
        let to_push = workers.iter().map(|worker| worker.arcs_since).sum::<u64>();
        let followed = workers.iter().map(|worker| worker.arcs).sum::<u64>();
        let to_pull = (self.graph.n_arcs() as u64).saturating_sub(followed);
        if to_push == 0 && workers.iter_mut().all(|worker| worker.buckets.first().is_none()) {
            return Deferred::None;
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
        if pulls { Deferred::Pulled } else { Deferred::Pushed }
    }

    /// The vertices settled since the last bound relax their deferred arcs.
    fn push(&self, worker: &mut Worker<L::Key>) {
        let settled = std::mem::take(&mut worker.settled);
        for entry in &settled {
            if L::Key::load(&self.labels[entry.vertex as usize]) == entry.key {
                let cap = self.cap(worker);
                let arcs = self.graph.arcs_from(entry.vertex);
                self.relax_those(worker, entry.key, arcs, cap, |key| key >= self.settled_bound);
            }
        }
        worker.settled = settled;
    }

    /// The vertices beyond the bound look back along their arcs, a share for each thread.
    fn pull(&self, index: usize, worker: &mut Worker<L::Key>) {
        let n = self.labels.len();
        let mut beyond = [0; VERTICES_A_TASK];
        for task in (index..n.div_ceil(VERTICES_A_TASK)).step_by(self.team.len()) {
            let first = task * VERTICES_A_TASK;
            let mut n_beyond = 0;
            for vertex in first..(first + VERTICES_A_TASK).min(n) {
                beyond[n_beyond] = vertex as VertexId;
                n_beyond += usize::from(L::Key::load(&self.labels[vertex]) >= self.settled_bound);
            }
            let beyond = &beyond[..n_beyond];
            for (at, &vertex) in beyond.iter().enumerate() {
                if let Some(&later) = beyond.get(at + ARCS_AHEAD) {
                    let row = self.graph.row(later);
                    prefetch(self.graph.column_indices(), row.start);
                    prefetch(self.graph.weights(), row.start);
                }
                if let Some(&later) = beyond.get(at + LABELS_AHEAD) {
                    let row = self.graph.row(later);
                    for &end in self.graph.column_indices()[row].iter().take(PREFETCHED) {
                        prefetch(self.labels, end as usize);
                    }
                }
                self.pull_to(worker, vertex);
            }
        }
    }

    /// Gives `vertex` the least key that its neighbours before the bound offer, and puts it
    /// into its bucket if it can help one beyond.
    fn pull_to(&self, worker: &mut Worker<L::Key>, vertex: VertexId) {
        let label = &self.labels[vertex as usize];
        let before = L::Key::load(label);
        let mut best = before;
        let mut helps = false;
        for (neighbour, weight) in self.graph.arcs_from(vertex) {
            let key = L::Key::load(&self.labels[neighbour as usize]);
            if key < self.settled_bound {
                best = best.min(L::after(key, weight));
            } else {
                helps |= neighbour != vertex;
            }
        }
        worker.work.relaxations += self.graph.out_degree(vertex) as u64;
        if best < before {
            L::Key::store(label, best);
            worker.work.improvements += 1;
        }
        if helps && best < L::Key::GREATEST {
            worker.buckets.push(self.bucket(best), Entry { key: best, vertex });
        }
    }
}

//! Deferring long arcs, on dense undirected graphs.
//!
//! In such a graph nearly every arc is relaxed in vain: its end has a lesser distance
//! already, or will have. To find that out costs a look at the label at its end, which lies
//! anywhere in memory. So a search defers long arcs. It sets a bound ahead, relaxes the
//! arcs that may lead to a place before it, which lie together ([`ShortArcs`]), and when the
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
//! buckets of Δ-stepping proper; here the bound is many buckets ahead. The split into short and
//! long arcs is the one into light and heavy arcs of Meyer and Sanders, made at the split.
//!
//! Reference: chakaravarthy-2014, meyer-sanders-2003

use std::ops::Range;

use graph_formats::{Csr, Direction, DistanceKey, VertexId, Weight, parallel};
use rayon::prelude::*;

use super::buckets::Entry;
use super::{Phase, Worker};
use crate::cpu::prefetch::prefetch;
use crate::cpu::threads::Threads;
use crate::key::KeyArithmetic;

/// Rows that a thread copies in one go.
const ROWS_A_TASK: usize = 1 << 12;
/// Arcs that are compared in one go.
const BLOCK: usize = 64;
/// Vertices that a thread pulls for in one go.
const VERTICES_A_TASK: usize = 1024;
/// How many vertices ahead a pull prefetches arcs.
const ARCS_AHEAD: usize = 16;
/// How many vertices ahead it prefetches the labels at the ends of arcs.
const LABELS_AHEAD: usize = 8;
/// How many labels it prefetches for a vertex.
const PREFETCHED: usize = 16;
/// Arcs a vertex, on average over those that have any, below which no arcs are deferred:
/// where they are few, most must be followed anyway. Random graphs of 16 take twice as long
/// with deferred arcs as without, those of 32 three quarters.
const LEAST_DEGREE: usize = 20;
/// Pushes after which a search defers no more arcs. Each reads its arcs twice, and
/// pays only if a pull comes of it; where distances spread evenly, as between points of
/// the plane, none ever does.
pub(super) const MOST_PUSHES: usize = 8;
/// The limit of short arcs in parts of the largest weight.
const LIMITS_PER_WEIGHT: f64 = 6.0;

/// The arcs of a graph, split into short and long.
pub(crate) struct ArcSplit<W> {
    /// Shorter arcs are short; how far ahead the settled bound of a search is set.
    pub(crate) limit: W,
    /// The short arcs: no others can end before the bound.
    pub(crate) short: ShortArcs<W>,
}

/// Whether `graph` is one of those where deferring arcs may pay. O(n).
pub(crate) fn is_dense<W: Weight>(graph: &Csr<W>) -> bool {
    graph.direction() == Direction::Undirected
        && has_many_arcs(graph.n_arcs(), n_linked(graph.row_offsets()))
}

/// How many vertices have an arc.
fn n_linked(row_offsets: &[u64]) -> usize {
    row_offsets.par_windows(2).filter(|row| row[0] < row[1]).count()
}

/// Whether so many arcs are many for so many vertices that have some.
pub(crate) fn has_many_arcs(n_arcs: usize, n_linked: usize) -> bool {
    n_arcs >= LEAST_DEGREE * n_linked
}

/// The limit of short arcs of `graph`; `None` where none are to be deferred. O(n).
pub(crate) fn short_limit<W: Weight>(graph: &Csr<W>, max_weight: W) -> Option<W> {
    if is_dense(graph) { limit_below(max_weight) } else { None }
}

/// The limit of short arcs where the longest is so long; `None` where there is none in between.
pub(crate) fn limit_below<W: Weight>(max_weight: W) -> Option<W> {
    let limit = max_weight.to_f64() / LIMITS_PER_WEIGHT;
    // whole weights have none in between
    let limit = W::from_f64(limit).or_else(|| W::from_f64(limit.ceil()))?;
    (W::ZERO < limit && limit < max_weight).then_some(limit)
}

/// The arcs of `graph`, split; `None` where none are to be deferred. O(n + m).
pub(crate) fn split<W: Weight>(graph: &Csr<W>) -> Option<ArcSplit<W>> {
    let limit = short_limit(graph, graph.weight_summary().greatest)?;
    let short = ShortArcs::new(graph, limit);
    defers_enough(short.n_arcs(), graph.n_arcs()).then_some(ArcSplit { limit, short })
}

/// Whether so many arcs are long that deferring them pays: where a few weights are
/// many times as great as the others, nearly all arcs are short.
pub(crate) fn defers_enough(n_short: usize, n_arcs: usize) -> bool {
    2 * n_short <= n_arcs
}

/// A bit for every vertex from which a path can go on, where rows begin at these offsets: one that
/// has an arc, and in an undirected graph another than the one it was reached by. O(n).
pub(super) fn vertices_with_out_arcs(rows: &[u64], direction: Direction) -> Vec<u64> {
    let least = match direction {
        Direction::Directed => 1,
        Direction::Undirected => 2,
    };
    let n_vertices = rows.len() - 1;
    (0..n_vertices.div_ceil(64))
        .into_par_iter()
        .map(|word| {
            let first = word * 64;
            let last = (first + 64).min(n_vertices);
            (first..last)
                .fold(0, |bits, v| bits | u64::from(rows[v + 1] - rows[v] >= least) << (v - first))
        })
        .collect()
}

/// What was done about the deferred arcs.
pub(super) enum Deferred {
    /// There were none.
    None,
    /// The vertices that they leave relaxed them.
    Pushed,
    /// The vertices beyond the bound looked back along theirs.
    Pulled,
}

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Makes up for the arcs deferred at this bound, before which all buckets are empty.
    pub(super) fn relax_deferred(
        &self,
        workers: &mut [Worker<L::Key>],
        threads: &Threads,
    ) -> Deferred {
        self.each(workers, threads, |_, worker| {
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
        self.each(workers, threads, |index, worker| {
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

/// Rows of the arcs below some weight, in the order of the graph's.
pub(crate) struct ShortArcs<W> {
    row_offsets: Vec<usize>,
    arcs: Vec<(VertexId, W)>,
}

impl<W: Weight> ShortArcs<W> {
    /// Copies the arcs of `graph` that are shorter than `limit`. O(n + m), in two passes
    /// over the weights.
    pub(super) fn new(graph: &Csr<W>, limit: W) -> Self {
        let n = graph.n_vertices();
        let mut row_offsets = vec![0; n + 1];
        parallel::fill(&mut row_offsets[1..], ROWS_A_TASK, &|first, counts| {
            for (count, vertex) in counts.iter_mut().zip(first as VertexId..) {
                let weights = &graph.weights()[graph.row(vertex)];
                *count = weights.iter().filter(|&&weight| weight < limit).count();
            }
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
        let tasks = tasks.into_iter();
        parallel::for_each_of(tasks, &|(arcs, copies)| copy_short(graph, limit, arcs, copies));
        Self { row_offsets, arcs }
    }

    /// How many there are.
    pub(super) fn n_arcs(&self) -> usize {
        self.arcs.len()
    }

    /// Where each row begins, and the last one ends.
    pub(crate) fn row_offsets(&self) -> &[usize] {
        &self.row_offsets
    }

    /// All of them, row by row.
    pub(crate) fn arcs(&self) -> &[(VertexId, W)] {
        &self.arcs
    }

    /// Where the short arcs that leave `vertex` lie.
    #[inline(always)]
    pub(crate) fn row_range(&self, vertex: VertexId) -> Range<usize> {
        self.row_offsets[vertex as usize]..self.row_offsets[vertex as usize + 1]
    }

    /// The short arcs that leave `vertex`.
    #[inline(always)]
    pub(super) fn row(&self, vertex: VertexId) -> &[(VertexId, W)] {
        &self.arcs[self.row_range(vertex)]
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

//! Settling the vertices of a bucket: their arcs are relaxed.
//!
//! A bucket lists its vertices in no order, so that each key, row and arc lies in another
//! place of memory. All of them are known some entries ahead, and are prefetched then.

use graph_formats::{Csr, DistanceKey, VertexId, Weight};

use super::buckets::Entry;
use super::long_arcs::ShortArcs;
use super::{Phase, Worker};
use crate::cpu::prefetch::{LINE, prefetch};
use crate::key::KeyArithmetic;

/// Arcs that are compared with the settled bound in one go.
const BLOCK: usize = 64;
/// How many entries ahead a row's offsets are prefetched.
const OFFSETS_AHEAD: usize = 8;
/// How many entries ahead a row's arcs are.
const ARCS_AHEAD: usize = 4;
/// How many arcs of a row are: the processor foresees the rest by itself.
const PREFETCHED: usize = 64;

/// Arcs by the vertex that they leave.
trait Rows {
    /// Prefetches the place of a row.
    fn prefetch_offsets(&self, vertex: VertexId);
    /// Prefetches the first arcs of a row whose place has come.
    fn prefetch_arcs(&self, vertex: VertexId);
}

impl<W: Weight> Rows for Csr<W> {
    #[inline(always)]
    fn prefetch_offsets(&self, vertex: VertexId) {
        prefetch(self.row_offsets(), vertex as usize);
    }

    #[inline(always)]
    fn prefetch_arcs(&self, vertex: VertexId) {
        let row = self.row(vertex);
        let end = row.end.min(row.start + PREFETCHED);
        for arc in (row.start..end).step_by(LINE / size_of::<VertexId>()) {
            prefetch(self.column_indices(), arc);
            prefetch(self.weights(), arc);
        }
    }
}

impl<W: Weight> Rows for ShortArcs<W> {
    #[inline(always)]
    fn prefetch_offsets(&self, vertex: VertexId) {
        prefetch(self.row_offsets(), vertex as usize);
    }

    #[inline(always)]
    fn prefetch_arcs(&self, vertex: VertexId) {
        let row = self.row(vertex);
        let row = &row[..row.len().min(PREFETCHED)];
        for arc in (0..row.len()).step_by(LINE / size_of::<(VertexId, W)>()) {
            prefetch(row, arc);
        }
    }
}

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Settles the vertices of those entries that are not stale, up to the settled bound.
    pub(super) fn settle_all(&self, worker: &mut Worker<L::Key>, list: &[Entry<L::Key>]) {
        match self.short {
            Some(short) => self.settle_each(worker, list, short, |worker, entry, cap| {
                worker.settled.push(entry);
                let arcs = short.row(entry.vertex).iter().copied();
                self.relax_those(worker, entry.key, arcs, cap, |key| key < self.settled_bound);
            }),
            None => self.settle_each(worker, list, self.graph, |worker, entry, cap| {
                let arcs = self.graph.arcs_from(entry.vertex);
                worker.work.relaxations += arcs.len() as u64;
                for (to, weight) in arcs {
                    self.relax(worker, to, L::after(entry.key, weight), cap);
                }
            }),
        }
    }

    /// Calls `settle` for the entries that are not stale, after prefetching the memory that it
    /// will need.
    #[inline(always)]
    fn settle_each(
        &self,
        worker: &mut Worker<L::Key>,
        list: &[Entry<L::Key>],
        rows: &impl Rows,
        settle: impl Fn(&mut Worker<L::Key>, Entry<L::Key>, L::Key),
    ) {
        for (at, &entry) in list.iter().enumerate() {
            if let Some(later) = list.get(at + OFFSETS_AHEAD) {
                prefetch(self.labels, later.vertex as usize);
                rows.prefetch_offsets(later.vertex);
            }
            if let Some(later) = list.get(at + ARCS_AHEAD) {
                rows.prefetch_arcs(later.vertex);
            }
            let cap = self.cap(worker);
            let label = L::Key::load(&self.labels[entry.vertex as usize]);
            if label == entry.key && label <= cap {
                worker.work.settled += 1;
                settle(worker, entry, cap);
            }
        }
    }

    /// Relaxes those of `arcs` whose sum is `wanted`.
    #[inline(always)]
    pub(super) fn relax_those(
        &self,
        worker: &mut Worker<L::Key>,
        from: L::Key,
        mut arcs: impl ExactSizeIterator<Item = (VertexId, W)>,
        cap: L::Key,
        wanted: impl Fn(L::Key) -> bool,
    ) {
        let mut chosen = [(0, from); BLOCK];
        while arcs.len() > 0 {
            // chosen without a branch, which could not be foretold
            let mut n_chosen = 0;
            for (to, weight) in arcs.by_ref().take(BLOCK) {
                let key = L::after(from, weight);
                chosen[n_chosen % BLOCK] = (to, key);
                n_chosen += usize::from(wanted(key));
            }
            let chosen = &chosen[..n_chosen];
            worker.work.relaxations += n_chosen as u64;
            for &(to, _) in chosen {
                prefetch(self.labels, to as usize);
            }
            for &(to, key) in chosen {
                self.relax(worker, to, key, cap);
            }
        }
    }

    /// Lowers the key of `to` to `key`, if that is lower, and puts it into its bucket, if a
    /// path can go on from there.
    #[inline(always)]
    fn relax(&self, worker: &mut Worker<L::Key>, to: VertexId, key: L::Key, cap: L::Key) {
        let label = &self.labels[to as usize];
        let mut before = L::Key::load(label);
        if key >= before || key > cap {
            return;
        }
        if self.team.len() == 1 {
            L::Key::store(label, key);
        } else {
            before = L::Key::fetch_min(label, key);
        }
        if key < before {
            worker.work.improvements += 1;
            if self.with_out_arcs[(to >> 6) as usize] >> (to & 63) & 1 == 1 {
                worker.buckets.push(self.bucket(key), Entry { key, vertex: to });
            }
        }
    }
}

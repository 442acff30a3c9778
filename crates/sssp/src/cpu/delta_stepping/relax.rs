//! Settling the vertices of a bucket: their arcs are relaxed.
//!
//! The vertices of a bucket are in no order, so their keys, rows and arcs are at random places in
//! memory. They are prefetched some entries ahead.

use graph_formats::{DistanceKey, VertexId, Weight};
use search_parts::{prefetch, prefetch_first};

use super::buckets::Entry;
use super::{Phase, Worker};
use crate::arc_split::ShortArcs;
use crate::key::KeyArithmetic;

/// Arcs that are compared with the settled bound before any of them is relaxed.
const BLOCK: usize = 64;
/// The offsets of the row this many entries ahead are prefetched.
const OFFSETS_AHEAD: usize = 8;
/// The arcs of the row this many entries ahead are prefetched.
const ARCS_AHEAD: usize = 4;
/// The most arcs of a row that are prefetched; the CPU's own prefetcher fetches the rest.
const PREFETCHED: usize = 64;

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Settles the vertices of the entries that are not stale. With `DEFERS` it relaxes the arcs
    /// that end before the settled bound, else all arcs; the loop is compiled for each.
    // inlined, it would share the registers of its caller's loop
    #[inline(never)]
    pub(super) fn settle_all<const DEFERS: bool>(
        &self,
        worker: &mut Worker<L::Key>,
        list: &[Entry<L::Key>],
    ) {
        let short = self.short.filter(|_| DEFERS);
        for (at, &entry) in list.iter().enumerate() {
            self.prefetch_ahead(short, list, at);
            let cap = self.cap(worker);
            let key = L::Key::load(&self.keys[entry.vertex as usize]);
            if key != entry.key || key > cap {
                continue;
            }
            worker.work.settled += 1;
            if let Some(short) = short {
                worker.settled.push(entry);
                let arcs = short.row(entry.vertex).iter().copied();
                self.relax_if(worker, entry.key, arcs, cap, |key| key < self.settled_bound);
            } else {
                let arcs = self.graph.arcs_from(entry.vertex);
                worker.work.relaxations += arcs.len() as u64;
                for (to, weight) in arcs {
                    self.relax(worker, to, L::after(entry.key, weight), cap);
                }
            }
        }
    }

    /// Prefetches for entries after the one at position `at`: keys and row offsets, later the arcs.
    #[inline(always)]
    fn prefetch_ahead(&self, short: Option<&ShortArcs<W>>, list: &[Entry<L::Key>], at: usize) {
        if let Some(&Entry { vertex, .. }) = list.get(at + OFFSETS_AHEAD) {
            prefetch(self.keys, vertex as usize);
            match short {
                Some(short) => prefetch(&short.row_offsets, vertex as usize),
                None => prefetch(self.graph.row_offsets(), vertex as usize),
            }
        }
        if let Some(&Entry { vertex, .. }) = list.get(at + ARCS_AHEAD) {
            match short {
                Some(short) => prefetch_first(short.row(vertex), PREFETCHED),
                None => {
                    let row = self.graph.row(vertex);
                    prefetch_first(&self.graph.column_indices()[row.clone()], PREFETCHED);
                    prefetch_first(&self.graph.weights()[row], PREFETCHED);
                }
            }
        }
    }

    /// Relaxes those of `arcs` whose sum is `wanted`.
    #[inline(always)]
    pub(super) fn relax_if(
        &self,
        worker: &mut Worker<L::Key>,
        from: L::Key,
        mut arcs: impl ExactSizeIterator<Item = (VertexId, W)>,
        cap: L::Key,
        wanted: impl Fn(L::Key) -> bool,
    ) {
        let mut chosen = [(0, from); BLOCK];
        while arcs.len() > 0 {
            // without a branch, which would be unpredictable
            let mut n_chosen = 0;
            for (to, weight) in arcs.by_ref().take(BLOCK) {
                let key = L::after(from, weight);
                chosen[n_chosen % BLOCK] = (to, key);
                n_chosen += usize::from(wanted(key));
            }
            let chosen = &chosen[..n_chosen];
            worker.work.relaxations += n_chosen as u64;
            for &(to, _) in chosen {
                prefetch(self.keys, to as usize);
            }
            for &(to, key) in chosen {
                self.relax(worker, to, key, cap);
            }
        }
    }

    /// Lowers the key of `to` to `key`, if that is less, and then puts `to` into its bucket if a
    /// path can continue from it.
    #[inline(always)]
    fn relax(&self, worker: &mut Worker<L::Key>, to: VertexId, key: L::Key, cap: L::Key) {
        let slot = &self.keys[to as usize];
        let mut before = L::Key::load(slot);
        if key >= before || key > cap {
            return;
        }
        if self.team.len() == 1 {
            L::Key::store(slot, key);
        } else {
            before = L::Key::fetch_min(slot, key);
        }
        if key < before {
            worker.work.improvements += 1;
            if self.with_out_arcs[(to >> 6) as usize] >> (to & 63) & 1 == 1 {
                worker.buckets.push(self.bucket(key), Entry { key, vertex: to });
            }
        }
    }
}

//! What Δ-stepping does with the vertices of a bucket: it follows their arcs.
//!
//! A bucket lists its vertices in no order, so that each label, row and arc lies in
//! another place of memory. All of them are known some entries ahead, and are asked for
//! then.

use std::ops::Range;

use graph_formats::{Csr, DistanceKey, VertexId, Weight};

use super::short::ShortArcs;
use super::worker::Entry;
use super::{DeltaStepping, Stage, bit};
use crate::host::prefetch::{LINE, prefetch};
use crate::key::Lengths;

/// Arcs that are compared with the horizon in one go.
const BLOCK: usize = 64;
/// How many entries ahead a row's offsets, and then its arcs, are asked for;
const OFFSETS_AHEAD: usize = 16;
const ARCS_AHEAD: usize = 8;
/// of the arcs so many: the processor foresees the rest by itself.
const ASKED: usize = 64;

/// Arcs by the vertex that they leave.
trait Rows<W> {
    /// Asks for the place of a row,
    fn ask_for_offsets(&self, vertex: VertexId);
    /// and, when that has come, for its first arcs.
    fn ask_for_arcs(&self, vertex: VertexId);
}

impl<W: Weight> Rows<W> for Csr<W> {
    #[inline(always)]
    fn ask_for_offsets(&self, vertex: VertexId) {
        prefetch(self.row_offsets(), vertex as usize);
    }

    #[inline(always)]
    fn ask_for_arcs(&self, vertex: VertexId) {
        let row = self.row(vertex);
        for arc in (row.start..row.end.min(row.start + ASKED)).step_by(LINE / size_of::<VertexId>())
        {
            prefetch(self.column_indices(), arc);
            prefetch(self.weights(), arc);
        }
    }
}

impl<W: Weight> Rows<W> for ShortArcs<W> {
    #[inline(always)]
    fn ask_for_offsets(&self, vertex: VertexId) {
        prefetch(self.row_offsets(), vertex as usize);
    }

    #[inline(always)]
    fn ask_for_arcs(&self, vertex: VertexId) {
        let row = self.row(vertex);
        let asked = &row[..row.len().min(ASKED)];
        for arc in (0..asked.len()).step_by(LINE / size_of::<(VertexId, W)>()) {
            prefetch(asked, arc);
        }
    }
}

impl<W: Weight, L: Lengths<W>> DeltaStepping<'_, W, L> {
    /// Visits the entries in `range` of `list`: those that are not stale follow their
    /// arcs, up to the horizon if there is one.
    pub(super) fn visit_all(
        &self,
        stage: &mut Stage<'_, L::Key>,
        list: &[Entry<L::Key>],
        range: Range<usize>,
    ) {
        match &self.window {
            Some(window) if stage.horizon < L::Key::GREATEST => {
                let short = &window.short;
                let horizon = stage.horizon;
                self.visit_each(stage, list, range, short, |stage, entry, cap| {
                    stage.worker.visited.push(entry);
                    let arcs = short.row(entry.vertex).iter().copied();
                    self.follow(stage, entry.key, arcs, cap, |key| key < horizon);
                });
            }
            _ => self.visit_each(stage, list, range, self.graph, |stage, entry, cap| {
                let arcs = self.graph.arcs_from(entry.vertex);
                stage.worker.work.relaxations += arcs.len() as u64;
                for (to, weight) in arcs {
                    self.offer(stage, to, L::after(entry.key, weight), cap);
                }
            }),
        }
    }

    /// Has `follow` called for the entries that are not stale, after asking for the
    /// memory that it will need.
    #[inline(always)]
    fn visit_each<'a>(
        &self,
        stage: &mut Stage<'a, L::Key>,
        list: &[Entry<L::Key>],
        range: Range<usize>,
        rows: &impl Rows<W>,
        follow: impl Fn(&mut Stage<'a, L::Key>, Entry<L::Key>, L::Key),
    ) {
        for at in range {
            if let Some(later) = list.get(at + OFFSETS_AHEAD) {
                prefetch(&self.labels, later.vertex as usize);
                rows.ask_for_offsets(later.vertex);
            }
            if let Some(later) = list.get(at + ARCS_AHEAD) {
                rows.ask_for_arcs(later.vertex);
            }
            let entry = list[at];
            let cap = stage.search.cap(&self.labels);
            if L::Key::load(&self.labels[entry.vertex as usize]) == entry.key && entry.key <= cap {
                stage.worker.work.settled += 1;
                follow(stage, entry, cap);
            }
        }
    }

    /// Offers the ends of those of `arcs` whose sum is `wanted`.
    #[inline(always)]
    pub(super) fn follow(
        &self,
        stage: &mut Stage<'_, L::Key>,
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
            stage.worker.work.relaxations += n_chosen as u64;
            for &(to, _) in chosen {
                prefetch(&self.labels, to as usize);
            }
            for &(to, key) in chosen {
                self.offer(stage, to, key, cap);
            }
        }
    }

    /// Lowers the label of `to` to `key`, if that is lower, and queues it.
    #[inline(always)]
    fn offer(&self, stage: &mut Stage<'_, L::Key>, to: VertexId, key: L::Key, cap: L::Key) {
        let label = &self.labels[to as usize];
        let mut before = L::Key::load(label);
        if key >= before || key > cap {
            return;
        }
        if stage.team == 1 {
            L::Key::store(label, key);
        } else {
            before = L::Key::fetch_min(label, key);
        }
        if key < before {
            stage.worker.work.improvements += 1;
            stage.worker.labelled += u64::from(before == L::Key::GREATEST);
            if bit(&self.onward, to) {
                let bucket = self.bucket(key);
                stage.worker.buckets.push(bucket, Entry { key, vertex: to });
            }
        }
    }
}

//! The steps of Δ-stepping: one bucket, worked off by the team.

use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{DistanceKey, VertexId, Weight};

use super::board::{Board, NONE, Post};
use super::worker::Entry;
use super::{DeltaStepping, Stage, bit};
use crate::SsspError;
use crate::host::lengths::Lengths;
use crate::host::prefetch::prefetch;

/// Entries that a thread takes from a posted list at a time.
const PIECE: usize = 64;
/// A thread works off up to this many entries of its own by itself; more are shared.
const FUSED: usize = 1024;
/// Arcs whose weights are compared with the horizon in one go.
const BLOCK: usize = 64;
/// How many entries ahead a row's offsets, and then its arcs, are asked for.
const OFFSETS_AHEAD: usize = 16;
const ARCS_AHEAD: usize = 8;
/// How many arcs of a row are asked for ahead of those that are looked at.
const ASKED: usize = BLOCK;
/// Arcs whose columns share a cache line.
const ARCS_A_LINE: usize = 16;
/// Steps between two calls of the progress callback.
const STEPS_A_REPORT: u64 = 64;

/// Why a thread stopped taking buckets.
pub(super) enum Ending {
    /// All buckets are empty.
    Empty,
    /// Those before the horizon are.
    Horizon,
    /// The first thread goes on alone, and this is another.
    Parted,
}

impl<W: Weight, L: Lengths<W>> DeltaStepping<'_, W, L> {
    /// Works off bucket after bucket up to the horizon's, in step with the team; none
    /// before the first one holds anything.
    pub(super) fn empty_buckets<'a>(
        &'a self,
        stage: &mut Stage<'a, L::Key>,
        first: u64,
    ) -> Result<Ending, SsspError> {
        let mut current = first;
        for board in self.boards.iter().cycle() {
            let mine = self.post(stage, board, current);
            if stage.index == 0 {
                let stop = self.report(stage, board).is_err();
                board.stop.store(stop, Relaxed);
                let alone = !stop && stage.team > 1 && stage.account.is_too_much(self.patience);
                board.alone.store(alone, Relaxed);
            }
            stage.meet();
            if board.alone.load(Relaxed) {
                // the posts change from here on: nothing may be read from them
                self.take_back(stage, board, mine);
                if self.part(stage) {
                    continue;
                }
                return Ok(Ending::Parted);
            }
            current = board.least_bucket();
            let stop = board.stop.load(Relaxed);
            let beyond = stage.horizon < L::Key::GREATEST && current > self.bucket(stage.horizon);
            let over = stop || beyond || current == NONE;
            if mine != current || over {
                self.take_back(stage, board, mine);
            }
            if over {
                // the boards will be used from the first again
                stage.meet();
                return match stop {
                    true => Err(SsspError::Interrupted),
                    false if current == NONE => Ok(Ending::Empty),
                    false => Ok(Ending::Horizon),
                };
            }
            stage.worker.work.rounds += 1;
            let (before, after) = board.posts.split_at(stage.index);
            for post in after.iter().chain(before) {
                if post.bucket.load(Relaxed) == current {
                    self.share(stage, post);
                }
            }
            self.fuse(stage, current);
        }
        unreachable!("the boards are taken in turn for ever")
    }

    /// Shows the team this thread's first bucket at or after `from`.
    fn post(&self, stage: &mut Stage<'_, L::Key>, board: &Board<L::Key>, from: u64) -> u64 {
        let post = &board.posts[stage.index];
        let mut list = post.list_mut();
        list.clear();
        let bucket = stage.worker.buckets.first_from(from).unwrap_or(NONE);
        if bucket != NONE {
            std::mem::swap(&mut *list, stage.worker.buckets.place(bucket));
        }
        post.bucket.store(bucket, Relaxed);
        post.next.store(0, Relaxed);
        post.labelled.store(stage.worker.labelled, Relaxed);
        bucket
    }

    /// Puts a list that the team will not work off back into its bucket.
    fn take_back(&self, stage: &mut Stage<'_, L::Key>, board: &Board<L::Key>, mine: u64) {
        if mine != NONE {
            let mut list = board.posts[stage.index].list_mut();
            std::mem::swap(&mut *list, stage.worker.buckets.place(mine));
        }
    }

    /// Tells how many vertices have a label; the others' posts may be a step old.
    fn report(&self, stage: &Stage<'_, L::Key>, board: &Board<L::Key>) -> Result<(), SsspError> {
        if stage.worker.work.rounds.is_multiple_of(STEPS_A_REPORT) {
            let labelled = board.sum(|post| &post.labelled);
            return stage.search.report(labelled, self.labels.len() as u64);
        }
        Ok(())
    }

    /// Takes pieces of a posted list until none is left.
    fn share(&self, stage: &mut Stage<'_, L::Key>, post: &Post<L::Key>) {
        let list = post.list.read().unwrap_or_else(PoisonError::into_inner);
        loop {
            let first = post.next.fetch_add(PIECE, Relaxed);
            if first >= list.len() {
                return;
            }
            self.visit_all(stage, &list, first..(first + PIECE).min(list.len()));
        }
    }

    /// Works off what fell into the current bucket meanwhile, unless it is so much that
    /// the team had better share it.
    fn fuse(&self, stage: &mut Stage<'_, L::Key>, current: u64) {
        let most = if stage.team == 1 { usize::MAX } else { FUSED };
        let mut list = std::mem::take(&mut stage.worker.spare);
        while (1..most).contains(&stage.worker.buckets.place(current).len()) {
            std::mem::swap(&mut list, stage.worker.buckets.place(current));
            self.visit_all(stage, &list, 0..list.len());
            list.clear();
        }
        stage.worker.spare = list;
    }

    /// Visits the entries in `range` of `list`, asking for the memory of later ones.
    fn visit_all(
        &self,
        stage: &mut Stage<'_, L::Key>,
        list: &[Entry<L::Key>],
        range: Range<usize>,
    ) {
        let graph = self.graph;
        for at in range {
            if let Some(later) = list.get(at + OFFSETS_AHEAD) {
                prefetch(&self.labels, later.vertex as usize);
                prefetch(graph.row_offsets(), later.vertex as usize);
            }
            if let Some(later) = list.get(at + ARCS_AHEAD) {
                let row = graph.row(later.vertex);
                let asked = row.start..row.end.min(row.start + ASKED);
                self.ask_for_arcs(asked);
            }
            self.visit(stage, list[at]);
        }
    }

    /// Follows the arcs of a vertex that lead below the horizon.
    #[inline(always)]
    fn visit(&self, stage: &mut Stage<'_, L::Key>, entry: Entry<L::Key>) {
        let cap = stage.search.cap(&self.labels);
        if L::Key::load(&self.labels[entry.vertex as usize]) != entry.key || entry.key > cap {
            return;
        }
        stage.worker.work.settled += 1;
        let row = self.graph.row(entry.vertex);
        if stage.horizon == L::Key::GREATEST {
            stage.worker.work.relaxations += row.len() as u64;
            for (to, weight) in self.graph.arcs_from(entry.vertex) {
                self.offer(stage, to, L::after(entry.key, weight), cap);
            }
        } else {
            stage.worker.visited.push(entry);
            let horizon = stage.horizon;
            self.follow(stage, entry.key, row, cap, |key| key < horizon);
        }
    }

    /// Asks for the memory of some arcs.
    #[inline(always)]
    fn ask_for_arcs(&self, arcs: Range<usize>) {
        for arc in arcs.step_by(ARCS_A_LINE) {
            prefetch(self.graph.weights(), arc);
            prefetch(self.graph.column_indices(), arc);
        }
    }

    /// Offers the ends of those arcs of a row whose sum is `wanted`.
    #[inline(always)]
    pub(super) fn follow(
        &self,
        stage: &mut Stage<'_, L::Key>,
        from: L::Key,
        row: Range<usize>,
        cap: L::Key,
        wanted: impl Fn(L::Key) -> bool,
    ) {
        let mut chosen = [0u8; BLOCK];
        for block in row.clone().step_by(BLOCK) {
            let block = block..row.end.min(block + BLOCK);
            let ahead = block.start + ASKED;
            self.ask_for_arcs(ahead.min(row.end)..row.end.min(ahead + BLOCK));
            let columns = &self.graph.column_indices()[block.clone()];
            let weights = &self.graph.weights()[block];
            // chosen without a branch, which could not be foretold
            let mut n_chosen = 0;
            for (arc, &weight) in weights.iter().enumerate() {
                chosen[n_chosen % BLOCK] = arc as u8;
                n_chosen += usize::from(wanted(L::after(from, weight)));
            }
            stage.worker.work.relaxations += n_chosen as u64;
            for &arc in &chosen[..n_chosen] {
                prefetch(&self.labels, columns[arc as usize] as usize);
            }
            for &arc in &chosen[..n_chosen] {
                let arc = arc as usize;
                self.offer(stage, columns[arc], L::after(from, weights[arc]), cap);
            }
        }
    }

    /// Lowers the label of `to` to `key`, if that is lower, and queues it.
    #[inline(always)]
    pub(super) fn offer(
        &self,
        stage: &mut Stage<'_, L::Key>,
        to: VertexId,
        key: L::Key,
        cap: L::Key,
    ) {
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
                stage.worker.buckets.place(bucket).push(Entry { key, vertex: to });
            }
        }
    }
}

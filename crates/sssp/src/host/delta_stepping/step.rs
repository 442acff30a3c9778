//! The steps of Δ-stepping: one bucket, worked off by the team.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use graph_formats::{DistanceKey, Weight};

use super::board::{Board, NONE, Post};
use super::{DeltaStepping, Stage};
use crate::SsspError;
use crate::key::Lengths;

/// Entries that a thread takes from a posted list at a time.
const PIECE: usize = 64;
/// A thread works off up to this many entries of its own by itself; more are shared.
const FUSED: usize = 1024;
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
    /// A thread alone calls others, for a team of so many from this bucket on.
    Called { bucket: u64, team: usize },
}

impl<W: Weight, L: Lengths<W>> DeltaStepping<'_, W, L> {
    /// Works off bucket after bucket up to the horizon's, in step with the team; none
    /// before the first one holds anything.
    pub(super) fn empty_buckets<'a>(
        &'a self,
        stage: &mut Stage<'a, L::Key>,
        first: u64,
    ) -> Result<Ending, SsspError> {
        if stage.team == 1 {
            return self.empty_buckets_alone(stage, first);
        }
        let mut current = first;
        for board in self.boards.iter().cycle() {
            let mine = self.post(stage, board, current);
            if stage.index == 0 {
                let stop = self.report(stage, board).is_err();
                board.stop.store(stop, Relaxed);
                let alone = !stop && stage.account.is_too_much(self.patience);
                board.alone.store(alone, Relaxed);
            }
            stage.meet();
            if board.alone.load(Relaxed) {
                // the posts change from here on: nothing may be read from them
                self.take_back(stage, board, mine);
                if self.part(stage) {
                    return self.empty_buckets_alone(stage, current);
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

    /// Tells now and then how many vertices have a label; the others' posts may be a step
    /// old.
    pub(super) fn report(
        &self,
        stage: &Stage<'_, L::Key>,
        board: &Board<L::Key>,
    ) -> Result<(), SsspError> {
        if stage.worker.work.rounds.is_multiple_of(STEPS_A_REPORT) {
            board.posts[stage.index].labelled.store(stage.worker.labelled, Relaxed);
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
        while (1..FUSED).contains(&stage.worker.buckets.place(current).len()) {
            self.visit_bucket(stage, current);
        }
    }

    /// Visits what is in the current bucket of this thread, but not what falls into it
    /// meanwhile.
    pub(super) fn visit_bucket(&self, stage: &mut Stage<'_, L::Key>, current: u64) {
        let mut list = std::mem::take(&mut stage.worker.spare);
        std::mem::swap(&mut list, stage.worker.buckets.place(current));
        self.visit_all(stage, &list, 0..list.len());
        list.clear();
        stage.worker.spare = list;
    }
}

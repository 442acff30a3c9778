//! When the team of Δ-stepping does more harm than good.
//!
//! A step waits for its slowest thread. Where another program takes a processor away,
//! that is a time slice of milliseconds, at every step, for microseconds of work; and
//! on graphs that offer one vertex at a time, such as a long path, the others only ever
//! wait. So the first thread keeps count of its waiting. When more than half of its time
//! has gone that way, it sends the others home, takes over what they have in hand, and
//! finishes by itself.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use graph_formats::Weight;

use super::board::NONE;
use super::{DeltaStepping, Stage};
use crate::host::lengths::Lengths;

/// Waiting that is taken without a word: about as long as the system may take to give
/// the threads of a new team a processor each.
const PATIENCE: Duration = Duration::from_millis(20);

/// The first thread's account of its time.
pub(super) struct Patience {
    started: Instant,
    waited: Duration,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), waited: Duration::ZERO }
    }

    /// Runs `wait` and counts how long it took.
    pub(super) fn count(&mut self, wait: impl FnOnce()) {
        let before = Instant::now();
        wait();
        self.waited += before.elapsed();
    }

    /// Whether the waiting has become too much.
    pub(super) fn is_over(&self) -> bool {
        self.waited > PATIENCE && self.waited * 2 > self.started.elapsed()
    }
}

impl<W: Weight, L: Lengths<W>> DeltaStepping<'_, W, L> {
    /// The others leave what they have to the first thread; returns whether this thread
    /// goes on, as a team of one.
    pub(super) fn part<'a>(&'a self, stage: &mut Stage<'a, L::Key>) -> bool {
        if stage.index > 0 {
            let mut estate = self.estate.lock().unwrap_or_else(PoisonError::into_inner);
            stage.worker.buckets.drain_into(&mut estate.queued);
            estate.visited.append(&mut stage.worker.visited);
            for board in &self.boards {
                let post = &board.posts[stage.index];
                post.bucket.store(NONE, Relaxed);
                post.arcs_since.store(0, Relaxed);
            }
        }
        stage.barrier.wait();
        if stage.index == 0 {
            stage.team = 1;
            stage.barrier = &self.no_barrier;
            let mut estate = self.estate.lock().unwrap_or_else(PoisonError::into_inner);
            stage.worker.visited.append(&mut estate.visited);
            for entry in estate.queued.drain(..) {
                stage.worker.buckets.place(self.bucket(entry.key)).push(entry);
            }
        }
        stage.index == 0
    }
}

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

/// How much waiting is too much.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// This is taken without a word,
    pub(super) least: Duration,
    /// and so is less than one part in so many of the whole time.
    pub(super) parts: u32,
}

impl Default for Patience {
    fn default() -> Self {
        // the system may take as long as this to give a new team a processor each
        Self { least: Duration::from_millis(20), parts: 2 }
    }
}

/// The first thread's account of its time.
pub(super) struct Account {
    started: Instant,
    waited: Duration,
}

impl Account {
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
    pub(super) fn is_too_much(&self, patience: Patience) -> bool {
        self.waited > patience.least && self.waited * patience.parts > self.started.elapsed()
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

#[cfg(test)]
mod tests {
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
    use graph_formats::{Csr, DistanceKey};

    use super::*;
    use crate::host::dijkstra::Dijkstra;
    use crate::host::lengths::Narrow;
    use crate::host::queue::QuaternaryHeap;
    use crate::host::search::Search;

    /// Whenever the team parts, at once or late, nothing it had in hand is lost.
    #[test]
    fn parting_loses_nothing() {
        let grid = grid(&GridConfig { side: 60, ..Default::default() }).unwrap();
        let rmat = rmat(&RmatConfig { scale: 11, edge_factor: 16, ..Default::default() }).unwrap();
        for graph in [grid, rmat] {
            let search = Search { source: 0, targets: &[], limit: u32::MAX, progress: None };
            let mut dijkstra = Dijkstra::<u32, Narrow, _>::new(&graph, QuaternaryHeap::default());
            dijkstra.solve(&search).unwrap();
            for micros in [0, 10, 50, 200, 1000, 5000] {
                for delta in [1.0, 100.0] {
                    let mut stepping = stepping(&graph, delta);
                    stepping.patience =
                        Patience { least: Duration::from_micros(micros), parts: 1_000_000 };
                    stepping.solve(&search).unwrap();
                    let labels: Vec<_> = stepping.labels().iter().map(u32::load).collect();
                    assert!(labels == dijkstra.labels(), "after {micros} µs, delta {delta}");
                }
            }
        }
    }

    fn stepping(graph: &Csr<u32>, delta: f64) -> DeltaStepping<'_, u32, Narrow> {
        DeltaStepping::new(graph, delta, 255, 3)
    }
}

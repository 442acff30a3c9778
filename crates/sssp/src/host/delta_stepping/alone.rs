//! When the threads of Δ-stepping work together, and when one works alone.
//!
//! A search begins on one thread, which needs no barriers and no boards: many graphs offer
//! a vertex or a few at a time from beginning to end, and many are done before a team were
//! there. It calls the others at the first bucket that is worth sharing ([`Calls`]).
//!
//! A team may yet do more harm than good. A step waits for its slowest thread. Where another
//! program takes a processor away, that is a time slice of milliseconds, at every step, for
//! microseconds of work; and on graphs that offer one vertex at a time, such as a long path, the others only ever
//! wait. So the first thread keeps count of its waiting. When more than half of its time
//! has gone that way, it sends the others home, takes over what they have in hand, and
//! finishes by itself.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use graph_formats::{Csr, DistanceKey, Weight};

use super::board::NONE;
use super::step::Ending;
use super::{DeltaStepping, Stage};
use crate::SsspError;
use crate::host::lengths::Lengths;

/// Arcs of a bucket that are worth the meeting of a team,
const ARCS_WORTH_A_STEP: usize = 4096;
/// entries of it, however many arcs they have,
const ENTRIES_WORTH_A_STEP: usize = 128;
/// and arcs still to follow, for each thread, that are worth its starting.
const ARCS_WORTH_A_THREAD: u64 = 1 << 16;

/// Whether `graph` has less to do than it takes to start so many threads.
pub(crate) fn few_to_share<W: Weight>(graph: &Csr<W>, n_threads: usize) -> bool {
    (graph.n_arcs() as u64) < ARCS_WORTH_A_THREAD * n_threads as u64
}

/// When one thread calls the others.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    /// At a bucket of so many entries,
    entries: usize,
    /// while it has followed no more arcs than this.
    most_followed: u64,
}

impl Calls {
    /// For searches on `graph` by so many threads; `None` where it is never worth it.
    pub(super) fn for_graph<W: Weight>(graph: &Csr<W>, n_threads: usize) -> Option<Self> {
        let worth = ARCS_WORTH_A_THREAD * n_threads as u64;
        let most_followed = (graph.n_arcs() as u64).checked_sub(worth)?;
        let entries = ARCS_WORTH_A_STEP * graph.n_vertices() / graph.n_arcs();
        let entries = entries.max(ENTRIES_WORTH_A_STEP);
        Some(Self { entries, most_followed })
    }
}

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
        Self { least: Duration::from_millis(5), parts: 2 }
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
    /// Works off bucket after bucket up to the horizon's, by one thread that has all
    /// entries; none before the first one holds anything.
    pub(super) fn empty_buckets_alone(
        &self,
        stage: &mut Stage<'_, L::Key>,
        first: u64,
    ) -> Result<Ending, SsspError> {
        let mut next = first;
        while let Some(bucket) = stage.worker.buckets.first_from(next) {
            if stage.horizon < L::Key::GREATEST && bucket > self.bucket(stage.horizon) {
                return Ok(Ending::Horizon);
            }
            let n_entries = stage.worker.buckets.place(bucket).len();
            let followed = stage.worker.work.relaxations;
            if stage.calls.is_some_and(|c| n_entries >= c.entries && followed <= c.most_followed) {
                return Ok(Ending::Called(bucket));
            }
            self.report(stage, &self.boards[0])?;
            stage.worker.work.rounds += 1;
            self.visit_bucket(stage, bucket);
            next = bucket;
        }
        Ok(Ending::Empty)
    }

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

    use super::*;
    use crate::host::dijkstra::Dijkstra;
    use crate::host::lengths::Narrow;
    use crate::host::queue::QuaternaryHeap;
    use crate::host::search::Search;

    /// Whenever the team is called, and whenever it parts, at once or late, nothing that
    /// somebody had in hand is lost.
    #[test]
    fn calling_and_parting_lose_nothing() {
        let grid = grid(&GridConfig { side: 60, ..Default::default() }).unwrap();
        let rmat = rmat(&RmatConfig { scale: 11, edge_factor: 16, ..Default::default() }).unwrap();
        for graph in [grid, rmat] {
            let search = Search { source: 0, targets: &[], limit: u32::MAX, progress: None };
            let mut dijkstra = Dijkstra::<u32, Narrow, _>::new(&graph, QuaternaryHeap::default());
            dijkstra.solve(&search).unwrap();
            for micros in [0, 10, 50, 200, 1000, 5000] {
                for (delta, entries) in [(1.0, 1), (1.0, 20), (100.0, 1), (100.0, 40)] {
                    let mut stepping = stepping(&graph, delta);
                    stepping.calls = Some(Calls { entries, most_followed: u64::MAX });
                    stepping.patience =
                        Patience { least: Duration::from_micros(micros), parts: 1_000_000 };
                    stepping.solve(&search).unwrap();
                    let labels: Vec<_> = stepping.labels().iter().map(u32::load).collect();
                    let case = format!("{entries} entries, {micros} µs, delta {delta}");
                    assert!(labels == dijkstra.labels(), "{case}");
                }
            }
        }
    }

    /// One bucket for all: the team is called from its middle.
    #[test]
    fn a_bucket_of_everything_is_shared() {
        let graph = rmat(&RmatConfig { scale: 13, ..Default::default() }).unwrap();
        assert!(!few_to_share(&graph, 3));
        let source = graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
        let search = Search { source, targets: &[], limit: u32::MAX, progress: None };
        let mut dijkstra = Dijkstra::<u32, Narrow, _>::new(&graph, QuaternaryHeap::default());
        dijkstra.solve(&search).unwrap();
        let mut stepping = stepping(&graph, 1e9);
        let work = stepping.solve(&search).unwrap();
        let labels: Vec<_> = stepping.labels().iter().map(u32::load).collect();
        assert!(labels == dijkstra.labels() && work.rounds > 1, "{work:?}");
    }

    fn stepping(graph: &Csr<u32>, delta: f64) -> DeltaStepping<'_, u32, Narrow> {
        DeltaStepping::new(graph, delta, 255, 3)
    }
}

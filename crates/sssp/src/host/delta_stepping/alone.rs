//! When the threads of Δ-stepping work together, and when one works alone.
//!
//! A search begins on one thread, which needs no barriers and no boards: many graphs offer
//! a vertex or a few at a time from beginning to end, and many are done before a team were
//! there. At the first bucket that is worth sharing it calls as many of the others as there is
//! work for ([`Calls`]).
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
use crate::key::Lengths;
use crate::{SsspError, Team};

/// Arcs of a bucket that are worth the meeting of a team,
const ARCS_WORTH_A_STEP: usize = 4096;
/// entries of it, however many arcs they have,
const ENTRIES_WORTH_A_STEP: usize = 128;
/// and arcs still to follow, for each thread, that are worth its starting.
const ARCS_WORTH_A_THREAD: u64 = 1 << 16;

/// How many threads, of so many at most, it is worth starting for so many arcs.
pub(crate) fn threads_for(n_arcs: u64, most: usize) -> usize {
    usize::try_from(n_arcs / ARCS_WORTH_A_THREAD).map_or(most, |worth| worth.clamp(1, most))
}

/// When one thread calls the others.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    /// At a bucket of so many entries,
    entries: usize,
    /// all of them, or as many as the arcs still to follow are worth.
    team: Team,
}

impl Calls {
    /// For searches on `graph`.
    pub(super) fn for_graph<W: Weight>(graph: &Csr<W>, team: Team) -> Self {
        let entries = match team {
            Team::WhereItPays => (ARCS_WORTH_A_STEP * graph.n_vertices())
                .checked_div(graph.n_arcs())
                .map_or(usize::MAX, |entries| entries.max(ENTRIES_WORTH_A_STEP)),
            Team::Always => 1,
        };
        Self { entries, team }
    }

    /// How many of `n_threads` are to share a bucket of so many entries, with so many arcs
    /// still to follow.
    fn called(self, n_entries: usize, arcs_left: u64, n_threads: usize) -> usize {
        match self.team {
            _ if n_entries < self.entries => 1,
            Team::WhereItPays => threads_for(arcs_left, n_threads),
            Team::Always => n_threads,
        }
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
            if let Some(calls) = stage.calls {
                let followed = stage.worker.work.relaxations;
                let left = (self.graph.n_arcs() as u64).saturating_sub(followed);
                let team = calls.called(n_entries, left, self.n_threads);
                if team > 1 {
                    return Ok(Ending::Called { bucket, team });
                }
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
                stage.worker.buckets.push(self.bucket(entry.key), entry);
            }
        }
        stage.index == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graph_formats::VertexId;
    use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};

    use super::super::horizon;
    use super::*;
    use crate::host::dijkstra::Dijkstra;
    use crate::host::queue::QuaternaryHeap;
    use crate::key::{Narrow, Native};
    use crate::query::Query;

    /// Whenever the team is called, and whenever it parts, at once or late, nothing that
    /// somebody had in hand is lost.
    #[test]
    fn calling_and_parting_lose_nothing() {
        let grid = grid(&GridConfig { side: 60, ..Default::default() }).unwrap();
        let rmat = rmat(&RmatConfig { scale: 11, edge_factor: 16, ..Default::default() }).unwrap();
        for graph in [grid, rmat] {
            nothing_is_lost::<u32, Narrow>(&graph, 255);
            let edges = graph.arcs().filter(|arc| arc.0 <= arc.1);
            let edges: Vec<_> = edges.map(|(u, v, w)| (u, v, w as f32 / 3.0)).collect();
            let thirds = Csr::from_edges(graph.n_vertices(), &edges).unwrap();
            nothing_is_lost::<f32, Native>(&thirds, 85.0);
        }
    }

    fn nothing_is_lost<W: Weight, L: Lengths<W>>(graph: &Csr<W>, max_weight: W) {
        let window = horizon::window(graph, max_weight).map(Arc::new);
        let all = Query { source: 0, targets: &[], limit: L::Key::GREATEST, progress: None };
        let mut dijkstra = Dijkstra::<W, L, _>::new(graph, QuaternaryHeap::default());
        dijkstra.solve(&all).unwrap();
        let mut reached: Vec<VertexId> = graph.vertices().collect();
        reached.retain(|&v| dijkstra.labels()[v as usize] < L::Key::GREATEST);
        reached.sort_by_key(|&v| dijkstra.labels()[v as usize]);
        let target = reached[reached.len() / 2];
        let cap = dijkstra.labels()[target as usize];
        let within = |cap, labels: &mut dyn Iterator<Item = L::Key>| -> Vec<_> {
            labels.map(|label| if label > cap { L::Key::GREATEST } else { label }).collect()
        };
        for micros in [0, 10, 50, 200, 1000, 5000] {
            for (delta, entries) in [(1.0, 1), (1.0, 20), (100.0, 1), (100.0, 40), (3e-4, 1)] {
                let (team, window) = (Team::Always, window.clone());
                let mut stepping =
                    DeltaStepping::<W, L>::new(graph, delta, max_weight, window, 3, team);
                stepping.calls.entries = entries;
                stepping.patience =
                    Patience { least: Duration::from_micros(micros), parts: 1_000_000 };
                for (targets, limit) in
                    [(&[][..], L::Key::GREATEST), (&[][..], cap), (&[target][..], L::Key::GREATEST)]
                {
                    let cap = if targets.is_empty() { limit } else { cap };
                    stepping.solve(&Query { targets, limit, ..all }).unwrap();
                    let found = within(cap, &mut stepping.labels().iter().map(L::Key::load));
                    let expected = within(cap, &mut dijkstra.labels().iter().copied());
                    let case = format!("{entries} entries, {micros} µs, delta {delta}");
                    assert!(found == expected, "{case}, {targets:?}, {cap:?}");
                }
            }
        }
    }

    /// One bucket for all: the team is called from its middle.
    #[test]
    fn a_bucket_of_everything_is_shared() {
        let graph = rmat(&RmatConfig { scale: 13, ..Default::default() }).unwrap();
        assert_eq!(threads_for(graph.n_arcs() as u64, 3), 3);
        let source = graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
        let search = Query { source, targets: &[], limit: u32::MAX, progress: None };
        let mut dijkstra = Dijkstra::<u32, Narrow, _>::new(&graph, QuaternaryHeap::default());
        dijkstra.solve(&search).unwrap();
        let team = Team::WhereItPays;
        let mut stepping = DeltaStepping::<_, Narrow>::new(&graph, 1e9, 255, None, 3, team);
        let work = stepping.solve(&search).unwrap();
        let labels: Vec<_> = stepping.labels().iter().map(u32::load).collect();
        assert!(labels == dijkstra.labels() && work.rounds > 1, "{work:?}");
    }
}

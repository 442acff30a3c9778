//! Δ-stepping: buckets of distances Δ wide, one after the other, each in parallel.
//!
//! Vertices wait in buckets by their tentative distance. The threads take the least
//! bucket that is not empty, look at the arcs of its vertices together, and put every
//! vertex whose distance falls into the bucket of its new distance, until no bucket is
//! left. With Δ no greater than the least weight each vertex is looked at once; a
//! greater Δ trades vertices looked at again for fewer, fuller steps. Expected work
//! O(n + m + d·L/Δ) on graphs with random weights, d the largest degree, L the largest
//! distance.
//!
//! What differs from the papers:
//!
//! * Arcs are not split into light and heavy ones at Δ. Where a split pays, on dense
//!   undirected graphs, it is made at a [`horizon`] many buckets wide.
//! * Entries carry the distance they were made with, so a vertex that fell again is
//!   passed over where it waits.
//! * One thread begins, and calls the others when a bucket is worth sharing ([`alone`]).
//! * Every thread of that team has buckets of its own, and all meet once a step ([`board`]).
//!   A thread that is done takes pieces of the others' lists, and works off what fell
//!   into the same bucket by itself; GAPBS calls that bucket fusion. Where the team
//!   mostly waits, the first thread goes on alone again.
//! * Vertices without an onward arc are labelled, never queued.
//!
//! Reference: meyer-sanders-2003, beamer-2015

mod alone;
mod board;
pub(crate) mod horizon;
mod short;
mod step;
mod visit;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use graph_formats::{Csr, DistanceKey, VertexId, Weight};
use rayon::prelude::*;

use super::team::{self, Barrier};
use crate::key::Lengths;
use crate::query::Query;
use crate::{SsspError, Team, Work};
pub(crate) use alone::threads_for;
use alone::{Account, Calls, Patience};
use board::Board;
use horizon::{PutOff, Window};
use step::Ending;
use worker::{Entry, Estate, Worker};

/// Labels that a task clears.
const LABELS_A_TASK: usize = 1 << 17;

/// The solver with its work space, for any number of sources.
pub(crate) struct DeltaStepping<'g, W: Weight, L: Lengths<W>> {
    graph: &'g Csr<W>,
    /// 1/Δ.
    per_delta: f64,
    /// How far arcs are followed at once, and which; all the way when `None`.
    window: Option<Arc<Window<W>>>,
    labels: Vec<<L::Key as DistanceKey>::Atomic>,
    workers: Vec<Worker<L::Key>>,
    /// Used in turn, so that one can be written while slower threads read the other.
    boards: [Board<L::Key>; 2],
    /// A bit a vertex: whether it has an arc that can lead on.
    onward: Vec<u64>,
    n_threads: usize,
    /// When the one thread that begins calls the others.
    calls: Calls,
    patience: Patience,
    estate: Mutex<Estate<L::Key>>,
    no_barrier: Barrier,
}

/// Where a search stands between two steps.
#[derive(Clone, Copy)]
struct Point<K> {
    /// The last horizon: labels below it are final.
    start: K,
    /// How often arcs put off were pushed.
    n_pushes: usize,
    /// No bucket before it holds anything.
    bucket: u64,
    /// How many threads go on from here.
    team: usize,
}

/// A thread's view of a search.
struct Stage<'a, K> {
    index: usize,
    team: usize,
    worker: &'a mut Worker<K>,
    search: &'a Query<'a, K>,
    barrier: &'a Barrier,
    account: Account,
    /// Arcs that lead here or beyond are put off.
    horizon: K,
    /// When a thread alone calls the others, if it may.
    calls: Option<Calls>,
}

impl<'a, K: DistanceKey> Stage<'a, K> {
    fn new(
        index: usize,
        team: usize,
        worker: &'a mut Worker<K>,
        search: &'a Query<'a, K>,
        barrier: &'a Barrier,
    ) -> Self {
        let (account, horizon) = (Account::new(), K::GREATEST);
        Self { index, team, worker, search, barrier, account, horizon, calls: None }
    }

    /// Waits for the team.
    fn meet(&mut self) {
        if self.index == 0 && self.team > 1 {
            self.account.count(|| self.barrier.wait());
        } else {
            self.barrier.wait();
        }
    }
}

impl<'g, W: Weight, L: Lengths<W>> DeltaStepping<'g, W, L> {
    /// Prepares for `graph`, whose weights are at most `max_weight`, none negative, with the
    /// [`window`](horizon::window) for a horizon or without. O(n + m).
    pub(crate) fn new(
        graph: &'g Csr<W>,
        delta: f64,
        max_weight: W,
        window: Option<Arc<Window<W>>>,
        n_threads: usize,
        team: Team,
    ) -> Self {
        Self {
            graph,
            per_delta: 1.0 / delta,
            window,
            labels: graph.vertices().map(|_| L::Key::GREATEST.atomic()).collect(),
            workers: (0..n_threads).map(|_| Worker::new(bucket_span(max_weight, delta))).collect(),
            boards: [Board::new(n_threads), Board::new(n_threads)],
            onward: horizon::onward_vertices(graph),
            n_threads,
            calls: Calls::for_graph(graph, team),
            patience: Patience::default(),
            estate: Mutex::new(Estate { queued: Vec::new(), visited: Vec::new() }),
            no_barrier: Barrier::new(1),
        }
    }

    /// The labels of the last search.
    pub(crate) fn labels(&self) -> &[<L::Key as DistanceKey>::Atomic] {
        &self.labels
    }

    /// Labels every vertex within the goal, and perhaps some beyond it.
    pub(crate) fn solve(&mut self, search: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        // each thread changes its own, and all read the rest
        let mut workers = std::mem::take(&mut self.workers);
        let found = catch_unwind(AssertUnwindSafe(|| self.solve_by(&mut workers, search)));
        self.workers = workers;
        found.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn solve_by(
        &self,
        workers: &mut [Worker<L::Key>],
        search: &Query<'_, L::Key>,
    ) -> Result<Work, SsspError> {
        self.reset(workers, search.source);
        let start = Point { start: L::Key::LEAST, n_pushes: 0, bucket: 0, team: 1 };
        let alone = Stage::new(0, 1, &mut workers[0], search, &self.no_barrier);
        let mut interrupted = false;
        match self.run(Stage { calls: Some(self.calls), ..alone }, start) {
            Err(_) => interrupted = true,
            Ok(None) => {}
            Ok(Some(point)) => {
                let team = point.team;
                let failed = AtomicBool::new(false);
                let run = |index, worker: &mut Worker<L::Key>, barrier: &Barrier| {
                    let stage = Stage::new(index, team, worker, search, barrier);
                    if self.run(stage, point).is_err() {
                        failed.store(true, Relaxed);
                    }
                };
                if !team::run(&mut workers[..team], run) {
                    let alone = Stage::new(0, 1, &mut workers[0], search, &self.no_barrier);
                    failed.store(self.run(alone, point).is_err(), Relaxed);
                }
                interrupted = failed.into_inner();
            }
        }
        let mut work = Work::default();
        for worker in &*workers {
            work.add(&worker.work);
        }
        work.rounds = workers[0].work.rounds;
        if interrupted { Err(SsspError::Interrupted) } else { Ok(work) }
    }

    /// Takes down what an earlier search left, and puts the source into its bucket.
    fn reset(&self, workers: &mut [Worker<L::Key>], source: VertexId) {
        self.boards.iter().for_each(Board::wipe);
        workers.iter_mut().for_each(Worker::reset);
        let clear = |labels: &[<L::Key as DistanceKey>::Atomic]| {
            labels.iter().for_each(|label| L::Key::store(label, L::Key::GREATEST));
        };
        match workers.len() {
            1 => clear(&self.labels),
            _ => self.labels.par_chunks(LABELS_A_TASK).for_each(clear),
        }
        L::Key::store(&self.labels[source as usize], L::Key::LEAST);
        let first = &mut workers[0];
        first.labelled += 1;
        first.buckets.push(0, Entry { key: L::Key::LEAST, vertex: source });
    }

    /// One thread's part of a search, from this point on; if it calls the others, the point
    /// where they are to begin.
    fn run<'a>(
        &'a self,
        mut stage: Stage<'a, L::Key>,
        mut point: Point<L::Key>,
    ) -> Result<Option<Point<L::Key>>, SsspError> {
        loop {
            stage.horizon = match &self.window {
                Some(window) if point.n_pushes < horizon::MOST_PUSHES => {
                    L::after(point.start, window.ahead)
                }
                _ => L::Key::GREATEST,
            };
            let ending = self.empty_buckets(&mut stage, point.bucket)?;
            if let Ending::Called { bucket, team } = ending {
                return Ok(Some(Point { bucket, team, ..point }));
            }
            let all_followed = stage.horizon == L::Key::GREATEST;
            if all_followed || matches!(ending, Ending::Parted) {
                return Ok(None);
            }
            match (self.follow_put_off(&mut stage), ending) {
                (PutOff::Nothing, Ending::Empty) => return Ok(None),
                (PutOff::Pushed, _) => point.n_pushes += 1,
                _ => {}
            }
            point.start = stage.horizon;
            point.bucket = self.bucket(point.start);
        }
    }

    /// The bucket of a key; never less for a greater key.
    #[inline(always)]
    fn bucket(&self, key: L::Key) -> u64 {
        (L::magnitude(key) * self.per_delta) as u64
    }
}

/// How many buckets apart two entries that wait at one time can be.
pub(crate) fn bucket_span<W: Weight>(max_weight: W, delta: f64) -> u64 {
    // a quotient that is rounded up may reach the bucket after the next
    (max_weight.to_f64() / delta) as u64 + 3
}

/// Whether `vertex` is in a bit set.
#[inline(always)]
fn bit(set: &[u64], vertex: VertexId) -> bool {
    set[(vertex >> 6) as usize] >> (vertex & 63) & 1 == 1
}

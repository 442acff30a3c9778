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
//! * Every thread has buckets of its own, and the team meets once a step ([`board`]).
//!   A thread that is done takes pieces of the others' lists, and works off what fell
//!   into the same bucket by itself; GAPBS calls that bucket fusion. Where the team
//!   mostly waits, the first thread goes on alone ([`alone`]).
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

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use graph_formats::{Csr, DistanceKey, VertexId, Weight};

use super::lengths::Lengths;
use super::search::Search;
use super::team::{self, Barrier};
use crate::{SsspError, Work};
use alone::{Account, Patience};
use board::Board;
use horizon::PutOff;
use step::Ending;
use worker::{Entry, Estate, Worker};

/// The solver with its work space, for any number of sources.
pub(crate) struct DeltaStepping<'g, W: Weight, L: Lengths<W>> {
    graph: &'g Csr<W>,
    /// 1/Δ.
    per_delta: f64,
    /// How far arcs are followed at once, and which; all the way when `None`.
    window: Option<horizon::Window<W>>,
    labels: Vec<<L::Key as DistanceKey>::Atomic>,
    workers: Vec<Worker<L::Key>>,
    /// Used in turn, so that one can be written while slower threads read the other.
    boards: [Board<L::Key>; 2],
    /// A bit a vertex: whether it has an arc that can lead on.
    onward: Vec<u64>,
    patience: Patience,
    estate: Mutex<Estate<L::Key>>,
    no_barrier: Barrier,
}

/// A thread's view of a search.
struct Stage<'a, K> {
    index: usize,
    team: usize,
    worker: &'a mut Worker<K>,
    search: &'a Search<'a, K>,
    barrier: &'a Barrier,
    account: Account,
    /// Arcs that lead here or beyond are put off.
    horizon: K,
}

impl<K> Stage<'_, K> {
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
    /// Prepares for `graph`, whose weights are at most `max_weight`, none negative. O(n + m).
    pub(crate) fn new(graph: &'g Csr<W>, delta: f64, max_weight: W, n_threads: usize) -> Self {
        Self {
            graph,
            per_delta: 1.0 / delta,
            window: horizon::window(graph, max_weight),
            labels: graph.vertices().map(|_| L::Key::GREATEST.atomic()).collect(),
            workers: (0..n_threads).map(|_| Worker::new(bucket_span(max_weight, delta))).collect(),
            boards: [Board::new(n_threads), Board::new(n_threads)],
            onward: horizon::onward_vertices(graph),
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
    pub(crate) fn solve(&mut self, search: &Search<'_, L::Key>) -> Result<Work, SsspError> {
        let mut workers = std::mem::take(&mut self.workers);
        let this = &*self;
        let interrupted = AtomicBool::new(false);
        let run = |team: usize, barrier: &Barrier, index, worker: &mut Worker<L::Key>| {
            if this.run(index, team, worker, search, barrier).is_err() {
                interrupted.store(true, Relaxed);
            }
        };
        let (team, barrier) = (workers.len(), Barrier::new(workers.len()));
        if !team::run(&mut workers, |index, worker| run(team, &barrier, index, worker)) {
            this.boards.iter().for_each(Board::wipe);
            run(1, &this.no_barrier, 0, &mut workers[0]);
        }
        let mut work = Work::default();
        for worker in &workers {
            work.add(&worker.work);
        }
        work.rounds = workers[0].work.rounds;
        self.workers = workers;
        if interrupted.into_inner() { Err(SsspError::Interrupted) } else { Ok(work) }
    }

    /// One thread's part of a search.
    fn run(
        &self,
        index: usize,
        team: usize,
        worker: &mut Worker<L::Key>,
        search: &Search<'_, L::Key>,
        barrier: &Barrier,
    ) -> Result<(), SsspError> {
        let n = self.labels.len();
        worker.reset();
        for label in &self.labels[n * index / team..n * (index + 1) / team] {
            L::Key::store(label, L::Key::GREATEST);
        }
        barrier.wait();
        if index == 0 {
            L::Key::store(&self.labels[search.source as usize], L::Key::LEAST);
            worker.labelled += 1;
            worker.buckets.place(0).push(Entry { key: L::Key::LEAST, vertex: search.source });
        }
        let horizon = L::Key::GREATEST;
        let account = Account::new();
        let mut stage = Stage { index, team, worker, search, barrier, account, horizon };
        let mut start = L::Key::LEAST;
        let mut n_pushes = 0;
        loop {
            stage.horizon = match &self.window {
                Some(window) if n_pushes < horizon::MOST_PUSHES => L::after(start, window.ahead),
                _ => L::Key::GREATEST,
            };
            let ending = self.empty_buckets(&mut stage, self.bucket(start))?;
            let all_followed = stage.horizon == L::Key::GREATEST;
            if all_followed || matches!(ending, Ending::Parted) {
                return Ok(());
            }
            match (self.follow_put_off(&mut stage), ending) {
                (PutOff::Nothing, Ending::Empty) => return Ok(()),
                (PutOff::Pushed, _) => n_pushes += 1,
                _ => {}
            }
            start = stage.horizon;
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

//! Δ-stepping: buckets of distances Δ wide, settled one after the other, by threads that steal
//! from one another.
//!
//! Vertices wait in buckets by their tentative distance. The vertices of the least bucket are
//! settled: their arcs are relaxed, and every vertex whose distance falls is put into the
//! bucket of its new distance, until no bucket is left. With Δ no greater than the least
//! weight each vertex is settled once; a greater Δ trades vertices settled again for fewer,
//! fuller buckets. Expected work O(n + m + d·L/Δ) on graphs with random weights, d the largest
//! degree, L the largest distance.
//!
//! What differs from the papers:
//!
//! * Arcs are not split into light and heavy ones at Δ. Where a split pays, on dense
//!   undirected graphs, it is made many buckets further ahead ([`long_arcs`]).
//! * There are no barriers. Each thread has [buckets](buckets::Buckets) of its own and takes the
//!   least of them. While it works off one that is long, the others may
//!   [steal](frontier::Frontier::steal) from it; they do when all that they have themselves
//!   lies further ahead. A thread may be ahead of another all the same, and settle a vertex too
//!   early; it is settled again when its distance falls.
//! * One thread begins; the others come where a bucket is worth sharing.
//! * Entries carry the key they were made with, so a vertex that fell again is passed over
//!   where it waits.
//! * Vertices without an onward arc are labelled, never put into a bucket.
//!
//! Reference: meyer-sanders-2003, dantonio-2025

mod buckets;
mod frontier;
pub(crate) mod long_arcs;
mod relax;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use graph_formats::{Csr, DistanceKey, Weight};
use rayon::prelude::*;

use super::threads::{EndsOnPanic, Threads};
use crate::key::KeyArithmetic;
use crate::query::Query;
use crate::{SsspError, Team, Work};
use buckets::{Buckets, Entry};
use frontier::{Frontier, NONE};
use long_arcs::{Deferred, ShortArcs, Window};

/// Labels that a task clears.
const LABELS_A_TASK: usize = 1 << 17;
/// Arcs that are worth a thread.
const ARCS_WORTH_A_THREAD: u64 = 1 << 16;
/// Entries of a bucket that are worth a team of threads.
const ENTRIES_WORTH_A_TEAM: usize = 128;
/// Turns of the loop between two calls of the progress callback.
const TURNS_A_REPORT: u64 = 64;
/// Turns that a thread without work looks for some without a pause.
const SPINS: u32 = 2_000;
/// Turns after which it sleeps in between; before, it lets others have its processor.
const YIELDS: u32 = 4_000;
/// How long it sleeps.
const NAP: Duration = Duration::from_micros(20);

/// How many threads, of so many at most, it is worth starting for so many arcs.
pub(crate) fn threads_for(n_arcs: u64, most: usize) -> usize {
    usize::try_from(n_arcs / ARCS_WORTH_A_THREAD).map_or(most, |worth| worth.clamp(1, most))
}

/// How many buckets apart two entries that wait at one time can be.
pub(crate) fn bucket_span<W: Weight>(max_weight: W, delta: f64) -> u64 {
    // a quotient that is rounded up may reach the bucket after the next
    (max_weight.to_f64() / delta) as u64 + 3
}

/// The solver with its work space, for any number of sources.
pub(crate) struct DeltaStepping<'g, W: Weight, L: KeyArithmetic<W>> {
    graph: &'g Csr<W>,
    /// 1/Δ.
    per_delta: f64,
    /// Which arcs are short, and how far ahead others are deferred; none when `None`.
    window: Option<Arc<Window<W>>>,
    labels: Vec<<L::Key as DistanceKey>::Atomic>,
    /// A bit a vertex: whether it has an arc that can lead on.
    onward: Vec<u64>,
    workers: Vec<Worker<L::Key>>,
    frontiers: Vec<Frontier<L::Key>>,
    threads: Threads,
    entries_worth_a_team: usize,
}

/// What one thread has for itself.
struct Worker<K> {
    buckets: Buckets<K>,
    /// Entries that are being settled.
    list: Vec<Entry<K>>,
    /// Entries that were settled since the last horizon, but for their deferred arcs.
    settled: Vec<Entry<K>>,
    /// How many arcs these have.
    arcs_since: u64,
    /// How many arcs all have that ever were among them.
    arcs: u64,
    work: Work,
    /// Turns of its loop.
    n_turns: u64,
    /// Vertices that it was the first to label.
    n_labelled: u64,
    /// Keys beyond this one are not needed, as far as is known.
    cap: K,
    /// How many vertices it has settled when it looks at the targets again.
    cap_due: u64,
}

/// A part of a search: all buckets, up to the horizon if there is one.
struct Phase<'a, W: Weight, L: KeyArithmetic<W>> {
    graph: &'a Csr<W>,
    per_delta: f64,
    labels: &'a [<L::Key as DistanceKey>::Atomic],
    onward: &'a [u64],
    query: &'a Query<'a, L::Key>,
    /// Arcs that lead here or beyond are deferred.
    horizon: L::Key,
    /// The arcs that may lead to somewhere before it; all when `None`.
    short: Option<&'a ShortArcs<W>>,
    /// The frontiers of the threads that take part.
    team: &'a [Frontier<L::Key>],
    /// A thread stops at a bucket of so many entries, which is worth sharing.
    share_at: usize,
    signals: &'a Signals,
}

/// What the threads of a team tell one another.
#[derive(Default)]
struct Signals {
    /// How many may have entries. One that has none may leave when there are none of these: what
    /// others come with later, they settle by themselves.
    n_busy: AtomicUsize,
    /// The caller has ended the search, or a thread has panicked.
    ended: AtomicBool,
}

impl<'g, W: Weight, L: KeyArithmetic<W>> DeltaStepping<'g, W, L> {
    /// Prepares for `graph`, whose weights are at most `max_weight`, none negative, with the
    /// [`window`](long_arcs::window) that defers long arcs or without. O(n + m).
    pub(crate) fn new(
        graph: &'g Csr<W>,
        delta: f64,
        max_weight: W,
        window: Option<Arc<Window<W>>>,
        n_threads: usize,
        team: Team,
    ) -> Self {
        let span = bucket_span(max_weight, delta);
        Self {
            graph,
            per_delta: 1.0 / delta,
            window,
            labels: graph.vertices().map(|_| L::Key::GREATEST.atomic()).collect(),
            onward: long_arcs::onward_vertices(graph),
            workers: (0..n_threads).map(|_| Worker::new(span)).collect(),
            frontiers: (0..n_threads).map(|_| Frontier::new()).collect(),
            threads: Threads::new(n_threads),
            entries_worth_a_team: match team {
                Team::WhereItPays => ENTRIES_WORTH_A_TEAM,
                Team::Always => 1,
            },
        }
    }

    pub(crate) fn graph(&self) -> &'g Csr<W> {
        self.graph
    }

    /// The labels of the last search.
    pub(crate) fn labels(&self) -> &[<L::Key as DistanceKey>::Atomic] {
        &self.labels
    }

    /// Labels every vertex within the query, and perhaps some beyond it.
    pub(crate) fn solve(&mut self, query: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        self.reset(query);
        let (workers, threads) = (&mut self.workers, &self.threads);
        let signals = Signals::default();
        let mut phase = Phase::<W, L> {
            graph: self.graph,
            per_delta: self.per_delta,
            labels: &self.labels,
            onward: &self.onward,
            query,
            horizon: L::Key::LEAST,
            short: None,
            team: &self.frontiers[..1],
            share_at: if workers.len() > 1 { self.entries_worth_a_team } else { usize::MAX },
            signals: &signals,
        };
        let mut n_pushes = 0;
        loop {
            let window = self.window.as_deref().filter(|_| n_pushes < long_arcs::MOST_PUSHES);
            phase.horizon = match window {
                Some(window) => L::after(phase.horizon, window.ahead),
                None => L::Key::GREATEST,
            };
            let has_horizon = phase.horizon < L::Key::GREATEST;
            phase.short = window.map(|window| &window.short).filter(|_| has_horizon);
            phase.each(workers, threads, |index, worker| phase.settle_buckets(index, worker));
            if phase.next_bucket(&mut workers[0]).is_some() {
                // one worth sharing
                (phase.team, phase.share_at) = (&self.frontiers, usize::MAX);
                phase.each(workers, threads, |index, worker| phase.settle_buckets(index, worker));
            }
            if signals.ended.load(Relaxed) {
                return Err(SsspError::Interrupted);
            }
            if phase.holds_the_answer() {
                break;
            }
            match phase.relax_deferred(workers, threads) {
                Deferred::None => break,
                Deferred::Pushed => n_pushes += 1,
                Deferred::Pulled => {}
            }
        }
        let mut work = Work::default();
        workers.iter().for_each(|worker| work.add(&worker.work));
        Ok(work)
    }

    /// Takes down what an earlier search left, and puts the source into its bucket.
    fn reset(&mut self, query: &Query<'_, L::Key>) {
        let clear = |labels: &[<L::Key as DistanceKey>::Atomic]| {
            labels.iter().for_each(|label| L::Key::store(label, L::Key::GREATEST));
        };
        match self.workers.len() {
            1 => clear(&self.labels),
            _ => self.labels.par_chunks(LABELS_A_TASK).for_each(clear),
        }
        self.frontiers.iter().for_each(Frontier::clear);
        self.workers.iter_mut().for_each(|worker| worker.reset(query.limit));
        L::Key::store(&self.labels[query.source as usize], L::Key::LEAST);
        let first = &mut self.workers[0];
        first.n_labelled = 1;
        first.buckets.push(0, Entry { key: L::Key::LEAST, vertex: query.source });
    }
}

impl<K: DistanceKey> Worker<K> {
    fn new(span: u64) -> Self {
        Self {
            buckets: Buckets::new(span),
            list: Vec::new(),
            settled: Vec::new(),
            arcs_since: 0,
            arcs: 0,
            work: Work::default(),
            n_turns: 0,
            n_labelled: 0,
            cap: K::GREATEST,
            cap_due: 0,
        }
    }

    fn reset(&mut self, limit: K) {
        self.buckets.clear();
        self.list.clear();
        self.settled.clear();
        (self.work, self.n_turns, self.n_labelled, self.arcs) = (Work::default(), 0, 0, 0);
        (self.cap, self.cap_due) = (limit, 0);
    }
}

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Has `work` done by each thread of the team.
    fn each(
        &self,
        workers: &mut [Worker<L::Key>],
        threads: &Threads,
        work: impl Fn(usize, &mut Worker<L::Key>) + Sync,
    ) {
        match self.team {
            [_] => work(0, &mut workers[0]),
            _ => threads.each(workers, work),
        }
    }

    /// One thread's way through the buckets, until all threads have emptied theirs, or this
    /// one, alone, finds a bucket that is worth sharing.
    fn settle_buckets(&self, index: usize, worker: &mut Worker<L::Key>) {
        let _ends = EndsOnPanic(&self.signals.ended);
        self.signals.n_busy.fetch_add(1, Relaxed);
        while self.goes_on(index, worker) {
            let own = self.next_bucket(worker);
            if let Some(bucket) = self.steal(index, own, &mut worker.list) {
                worker.buckets.work_from(bucket);
                self.settle_bucket(index, worker, bucket);
            } else if let Some(bucket) = own {
                if worker.buckets.len_of_first() >= self.share_at {
                    break;
                }
                worker.buckets.take_first(&mut worker.list, |key| self.bucket(key));
                self.settle_bucket(index, worker, bucket);
            } else if !self.wait(index, worker) {
                break;
            }
        }
        self.signals.n_busy.fetch_sub(1, Relaxed);
    }

    /// Settles the vertices in the worker's list, which are from that bucket; where they are
    /// many, the others may steal some meanwhile.
    fn settle_bucket(&self, index: usize, worker: &mut Worker<L::Key>, bucket: u64) {
        worker.work.rounds += 1;
        let mut list = std::mem::take(&mut worker.list);
        if self.team.len() > 1 && Frontier::<L::Key>::is_worth_sharing(list.len()) {
            let frontier = &self.team[index];
            frontier.offer(bucket, &mut list);
            while frontier.take(&mut list) {
                self.settle_all(worker, &list);
            }
        } else {
            self.settle_all(worker, &list);
        }
        list.clear();
        worker.list = list;
    }

    /// Moves half of what another thread has left of a bucket before `own` to `list`; which
    /// bucket that is.
    fn steal(&self, index: usize, own: Option<u64>, list: &mut Vec<Entry<L::Key>>) -> Option<u64> {
        let (before, after) = self.team.split_at(index);
        let mut others = after[1..].iter().chain(before);
        others.find_map(|frontier| frontier.steal(own.unwrap_or(NONE), list))
    }

    /// Waits until there is something to steal; false when nobody has anything any more.
    fn wait(&self, index: usize, worker: &mut Worker<L::Key>) -> bool {
        self.signals.n_busy.fetch_sub(1, Relaxed);
        let mut turn = 0;
        let found = loop {
            if self.team.iter().any(|frontier| frontier.is_before(NONE)) {
                break true;
            }
            if self.signals.n_busy.load(Relaxed) == 0 {
                break false;
            }
            turn += 1;
            match turn {
                ..SPINS => std::hint::spin_loop(),
                SPINS..YIELDS => std::thread::yield_now(),
                _ if self.goes_on(index, worker) => std::thread::sleep(NAP),
                _ => break false,
            }
        };
        self.signals.n_busy.fetch_add(1, Relaxed);
        found
    }

    /// The least bucket of `worker`, if it begins before the horizon.
    fn next_bucket(&self, worker: &mut Worker<L::Key>) -> Option<u64> {
        let is_before = |bucket| self.short.is_none() || bucket <= self.bucket(self.horizon);
        worker.buckets.first().filter(|&bucket| is_before(bucket))
    }

    /// False when the search has been ended. The first thread tells the caller now and then
    /// how many vertices have a label.
    fn goes_on(&self, index: usize, worker: &mut Worker<L::Key>) -> bool {
        self.team[index].n_labelled.store(worker.n_labelled, Relaxed);
        if index == 0 && worker.n_turns.is_multiple_of(TURNS_A_REPORT) {
            let labelled = self.team.iter().map(|frontier| frontier.n_labelled.load(Relaxed)).sum();
            if self.query.report(labelled, self.labels.len() as u64).is_err() {
                self.signals.ended.store(true, Relaxed);
            }
        }
        worker.n_turns += 1;
        !self.signals.ended.load(Relaxed)
    }

    /// Keys beyond this one are not needed: those beyond the limit, and beyond all targets.
    #[inline(always)]
    fn cap(&self, worker: &mut Worker<L::Key>) -> L::Key {
        let targets = self.query.targets;
        if !targets.is_empty() && worker.work.settled >= worker.cap_due {
            worker.cap_due = worker.work.settled + targets.len() as u64;
            worker.cap = self.query.limit.min(self.farthest_target());
        }
        worker.cap
    }

    /// The greatest key of a target.
    fn farthest_target(&self) -> L::Key {
        let keys = self.query.targets.iter().map(|&v| L::Key::load(&self.labels[v as usize]));
        keys.max().unwrap_or(L::Key::GREATEST)
    }

    /// Whether all that is asked for lies before the horizon, where labels are final.
    fn holds_the_answer(&self) -> bool {
        self.short.is_none() || self.query.limit.min(self.farthest_target()) < self.horizon
    }

    /// The bucket of a key; never less for a greater key.
    #[inline(always)]
    fn bucket(&self, key: L::Key) -> u64 {
        (L::magnitude(key) * self.per_delta) as u64
    }
}

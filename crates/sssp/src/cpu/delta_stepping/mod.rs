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
//!   undirected graphs, it is made many buckets further ahead ([`deferred`]).
//! * There are no barriers. Each thread has [buckets](buckets::Buckets) of its own and takes the
//!   least of them, unless that is more than one ahead of another thread's. There it
//!   [steals](frontier::Frontier::steal) from a bucket before its own that is long, or waits. A
//!   vertex that was settled a bucket too early is settled again when its distance falls.
//! * One thread begins; the others come where a bucket is worth sharing.
//! * Entries carry the key they were made with, so a vertex that fell again is passed over
//!   where it waits.
//! * Vertices without an outgoing arc, but the one they were reached by, are labelled, never put into a bucket.
//!
//! Reference: meyer-sanders-2003, dantonio-2025

mod buckets;
mod deferred;
mod frontier;
mod relax;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use graph_formats::{Csr, Direction, DistanceKey, Weight, parallel};
use rayon::prelude::*;

use super::key_search::KeySearch;
use crate::arc_split::{ArcSplit, ShortArcs};
use crate::key::{KeyArithmetic, Labels};
use crate::{SsspError, Team, Work};
use buckets::{Buckets, Entry};
use frontier::{Frontier, NONE};
use search_parts::{EndsOnPanic, Query, Threads, wait};

/// Labels that a task clears.
const LABELS_A_TASK: usize = 1 << 17;
/// Arcs that are worth a thread.
const ARCS_WORTH_A_THREAD: u64 = 1 << 16;
/// Entries of a bucket that are worth a team of threads.
const ENTRIES_WORTH_A_TEAM: usize = 2 * frontier::CHUNK;
/// Turns of the loop between two calls of the progress callback.
const TURNS_A_REPORT: u64 = 64;
/// How many buckets a thread may be ahead of another that still has some.
const AHEAD: u64 = 1;
/// How often it looks whether the others have come closer, before it goes on all the same: they
/// may be waiting for a processor.
const MAX_WAITS: u32 = 1_000;

/// Pushes after which a search defers no more arcs. Each reads its arcs twice, and
/// pays only if a pull comes of it; where distances spread evenly, as between points of
/// the plane, none ever does.
const MOST_PUSHES: usize = 8;

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
pub(crate) struct DeltaStepping<W: Weight, L: KeyArithmetic<W>> {
    graph: Csr<W>,
    per_delta: L::PerDelta,
    /// Which arcs are short, and how far ahead others are deferred; none when `None`.
    split: Option<Arc<ArcSplit<W>>>,
    labels: Vec<<L::Key as DistanceKey>::Atomic>,
    /// A bit a vertex: whether it has an arc that can lead on.
    with_out_arcs: Vec<u64>,
    workers: Vec<Worker<L::Key>>,
    frontiers: Vec<Frontier<L::Key>>,
    threads: Threads,
    entries_worth_a_team: usize,
}

/// What one thread has for itself; aligned as a [`Frontier`] is.
#[repr(align(128))]
struct Worker<K> {
    buckets: Buckets<K>,
    /// Entries that are being settled.
    list: Vec<Entry<K>>,
    /// Entries that were settled since the last bound, but for their deferred arcs.
    settled: Vec<Entry<K>>,
    /// How many arcs these have.
    arcs_since: u64,
    /// How many arcs all have that ever were among them.
    arcs: u64,
    work: Work,
    /// Turns of its loop.
    n_turns: u64,
    /// Keys beyond this one are not needed, as far as is known.
    cap: K,
    /// How many vertices it has settled when it looks at the targets again.
    cap_due: u64,
}

/// A part of a search: all buckets, up to the settled bound if there is one.
struct Phase<'a, W: Weight, L: KeyArithmetic<W>> {
    graph: &'a Csr<W>,
    per_delta: L::PerDelta,
    labels: &'a [<L::Key as DistanceKey>::Atomic],
    with_out_arcs: &'a [u64],
    query: &'a Query<'a, L::Key>,
    /// Arcs that lead here or beyond are deferred.
    settled_bound: L::Key,
    /// The arcs that may lead to somewhere before it; all when `None`.
    short: Option<&'a ShortArcs<W>>,
    /// The frontiers of the threads that take part.
    team: &'a [Frontier<L::Key>],
    /// A thread stops at a bucket of so many entries, which is worth sharing.
    share_at: usize,
    /// The caller has ended the search, or a thread has panicked.
    ended: &'a AtomicBool,
}

impl<W: Weight, L: KeyArithmetic<W>> DeltaStepping<W, L> {
    /// Prepares for `graph`, whose weights are not negative, with a split of its arcs that defers
    /// the long ones or without. O(n + m).
    pub(crate) fn new(
        graph: Csr<W>,
        delta: f64,
        split: Option<Arc<ArcSplit<W>>>,
        n_threads: usize,
        team: Team,
    ) -> Self {
        let span = bucket_span(graph.weight_summary().greatest, delta);
        Self {
            per_delta: L::per_delta(delta),
            split,
            labels: unreached_labels::<L::Key>(graph.n_vertices()),
            with_out_arcs: vertices_with_out_arcs(graph.row_offsets(), graph.direction()),
            graph,
            workers: (0..n_threads).map(|_| Worker::new(span)).collect(),
            frontiers: (0..n_threads).map(|_| Frontier::new()).collect(),
            threads: Threads::new(n_threads),
            entries_worth_a_team: match team {
                Team::WhereItPays => ENTRIES_WORTH_A_TEAM,
                Team::Always => 1,
            },
        }
    }

    /// Takes down what an earlier search left, and puts the source into its bucket.
    fn reset(&mut self, query: &Query<'_, L::Key>) {
        let clear = |labels: &[<L::Key as DistanceKey>::Atomic]| {
            labels.iter().for_each(|label| L::Key::store(label, L::Key::GREATEST));
        };
        match self.workers.len() {
            1 => clear(&self.labels),
            _ => parallel::for_each_of(self.labels.chunks(LABELS_A_TASK), &clear),
        }
        self.frontiers.iter().for_each(Frontier::clear);
        self.workers.iter_mut().for_each(|worker| worker.reset(query.limit));
        L::Key::store(&self.labels[query.source as usize], L::Key::LEAST);
        let first = &mut self.workers[0];
        first.buckets.push(0, Entry { key: L::Key::LEAST, vertex: query.source });
    }
}

impl<W: Weight, L: KeyArithmetic<W>> KeySearch<L::Key> for DeltaStepping<W, L> {
    /// Labels every vertex within the query, and perhaps some beyond it.
    fn solve(&mut self, query: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        self.reset(query);
        let (workers, threads) = (&mut self.workers, &self.threads);
        let ended = AtomicBool::new(false);
        let mut phase = Phase::<W, L> {
            graph: &self.graph,
            per_delta: self.per_delta,
            labels: &self.labels,
            with_out_arcs: &self.with_out_arcs,
            query,
            settled_bound: L::Key::LEAST,
            short: None,
            team: &self.frontiers[..1],
            share_at: if workers.len() > 1 { self.entries_worth_a_team } else { usize::MAX },
            ended: &ended,
        };
        let mut n_pushes = 0;
        loop {
            let split = self.split.as_deref().filter(|_| n_pushes < MOST_PUSHES);
            phase.settled_bound = match split {
                Some(split) => L::after(phase.settled_bound, split.limit),
                None => L::Key::GREATEST,
            };
            let is_bounded = phase.settled_bound < L::Key::GREATEST;
            phase.short = split.map(|split| &split.short).filter(|_| is_bounded);
            loop {
                let team = &mut workers[..phase.team.len()];
                for (frontier, worker) in phase.team.iter().zip(&mut *team) {
                    frontier.set_position(phase.next_bucket(worker));
                }
                threads.each(team, |index, worker| phase.settle_buckets(index, worker));
                if ended.load(Relaxed) {
                    return Err(SsspError::Interrupted);
                }
                if phase.next_bucket(&mut workers[0]).is_none() {
                    break;
                }
                // one worth sharing
                (phase.team, phase.share_at) = (&self.frontiers, usize::MAX);
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

    fn labels(&self) -> Labels<'_, L::Key> {
        Labels::Shared(&self.labels)
    }
}

/// A bit for every vertex from which a path can go on, where rows begin at these offsets: one that
/// has an arc, and in an undirected graph another than the one it was reached by. O(n).
fn vertices_with_out_arcs(rows: &[u64], direction: Direction) -> Vec<u64> {
    let least = match direction {
        Direction::Directed => 1,
        Direction::Undirected => 2,
    };
    let n_vertices = rows.len() - 1;
    (0..n_vertices.div_ceil(64))
        .into_par_iter()
        .map(|word| {
            let first = word * 64;
            let last = (first + 64).min(n_vertices);
            (first..last)
                .fold(0, |bits, v| bits | u64::from(rows[v + 1] - rows[v] >= least) << (v - first))
        })
        .collect()
}

/// Labels of so many vertices.
fn unreached_labels<K: DistanceKey>(n_vertices: usize) -> Vec<K::Atomic> {
    let vertices = (0..n_vertices).into_par_iter().with_min_len(LABELS_A_TASK);
    vertices.map(|_| K::GREATEST.atomic()).collect()
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
            cap: K::GREATEST,
            cap_due: 0,
        }
    }

    fn reset(&mut self, limit: K) {
        self.buckets.clear();
        self.list.clear();
        self.settled.clear();
        (self.work, self.n_turns, self.arcs) = (Work::default(), 0, 0);
        (self.cap, self.cap_due) = (limit, 0);
    }
}

/// What was done about the deferred arcs.
enum Deferred {
    /// There were none.
    None,
    /// The vertices that they leave relaxed them.
    Pushed,
    /// The vertices beyond the bound looked back along theirs.
    Pulled,
}

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// One thread's way through the buckets before the settled bound, or alone through those before
    /// the first that is worth sharing. It works off its least one, but no further than [`AHEAD`] of
    /// the others; there it steals from them, or waits. Of a bucket with many vertices the others
    /// may steal some meanwhile.
    fn settle_buckets(&self, index: usize, worker: &mut Worker<L::Key>) {
        let _ends = EndsOnPanic(self.ended);
        let frontier = &self.team[index];
        let mut list = std::mem::take(&mut worker.list);
        let settle_all = |worker: &mut _, list: &_| match self.short {
            Some(_) => self.settle_all::<true>(worker, list),
            None => self.settle_all::<false>(worker, list),
        };
        let (mut reach, mut n_waits) = (0, 0);
        while self.goes_on(index, worker) {
            let own = self.next_bucket(worker);
            frontier.set_position(own);
            let bucket = match own {
                Some(bucket) if bucket <= reach || n_waits > MAX_WAITS => {
                    if worker.buckets.len_of_first() >= self.share_at {
                        break;
                    }
                    worker.buckets.take_first(&mut list, |key| self.bucket(key));
                    bucket
                }
                _ if let Some(bucket) = self.steal(index, own, &mut list) => {
                    frontier.set_position(Some(bucket));
                    worker.buckets.work_from(bucket);
                    bucket
                }
                _ => {
                    let least = self.team.iter().map(Frontier::position).min().unwrap_or(NONE);
                    if own.is_none() && least == NONE {
                        break;
                    }
                    reach = least.saturating_add(AHEAD);
                    if own.is_none_or(|bucket| bucket > reach) {
                        n_waits += 1;
                        wait(n_waits);
                    }
                    continue;
                }
            };
            n_waits = 0;
            worker.work.rounds += 1;
            if self.team.len() > 1 && Frontier::<L::Key>::is_worth_sharing(list.len()) {
                frontier.offer(bucket, &mut list);
                while frontier.take(&mut list) {
                    settle_all(worker, &list);
                }
            } else {
                settle_all(worker, &list);
            }
            list.clear();
        }
        worker.list = list;
    }

    /// Moves half of what another thread has left of a bucket before `own` to `list`; which
    /// bucket that is.
    fn steal(&self, index: usize, own: Option<u64>, list: &mut Vec<Entry<L::Key>>) -> Option<u64> {
        let (before, after) = self.team.split_at(index);
        let mut others = after[1..].iter().chain(before);
        others.find_map(|frontier| frontier.steal(own.unwrap_or(NONE), list))
    }

    /// The least bucket of `worker`, if it begins before the settled bound.
    fn next_bucket(&self, worker: &mut Worker<L::Key>) -> Option<u64> {
        let is_before = |bucket| self.short.is_none() || bucket <= self.bucket(self.settled_bound);
        worker.buckets.first().filter(|&bucket| is_before(bucket))
    }

    /// False when the search has been ended. The first thread tells the caller now and then
    /// how many vertices have been settled.
    fn goes_on(&self, index: usize, worker: &mut Worker<L::Key>) -> bool {
        let is_due = worker.n_turns.is_multiple_of(TURNS_A_REPORT);
        if is_due {
            self.team[index].n_settled.store(worker.work.settled, Relaxed);
        }
        if is_due && index == 0 {
            let settled = self.team.iter().map(|frontier| frontier.n_settled.load(Relaxed)).sum();
            let n = self.labels.len() as u64;
            if self.query.report(n.min(settled), n).is_err() {
                self.ended.store(true, Relaxed);
            }
        }
        worker.n_turns += 1;
        !self.ended.load(Relaxed)
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

    /// Whether all that is asked for lies before the settled bound, where labels are final.
    fn holds_the_answer(&self) -> bool {
        self.short.is_none() || self.query.limit.min(self.farthest_target()) < self.settled_bound
    }

    /// The bucket of a key; never less for a greater key.
    #[inline(always)]
    fn bucket(&self, key: L::Key) -> u64 {
        L::bucket(key, self.per_delta)
    }
}

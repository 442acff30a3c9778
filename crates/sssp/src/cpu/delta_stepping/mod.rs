//! Δ-stepping: buckets of distances Δ wide, settled one after the other by threads that steal
//! work.
//!
//! Vertices are put into buckets by their tentative distance. The vertices of the least bucket are
//! settled: their arcs are relaxed, and every vertex whose distance falls is put into the bucket
//! of its new distance, until no bucket is left. If Δ is at most the least weight, each vertex is
//! settled once; with a greater Δ there are fewer, fuller buckets, and vertices are settled again.
//! Expected work O(n + m + d·L/Δ) on graphs with random weights, where d is the largest degree and
//! L the largest distance.
//!
//! Differences from the papers:
//!
//! * Arcs are not split into light and heavy ones at Δ. On dense undirected graphs, where a split
//!   pays, its limit is many buckets wide ([`deferred`]).
//! * There are no barriers. Each thread has [buckets](buckets::Buckets) of its own and settles the
//!   least of them, unless it is more than one ahead of another thread's. Then the thread
//!   [steals](frontier::Frontier::steal) from a long bucket before its own, or waits. A vertex that
//!   was settled a bucket too early is settled again when its distance falls.
//! * One thread begins; the others join when a bucket is worth sharing.
//! * An entry has the vertex's key at its time, so that stale entries are skipped.
//! * A vertex without an outgoing arc, other than the reverse of the one it was reached by, gets a
//!   key but is never put into a bucket.
//!
//! Reference: meyer-sanders-2003, dantonio-2025

mod buckets;
mod deferred;
mod frontier;
mod relax;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use buckets::{Buckets, Entry};
use frontier::{CHUNK, Frontier, NONE};
use graph_formats::{Csr, Direction, DistanceKey, Interrupted, Weight, parallel};
use rayon::prelude::*;
use search_parts::{EndsOnPanic, Query, Threads, wait};

use super::key_search::KeySearch;
use crate::arc_split::{ArcSplit, ShortArcs};
use crate::key::{KeyArithmetic, Keys};
use crate::{SsspError, Team, Work};

/// Keys that one parallel task clears.
const KEYS_PER_TASK: usize = 1 << 17;
/// Arcs of the graph for each thread that is started.
const ARCS_PER_THREAD: u64 = 1 << 16;
/// Least entries in a bucket that are shared among threads.
const MIN_SHARED_ENTRIES: usize = 2 * CHUNK;
/// Iterations of a thread's loop between two calls of the progress callback.
const ITERATIONS_PER_REPORT: u64 = 64;
/// Buckets that a thread may be ahead of another one with entries.
const MAX_BUCKETS_AHEAD: u64 = 1;
/// Waits after which a thread settles its bucket although it is too far ahead: the other threads
/// may not be running.
const MAX_WAITS: u32 = 1_000;

/// Pushes after which a search defers no more arcs. A push reads its arcs twice, and pays only if
/// a pull follows. With evenly distributed distances, as in random geometric graphs, no pull does.
const MAX_PUSHES: usize = 8;

/// The number of threads, at most `most`, that pay for this number of arcs.
pub(crate) fn threads_for(n_arcs: u64, most: usize) -> usize {
    usize::try_from(n_arcs / ARCS_PER_THREAD).map_or(most, |worth| worth.clamp(1, most))
}

/// The solver with its work space, for any number of sources.
pub(crate) struct DeltaStepping<W: Weight, L: KeyArithmetic<W>> {
    graph: Csr<W>,
    per_delta: L::PerDelta,
    /// The short arcs, and how far ahead the others are deferred; with `None` no arcs are.
    split: Option<Arc<ArcSplit<W>>>,
    keys: Vec<<L::Key as DistanceKey>::Atomic>,
    /// A bit for each vertex: whether a path can continue from it.
    with_out_arcs: Vec<u64>,
    workers: Vec<Worker<L::Key>>,
    frontiers: Vec<Frontier<L::Key>>,
    threads: Threads,
    min_shared_entries: usize,
}

/// The state of one thread; aligned as a [`Frontier`] is.
#[derive(Default)]
#[repr(align(128))]
struct Worker<K> {
    buckets: Buckets<K>,
    /// Entries that are being settled.
    list: Vec<Entry<K>>,
    /// Entries settled since the last bound, whose deferred arcs are not relaxed yet.
    settled: Vec<Entry<K>>,
    /// The number of arcs of all entries that were in `settled` before a bound.
    arcs: u64,
    work: Work,
    /// Iterations of the thread's loop.
    n_iterations: u64,
    /// Greater keys are not needed.
    cap: K,
    /// The number of settled vertices at which `cap` is computed again from the targets.
    cap_due: u64,
}

/// A part of a search: all buckets, or those up to a settled bound.
struct Phase<'a, W: Weight, L: KeyArithmetic<W>> {
    graph: &'a Csr<W>,
    per_delta: L::PerDelta,
    keys: &'a [<L::Key as DistanceKey>::Atomic],
    with_out_arcs: &'a [u64],
    query: &'a Query<'a, L::Key>,
    /// Arcs whose sum is at or beyond this key are deferred.
    settled_bound: L::Key,
    /// The arcs that may end before `settled_bound`; all arcs if `None`.
    short: Option<&'a ShortArcs<W>>,
    /// The frontiers of the threads that take part.
    team: &'a [Frontier<L::Key>],
    /// A thread stops before a bucket of at least this many entries, which is worth sharing.
    share_at: usize,
    /// The caller has ended the search, or a thread has panicked.
    ended: &'a AtomicBool,
}

impl<W: Weight, L: KeyArithmetic<W>> DeltaStepping<W, L> {
    /// A solver for `graph`, whose weights are not negative. With a `split` it defers the long
    /// arcs. O(n + m).
    pub(crate) fn new(
        graph: Csr<W>,
        delta: f64,
        split: Option<Arc<ArcSplit<W>>>,
        n_threads: usize,
        team: Team,
    ) -> Self {
        // the most buckets between two entries that are present at one time; a quotient that is
        // rounded up may be in the bucket after the next
        let span = (graph.weight_summary().greatest.to_f64() / delta) as u64 + 3;
        Self {
            per_delta: L::per_delta(delta),
            split,
            keys: unreached_keys::<L::Key>(graph.n_vertices()),
            with_out_arcs: vertices_with_out_arcs(graph.row_offsets(), graph.direction()),
            graph,
            workers: (0..n_threads)
                .map(|_| Worker { buckets: Buckets::new(span), ..Worker::default() })
                .collect(),
            frontiers: (0..n_threads).map(|_| Frontier::new()).collect(),
            threads: Threads::new(n_threads),
            min_shared_entries: match team {
                Team::WhereItPays => MIN_SHARED_ENTRIES,
                Team::Always => 1,
            },
        }
    }

    /// Removes the state of an earlier search, and puts the source into its bucket.
    fn reset(&mut self, query: &Query<'_, L::Key>) {
        let clear = |keys: &[<L::Key as DistanceKey>::Atomic]| {
            keys.iter().for_each(|key| L::Key::store(key, L::Key::GREATEST));
        };
        match self.workers.len() {
            1 => clear(&self.keys),
            _ => parallel::for_each_of(self.keys.chunks(KEYS_PER_TASK), &clear),
        }
        self.frontiers.iter().for_each(Frontier::clear);
        self.workers.iter_mut().for_each(|worker| worker.reset(query.limit));
        L::Key::store(&self.keys[query.source as usize], L::Key::LEAST);
        let first = &mut self.workers[0];
        first.buckets.push(0, Entry { key: L::Key::LEAST, vertex: query.source });
    }
}

impl<W: Weight, L: KeyArithmetic<W>> KeySearch<L::Key> for DeltaStepping<W, L> {
    /// Finds the key of every vertex within the query, and perhaps of some beyond it.
    fn solve(&mut self, query: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        self.reset(query);
        let (workers, threads) = (&mut self.workers, &self.threads);
        let ended = AtomicBool::new(false);
        let mut phase = Phase::<W, L> {
            graph: &self.graph,
            per_delta: self.per_delta,
            keys: &self.keys,
            with_out_arcs: &self.with_out_arcs,
            query,
            settled_bound: L::Key::LEAST,
            short: None,
            team: &self.frontiers[..1],
            share_at: if workers.len() > 1 { self.min_shared_entries } else { usize::MAX },
            ended: &ended,
        };
        let mut n_pushes = 0;
        loop {
            let split = self.split.as_deref().filter(|_| n_pushes < MAX_PUSHES);
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
                    return Err(Interrupted.into());
                }
                if phase.next_bucket(&mut workers[0]).is_none() {
                    break;
                }
                // the next bucket is worth sharing
                (phase.team, phase.share_at) = (&self.frontiers, usize::MAX);
            }
            if phase.holds_the_answer() {
                break;
            }
            let Some(pulled) = phase.relax_deferred(workers, threads) else { break };
            n_pushes += usize::from(!pulled);
        }
        let mut work = Work::default();
        workers.iter().for_each(|worker| work.add(&worker.work));
        Ok(work)
    }

    fn keys(&self) -> Keys<'_, L::Key> {
        Keys::Shared(&self.keys)
    }
}

/// A bit for every vertex, set if a path can continue from it: it has an arc, or in an undirected
/// graph two, since one leads back. O(n).
fn vertices_with_out_arcs(rows: &[u64], direction: Direction) -> Vec<u64> {
    let least = 1 + u64::from(direction == Direction::Undirected);
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

/// The keys of `n_vertices` unreached vertices.
fn unreached_keys<K: DistanceKey>(n_vertices: usize) -> Vec<K::Atomic> {
    let vertices = (0..n_vertices).into_par_iter().with_min_len(KEYS_PER_TASK);
    vertices.map(|_| K::GREATEST.atomic()).collect()
}

impl<K: DistanceKey> Worker<K> {
    fn reset(&mut self, limit: K) {
        self.buckets.clear();
        self.list.clear();
        self.settled.clear();
        (self.work, self.n_iterations, self.arcs) = (Work::default(), 0, 0);
        (self.cap, self.cap_due) = (limit, 0);
    }
}

impl<W: Weight, L: KeyArithmetic<W>> Phase<'_, W, L> {
    /// Settles the buckets before the settled bound on one thread of the team; a thread alone stops
    /// before a bucket that is worth sharing. The thread settles its least bucket, unless it is
    /// more than [`MAX_BUCKETS_AHEAD`] ahead of another thread. Then it steals entries, or waits.
    /// Other threads may steal from a bucket with many entries.
    fn settle_buckets(&self, index: usize, worker: &mut Worker<L::Key>) {
        let _ends = EndsOnPanic(self.ended);
        let frontier = &self.team[index];
        let mut list = std::mem::take(&mut worker.list);
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
                    reach = least.saturating_add(MAX_BUCKETS_AHEAD);
                    if own.is_none_or(|bucket| bucket > reach) {
                        n_waits += 1;
                        wait(n_waits);
                    }
                    continue;
                }
            };
            n_waits = 0;
            worker.work.rounds += 1;
            let is_shared = self.team.len() > 1 && list.len() > CHUNK;
            if is_shared {
                frontier.share(bucket, &mut list);
                frontier.take(&mut list);
            }
            loop {
                match self.short {
                    Some(_) => self.settle_all::<true>(worker, &list),
                    None => self.settle_all::<false>(worker, &list),
                }
                if !is_shared || !frontier.take(&mut list) {
                    break;
                }
            }
            list.clear();
        }
        worker.list = list;
    }

    /// Moves half of another thread's entries to `list`, if their bucket is before `own`. Returns
    /// their bucket.
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

    /// False if the search was ended. The first thread reports the number of settled vertices every
    /// [`ITERATIONS_PER_REPORT`].
    fn goes_on(&self, index: usize, worker: &mut Worker<L::Key>) -> bool {
        let is_due = worker.n_iterations.is_multiple_of(ITERATIONS_PER_REPORT);
        if is_due {
            self.team[index].n_settled.store(worker.work.settled, Relaxed);
        }
        if is_due && index == 0 {
            let settled = self.team.iter().map(|frontier| frontier.n_settled.load(Relaxed)).sum();
            let n = self.keys.len() as u64;
            if self.query.report(n.min(settled), n).is_err() {
                self.ended.store(true, Relaxed);
            }
        }
        worker.n_iterations += 1;
        !self.ended.load(Relaxed)
    }

    /// The greatest key that is needed: within the limit, and no farther than the farthest target.
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
        let keys = self.query.targets.iter().map(|&v| L::Key::load(&self.keys[v as usize]));
        keys.max().unwrap_or(L::Key::GREATEST)
    }

    /// Whether the limit or all targets lie before the settled bound, where keys are final.
    fn holds_the_answer(&self) -> bool {
        self.short.is_none() || self.query.limit.min(self.farthest_target()) < self.settled_bound
    }

    /// The bucket of a key; it never decreases with the key.
    #[inline(always)]
    fn bucket(&self, key: L::Key) -> u64 {
        L::bucket(key, self.per_delta)
    }
}

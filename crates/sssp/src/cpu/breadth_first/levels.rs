//! From one level to the next: who finds it, in which direction, and when it is over.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use graph_formats::{Csr, VertexId};
use rayon::prelude::*;

use super::steps::{Found, Share};
use crate::cpu::arcs::Arcs;
use crate::cpu::threads::{Barrier, EndsOnPanic, Threads};
use crate::query::Query;
use crate::{SsspError, Team, Work};

/// The code for "no predecessor"; no graph has this many vertices.
pub(super) const NO_VERTEX: VertexId = VertexId::MAX;
/// The label of a vertex that has not been found.
pub(super) const UNSEEN: u64 = u64::MAX;
/// A level is pulled once its arcs are more than one in so many of those that are left,
const PULL_AT: f64 = 15.0;
/// and until it has fewer vertices than one in so many of all.
const PUSH_AT: usize = 18;
/// Vertices of a level that are worth sharing.
const WORTH_SHARING: usize = 256;
/// Vertices of a level whose arcs are counted.
const SAMPLES: usize = 64;
/// Labels that a thread looks at in one go.
const LABELS_A_TASK: usize = 1 << 14;
/// Vertices settled between two calls of the progress callback.
const SETTLED_A_REPORT: u64 = 1 << 16;

/// The level of a vertex that has this label.
#[inline(always)]
pub(super) fn level(label: &AtomicU64) -> u32 {
    (label.load(Relaxed) >> 32) as u32
}

/// The predecessor of a vertex that has this label.
#[inline(always)]
pub(super) fn predecessor(label: &AtomicU64) -> VertexId {
    label.load(Relaxed) as VertexId
}

/// The levels of a graph from one source after another, in the same work space.
pub(super) struct Levels<'g> {
    space: Space<'g>,
    threads: Threads,
    found: Vec<Found>,
}

/// The graph, and what the threads of a search share.
pub(super) struct Space<'g> {
    pub(super) outgoing: Arcs<'g>,
    /// Along which levels may be pulled.
    pub(super) incoming: Option<Csr<u32>>,
    /// The level of each vertex, above its predecessor.
    pub(super) labels: Vec<AtomicU64>,
    /// Every vertex in the order in which it was found, but for those that were pulled.
    pub(super) queue: Vec<AtomicU32>,
    /// A bit a vertex, for pulls: whether it needs no more looking for,
    pub(super) seen: Vec<AtomicU64>,
    /// and whether it is of an even level, and of an odd one.
    pub(super) fronts: [Vec<AtomicU64>; 2],
    team: Team,
}

/// A search on its way.
pub(super) struct Course<'a, 'g> {
    pub(super) space: &'a Space<'g>,
    query: &'a Query<'a, u32>,
    /// The level that is being found; the one before is worked off.
    pub(super) level: AtomicU32,
    is_pull: AtomicBool,
    is_last: AtomicBool,
    pub(super) shares: Vec<Share>,
    /// Vertices in the queue,
    pub(super) n_queued: AtomicUsize,
    /// and those of the new level that were pulled.
    pub(super) n_pulled: AtomicUsize,
    ledger: Mutex<Ledger>,
    failed: AtomicBool,
}

/// What decides how to go on, looked at while all threads wait.
#[derive(Default)]
struct Ledger {
    /// The level that is worked off, in the queue if it is pushed.
    level: Range<usize>,
    /// Its vertices.
    n_vertices: usize,
    /// Vertices up to here in the queue have their bits.
    n_marked: usize,
    /// Arcs of vertices that are not found, about.
    arcs_left: f64,
    n_targets_found: usize,
    reported: u64,
    work: Work,
    error: Option<SsspError>,
}

impl<'g> Levels<'g> {
    /// 12 bytes a vertex, and three bits where levels may be pulled.
    pub(super) fn new(
        outgoing: Arcs<'g>,
        incoming: Option<Csr<u32>>,
        threads: usize,
        team: Team,
    ) -> Self {
        let n = outgoing.n_vertices();
        let n_words = incoming.as_ref().map_or(0, |_| n.div_ceil(64));
        let bitmap = || (0..n_words).map(|_| AtomicU64::new(0)).collect();
        let space = Space {
            outgoing,
            incoming,
            // memory that the system gives out when it is first touched
            labels: bytemuck::zeroed_vec(n),
            queue: bytemuck::zeroed_vec(n),
            seen: bitmap(),
            fronts: [bitmap(), bitmap()],
            team,
        };
        let found = (0..threads).map(|_| Found::default()).collect();
        Self { space, threads: Threads::new(threads), found }
    }

    pub(super) fn label(&self, vertex: VertexId) -> &AtomicU64 {
        &self.space.labels[vertex as usize]
    }

    /// What `of` makes of each label, by threads where there are many.
    pub(super) fn of_labels<T: Send>(&self, of: impl Fn(&AtomicU64) -> T + Send + Sync) -> Vec<T> {
        let labels = &self.space.labels;
        if labels.len() <= LABELS_A_TASK {
            return labels.iter().map(of).collect();
        }
        labels.par_iter().with_min_len(LABELS_A_TASK).map(of).collect()
    }

    /// Labels all vertices that `query` asks for, whose limit is a level, and perhaps others. The
    /// rounds are the levels.
    pub(super) fn search(&mut self, query: &Query<'_, u32>) -> Result<Work, SsspError> {
        let Self { space, threads, found } = self;
        // a search that was ended by a panic may have left some
        found.iter_mut().for_each(Found::clear);
        for label in &mut space.labels {
            *label.get_mut() = UNSEEN;
        }
        *space.labels[query.source as usize].get_mut() = u64::from(NO_VERTEX);
        *space.queue[0].get_mut() = query.source;
        let course = Course {
            space,
            query,
            level: AtomicU32::new(0),
            is_pull: AtomicBool::new(false),
            is_last: AtomicBool::new(false),
            shares: found.iter().map(|_| Share::default()).collect(),
            n_queued: AtomicUsize::new(1),
            n_pulled: AtomicUsize::new(0),
            ledger: Mutex::new(Ledger {
                arcs_left: space.outgoing.ends.len() as f64,
                ..Ledger::default()
            }),
            failed: AtomicBool::new(false),
        };
        course.advance(&mut found[0]);
        if !course.is_last.load(Relaxed) {
            let team = &mut found[..threads.n_at_once()];
            let barrier = Barrier::new(team.len());
            threads.each(team, |index, found| course.share(index, found, &barrier));
        }
        let Ledger { error, mut work, .. } =
            course.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        work.relaxations = found.iter().map(|found| found.looked_at).sum();
        error.map_or(Ok(work), Err)
    }
}

impl Course<'_, '_> {
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread's share of all levels.
    fn share(&self, index: usize, found: &mut Found, barrier: &Barrier) {
        let _ends = EndsOnPanic(&self.failed);
        while !self.is_last.load(Relaxed) {
            if self.is_pull.load(Relaxed) {
                self.pull(index, found);
            } else {
                self.push_shared(index, found);
                // in the order of the shares, so that a thread goes on where it has been
                self.shares[index].kept.store(found.n, Relaxed);
                if !barrier.meet(&self.failed, || self.place()) {
                    return;
                }
                self.put(self.shares[index].kept.load(Relaxed), found);
            }
            if !barrier.meet(&self.failed, || self.advance(found)) {
                return;
            }
        }
    }

    /// Where in the queue each thread puts what it has kept.
    fn place(&self) {
        let mut at = self.n_queued.load(Relaxed);
        for share in &self.shares {
            at += share.kept.swap(at, Relaxed);
        }
        self.n_queued.store(at, Relaxed);
    }

    /// From a level that is worked off to the next that is worth sharing; those between are worked
    /// off here, while the other threads wait.
    fn advance(&self, found: &mut Found) {
        let mut ledger = self.lock();
        while self.next_level(&mut ledger) {
            let worth_sharing = match self.space.team {
                Team::Always => 0,
                Team::WhereItPays if self.shares.len() == 1 => usize::MAX,
                Team::WhereItPays => WORTH_SHARING,
            };
            let is_pull = self.is_pull.load(Relaxed);
            let level = if is_pull { 0..self.space.seen.len() } else { ledger.level.clone() };
            if ledger.n_vertices >= worth_sharing {
                let n = self.shares.len();
                let bound = |index| level.start + level.len() * index / n;
                let bounds =
                    |(index, share): (usize, &Share)| share.set(bound(index)..bound(index + 1));
                return self.shares.iter().enumerate().for_each(bounds);
            }
            if is_pull {
                self.shares[0].set(level);
                self.pull(0, found);
            } else {
                self.push_alone(level, found);
            }
        }
        self.is_last.store(true, Relaxed);
    }

    /// Makes what was found the level to work off; false where the search is over.
    fn next_level(&self, ledger: &mut Ledger) -> bool {
        let was_pull = self.is_pull.load(Relaxed);
        let n_before = ledger.n_vertices;
        ledger.level = ledger.level.end..self.n_queued.load(Relaxed);
        ledger.n_vertices = match was_pull {
            true => self.n_pulled.swap(0, Relaxed),
            false => ledger.level.len(),
        };
        if ledger.n_vertices == 0 {
            return false;
        }
        let level = self.level.fetch_add(1, Relaxed);
        ledger.work.rounds += 1;
        ledger.work.settled += ledger.n_vertices as u64;
        if level >= self.query.limit || self.has_all_targets(ledger) {
            return false;
        }
        if ledger.work.settled >= ledger.reported + SETTLED_A_REPORT {
            ledger.reported = ledger.work.settled;
            let told = self.query.report(ledger.reported, self.space.labels.len() as u64);
            ledger.error = told.err();
            if ledger.error.is_some() {
                return false;
            }
        }
        let is_pull = self.space.incoming.is_some()
            && match was_pull {
                true => {
                    let few = self.space.labels.len() / PUSH_AT;
                    ledger.n_vertices >= n_before || ledger.n_vertices > few
                }
                false => {
                    let arcs = self.about_arcs(ledger.level.clone());
                    ledger.arcs_left -= arcs;
                    arcs > ledger.arcs_left / PULL_AT
                }
            };
        match (was_pull, is_pull) {
            (false, true) => self.to_bits(ledger, level),
            (true, false) => self.to_queue(ledger, level),
            _ => {}
        }
        self.is_pull.store(is_pull, Relaxed);
        true
    }

    /// About how many arcs leave a level: looking at each vertex would cost as much as a tenth of
    /// a search.
    fn about_arcs(&self, level: Range<usize>) -> f64 {
        let n_vertices = level.len();
        let step = n_vertices.div_ceil(SAMPLES);
        let sampled = self.space.queue[level].iter().step_by(step);
        let degree =
            |vertex: &AtomicU32| self.space.outgoing.of(vertex.load(Relaxed) as usize).len();
        let n_sampled = sampled.len();
        sampled.map(degree).sum::<usize>() as f64 * n_vertices as f64 / n_sampled as f64
    }

    /// Whether there are targets, and all are found.
    fn has_all_targets(&self, ledger: &mut Ledger) -> bool {
        let targets = self.query.targets;
        let is_found =
            |target: &VertexId| self.space.labels[*target as usize].load(Relaxed) != UNSEEN;
        let left = &targets[ledger.n_targets_found..];
        ledger.n_targets_found += left.iter().take_while(|target| is_found(target)).count();
        !targets.is_empty() && ledger.n_targets_found == targets.len()
    }

    /// Gives the vertices of the level, and all that were found before, their bits.
    fn to_bits(&self, ledger: &mut Ledger, level: u32) {
        let Space { queue, seen, fronts, labels, .. } = self.space;
        let front = &fronts[level as usize % 2];
        front.iter().for_each(|word| word.store(0, Relaxed));
        if ledger.n_marked == 0 {
            seen.iter().for_each(|word| word.store(0, Relaxed));
            if let (Some(last), rest @ 1..) = (seen.last(), labels.len() % 64) {
                // there are no such vertices
                last.store(u64::MAX << rest, Relaxed);
            }
        }
        let mark = |bits: &[AtomicU64], vertex: VertexId| {
            let word = &bits[vertex as usize / 64];
            word.store(word.load(Relaxed) | 1 << (vertex % 64), Relaxed);
        };
        let n_queued = self.n_queued.load(Relaxed);
        for vertex in &queue[ledger.n_marked..n_queued] {
            mark(seen, vertex.load(Relaxed));
        }
        for vertex in &queue[ledger.level.clone()] {
            mark(front, vertex.load(Relaxed));
        }
        ledger.n_marked = n_queued;
    }

    /// Lists the vertices of the level, which were pulled.
    fn to_queue(&self, ledger: &mut Ledger, level: u32) {
        let front = &self.space.fronts[level as usize % 2];
        let first = self.n_queued.load(Relaxed);
        let mut end = first;
        for (word, bits) in front.iter().enumerate() {
            let mut bits = bits.load(Relaxed);
            while bits != 0 {
                let vertex = word as VertexId * 64 + bits.trailing_zeros();
                self.space.queue[end].store(vertex, Relaxed);
                end += 1;
                bits &= bits - 1;
            }
        }
        self.n_queued.store(end, Relaxed);
        (ledger.level, ledger.n_marked) = (first..end, end);
    }
}

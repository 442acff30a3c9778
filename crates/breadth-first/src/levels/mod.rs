//! Breadth-first search: level by level, where all arcs weigh the same.
//!
//! A vertex is as many arcs from the source as the level that it is found in, and its distance is
//! the weight added so many times: the sum that every other solver comes to, for floats too. A
//! level is found from the one before in either direction: by *pushing*, where the vertices of the
//! level offer themselves to the ends of their arcs, or by *pulling*, where each vertex that has not
//! been found looks along its own arcs until one leads to the level. Pushing costs as many arcs as
//! leave the level; pulling ends early where the level is a large part of the graph, which on
//! social networks leaves most arcs out. O(n + m); a pull costs O(n / 64) besides what it looks at.
//!
//! What differs from the paper:
//!
//! * The tree is found in the same pass, and it is the one that every solver gives: the
//!   predecessor is the smallest vertex of the level before. A label holds the level above the
//!   predecessor, so that the least is the one, and pushes may come in any order. A pull looks
//!   along rows that ascend, where the first vertex of the level is the smallest.
//! * Threads meet after a *window* of levels where levels do not grow, as on roads and grids. Each
//!   goes on from its part of the first level by itself. What it finds may lie nearer to a part of
//!   another, whose offer is then the better one, and who goes on from there again. How often that
//!   happens says how many levels the next window has: up to 32, and fewer than one vertex in
//!   ten is found again. Where a level turns out to be much larger than that before the window, only
//!   the first level of the window counts. Several levels between two meetings are the idea of the second paper,
//!   whose threads end after a fixed number of vertices instead.
//! * Arcs are asked for some vertices ahead, which on graphs whose vertices lie in any order
//!   halves the time.
//! * Of a directed graph, pulls need the arcs by their ends. Turning them round costs as much as
//!   some searches, so it is done where that many are expected.
//! * Threads share only what is worth it; small levels are one thread's, while the others wait.
//!
//! Reference: beamer-2012, wang-2023

mod course;
mod labels;
mod steps;

use std::mem;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use graph_formats::{Csr, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Barrier, EndsOnPanic, Query, SearchError, Team, Threads, Work};

use self::course::{Course, Found, Ledger, MAX_WINDOW, Share, Space};
use self::labels::{Labels, NO_VERTEX, predecessor};
use crate::arcs::Arcs;

/// A level is pulled once its arcs are more than one in so many of those that are left,
const PULL_AT: f64 = 15.0;
/// and than one for so many vertices of the graph, all of which a pull looks at,
const PULL_FROM: f64 = 4.0;
/// and until it has fewer vertices than one in so many of all.
const PUSH_AT: usize = 18;
/// Arcs that are worth sharing,
const ARCS_WORTH_SHARING: f64 = 1024.0;
/// and words of the bitmaps.
const WORDS_WORTH_SHARING: usize = 256;
/// Vertices that a thread takes at a time: of a level as many as leave each several turns,
const VERTICES: RangeInclusive<usize> = 1..=64;
const TURNS: usize = 8;
/// of a window enough that what two parts both find is little.
const VERTICES_OF_WINDOW: RangeInclusive<usize> = 64..=256;
/// A window is given up where a thread finds more than so many times the vertices it began with.
const MOST: usize = 4;
/// A window grows where not more vertices are found again than one for so many that are found,
const AGAIN_FEW: usize = 24;
/// and shrinks where more are than one for so many.
const AGAIN_MANY: usize = 10;
/// Vertices of a level whose arcs are counted.
const SAMPLES: usize = 64;
/// Vertices found between two calls of the progress callback.
const FOUND_A_REPORT: usize = 1 << 16;

/// Breadth-first search from one source after another, in the same work space.
///
/// ```
/// use breadth_first::BreadthFirst;
/// use graph_formats::Csr;
/// use search_parts::{Query, Team};
///
/// let graph = Csr::from_edges(4, &[(0, 1, 9u32), (1, 2, 9)])?;
/// let mut search = BreadthFirst::new(&graph, None, 2, Team::WhereItPays);
/// let all = Query { source: 0, targets: &[], limit: u32::MAX, progress: None };
/// let (_, n_levels) = search.run(&all)?;
/// assert_eq!((search.level(2), search.level(3)), (Some(2), None));
/// assert_eq!(search.predecessors(n_levels - 1).get(2), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BreadthFirst<'g> {
    space: Space<'g>,
    threads: Threads,
    found: Vec<Found>,
}

impl<'g> BreadthFirst<'g> {
    /// On so many threads. Levels are pulled along [`incoming`](crate::incoming()) arcs where there
    /// are. 12 bytes a vertex, three bits where levels may be pulled, and for each thread 128 kB and
    /// what it finds in a window, four bytes a vertex.
    pub fn new<W: Weight>(
        graph: &'g Csr<W>,
        incoming: Option<Csr<u32>>,
        threads: usize,
        team: Team,
    ) -> Self {
        let outgoing = Arcs::of_graph(graph);
        let n = outgoing.n_vertices();
        let n_words = incoming.as_ref().map_or(0, |_| n.div_ceil(64));
        let bitmap = || bytemuck::zeroed_vec(n_words);
        let space = Space {
            outgoing,
            incoming,
            labels: Labels::new(n),
            // memory that the system gives out when it is first touched
            queue: bytemuck::zeroed_vec(n),
            seen: bitmap(),
            fronts: [bitmap(), bitmap()],
            team,
        };
        let found = (0..threads).map(|_| Found::default()).collect();
        Self { space, threads: Threads::new(threads), found }
    }

    /// The level of a vertex, as the last search left it; `None` where it was not found.
    #[inline]
    pub fn level(&self, vertex: VertexId) -> Option<u32> {
        let labels = &self.space.labels;
        labels.is_found(vertex).then(|| labels.level(vertex))
    }

    /// What `of` makes of the level of each vertex; of one that was not found it gets a greater
    /// number than all levels. O(n).
    pub fn map_levels<T: Copy + Send>(&self, of: impl Fn(u32) -> T + Sync) -> Vec<T> {
        let epoch = self.space.labels.epoch();
        self.threads.map(self.space.labels.as_slice(), |label| of(epoch.level(label.load(Relaxed))))
    }

    /// The predecessors of the vertices up to level `last`: the smallest of the level before. O(n).
    pub fn predecessors(&self, last: u32) -> Predecessors {
        let least = self.space.labels.epoch().label(last, NO_VERTEX);
        let predecessors = self.threads.map(self.space.labels.as_slice(), |label| {
            let label = label.load(Relaxed);
            if label >= least { predecessor(label) } else { NO_VERTEX }
        });
        Predecessors::from_storage(predecessors)
    }

    /// Finds all vertices that `query` asks for, whose limit is a level, and perhaps others; the work,
    /// and how many levels there are at most. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it.
    pub fn run(&mut self, query: &Query<'_, u32>) -> Result<(Work, u32), SearchError> {
        let Self { space, threads, found } = self;
        // a search that was ended by a panic may have left some
        found.iter_mut().for_each(Found::clear);
        space.labels.begin(query.source);
        *space.queue[0].get_mut() = query.source;
        let course = Course {
            space,
            query,
            level: AtomicU32::new(0),
            window: AtomicU32::new(0),
            part: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            is_overgrown: AtomicBool::new(false),
            is_pull: AtomicBool::new(false),
            needs_bits: AtomicBool::new(false),
            is_last: AtomicBool::new(false),
            shares: found.iter().map(|_| Share::default()).collect(),
            n_queued: AtomicUsize::new(1),
            n_found: AtomicUsize::new(1),
            n_again: AtomicUsize::new(0),
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
        let n_levels = (course.level.load(Relaxed) + 1).min(space.labels.as_slice().len() as u32);
        let settled = course.n_found.load(Relaxed) as u64;
        let Ledger { error, rounds, .. } =
            course.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let relaxations = found.iter().map(|found| found.counts.looked_at).sum();
        let work = Work { relaxations, settled, rounds, ..Work::default() };
        error.map_or(Ok((work, n_levels)), Err)
    }
}

/// What threads found between two meetings.
struct Window {
    n_levels: u32,
    /// Vertices of the level that they began with,
    n_vertices: usize,
    /// those that were found,
    n_new: usize,
    /// and how often one was found nearer than before.
    n_again: usize,
}

impl Window {
    /// Whether so many vertices in the level that follows are more than slow growth.
    fn is_outgrown_by(&self, n_vertices: usize) -> bool {
        n_vertices > self.n_vertices + self.n_vertices / 2
    }

    /// How many levels the next one should have.
    fn next(&self) -> u32 {
        if self.n_again * AGAIN_FEW <= self.n_new {
            (self.n_levels * 2).min(MAX_WINDOW as u32)
        } else if self.n_again * AGAIN_MANY <= self.n_new {
            self.n_levels
        } else {
            self.n_levels.div_ceil(2)
        }
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
                if self.needs_bits.load(Relaxed) {
                    self.mark(self.part_of(self.space.seen.len(), index));
                    if !barrier.meet(&self.failed, || self.needs_bits.store(false, Relaxed)) {
                        return;
                    }
                }
                self.pull(index, found);
            } else {
                self.push_shared(index, found);
                // in the order of the shares, so that a thread goes on where it has been
                let n_kept = found.n_kept(self.window.load(Relaxed));
                self.shares[index].kept.store(n_kept, Relaxed);
                if !barrier.meet(&self.failed, || self.place()) {
                    return;
                }
                match self.is_overgrown.load(Relaxed) {
                    true => self.take_back(found),
                    false => self.put_kept(self.shares[index].kept.load(Relaxed), found),
                }
            }
            if !barrier.meet(&self.failed, || self.advance(found)) {
                return;
            }
        }
    }

    /// The `index`-th part of `n`, of which each thread has one.
    fn part_of(&self, n: usize, index: usize) -> Range<usize> {
        let bound = |index| n * index / self.shares.len();
        bound(index)..bound(index + 1)
    }

    /// Where in the queue each thread puts what it has kept.
    fn place(&self) {
        if self.is_overgrown.load(Relaxed) {
            return;
        }
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
        while let Some(is_worth_sharing) = self.next_level(&mut ledger) {
            let is_pull = self.is_pull.load(Relaxed);
            let level = if is_pull { 0..self.space.seen.len() } else { ledger.level.clone() };
            if is_worth_sharing {
                for (index, share) in self.shares.iter().enumerate() {
                    let part = self.part_of(level.len(), index);
                    share.set(level.start + part.start..level.start + part.end);
                }
                return;
            }
            if is_pull {
                if self.needs_bits.swap(false, Relaxed) {
                    self.mark(level.clone());
                }
                self.shares[0].set(level);
                self.pull(0, found);
            } else {
                self.push_alone(level, found);
            }
        }
        self.is_last.store(true, Relaxed);
    }

    /// Makes what was found the level to work off, and tells whether it is worth sharing; `None`
    /// where the search is over.
    fn next_level(&self, ledger: &mut Ledger) -> Option<bool> {
        let window = match self.is_overgrown.swap(false, Relaxed) {
            true => 1,
            false => self.window.load(Relaxed),
        };
        let level = self.level.fetch_add(window, Relaxed) + window;
        let n_found = self.n_found.load(Relaxed);
        let last = Window {
            n_levels: window,
            n_vertices: ledger.n_vertices,
            n_new: n_found - mem::replace(&mut ledger.n_found, n_found),
            n_again: self.n_again.swap(0, Relaxed),
        };
        ledger.level = ledger.level.end..self.n_queued.load(Relaxed);
        ledger.n_vertices = match self.is_pull.load(Relaxed) {
            true => last.n_new,
            false => ledger.level.len(),
        };
        if ledger.n_vertices == 0 {
            return None;
        }
        ledger.rounds += 1;
        if level >= self.query.limit || self.has_all_targets(ledger) {
            return None;
        }
        if n_found >= ledger.reported + FOUND_A_REPORT {
            ledger.reported = n_found;
            let told = self.query.report(n_found as u64, self.space.labels.as_slice().len() as u64);
            ledger.error = told.err();
            if ledger.error.is_some() {
                return None;
            }
        }
        Some(self.choose(ledger, level, last))
    }

    /// Chooses the direction from a level, and how many levels are found before the threads meet;
    /// whether it is worth sharing.
    fn choose(&self, ledger: &mut Ledger, level: u32, last: Window) -> bool {
        let Space { team, incoming, labels, seen, .. } = self.space;
        let (n, n_vertices) = (labels.as_slice().len(), ledger.n_vertices);
        let was_pull = self.is_pull.load(Relaxed);
        let goes_on_pulling =
            was_pull && (n_vertices >= last.n_vertices || n_vertices > n / PUSH_AT);
        if was_pull && !goes_on_pulling {
            self.to_queue(ledger, level);
        }
        let is_alone = self.shares.len() == 1 && *team == Team::WhereItPays;
        let mut arcs = 0.0;
        if !goes_on_pulling && (incoming.is_some() || !is_alone) {
            arcs = self.about_arcs(ledger.level.clone());
            ledger.arcs_left -= arcs;
        }
        let few = (ledger.arcs_left / PULL_AT).max(n as f64 / PULL_FROM);
        let is_pull = goes_on_pulling || !was_pull && incoming.is_some() && arcs > few;
        self.is_pull.store(is_pull, Relaxed);
        self.needs_bits.store(is_pull && !was_pull, Relaxed);
        let is_shared = match team {
            Team::Always => true,
            Team::WhereItPays if is_alone => false,
            Team::WhereItPays if is_pull => seen.len() >= WORDS_WORTH_SHARING,
            Team::WhereItPays => arcs * f64::from(last.n_levels) >= ARCS_WORTH_SHARING,
        };
        let is_steady = is_shared && !is_pull && !was_pull && !last.is_outgrown_by(n_vertices);
        let window = if is_steady { last.next() } else { 1 };
        let part = n_vertices / self.shares.len();
        let part = match window {
            1 => (part / TURNS).clamp(*VERTICES.start(), *VERTICES.end()),
            _ => part.clamp(*VERTICES_OF_WINDOW.start(), *VERTICES_OF_WINDOW.end()),
        };
        self.part.store(part, Relaxed);
        self.most.store(MOST * n_vertices + *VERTICES_OF_WINDOW.start(), Relaxed);
        self.window.store(window.min(self.query.limit - level), Relaxed);
        is_shared
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
        let is_found = |&&target: &&VertexId| self.space.labels.is_found(target);
        let left = &targets[ledger.n_targets_found..];
        ledger.n_targets_found += left.iter().take_while(is_found).count();
        !targets.is_empty() && ledger.n_targets_found == targets.len()
    }

    /// Gives the vertices that are found, and those of the level, their bits: those of these words.
    fn mark(&self, words: Range<usize>) {
        let Space { seen, fronts, labels, .. } = self.space;
        let (n, level) = (labels.as_slice().len(), self.level.load(Relaxed));
        let front = &fronts[level as usize % 2];
        for word in words {
            let vertices = word * 64..n.min(word * 64 + 64);
            // there are no others
            let mut is_seen = if vertices.len() < 64 { u64::MAX << vertices.len() } else { 0 };
            let mut is_of_level = 0;
            for (at, vertex) in vertices.enumerate() {
                let found = labels.level(vertex as VertexId);
                is_seen |= u64::from(found <= level) << at;
                is_of_level |= u64::from(found == level) << at;
            }
            seen[word].store(is_seen, Relaxed);
            front[word].store(is_of_level, Relaxed);
        }
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
        ledger.level = first..end;
    }
}

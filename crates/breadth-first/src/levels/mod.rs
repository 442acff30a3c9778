//! Breadth-first search, level by level, for graphs whose arcs have equal weights.
//!
//! The level of a vertex is its number of arcs from the source. Its distance is the weight added
//! that many times: the same sum as in every other solver, for floats too. A level is found from
//! the one before in either direction. *Pushing* relaxes the arcs of the level's vertices.
//! *Pulling* scans the arcs into each unfound vertex until one leads from the level. A push reads
//! all arcs out of the level. A pull ends early where the level is a large part of the graph, so on
//! social networks most arcs are never read. O(n + m); a pull costs O(n / 64) besides the arcs that
//! it reads.
//!
//! Differences from the paper:
//!
//! * The search finds the tree of every other solver in the same pass: a predecessor is the
//!   smallest vertex of the level before. A label packs a level and a predecessor, and the maximum
//!   of two labels is the better one, so pushes may come in any order. A pull scans rows that
//!   ascend, where the first vertex of the level is the smallest.
//! * Where levels do not grow, as on roads and grids, threads synchronise after a *window* of
//!   levels. Each thread continues from its part of the first level alone. It may find a vertex
//!   that another part reaches at a lower level; then the lower level wins, and the other thread
//!   pushes the vertex again. The number of such vertices sets the next window: up to 32 levels,
//!   and fewer than one vertex in ten found again. If a level grows much larger than the one before
//!   the window, only the first level of the window is kept. Several levels between two barriers
//!   are the idea of the second paper, whose threads stop after a fixed number of vertices instead.
//! * Arcs are prefetched some vertices ahead, which halves the time on graphs whose vertices are in
//!   no order.
//! * On a directed graph, pulls need the transposed arcs. Transposing costs as much as some
//!   searches, so it is done only where that many are expected.
//! * Threads share only large levels; one thread does a small level while the others wait.
//!
//! Reference: beamer-2012, wang-2023

mod course;
mod labels;
mod steps;

use std::mem;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};

use graph_formats::{Csr, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Barrier, EndsOnPanic, Query, SearchError, Team, Threads, Work};

use self::course::{Course, Found, Ledger, MAX_WINDOW, Share, Space};
use self::labels::{Labels, NO_VERTEX, predecessor};
use crate::arcs::Arcs;

/// A level is pulled only if its arcs are more than 1 / PULL_AT of those of unfound vertices.
const PULL_AT: f64 = 15.0;
/// A level is pulled only if its arcs are more than n / PULL_FROM: a pull scans all n vertices.
const PULL_FROM: f64 = 4.0;
/// Pulls end at a level that shrinks and has at most n / PUSH_AT vertices.
const PUSH_AT: usize = 18;
/// The least number of arcs of a level, or of a window, that all threads push.
const MIN_SHARED_ARCS: f64 = 1024.0;
/// The least number of bitmap words that all threads pull.
const MIN_SHARED_WORDS: usize = 256;
/// Vertices that a thread takes at a time if the window is one level.
const VERTICES: RangeInclusive<usize> = 1..=64;
/// Times that each thread takes vertices of a level, within the bounds of [`VERTICES`].
const TURNS: usize = 8;
/// Vertices that a thread takes at a time if the window is several levels: enough that two parts
/// have few vertices in common.
const VERTICES_OF_WINDOW: RangeInclusive<usize> = 64..=256;
/// A window is cut to one level if a thread finds more than this multiple of the vertices that the
/// window began with.
const MAX_GROWTH: usize = 4;
/// The window doubles if at most 1 / WIDEN_AT of the found vertices are found again.
const WIDEN_AT: usize = 24;
/// The window halves if more than 1 / NARROW_AT of the found vertices are found again.
const NARROW_AT: usize = 10;
/// Vertices of a level whose arcs are counted.
const SAMPLES: usize = 64;
/// Vertices found between two calls of the progress callback.
const FOUND_PER_REPORT: usize = 1 << 16;

/// Breadth-first searches from one source after another, in the same work space.
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
    /// Searches on `threads` threads. Levels are pulled along the [`incoming`](crate::incoming())
    /// arcs if they are given. 12 bytes a vertex, three bits more if levels may be pulled, and for
    /// each thread 128 kB and four bytes for each vertex that it finds in a window.
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
            // the system allocates its pages when they are first touched
            queue: bytemuck::zeroed_vec(n),
            seen: bitmap(),
            fronts: [bitmap(), bitmap()],
            team,
        };
        let found = (0..threads).map(|_| Found::default()).collect();
        Self { space, threads: Threads::new(threads), found }
    }

    /// The level of a vertex in the last search; `None` if it was not found.
    #[inline]
    pub fn level(&self, vertex: VertexId) -> Option<u32> {
        let labels = &self.space.labels;
        labels.is_found(vertex).then(|| labels.level(vertex))
    }

    /// `of` applied to the level of each vertex; for a vertex that was not found, to a number
    /// greater than all levels. O(n).
    pub fn map_levels<T: Copy + Send>(&self, of: impl Fn(u32) -> T + Sync) -> Vec<T> {
        let epoch = self.space.labels.epoch();
        self.threads.map(self.space.labels.as_slice(), |label| of(epoch.level(label.load(Relaxed))))
    }

    /// The predecessors of the vertices up to level `last`: the smallest vertex of the level
    /// before. O(n).
    pub fn predecessors(&self, last: u32) -> Predecessors {
        let least = self.space.labels.epoch().label(last, NO_VERTEX);
        let predecessors = self.threads.map(self.space.labels.as_slice(), |label| {
            let label = label.load(Relaxed);
            if label >= least { predecessor(label) } else { NO_VERTEX }
        });
        Predecessors::from_storage(predecessors)
    }

    /// Finds all vertices that `query` asks for, and perhaps others; the limit is a level. Returns
    /// the work and an upper bound of the number of levels. O(n + m).
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it.
    pub fn run(&mut self, query: &Query<'_, u32>) -> Result<(Work, u32), SearchError> {
        let Self { space, threads, found } = self;
        // a search that panicked may have left some
        found.iter_mut().for_each(Found::clear);
        space.labels.begin(query.source);
        *space.queue[0].get_mut() = query.source;
        let course = Course {
            space,
            query,
            level: AtomicU32::new(0),
            window: AtomicU32::new(0),
            part: AtomicUsize::new(0),
            max_found: AtomicUsize::new(0),
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

/// The result of one window.
struct Window {
    n_levels: u32,
    /// Vertices of the level that it began with.
    n_vertices: usize,
    /// Vertices found for the first time.
    n_new: usize,
    /// How often a vertex was found again at a lower level.
    n_again: usize,
}

impl Window {
    /// Whether `n_vertices` in the next level are more than slow growth.
    fn is_outgrown_by(&self, n_vertices: usize) -> bool {
        n_vertices > self.n_vertices + self.n_vertices / 2
    }

    /// The number of levels of the next window.
    fn next(&self) -> u32 {
        if self.n_again * WIDEN_AT <= self.n_new {
            (self.n_levels * 2).min(MAX_WINDOW as u32)
        } else if self.n_again * NARROW_AT <= self.n_new {
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

    /// One thread's work on all levels.
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
                // in the order of the shares, so that each thread continues with its own vertices
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

    /// The `index`-th part of `0..n`, in as many parts as threads.
    fn part_of(&self, n: usize, index: usize) -> Range<usize> {
        let bound = |index| n * index / self.shares.len();
        bound(index)..bound(index + 1)
    }

    /// Sets the position in the queue of each thread's list.
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

    /// Advances from a finished level to the next that all threads share. Works off the levels
    /// between alone, while the other threads wait.
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

    /// Advances to the level just found. Returns whether all threads share it; `None` if the search
    /// is over.
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
        if n_found >= ledger.reported + FOUND_PER_REPORT {
            ledger.reported = n_found;
            let reported =
                self.query.report(n_found as u64, self.space.labels.as_slice().len() as u64);
            ledger.error = reported.err();
            if ledger.error.is_some() {
                return None;
            }
        }
        Some(self.choose(ledger, level, last))
    }

    /// Chooses the direction from a level and the number of levels until the next barrier. Returns
    /// whether all threads share it.
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
            Team::WhereItPays if is_pull => seen.len() >= MIN_SHARED_WORDS,
            Team::WhereItPays => arcs * f64::from(last.n_levels) >= MIN_SHARED_ARCS,
        };
        let is_steady = is_shared && !is_pull && !was_pull && !last.is_outgrown_by(n_vertices);
        let window = if is_steady { last.next() } else { 1 };
        let part = n_vertices / self.shares.len();
        let part = match window {
            1 => (part / TURNS).clamp(*VERTICES.start(), *VERTICES.end()),
            _ => part.clamp(*VERTICES_OF_WINDOW.start(), *VERTICES_OF_WINDOW.end()),
        };
        self.part.store(part, Relaxed);
        self.max_found.store(MAX_GROWTH * n_vertices + *VERTICES_OF_WINDOW.start(), Relaxed);
        self.window.store(window.min(self.query.limit - level), Relaxed);
        is_shared
    }

    /// An estimate of the arcs out of a level. Counting at every vertex would take a tenth of a
    /// search.
    fn about_arcs(&self, level: Range<usize>) -> f64 {
        let n_vertices = level.len();
        let step = n_vertices.div_ceil(SAMPLES);
        let sampled = self.space.queue[level].iter().step_by(step);
        let degree =
            |vertex: &AtomicU32| self.space.outgoing.of(vertex.load(Relaxed) as usize).len();
        let n_sampled = sampled.len();
        sampled.map(degree).sum::<usize>() as f64 * n_vertices as f64 / n_sampled as f64
    }

    /// Whether there are targets and all are found.
    fn has_all_targets(&self, ledger: &mut Ledger) -> bool {
        let targets = self.query.targets;
        let is_found = |&&target: &&VertexId| self.space.labels.is_found(target);
        let left = &targets[ledger.n_targets_found..];
        ledger.n_targets_found += left.iter().take_while(is_found).count();
        !targets.is_empty() && ledger.n_targets_found == targets.len()
    }

    /// Builds these words of the bitmaps: `seen`, and the one of the current level.
    fn mark(&self, words: Range<usize>) {
        let Space { seen, fronts, labels, .. } = self.space;
        let (n, level) = (labels.as_slice().len(), self.level.load(Relaxed));
        let front = &fronts[level as usize % 2];
        for word in words {
            let vertices = word * 64..n.min(word * 64 + 64);
            // bits beyond the last vertex
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

    /// Copies the vertices of a pulled level to the queue.
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

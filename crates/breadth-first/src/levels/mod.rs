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

use std::array;
use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Barrier, EndsOnPanic, Query, SearchError, Team, Threads, Work};

use self::course::{Course, Found, Ledger, MAX_KEPT, MAX_WINDOW, Share, Space};
use self::labels::{Epoch, NO_VERTEX, predecessor};
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
/// The window doubles if at most 1 / WIDEN_AT of the found vertices are found again.
const WIDEN_AT: usize = 24;
/// The window halves if more than 1 / NARROW_AT of the found vertices are found again.
const NARROW_AT: usize = 10;
/// Vertices of a level whose arcs are counted.
const SAMPLES: usize = 64;
/// The progress callback is called when the vertices found reach a multiple of this number.
const FOUND_PER_REPORT: usize = 1 << 16;

/// Labels of a page of memory: 4 KiB on most systems, no system has smaller pages.
const LABELS_PER_PAGE: usize = 512;
/// The least number of pages that a thread makes; fewer are not worth starting a thread.
const MIN_PAGES: usize = 64;

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
    /// Whether the labels have their memory.
    has_pages: bool,
}

impl<'g> BreadthFirst<'g> {
    /// Searches on `threads` threads. Levels are pulled along the [`incoming`](crate::incoming())
    /// arcs if they are given. Memory is 12 bytes a vertex, and three bits more if levels may be
    /// pulled. Each thread takes 128 kB, and four bytes for each vertex that it finds in a window.
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
            // the system allocates the pages of these two when they are first touched
            labels: bytemuck::zeroed_vec(n),
            queue: bytemuck::zeroed_vec(n),
            epoch: Epoch::default(),
            seen: bitmap(),
            fronts: [bitmap(), bitmap()],
            team,
        };
        let found = || Found(array::from_fn(|_| Vec::with_capacity(MAX_KEPT)));
        let found = (0..threads).map(|_| found()).collect();
        Self { space, threads: Threads::new(threads), found, has_pages: false }
    }

    /// The level of a vertex in the last search; `None` if it was not found.
    #[inline]
    pub fn level(&self, vertex: VertexId) -> Option<u32> {
        let (epoch, label) = (self.space.epoch, self.space.labels[vertex as usize].load(Relaxed));
        epoch.is_found(label).then(|| epoch.level(label))
    }

    /// `of` applied to the level of each vertex; for a vertex that was not found, to a number
    /// greater than all levels. O(n).
    pub fn map_levels<T: Copy + Default + Send>(&self, of: impl Fn(u32) -> T + Sync) -> Vec<T> {
        let epoch = self.space.epoch;
        self.threads.map(&self.space.labels, |label| of(epoch.level(label.load(Relaxed))))
    }

    /// The predecessors of the vertices up to level `last`: the smallest vertex of the level
    /// before. O(n).
    pub fn predecessors(&self, last: u32) -> Predecessors {
        let least = self.space.epoch.label(last, NO_VERTEX);
        let predecessors = self.threads.map(&self.space.labels, |label| {
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
        if query.targets.is_empty() && query.limit == u32::MAX && !self.has_pages {
            self.make_pages();
        }
        let Self { space, threads, found, .. } = self;
        // a search that panicked may have left some
        found.iter_mut().flat_map(|found| &mut found.0).for_each(Vec::clear);
        space.epoch.begin(&mut space.labels, query.source);
        *space.queue[0].get_mut() = query.source;
        let arcs_left = space.outgoing.ends.len() as f64;
        let course = Course {
            space,
            query,
            level: 0.into(),
            window: 0.into(),
            n_vertices: 0.into(),
            is_overgrown: false.into(),
            is_pull: false.into(),
            needs_bits: false.into(),
            is_last: false.into(),
            shares: found.iter().map(|_| Share::default()).collect(),
            n_queued: 1.into(),
            n_found: 1.into(),
            n_again: 0.into(),
            ledger: Mutex::new(Ledger { arcs_left, ..Ledger::default() }),
            failed: false.into(),
        };
        course.advance();
        if !course.is_last.load(Relaxed) {
            let team = &mut found[..threads.n_at_once()];
            let (n, barrier) = (team.len(), Barrier::new(team.len()));
            threads.each(team, |index, found| course.share(index, n, found, &barrier));
        }
        let n_levels = (course.level.into_inner() + 1).min(space.labels.len() as u32);
        let ledger = course.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let work = Work {
            relaxations: course.shares.iter().map(|share| share.looked_at.load(Relaxed)).sum(),
            settled: course.n_found.into_inner() as u64,
            rounds: ledger.rounds,
            ..Work::default()
        };
        ledger.interrupted.map_or(Ok((work, n_levels)), |interrupted| Err(interrupted.into()))
    }
}

impl BreadthFirst<'_> {
    /// Has the system make the pages of the labels, by a write to each, before a search that may
    /// need all. A search reads a label before it writes it. A page that is first read gets no
    /// memory of its own, and the write that then makes it stops all other threads.
    fn make_pages(&mut self) {
        let n_pages = self.space.labels.len().div_ceil(LABELS_PER_PAGE);
        let n_parts = (n_pages / MIN_PAGES).clamp(1, self.found.len());
        let size = n_pages.div_ceil(n_parts).max(1) * LABELS_PER_PAGE;
        let mut parts: Vec<_> = self.space.labels.chunks(size).collect();
        self.threads.each(&mut parts, |_, labels| {
            for label in labels.iter().step_by(LABELS_PER_PAGE) {
                // not `fetch_or(0)`, of which compilers make a read
                label.store(label.swap(0, Relaxed), Relaxed);
            }
        });
        self.has_pages = true;
    }
}

/// The `index`-th of `n_parts` parts of `0..n`.
fn part_of(n: usize, index: usize, n_parts: usize) -> Range<usize> {
    n * index / n_parts..n * (index + 1) / n_parts
}

impl Course<'_, '_> {
    /// The work on all levels of one of `n` threads.
    fn share(&self, index: usize, n: usize, found: &mut Found, barrier: &Barrier) {
        let _ends = EndsOnPanic(&self.failed);
        while !self.is_last.load(Relaxed) {
            if self.is_pull.load(Relaxed) {
                if self.needs_bits.load(Relaxed) {
                    self.mark(part_of(self.space.seen.len(), index, n));
                    if !barrier.meet(&self.failed, || ()) {
                        return;
                    }
                }
                self.pull(index);
            } else {
                self.push_shared(index, found);
                // in the order of the shares, so that each thread continues with its own vertices
                let last = self.window.load(Relaxed) as usize - 1;
                let kept = &self.shares[index].kept;
                kept.store(found.0[last].len(), Relaxed);
                if !barrier.meet(&self.failed, || self.place()) {
                    return;
                }
                match self.is_overgrown.load(Relaxed) {
                    true => self.take_back(found),
                    false => self.put(kept.load(Relaxed), &found.0[last]),
                }
                found.0.iter_mut().for_each(Vec::clear);
            }
            if !barrier.meet(&self.failed, || self.advance()) {
                return;
            }
        }
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
    fn advance(&self) {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(is_shared) = self.next_level(&mut ledger) {
            let is_pull = self.is_pull.load(Relaxed);
            let level = if is_pull { 0..self.space.seen.len() } else { ledger.level.clone() };
            if is_shared {
                for (index, share) in self.shares.iter().enumerate() {
                    let part = part_of(level.len(), index, self.shares.len());
                    share.set(level.start + part.start..level.start + part.end);
                }
                return;
            }
            if is_pull {
                if self.needs_bits.load(Relaxed) {
                    self.mark(level.clone());
                }
                self.shares[0].set(level);
                self.pull(0);
            } else {
                self.push_alone(level);
            }
        }
        self.is_last.store(true, Relaxed);
    }

    /// Advances to the level just found. Chooses the direction from it and the number of levels
    /// until the next barrier. Returns whether all threads share it; `None` if the search is over.
    fn next_level(&self, ledger: &mut Ledger) -> Option<bool> {
        let Space { team, incoming, labels, seen, .. } = self.space;
        let was_overgrown = self.is_overgrown.swap(false, Relaxed);
        let last_window = if was_overgrown { 1 } else { self.window.load(Relaxed) };
        let level = self.level.load(Relaxed) + last_window;
        self.level.store(level, Relaxed);
        ledger.level = ledger.level.end..self.n_queued.load(Relaxed);
        let was_pull = self.is_pull.load(Relaxed);
        let n_again = self.n_again.swap(0, Relaxed);
        let n_new = self.n_found.load(Relaxed) - ledger.n_found;
        let n_vertices = if was_pull { n_new } else { ledger.level.len() };
        let last_vertices = self.n_vertices.swap(n_vertices, Relaxed);
        if n_vertices == 0 || self.is_over(ledger, level) {
            return None;
        }

        let n = labels.len();
        let goes_on_pulling = was_pull && (n_vertices >= last_vertices || n_vertices > n / PUSH_AT);
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
            Team::WhereItPays => arcs * f64::from(last_window) >= MIN_SHARED_ARCS,
        };
        let grows_slowly = n_vertices <= last_vertices + last_vertices / 2;
        let window = if !is_shared || is_pull || was_pull || !grows_slowly {
            1
        } else if n_again * WIDEN_AT <= n_new {
            (last_window * 2).min(MAX_WINDOW as u32)
        } else if n_again * NARROW_AT <= n_new {
            last_window
        } else {
            last_window.div_ceil(2)
        };
        self.window.store(window.min(self.query.limit - level), Relaxed);
        Some(is_shared)
    }

    /// Whether the search ends at this level, which has vertices: at the limit, if all targets are
    /// found, or by the callback.
    fn is_over(&self, ledger: &mut Ledger, level: u32) -> bool {
        let Space { labels, epoch, .. } = self.space;
        ledger.rounds += 1;
        let targets = self.query.targets;
        let left = targets[ledger.n_targets_found..].iter();
        let is_found = |&&v: &&VertexId| epoch.is_found(labels[v as usize].load(Relaxed));
        ledger.n_targets_found += left.take_while(is_found).count();
        let has_all_targets = !targets.is_empty() && ledger.n_targets_found == targets.len();
        if level >= self.query.limit || has_all_targets {
            return true;
        }
        let n_found = self.n_found.load(Relaxed);
        if n_found / FOUND_PER_REPORT > ledger.n_found / FOUND_PER_REPORT {
            ledger.interrupted = self.query.report(n_found as u64, labels.len() as u64).err();
        }
        ledger.n_found = n_found;
        ledger.interrupted.is_some()
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

    /// Builds these words of the bitmaps: `seen`, and the one of the current level.
    fn mark(&self, words: Range<usize>) {
        let Space { seen, fronts, labels, epoch, .. } = self.space;
        let level = self.level.load(Relaxed);
        let front = &fronts[level as usize % 2];
        for word in words {
            let labels = &labels[word * 64..labels.len().min(word * 64 + 64)];
            // bits beyond the last vertex
            let mut is_seen = if labels.len() < 64 { u64::MAX << labels.len() } else { 0 };
            let mut is_of_level = 0;
            for (at, label) in labels.iter().enumerate() {
                let found = epoch.level(label.load(Relaxed));
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

//! A search on its way: what its threads share, and what each has for itself.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use graph_formats::Csr;
use search_parts::{Query, SearchError, Team};

use super::labels::Labels;
use crate::arcs::Arcs;

/// Levels that threads find at most before they meet.
pub(super) const MAX_WINDOW: usize = 32;
/// Vertices that a thread keeps to itself of a level after which threads meet.
pub(super) const KEPT: usize = 1 << 10;

/// The graph, and what the threads of a search share.
pub(super) struct Space<'g> {
    pub(super) outgoing: Arcs<'g>,
    /// Along which levels may be pulled.
    pub(super) incoming: Option<Csr<u32>>,
    pub(super) labels: Labels,
    /// The vertices of the levels that are pushed from, one level after another.
    pub(super) queue: Vec<AtomicU32>,
    /// A bit a vertex, for pulls: whether it needs no more looking for,
    pub(super) seen: Vec<AtomicU64>,
    /// and whether it is of an even level, and of an odd one.
    pub(super) fronts: [Vec<AtomicU64>; 2],
    pub(super) team: Team,
}

/// A search on its way.
pub(super) struct Course<'a, 'g> {
    pub(super) space: &'a Space<'g>,
    pub(super) query: &'a Query<'a, u32>,
    /// The level that is worked off.
    pub(super) level: AtomicU32,
    /// How many levels are found from it before the threads meet,
    pub(super) window: AtomicU32,
    /// and how many of its vertices a thread takes at a time.
    pub(super) part: AtomicUsize,
    /// How many vertices a thread may find in a level of the window but its last,
    pub(super) most: AtomicUsize,
    /// and whether one has found more. Then only the first level counts.
    pub(super) is_overgrown: AtomicBool,
    pub(super) is_pull: AtomicBool,
    /// Whether the bitmaps are to be made before.
    pub(super) needs_bits: AtomicBool,
    pub(super) is_last: AtomicBool,
    pub(super) shares: Vec<Share>,
    /// Vertices in the queue,
    pub(super) n_queued: AtomicUsize,
    /// all that are found,
    pub(super) n_found: AtomicUsize,
    /// and how often in the window one was found nearer than before.
    pub(super) n_again: AtomicUsize,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) failed: AtomicBool,
}

/// What decides how to go on, looked at while all threads wait.
#[derive(Default)]
pub(super) struct Ledger {
    /// The level that is worked off, in the queue if it is pushed.
    pub(super) level: Range<usize>,
    /// Its vertices,
    pub(super) n_vertices: usize,
    /// and all up to it.
    pub(super) n_found: usize,
    /// Arcs of vertices that are not found, about.
    pub(super) arcs_left: f64,
    pub(super) n_targets_found: usize,
    pub(super) reported: usize,
    pub(super) rounds: u64,
    pub(super) error: Option<SearchError>,
}

/// What a thread has found. Each lies apart, as its thread changes it all the time.
#[repr(align(128))]
pub(super) struct Found {
    /// The vertices of each level of a window; those of the last are to go to the queue.
    pub(super) lists: [Vec<AtomicU32>; MAX_WINDOW],
    pub(super) counts: Counts,
}

#[derive(Default)]
pub(super) struct Counts {
    /// Arcs that were looked at.
    pub(super) looked_at: u64,
    /// Vertices that nobody had found before, since the thread last told,
    pub(super) n_new: usize,
    /// and those that had been found farther away.
    pub(super) n_again: usize,
}

impl Default for Found {
    fn default() -> Self {
        let lists = [0; MAX_WINDOW].map(|_| Vec::with_capacity(KEPT));
        Self { lists, counts: Counts::default() }
    }
}

impl Found {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.counts = Counts::default();
    }

    /// How many there are of the last of so many levels.
    pub(super) fn n_kept(&self, window: u32) -> usize {
        self.lists[window as usize - 1].len()
    }
}

/// A thread's share of a level: part of the queue, or of the words of the bitmaps. Each lies
/// apart, as its thread changes it all the time.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Share {
    taken: AtomicUsize,
    end: AtomicUsize,
    /// How many vertices the thread has kept to itself, and then where they go in the queue.
    pub(super) kept: AtomicUsize,
}

impl Share {
    pub(super) fn set(&self, range: Range<usize>) {
        self.taken.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
    }

    /// The next `n` that no thread has taken.
    pub(super) fn take(&self, n: usize) -> Option<Range<usize>> {
        let end = self.end.load(Relaxed);
        let first = self.taken.fetch_add(n, Relaxed);
        (first < end).then(|| first..end.min(first + n))
    }
}

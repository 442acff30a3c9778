//! The state of a running search: shared by its threads, and of each thread.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};

use graph_formats::{Csr, Interrupted};
use search_parts::{Query, Team};

use super::labels::Epoch;
use crate::arcs::Arcs;

/// Levels at most between two barriers.
pub(super) const MAX_WINDOW: usize = 32;
/// Vertices at most in the list that a thread keeps of a level before it moves them to the queue.
pub(super) const MAX_KEPT: usize = 1 << 10;

/// The graph and the work space of all searches.
pub(super) struct Space<'g> {
    pub(super) outgoing: Arcs<'g>,
    /// The arcs for pulls; `None` if levels are only pushed.
    pub(super) incoming: Option<Csr<u32>>,
    pub(super) labels: Vec<AtomicU64>,
    /// The numbers of the levels in the labels of the last search.
    pub(super) epoch: Epoch,
    /// The vertices of the pushed levels, one level after another.
    pub(super) queue: Vec<AtomicU32>,
    /// A bit a vertex, for pulls: set if the vertex is found or has no arcs.
    pub(super) seen: Vec<AtomicU64>,
    /// A bit a vertex, for pulls: set if the vertex is in the level. One bitmap for even levels,
    /// one for odd.
    pub(super) fronts: [Vec<AtomicU64>; 2],
    pub(super) team: Team,
}

/// The state that the threads of one search share.
pub(super) struct Course<'a, 'g> {
    pub(super) space: &'a Space<'g>,
    pub(super) query: &'a Query<'a, u32>,
    /// The current level.
    pub(super) level: AtomicU32,
    /// Levels found from the current one before the next barrier.
    pub(super) window: AtomicU32,
    /// Vertices of the current level.
    pub(super) n_vertices: AtomicUsize,
    /// Whether a thread has found too many vertices in a level of the window. Then only the first
    /// level of the window is kept.
    pub(super) is_overgrown: AtomicBool,
    pub(super) is_pull: AtomicBool,
    /// Whether the bitmaps must be built before the pull.
    pub(super) needs_bits: AtomicBool,
    pub(super) is_last: AtomicBool,
    pub(super) shares: Vec<Share>,
    /// Vertices in the queue.
    pub(super) n_queued: AtomicUsize,
    /// Vertices found by the search.
    pub(super) n_found: AtomicUsize,
    /// How often a vertex was found again at a lower level, in this window.
    pub(super) n_again: AtomicUsize,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) failed: AtomicBool,
}

/// State that one thread reads and writes while all others wait.
#[derive(Default)]
pub(super) struct Ledger {
    /// The current level, as a range of the queue if it is pushed.
    pub(super) level: Range<usize>,
    /// Vertices found up to the current level.
    pub(super) n_found: usize,
    /// Estimated arcs of the vertices that are not found.
    pub(super) arcs_left: f64,
    pub(super) n_targets_found: usize,
    pub(super) rounds: u64,
    pub(super) interrupted: Option<Interrupted>,
}

/// The vertices that one thread has found in each level of a window; those of its last level go to
/// the queue. Aligned, so that no two threads share a cache line.
#[repr(align(128))]
pub(super) struct Found(pub(super) [Vec<AtomicU32>; MAX_WINDOW]);

/// One thread's share of a level: a range of the queue, or of the words of the bitmaps. Aligned, so
/// that no two threads share a cache line.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Share {
    taken: AtomicUsize,
    end: AtomicUsize,
    /// Vertices in the thread's list; after the barrier, their position in the queue.
    pub(super) kept: AtomicUsize,
    /// Arcs that the thread has read. A count that all threads add to would delay them.
    pub(super) looked_at: AtomicU64,
}

impl Share {
    pub(super) fn set(&self, range: Range<usize>) {
        self.taken.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
    }

    /// The next `n` that no thread has taken, or fewer at the end.
    pub(super) fn take(&self, n: usize) -> Option<Range<usize>> {
        let end = self.end.load(Relaxed);
        let first = self.taken.fetch_add(n, Relaxed);
        (first < end).then(|| first..end.min(first + n))
    }
}

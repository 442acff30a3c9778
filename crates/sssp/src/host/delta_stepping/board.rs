//! Where the threads of Δ-stepping meet: what each shows the others before a step.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use super::worker::Entry;

/// Stands for "no bucket".
pub(super) const NONE: u64 = u64::MAX;

/// What one thread shows.
pub(super) struct Post<K> {
    /// The bucket that the list is from.
    pub(super) bucket: AtomicU64,
    /// The entries of it; whoever takes some moves `next`.
    pub(super) list: RwLock<Vec<Entry<K>>>,
    pub(super) next: AtomicUsize,
    /// How many vertices the thread was the first to label.
    pub(super) labelled: AtomicU64,
    /// Arcs of the vertices it has looked at since the last horizon, and in all.
    pub(super) arcs_since: AtomicU64,
    pub(super) arcs: AtomicU64,
}

/// The posts of all threads, and what the first thread decides for them.
pub(super) struct Board<K> {
    pub(super) posts: Vec<Post<K>>,
    pub(super) stop: AtomicBool,
    /// The first thread will go on alone.
    pub(super) alone: AtomicBool,
}

impl<K> Board<K> {
    pub(super) fn new(n_threads: usize) -> Self {
        let post = |_| Post {
            bucket: AtomicU64::new(NONE),
            list: RwLock::new(Vec::new()),
            next: AtomicUsize::new(0),
            labelled: AtomicU64::new(0),
            arcs_since: AtomicU64::new(0),
            arcs: AtomicU64::new(0),
        };
        let posts = (0..n_threads).map(post).collect();
        Self { posts, stop: AtomicBool::new(false), alone: AtomicBool::new(false) }
    }

    /// Takes down what an earlier search left.
    pub(super) fn wipe(&self) {
        for post in &self.posts {
            post.bucket.store(NONE, Relaxed);
            post.arcs_since.store(0, Relaxed);
            post.arcs.store(0, Relaxed);
            post.labelled.store(0, Relaxed);
        }
    }

    /// The least bucket that any thread shows.
    pub(super) fn least_bucket(&self) -> u64 {
        self.posts.iter().map(|post| post.bucket.load(Relaxed)).min().unwrap_or(NONE)
    }

    /// The sum of a count over all threads.
    pub(super) fn sum(&self, count: impl Fn(&Post<K>) -> &AtomicU64) -> u64 {
        self.posts.iter().map(|post| count(post).load(Relaxed)).sum()
    }
}

impl<K> Post<K> {
    /// The list to write to. The lock never waits, for threads write their own lists
    /// when no other reads them; it is there to let the compiler know.
    pub(super) fn list_mut(&self) -> RwLockWriteGuard<'_, Vec<Entry<K>>> {
        self.list.write().unwrap_or_else(PoisonError::into_inner)
    }
}

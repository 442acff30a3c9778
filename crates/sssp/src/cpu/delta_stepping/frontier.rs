//! The state of a thread that the other threads of a search read.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::buckets::Entry;

/// The code for "no bucket".
pub(super) const NONE: u64 = u64::MAX;
/// Entries that a thread takes from its frontier at a time.
pub(super) const CHUNK: usize = 32;

/// Has cache lines of its own; CPUs fetch two lines of 64 bytes together.
#[repr(align(128))]
struct Padded<T>(T);

/// The entries of a thread's current bucket, for others to steal from. The fields that waiting
/// threads read are on other cache lines than the entries, which the thread changes.
#[repr(align(128))]
pub(super) struct Frontier<K> {
    /// The bucket of the entries; [`NONE`] if no entry is left. Changed only under the lock.
    bucket: AtomicU64,
    /// The bucket that the thread settles now or next; [`NONE`] if it has no entries.
    position: AtomicU64,
    entries: Padded<Mutex<Vec<Entry<K>>>>,
    /// The number of vertices that the thread has settled.
    pub(super) n_settled: AtomicU64,
}

impl<K: Copy> Frontier<K> {
    pub(super) fn new() -> Self {
        let [bucket, position, n_settled] = [NONE, NONE, 0].map(AtomicU64::new);
        Self { bucket, position, entries: Padded(Mutex::new(Vec::new())), n_settled }
    }

    /// The bucket that the thread settles now or next; [`NONE`] if it has no entries.
    pub(super) fn position(&self) -> u64 {
        self.position.load(Relaxed)
    }

    pub(super) fn set_position(&self, bucket: Option<u64>) {
        let bucket = bucket.unwrap_or(NONE);
        // a write would invalidate the cache line of the readers
        if self.position() != bucket {
            self.position.store(bucket, Relaxed);
        }
    }

    /// Moves the entries of `bucket` from `list` to the frontier, which is empty.
    pub(super) fn share(&self, bucket: u64, list: &mut Vec<Entry<K>>) {
        let mut entries = self.lock();
        std::mem::swap(&mut *entries, list);
        self.bucket.store(bucket, Relaxed);
    }

    /// Replaces `list` by some entries; false if none is left.
    pub(super) fn take(&self, list: &mut Vec<Entry<K>>) -> bool {
        list.clear();
        self.split(self.lock(), CHUNK, list);
        !list.is_empty()
    }

    /// Moves half of the entries to `list`, which is empty, if their bucket is before `own`.
    /// Returns their bucket.
    pub(super) fn steal(&self, own: u64, list: &mut Vec<Entry<K>>) -> Option<u64> {
        let bucket = || Some(self.bucket.load(Relaxed)).filter(|&bucket| bucket < own);
        // first without the lock, which would delay the owner
        bucket()?;
        let entries = self.lock();
        let bucket = bucket()?;
        let half = entries.len().div_ceil(2);
        self.split(entries, half, list);
        Some(bucket)
    }

    /// Moves `n` of `entries`, or all, to `list`.
    fn split(
        &self,
        mut entries: MutexGuard<'_, Vec<Entry<K>>>,
        n: usize,
        list: &mut Vec<Entry<K>>,
    ) {
        let n_left = entries.len().saturating_sub(n);
        list.extend_from_slice(&entries[n_left..]);
        entries.truncate(n_left);
        if n_left == 0 {
            self.bucket.store(NONE, Relaxed);
        }
    }

    /// Removes the state of an earlier search.
    pub(super) fn clear(&self) {
        self.lock().clear();
        self.bucket.store(NONE, Relaxed);
        self.n_settled.store(0, Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry<K>>> {
        self.entries.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// The sharing thread or a stealing one takes it; threads steal only from buckets before their
    /// own.
    #[test]
    fn every_entry_is_taken_once() {
        let (n_buckets, n_entries, n_thieves) = (50u32, 1000, 3);
        let frontier = Frontier::<u32>::new();
        let barrier = Barrier::new(1 + n_thieves);
        let mut taken = std::thread::scope(|scope| {
            let steal = || {
                let (mut taken, mut list) = (Vec::new(), Vec::new());
                for bucket in 0..u64::from(n_buckets) {
                    barrier.wait();
                    assert_eq!(frontier.steal(bucket, &mut list), None);
                    while let Some(from) = frontier.steal(bucket + 1, &mut list) {
                        assert_eq!(from, bucket);
                        taken.append(&mut list);
                    }
                    barrier.wait();
                }
                taken
            };
            let thieves: Vec<_> = (0..n_thieves).map(|_| scope.spawn(steal)).collect();
            let (mut taken, mut list) = (Vec::new(), Vec::new());
            for bucket in 0..n_buckets {
                list.extend((0..n_entries).map(|vertex| Entry { key: bucket, vertex }));
                frontier.share(bucket.into(), &mut list);
                barrier.wait();
                while frontier.take(&mut list) {
                    taken.extend_from_slice(&list);
                }
                barrier.wait();
            }
            let stolen = thieves.into_iter().flat_map(|thief| thief.join().expect("no panic"));
            stolen.chain(taken).map(|entry| (entry.key, entry.vertex)).collect::<Vec<_>>()
        });
        taken.sort_unstable();
        let all = (0..n_buckets).flat_map(|b| (0..n_entries).map(move |v| (b, v)));
        assert!(taken.into_iter().eq(all));
    }
}

//! What the threads of a search see of one another.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::buckets::Entry;

/// Stands for "no bucket".
pub(super) const NONE: u64 = u64::MAX;
/// Entries that a thread takes of its frontier at a time.
pub(super) const CHUNK: usize = 32;

/// Keeps to itself the lines of memory that a processor fetches together.
#[repr(align(128))]
struct Apart<T>(T);

/// What is left of the bucket that a thread works off, for others to steal from. What these look
/// at while they wait lies apart from what the thread changes as it goes on.
#[repr(align(128))]
pub(super) struct Frontier<K> {
    /// Which one it is; none when nothing is left. Changed only under the lock.
    bucket: AtomicU64,
    /// The bucket that the thread works off, or will next; none when it has no entries.
    position: AtomicU64,
    entries: Apart<Mutex<Vec<Entry<K>>>>,
    /// How many vertices the thread has settled.
    pub(super) n_settled: AtomicU64,
}

impl<K: Copy> Frontier<K> {
    pub(super) fn new() -> Self {
        let [bucket, position, n_settled] = [NONE, NONE, 0].map(AtomicU64::new);
        Self { bucket, position, entries: Apart(Mutex::new(Vec::new())), n_settled }
    }

    /// The bucket that the thread works off, or will next; [`NONE`] when it has no entries.
    pub(super) fn position(&self) -> u64 {
        self.position.load(Relaxed)
    }

    pub(super) fn set_position(&self, bucket: Option<u64>) {
        let bucket = bucket.unwrap_or(NONE);
        // a write takes the line from those who read it
        if self.position() != bucket {
            self.position.store(bucket, Relaxed);
        }
    }

    /// Whether so many entries are worth sharing.
    pub(super) fn is_worth_sharing(n_entries: usize) -> bool {
        n_entries > CHUNK
    }

    /// Whether there is something to steal before `bucket`.
    pub(super) fn is_before(&self, bucket: u64) -> bool {
        self.bucket.load(Relaxed) < bucket
    }

    /// Offers the entries of `bucket` in `list`, which is left empty. There are none yet.
    pub(super) fn offer(&self, bucket: u64, list: &mut Vec<Entry<K>>) {
        let mut entries = self.lock();
        std::mem::swap(&mut *entries, list);
        self.bucket.store(bucket, Relaxed);
    }

    /// Puts some entries in the place of those of `list`; false when none is left.
    pub(super) fn take(&self, list: &mut Vec<Entry<K>>) -> bool {
        list.clear();
        self.split(self.lock(), CHUNK, list);
        !list.is_empty()
    }

    /// Moves half of the entries to `list`, which is empty, if they are from a bucket before `own`; which one.
    pub(super) fn steal(&self, own: u64, list: &mut Vec<Entry<K>>) -> Option<u64> {
        if !self.is_before(own) {
            return None;
        }
        let entries = self.lock();
        let bucket = self.bucket.load(Relaxed);
        if bucket >= own {
            return None;
        }
        let half = entries.len().div_ceil(2);
        self.split(entries, half, list);
        Some(bucket)
    }

    /// Moves so many of `entries`, or all, to `list`.
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

    /// Takes down what an earlier search left.
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

    /// By the thread that offers it, or by one of those that steal, which come only for what
    /// lies before their own.
    #[test]
    fn every_entry_is_taken_once() {
        let (n_buckets, n_entries, n_thieves) = (50u32, 1000, 3);
        let frontier = Frontier::<u32>::new();
        let offered = Barrier::new(1 + n_thieves);
        let mut taken = std::thread::scope(|scope| {
            let steal = || {
                let (mut taken, mut list) = (Vec::new(), Vec::new());
                for bucket in 0..u64::from(n_buckets) {
                    offered.wait();
                    assert_eq!(frontier.steal(bucket, &mut list), None);
                    while let Some(from) = frontier.steal(bucket + 1, &mut list) {
                        assert_eq!(from, bucket);
                        taken.append(&mut list);
                    }
                    offered.wait();
                }
                taken
            };
            let thieves: Vec<_> = (0..n_thieves).map(|_| scope.spawn(steal)).collect();
            let (mut taken, mut list) = (Vec::new(), Vec::new());
            for bucket in 0..n_buckets {
                list.extend((0..n_entries).map(|vertex| Entry { key: bucket, vertex }));
                frontier.offer(bucket.into(), &mut list);
                offered.wait();
                while frontier.take(&mut list) {
                    taken.extend_from_slice(&list);
                }
                offered.wait();
            }
            let stolen = thieves.into_iter().flat_map(|thief| thief.join().expect("no panic"));
            stolen.chain(taken).map(|entry| (entry.key, entry.vertex)).collect::<Vec<_>>()
        });
        taken.sort_unstable();
        let all = (0..n_buckets).flat_map(|b| (0..n_entries).map(move |v| (b, v)));
        assert!(taken.into_iter().eq(all));
    }
}

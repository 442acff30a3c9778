//! The buckets of one thread of Δ-stepping.

use graph_formats::{DistanceKey, VertexId};

/// A vertex and its key at the time it was put into a bucket. The entry is stale if the vertex has
/// a lower key now.
#[derive(Clone, Copy)]
pub(super) struct Entry<K> {
    pub(super) key: K,
    pub(super) vertex: VertexId,
}

/// The most lists in a ring. That many empty lists take 200 kB for each thread.
const MAX_LISTS: u64 = 1 << 13;

/// A ring of lists, one for each bucket that may be in use at one time.
///
/// An entry whose bucket lies beyond the ring is put into the last list, and into a later one when
/// that list is taken. An entry whose bucket was passed, because another thread is behind, is put
/// into the first list.
#[derive(Default)]
pub(super) struct Buckets<K> {
    lists: Vec<Vec<Entry<K>>>,
    mask: u64,
    /// The most buckets that an entry is put ahead of the bucket being settled.
    span: u64,
    /// No bucket before this one has entries.
    first: u64,
    /// No bucket after this one has entries.
    last: u64,
    n_entries: usize,
}

impl<K: DistanceKey> Buckets<K> {
    /// Buckets for searches that put entries up to `span` ahead. The ring has twice that many
    /// lists, so that a thread can settle stolen entries of buckets before its own.
    pub(super) fn new(span: u64) -> Self {
        let n_lists = (2 * span + 1).next_power_of_two().min(MAX_LISTS);
        let lists = (0..n_lists).map(|_| Vec::new()).collect();
        let mask = n_lists - 1;
        Self { lists, mask, span: span.min(mask), first: 0, last: mask, n_entries: 0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, bucket: u64, entry: Entry<K>) {
        let bucket = bucket.max(self.first).min(self.first + self.mask);
        self.n_entries += 1;
        self.lists[(bucket & self.mask) as usize].push(entry);
    }

    /// The first bucket that has entries.
    pub(super) fn first(&mut self) -> Option<u64> {
        if self.n_entries == 0 {
            return None;
        }
        let has_entries = |b: &u64| !self.lists[(b & self.mask) as usize].is_empty();
        let found = (self.first..=self.first + self.mask).find(has_entries)?;
        self.first = found;
        Some(found)
    }

    /// The number of entries in the [first](Self::first) bucket.
    pub(super) fn len_of_first(&self) -> usize {
        self.lists[(self.first & self.mask) as usize].len()
    }

    /// Moves the entries of the [first](Self::first) bucket to `list`, which is empty. Entries
    /// whose bucket by `bucket_of` is a later one are put back.
    pub(super) fn take_first(&mut self, list: &mut Vec<Entry<K>>, bucket_of: impl Fn(K) -> u64) {
        let bucket = self.first;
        std::mem::swap(list, &mut self.lists[(bucket & self.mask) as usize]);
        self.n_entries -= list.len();
        self.work_from(bucket);
        if 2 * self.span > self.mask {
            list.retain(|&entry| {
                let is_due = bucket_of(entry.key) <= bucket;
                if !is_due {
                    self.push(bucket_of(entry.key), entry);
                }
                is_due
            });
        }
    }

    /// Moves the ring to make room for `bucket` and the `span` after it, as far as present entries
    /// allow.
    pub(super) fn work_from(&mut self, bucket: u64) {
        if self.n_entries == 0 {
            (self.first, self.last) = (bucket, bucket);
        }
        self.last = self.last.max(bucket + self.span);
        self.first = self.first.min(bucket.max(self.last.saturating_sub(self.mask)));
    }

    pub(super) fn clear(&mut self) {
        if self.n_entries > 0 {
            self.lists.iter_mut().for_each(Vec::clear);
            self.n_entries = 0;
        }
        self.work_from(0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Takes all entries, bucket by bucket. Each entry adds others ahead of it, and sometimes one
    /// behind it.
    fn all_in_turn(span: u64, steps: &[[u64; 2]]) -> Vec<u64> {
        let mut buckets = Buckets::<u64>::new(span);
        let (mut taken, mut list) = (Vec::new(), Vec::new());
        let mut steps = steps.iter();
        buckets.push(0, Entry { key: 0, vertex: 0 });
        while let Some(bucket) = buckets.first() {
            let n_entries = buckets.len_of_first();
            buckets.take_first(&mut list, |key| key);
            assert!(list.len() <= n_entries);
            for entry in list.drain(..) {
                assert!(entry.key <= bucket);
                taken.push(entry.key);
                for &ahead in steps.next().into_iter().flatten() {
                    let key = if ahead % 9 > 0 { bucket + ahead % (span + 1) } else { bucket / 2 };
                    buckets.push(key, Entry { key, vertex: 0 });
                }
            }
        }
        taken
    }

    proptest! {
        #[test]
        fn no_entry_is_lost_or_early(
            span in prop::sample::select(&[1u64, 7, 4095, 4096, 8191, 9000, 1 << 20][..]),
            steps in prop::collection::vec(any::<[u64; 2]>(), 1..60),
        ) {
            prop_assert_eq!(all_in_turn(span, &steps).len(), 1 + 2 * steps.len());
        }

        /// A thread settles stolen entries of a bucket before its own.
        #[test]
        fn what_is_behind_comes_first_where_there_is_room(
            span in prop::sample::select(&[1u64, 7, 4095, 4096, 9000][..]),
            own in 0u64..20_000, behind in 0u64..20_000, ahead in 0u64..20_000,
        ) {
            let mut buckets = Buckets::<u64>::new(span);
            buckets.work_from(own);
            buckets.push(own, Entry { key: own, vertex: 0 });
            let behind = own.saturating_sub(behind);
            let fallen = behind + ahead % (span + 1);
            buckets.work_from(behind);
            buckets.push(fallen, Entry { key: fallen, vertex: 1 });
            let mut order = Vec::new();
            while buckets.first().is_some() {
                let mut list = Vec::new();
                buckets.take_first(&mut list, |key| key);
                order.extend(list.iter().map(|entry| entry.key));
            }
            prop_assert_eq!(order.len(), 2);
            if own - behind <= buckets.mask - buckets.span {
                prop_assert!(order.is_sorted());
            }
        }
    }

    #[test]
    fn narrow_buckets_need_no_more_memory() {
        for span in [4095, 4096, 1 << 20, 1 << 40] {
            assert_eq!(Buckets::<u64>::new(span).lists.capacity(), 8192);
        }
    }
}

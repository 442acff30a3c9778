//! Buckets of vertices that a rank has still to settle.

use graph_formats::DistanceKey;

/// The code for "no bucket".
pub(crate) const NO_BUCKET: u64 = u64::MAX;
/// The most lists of a ring.
const MAX_LISTS: u64 = 1 << 13;

/// A slot and its key at the time it was put into a bucket. The entry is stale if the slot has a
/// lower key now.
#[derive(Clone, Copy)]
pub(crate) struct Entry<K> {
    pub(crate) key: K,
    pub(crate) slot: u32,
}

/// A ring of lists, one for each bucket of a window. Entries beyond the window are in its last
/// list, and are put into a later one when that is taken.
pub(crate) struct Ring<K> {
    lists: Vec<Vec<Entry<K>>>,
    /// The first bucket of the window.
    start: u64,
    /// No bucket of the window before this one has entries.
    first: u64,
    n_entries: usize,
}

impl<K: DistanceKey> Ring<K> {
    /// A ring with a window of at least `n_buckets`, if that is not too many.
    pub(crate) fn new(n_buckets: u64) -> Self {
        let n_lists = n_buckets.min(MAX_LISTS).next_power_of_two();
        let lists = (0..n_lists).map(|_| Vec::new()).collect();
        Self { lists, start: 0, first: 0, n_entries: 0 }
    }

    /// The last bucket of the window.
    fn last(&self) -> u64 {
        self.start.saturating_add(self.lists.len() as u64 - 1)
    }

    fn list(&mut self, bucket: u64) -> &mut Vec<Entry<K>> {
        let mask = self.lists.len() as u64 - 1;
        &mut self.lists[(bucket & mask) as usize]
    }

    /// Adds an entry whose bucket is not before the window.
    #[inline(always)]
    pub(crate) fn push(&mut self, bucket: u64, entry: Entry<K>) {
        let bucket = bucket.min(self.last());
        self.first = self.first.min(bucket);
        self.n_entries += 1;
        self.list(bucket).push(entry);
    }

    /// Moves the window to `bucket`, before which there are no entries.
    pub(crate) fn move_to(&mut self, bucket: u64) {
        self.start = bucket;
        self.first = self.first.max(bucket);
    }

    /// The first bucket that has entries.
    pub(crate) fn first(&mut self) -> u64 {
        if self.n_entries == 0 {
            return NO_BUCKET;
        }
        while self.list(self.first).is_empty() {
            self.first += 1;
        }
        self.first
    }

    /// Exchanges `list`, which is empty, for the entries of a bucket.
    pub(crate) fn take(&mut self, bucket: u64, list: &mut Vec<Entry<K>>) {
        std::mem::swap(self.list(bucket), list);
        self.n_entries -= list.len();
    }

    pub(crate) fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.n_entries = 0;
    }

    pub(crate) fn n_entries(&self) -> usize {
        self.n_entries
    }
}

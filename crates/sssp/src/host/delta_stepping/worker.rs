//! What one thread of Δ-stepping keeps for itself: its buckets and its counts.

use graph_formats::{DistanceKey, VertexId};

use crate::Work;

/// A vertex and the label it had when it was put into a bucket. The entry is stale
/// when the vertex has a lower label by now.
#[derive(Clone, Copy)]
pub(super) struct Entry<K> {
    pub(super) key: K,
    pub(super) vertex: VertexId,
}

/// The most places of a circular array: 200 kB of empty lists for each thread.
const MOST_PLACES: u64 = 1 << 13;

/// A circular array of buckets, and a list of entries that lie too far ahead for it.
pub(super) struct Buckets<K> {
    places: Vec<Vec<Entry<K>>>,
    mask: u64,
    /// The first bucket that has no place; none, where two buckets that are in use at one time
    /// never share one.
    end: u64,
    /// Entries of buckets from there on, and the least of these.
    far: Vec<(u64, Entry<K>)>,
    least_far: u64,
}

impl<K: DistanceKey> Buckets<K> {
    /// Room for buckets that are up to `span` apart.
    pub(super) fn new(span: u64) -> Self {
        let n_places = (span + 1).next_power_of_two().min(MOST_PLACES);
        let places = (0..n_places).map(|_| Vec::new()).collect();
        let end = if span < n_places { u64::MAX } else { n_places };
        Self { places, mask: n_places - 1, end, far: Vec::new(), least_far: u64::MAX }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, bucket: u64, entry: Entry<K>) {
        if bucket < self.end {
            self.place(bucket).push(entry);
        } else {
            self.least_far = self.least_far.min(bucket);
            self.far.push((bucket, entry));
        }
    }

    /// The list of a bucket, which is empty as long as the bucket is too far ahead.
    #[inline(always)]
    pub(super) fn place(&mut self, bucket: u64) -> &mut Vec<Entry<K>> {
        &mut self.places[(bucket & self.mask) as usize]
    }

    /// The first bucket that holds an entry; there is none before `from`, nor will be. If it is
    /// too far ahead, it has its place when it is asked for from there.
    pub(super) fn first_from(&mut self, from: u64) -> Option<u64> {
        let n_places = self.mask + 1;
        if self.end < u64::MAX && from >= self.end - n_places / 2 {
            self.advance(from);
        }
        (from..self.end.min(from + n_places))
            .find(|b| !self.places[(b & self.mask) as usize].is_empty())
            .or((self.least_far < u64::MAX).then_some(self.least_far))
    }

    /// Gives a place to all buckets that have room in an array that begins at `from`.
    fn advance(&mut self, from: u64) {
        self.end = from + self.mask + 1;
        self.least_far = u64::MAX;
        let mut far = std::mem::take(&mut self.far);
        far.retain(|&(bucket, entry)| {
            let stays = bucket >= self.end;
            if stays {
                self.least_far = self.least_far.min(bucket);
            } else {
                self.place(bucket).push(entry);
            }
            stays
        });
        self.far = far;
    }

    /// Moves all entries, bucket by bucket in no order, to the end of `entries`.
    pub(super) fn drain_into(&mut self, entries: &mut Vec<Entry<K>>) {
        self.places.iter_mut().for_each(|place| entries.append(place));
        entries.extend(self.far.drain(..).map(|(_, entry)| entry));
        self.least_far = u64::MAX;
    }

    /// Makes all buckets empty, and they count from zero again.
    pub(super) fn clear(&mut self) {
        self.places.iter_mut().for_each(Vec::clear);
        self.far.clear();
        self.least_far = u64::MAX;
        if self.end < u64::MAX {
            self.end = self.mask + 1;
        }
    }
}

/// What threads that leave the team leave behind.
pub(super) struct Estate<K> {
    pub(super) queued: Vec<Entry<K>>,
    pub(super) visited: Vec<Entry<K>>,
}

/// The part of the work space that belongs to one thread.
pub(super) struct Worker<K> {
    pub(super) buckets: Buckets<K>,
    /// Entries being looked at, kept for its allocation.
    pub(super) spare: Vec<Entry<K>>,
    /// Entries whose arcs were followed since the last horizon.
    pub(super) visited: Vec<Entry<K>>,
    pub(super) work: Work,
    /// Vertices that this thread was the first to label.
    pub(super) labelled: u64,
    /// Arcs of all entries that were in `visited`.
    pub(super) arcs: u64,
}

impl<K: DistanceKey> Worker<K> {
    pub(super) fn new(span: u64) -> Self {
        let buckets = Buckets::new(span);
        let (spare, visited) = (Vec::new(), Vec::new());
        Self { buckets, spare, visited, work: Work::default(), labelled: 0, arcs: 0 }
    }

    pub(super) fn reset(&mut self) {
        self.buckets.clear();
        self.work = Work::default();
        self.visited.clear();
        self.labelled = 0;
        self.arcs = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Takes the entries of bucket after bucket, each of which adds others ahead of it.
    fn all_in_turn(span: u64, steps: &[[u64; 2]]) -> Vec<u64> {
        let mut buckets = Buckets::<u64>::new(span);
        let mut taken = Vec::new();
        let mut from = 0;
        let mut steps = steps.iter();
        buckets.push(0, Entry { key: 0, vertex: 0 });
        while let Some(bucket) = buckets.first_from(from) {
            assert!(bucket >= from);
            from = bucket;
            for entry in std::mem::take(buckets.place(bucket)) {
                assert_eq!(entry.key, bucket);
                taken.push(bucket);
                for ahead in steps.next().into_iter().flatten() {
                    let key = bucket + ahead % (span + 1);
                    buckets.push(key, Entry { key, vertex: 0 });
                }
            }
        }
        taken
    }

    proptest! {
        #[test]
        fn no_entry_is_lost_or_early(
            span in prop::sample::select(&[1u64, 7, 8190, 8191, 8192, 9000, 1 << 20][..]),
            steps in prop::collection::vec(any::<[u64; 2]>(), 1..60),
        ) {
            let taken = all_in_turn(span, &steps);
            prop_assert_eq!(taken.len(), 1 + 2 * steps.len());
            prop_assert!(taken.is_sorted());
        }
    }

    #[test]
    fn narrow_buckets_need_no_more_memory() {
        for span in [8191, 8192, 1 << 20, 1 << 40] {
            assert_eq!(Buckets::<u64>::new(span).places.capacity(), 8192);
        }
    }
}

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

/// A circular array of buckets, wide enough that two that are in use at one time never
/// share a place. Places are made when they are first used.
pub(super) struct Buckets<K> {
    places: Vec<Vec<Entry<K>>>,
    mask: u64,
}

impl<K: DistanceKey> Buckets<K> {
    /// Room for buckets that are up to `span` apart.
    pub(super) fn new(span: u64) -> Self {
        let n_places = (span + 1).next_power_of_two();
        Self { places: Vec::new(), mask: n_places - 1 }
    }

    #[inline(always)]
    pub(super) fn place(&mut self, bucket: u64) -> &mut Vec<Entry<K>> {
        let at = (bucket & self.mask) as usize;
        if at >= self.places.len() {
            self.make_place(at);
        }
        &mut self.places[at]
    }

    #[cold]
    fn make_place(&mut self, at: usize) {
        // as many as a power of two, so that the last time makes no more than all
        self.places.resize_with((at + 1).next_power_of_two(), Vec::new);
    }

    /// The first bucket at or after `from` that holds an entry.
    pub(super) fn first_from(&self, from: u64) -> Option<u64> {
        let holds = |bucket: &u64| {
            self.places.get((bucket & self.mask) as usize).is_some_and(|place| !place.is_empty())
        };
        (from..=from + self.mask).find(holds)
    }

    /// Moves all entries, bucket by bucket in no order, to the end of `entries`.
    pub(super) fn drain_into(&mut self, entries: &mut Vec<Entry<K>>) {
        self.places.iter_mut().for_each(|place| entries.append(place));
    }

    pub(super) fn clear(&mut self) {
        self.places.iter_mut().for_each(Vec::clear);
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
    use super::*;

    /// Heads for the buckets in use, not for all that there could be.
    #[test]
    fn places_are_made_when_they_are_used() {
        let mut buckets = Buckets::<u64>::new(65_536);
        assert_eq!((buckets.places.len(), buckets.first_from(3)), (0, None));
        buckets.place(5).push(Entry { key: 5, vertex: 0 });
        assert_eq!((buckets.places.len(), buckets.first_from(3)), (8, Some(5)));
        // a circle later, in a place that there is
        let later = buckets.mask + 1 + 2;
        buckets.place(later).push(Entry { key: later, vertex: 1 });
        assert_eq!(buckets.first_from(6), Some(later));
        buckets.place(u64::MAX / 2);
        let bytes = buckets.places.capacity() * size_of::<Vec<Entry<u64>>>();
        assert!(bytes <= 3 << 20, "{bytes} bytes of heads");
    }
}

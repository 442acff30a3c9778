//! A radix heap: buckets by the highest bit in which a key differs from the last
//! minimum.
//!
//! Bucket 0 holds the keys equal to the last minimum. Bucket b holds the keys whose highest
//! differing bit is b − 1. When bucket 0 is empty, the entries of the first nonempty bucket are
//! distributed again by the minimum of that bucket, and each moves to a lower bucket. So an entry
//! moves at most once for each bit: O(log C) a push for keys up to C. Keys may be any that order as
//! integers, such as the bits of floats.
//!
//! Reference: ahuja-1990

use graph_formats::{DistanceKey, VertexId};

use super::MonotoneQueue;

/// One bucket for equal keys, and one for each bit.
const N_BUCKETS: usize = 65;

pub(crate) struct RadixHeap<K> {
    buckets: [Vec<(K, VertexId)>; N_BUCKETS],
    last: u64,
}

impl<K> Default for RadixHeap<K> {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| Vec::new()), last: 0 }
    }
}

impl<K: DistanceKey> RadixHeap<K> {
    #[inline(always)]
    fn bucket(&self, key: K) -> usize {
        (u64::BITS - (key.to_u64() ^ self.last).leading_zeros()) as usize
    }
}

impl<K: DistanceKey> MonotoneQueue<K> for RadixHeap<K> {
    // both are inlined: with calls, Dijkstra's loop takes a tenth longer
    #[inline(always)]
    fn push(&mut self, key: K, vertex: VertexId) {
        let bucket = self.bucket(key);
        self.buckets[bucket].push((key, vertex));
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(K, VertexId)> {
        if self.buckets[0].is_empty() {
            let first = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut entries = std::mem::take(&mut self.buckets[first]);
            self.last = entries.iter().map(|entry| entry.0.to_u64()).min()?;
            for (key, vertex) in entries.drain(..) {
                self.push(key, vertex);
            }
            // the bucket keeps its allocation
            self.buckets[first] = entries;
        }
        self.buckets[0].pop()
    }

    fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.last = 0;
    }
}

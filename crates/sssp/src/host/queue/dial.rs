//! Dial's queue: a circular array with a bucket for every distance.
//!
//! Keys that wait at one time lie within the largest weight of one another, so as many
//! buckets as that, and one, are enough. O(1) a push; the pops of a search take O(1)
//! each and O(L) in all for a largest distance L.
//!
//! Reference: dial-1969

use graph_formats::{DistanceKey, VertexId};

use super::MonotoneQueue;

pub(crate) struct Dial {
    buckets: Vec<Vec<VertexId>>,
    mask: u64,
    current: u64,
    n_entries: usize,
}

impl Dial {
    /// A queue for weights up to `max_weight`.
    pub(crate) fn new(max_weight: u64) -> Self {
        let n_buckets = (max_weight + 1).next_power_of_two();
        let buckets = (0..n_buckets).map(|_| Vec::new()).collect();
        Self { buckets, mask: n_buckets - 1, current: 0, n_entries: 0 }
    }
}

impl<K: DistanceKey> MonotoneQueue<K> for Dial {
    #[inline]
    fn push(&mut self, key: K, vertex: VertexId) {
        self.buckets[(key.to_u64() & self.mask) as usize].push(vertex);
        self.n_entries += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<(K, VertexId)> {
        if self.n_entries == 0 {
            return None;
        }
        loop {
            if let Some(vertex) = self.buckets[(self.current & self.mask) as usize].pop() {
                self.n_entries -= 1;
                return Some((K::from_u64(self.current), vertex));
            }
            self.current += 1;
        }
    }

    fn clear(&mut self) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.current = 0;
        self.n_entries = 0;
    }
}

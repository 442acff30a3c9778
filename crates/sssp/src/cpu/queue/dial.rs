//! Dial's queue: a circular array with a bucket for every distance.
//!
//! Keys in the queue at one time differ by at most the largest weight C, so C + 1 buckets are
//! enough. A bucket is a linked list in a store that all buckets share, so it takes four bytes. A
//! bit for each bucket says whether it has entries, so empty buckets are skipped 64 at a time.
//! O(1) a push; the pops of a search take O(1) each, and O(L / 64) in all for a largest distance
//! L.
//!
//! Reference: dial-1969

use graph_formats::{DistanceKey, VertexId};

use super::MonotoneQueue;

/// The end of a list.
const NONE: u32 = u32::MAX;
/// The most arcs of a graph. Each arc makes at most one entry, and the source another one; the
/// number of the last entry must be below [`NONE`].
pub(crate) const MAX_ARCS: usize = NONE as usize - 1;

pub(crate) struct Dial {
    /// The first entry of each bucket.
    heads: Vec<u32>,
    /// A bit for each bucket: whether it has entries.
    occupied: Vec<u64>,
    /// Entries, each with the next one of its bucket or of the free list.
    entries: Vec<(VertexId, u32)>,
    free: u32,
    mask: u64,
    current: u64,
    n_entries: usize,
}

impl Dial {
    /// A queue for weights up to `max_weight`.
    pub(crate) fn new(max_weight: u64) -> Self {
        let n_buckets = (max_weight + 1).next_power_of_two().max(u64::from(u64::BITS));
        Self {
            heads: vec![NONE; n_buckets as usize],
            occupied: vec![0; (n_buckets / u64::from(u64::BITS)) as usize],
            entries: Vec::new(),
            free: NONE,
            mask: n_buckets - 1,
            current: 0,
            n_entries: 0,
        }
    }

    /// The distance from the current bucket, which is empty, to the next bucket with entries, which
    /// exists.
    #[inline]
    fn gap(&self) -> u64 {
        let bucket = self.current & self.mask;
        let (mut word, bit) = ((bucket / 64) as usize, bucket % 64);
        let mut bits = self.occupied[word] & (u64::MAX << bit);
        while bits == 0 {
            word = (word + 1) & (self.occupied.len() - 1);
            bits = self.occupied[word];
        }
        let next = word as u64 * 64 + u64::from(bits.trailing_zeros());
        next.wrapping_sub(bucket) & self.mask
    }
}

impl<K: DistanceKey> MonotoneQueue<K> for Dial {
    #[inline(always)]
    fn push(&mut self, key: K, vertex: VertexId) {
        let bucket = (key.to_u64() & self.mask) as usize;
        let entry = (vertex, self.heads[bucket]);
        let place = match self.entries.get_mut(self.free as usize) {
            Some(free) => {
                let place = self.free;
                self.free = free.1;
                *free = entry;
                place
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        self.heads[bucket] = place;
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.n_entries += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(K, VertexId)> {
        if self.n_entries == 0 {
            return None;
        }
        if self.heads[(self.current & self.mask) as usize] == NONE {
            self.current += self.gap();
        }
        let bucket = (self.current & self.mask) as usize;
        let place = self.heads[bucket];
        let (vertex, next) = self.entries[place as usize];
        self.heads[bucket] = next;
        if next == NONE {
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        }
        self.entries[place as usize].1 = self.free;
        self.free = place;
        self.n_entries -= 1;
        Some((K::from_u64(self.current), vertex))
    }

    fn clear(&mut self) {
        if self.n_entries > 0 {
            self.heads.fill(NONE);
            self.occupied.fill(0);
        }
        self.entries.clear();
        self.free = NONE;
        self.current = 0;
        self.n_entries = 0;
    }
}

//! One level, pushed or pulled, by one thread or by all.

use std::iter::from_fn;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use graph_formats::VertexId;

use super::levels::{Course, Space, UNSEEN};
use crate::cpu::arcs::Arcs;
use crate::cpu::prefetch::prefetch;

/// Vertices of the queue that a thread takes at a time,
const VERTICES: usize = 64;
/// and words of the bitmaps.
const WORDS: usize = 16;
/// Vertices that a thread keeps to itself at most.
const KEPT: usize = 1 << 12;

/// What a thread has found and not put into the queue yet.
pub(super) struct Found {
    vertices: Box<[VertexId; KEPT]>,
    pub(super) n: usize,
    /// Arcs that were looked at.
    pub(super) looked_at: u64,
}

impl Default for Found {
    fn default() -> Self {
        Self { vertices: Box::new([0; KEPT]), n: 0, looked_at: 0 }
    }
}

impl Found {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        (self.n, self.looked_at) = (0, 0);
    }
}

/// A thread's share of a level: part of the queue, or of the words of the bitmaps. Each lies
/// apart, as its thread changes it all the time.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct Share {
    taken: AtomicUsize,
    end: AtomicUsize,
    /// How many vertices the thread has kept to itself, and then where they go in the queue.
    pub(super) kept: AtomicUsize,
}

impl Share {
    pub(super) fn set(&self, range: Range<usize>) {
        self.taken.store(range.start, Relaxed);
        self.end.store(range.end, Relaxed);
    }

    /// The next `n` that no thread has taken.
    fn take(&self, n: usize) -> Option<Range<usize>> {
        let end = self.end.load(Relaxed);
        let first = self.taken.fetch_add(n, Relaxed);
        (first < end).then(|| first..end.min(first + n))
    }
}

impl Course<'_, '_> {
    /// The level in parts: the share of this thread, and then what others have not come to.
    fn parts(&self, index: usize, n: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let shares = self.shares[index..].iter().chain(&self.shares[..index]);
        shares.flat_map(move |share| from_fn(move || share.take(n)))
    }

    /// The vertices of the level, `range` of the queue, offer themselves to the ends of their arcs,
    /// while all other threads wait.
    pub(super) fn push_alone(&self, range: Range<usize>, found: &mut Found) {
        let space = self.space;
        let level = u64::from(self.level.load(Relaxed)) << 32;
        let mut n_queued = range.end;
        for from in &space.queue[range] {
            let from = from.load(Relaxed);
            let ends = space.outgoing.of(from as usize);
            found.looked_at += ends.len() as u64;
            let offer = level | u64::from(from);
            for &to in ends {
                let label = &space.labels[to as usize];
                let before = label.load(Relaxed);
                if offer < before {
                    label.store(offer, Relaxed);
                    if before == UNSEEN {
                        space.queue[n_queued].store(to, Relaxed);
                        n_queued += 1;
                    }
                }
            }
        }
        self.n_queued.store(n_queued, Relaxed);
    }

    /// The same for this thread's part of the level, while others do theirs.
    pub(super) fn push_shared(&self, index: usize, found: &mut Found) {
        let space = self.space;
        let level = u64::from(self.level.load(Relaxed)) << 32;
        for part in self.parts(index, VERTICES) {
            for from in &space.queue[part] {
                let from = from.load(Relaxed);
                let ends = space.outgoing.of(from as usize);
                found.looked_at += ends.len() as u64;
                let offer = level | u64::from(from);
                for &to in ends {
                    let label = &space.labels[to as usize];
                    if offer < label.load(Relaxed) && label.fetch_min(offer, Relaxed) == UNSEEN {
                        if found.n == KEPT {
                            let at = self.n_queued.fetch_add(KEPT, Relaxed);
                            self.put(at, found);
                        }
                        found.vertices[found.n] = to;
                        found.n += 1;
                    }
                }
            }
        }
    }

    /// Puts what was found into the queue.
    pub(super) fn put(&self, at: usize, found: &mut Found) {
        let vertices = &found.vertices[..std::mem::take(&mut found.n)];
        for (slot, &vertex) in self.space.queue[at..].iter().zip(vertices) {
            slot.store(vertex, Relaxed);
        }
    }

    /// Vertices that are not found look along their arcs for one of the level.
    pub(super) fn pull(&self, index: usize, found: &mut Found) {
        let (space, level) = (self.space, self.level.load(Relaxed));
        let Some(incoming) = space.incoming.as_ref().map(Arcs::of_graph) else { return };
        let [next, front] = [level, level - 1].map(|level| &space.fronts[level as usize % 2]);
        let mut n_found = 0;
        for part in self.parts(index, WORDS) {
            space.fetch_rows(incoming, part.start);
            for word in part {
                space.fetch_rows(incoming, word + 1);
                let bits = space.pull_word(incoming, word, level, front, found);
                next[word].store(bits, Relaxed);
                n_found += bits.count_ones();
            }
        }
        self.n_pulled.fetch_add(n_found as usize, Relaxed);
    }
}

impl Space<'_> {
    /// Has the arcs of the 64 vertices of a word brought that are going to be looked at.
    #[inline(always)]
    fn fetch_rows(&self, incoming: Arcs<'_>, word: usize) {
        let mut left = self.seen.get(word).map_or(0, |seen| !seen.load(Relaxed));
        while left != 0 {
            let vertex = word * 64 + left.trailing_zeros() as usize;
            left &= left - 1;
            prefetch(incoming.ends, incoming.offsets[vertex] as usize);
        }
    }

    /// Which of the 64 vertices of a word are found.
    #[inline(always)]
    fn pull_word(
        &self,
        incoming: Arcs<'_>,
        word: usize,
        level: u32,
        front: &[AtomicU64],
        found: &mut Found,
    ) -> u64 {
        let seen = self.seen[word].load(Relaxed);
        let (mut left, mut bits, mut without_arcs) = (!seen, 0, 0);
        while left != 0 {
            let vertex = word as VertexId * 64 + left.trailing_zeros();
            let bit = left & left.wrapping_neg();
            left ^= bit;
            let ends = incoming.of(vertex as usize);
            let is_of_level =
                |&end: &VertexId| front[end as usize / 64].load(Relaxed) >> (end % 64) & 1 != 0;
            match ends.iter().position(is_of_level) {
                Some(at) => {
                    let label = u64::from(level) << 32 | u64::from(ends[at]);
                    self.labels[vertex as usize].store(label, Relaxed);
                    found.looked_at += at as u64 + 1;
                    bits |= bit;
                }
                None => {
                    found.looked_at += ends.len() as u64;
                    without_arcs |= if ends.is_empty() { bit } else { 0 };
                }
            }
        }
        // what has no arcs is never found
        self.seen[word].store(seen | bits | without_arcs, Relaxed);
        bits
    }
}

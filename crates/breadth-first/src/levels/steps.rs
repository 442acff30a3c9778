//! The steps of a search: one level or a window, pushed or pulled, by one thread or by all.

use std::iter::from_fn;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use graph_formats::VertexId;
use search_parts::prefetch;

use super::course::{Course, Found, MAX_KEPT, Space};
use super::labels::NO_VERTEX;
use crate::arcs::Arcs;

/// Vertices that a thread takes at a time if the window is one level.
const VERTICES: RangeInclusive<usize> = 1..=64;
/// Times that each thread takes vertices of a level, within the bounds of [`VERTICES`].
const TURNS: usize = 8;
/// Vertices that a thread takes at a time if the window is several levels: enough that two parts
/// have few vertices in common.
const VERTICES_OF_WINDOW: RangeInclusive<usize> = 64..=256;
/// A window is cut to one level if a thread finds more than this multiple of the vertices that the
/// window began with.
const MAX_GROWTH: usize = 4;
/// Words of the bitmaps that a thread takes at a time.
const WORDS_PER_TASK: usize = 16;
/// Vertices ahead of the current one whose arcs are prefetched.
const ROWS_AHEAD: usize = 6;
/// Vertices ahead of the current one whose row offsets are prefetched.
const OFFSETS_AHEAD: usize = 12;
/// Heads of arcs on a cache line; even a short row may lie on two lines.
const ARCS_PER_LINE: usize = 16;

/// What a thread adds to the counts of a search after a step.
#[derive(Default)]
struct Counts {
    looked_at: u64,
    n_new: usize,
    n_again: usize,
}

impl Course<'_, '_> {
    /// The level in parts of `n`: first this thread's share, then what is left of the others'.
    fn parts(&self, index: usize, n: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let shares = self.shares[index..].iter().chain(&self.shares[..index]);
        shares.flat_map(move |share| from_fn(move || share.take(n)))
    }

    /// Pushes the level, `range` of the queue, while all other threads wait. The loop over arcs needs
    /// all registers, so it is not inlined.
    #[inline(never)]
    pub(super) fn push_alone(&self, range: Range<usize>) {
        let (space, epoch, level) = (self.space, self.space.epoch, self.level.load(Relaxed));
        let (first, mut n_queued, mut looked_at) = (range.end, range.end, 0);
        for at in range {
            space.fetch_arcs(&space.queue[..n_queued], at);
            let from = space.queue[at].load(Relaxed);
            let ends = space.outgoing.of(from as usize);
            looked_at += ends.len() as u64;
            let new = epoch.label(level + 1, from);
            for &to in ends {
                let label = &space.labels[to as usize];
                let before = label.load(Relaxed);
                if new > before {
                    label.store(new, Relaxed);
                    if !epoch.is_found(before) {
                        space.queue[n_queued].store(to, Relaxed);
                        n_queued += 1;
                    }
                }
            }
        }
        self.n_queued.store(n_queued, Relaxed);
        self.n_found.fetch_add(n_queued - first, Relaxed);
        self.shares[0].looked_at.fetch_add(looked_at, Relaxed);
    }

    /// Pushes this thread's parts of the level, and what it finds from each part within the window,
    /// while the other threads push theirs.
    pub(super) fn push_shared(&self, index: usize, Found(lists): &mut Found) {
        let (level, window) = (self.level.load(Relaxed), self.window.load(Relaxed) as usize);
        let n_vertices = self.n_vertices.load(Relaxed);
        let max_found = MAX_GROWTH * n_vertices + *VERTICES_OF_WINDOW.start();
        let part = n_vertices / self.shares.len();
        let part = match window {
            1 => (part / TURNS).clamp(*VERTICES.start(), *VERTICES.end()),
            _ => part.clamp(*VERTICES_OF_WINDOW.start(), *VERTICES_OF_WINDOW.end()),
        };
        let mut counts = Counts::default();
        for part in self.parts(index, part) {
            let before = lists.each_ref().map(Vec::len);
            self.push(level, &self.space.queue[part], &mut lists[0], window == 1, &mut counts);
            for depth in 1..window {
                let [.., above, list] = &mut lists[..=depth] else { break };
                if above.len() > max_found {
                    self.is_overgrown.store(true, Relaxed);
                }
                if self.is_overgrown.load(Relaxed) {
                    break;
                }
                let vertices = &above[before[depth - 1]..];
                self.push(level + depth as u32, vertices, list, false, &mut counts);
            }
        }
        self.n_found.fetch_add(counts.n_new, Relaxed);
        self.n_again.fetch_add(counts.n_again, Relaxed);
        self.shares[index].looked_at.fetch_add(counts.looked_at, Relaxed);
    }

    /// Pushes vertices of a level. Found vertices go to `list`; if it `spills`, a full list goes to
    /// the queue.
    fn push(
        &self,
        level: u32,
        vertices: &[AtomicU32],
        list: &mut Vec<AtomicU32>,
        spills: bool,
        counts: &mut Counts,
    ) {
        let (space, epoch) = (self.space, self.space.epoch);
        for (at, from) in vertices.iter().enumerate() {
            space.fetch_arcs(vertices, at);
            let from = from.load(Relaxed);
            if epoch.level(space.labels[from as usize].load(Relaxed)) != level {
                // another thread has since found it at a lower level, and pushes it
                continue;
            }
            let ends = space.outgoing.of(from as usize);
            counts.looked_at += ends.len() as u64;
            let new = epoch.label(level + 1, from);
            for &to in ends {
                let label = &space.labels[to as usize];
                if new <= label.load(Relaxed) {
                    continue;
                }
                let before = label.fetch_max(new, Relaxed);
                if before >> 32 < new >> 32 {
                    let is_new = !epoch.is_found(before);
                    counts.n_new += usize::from(is_new);
                    counts.n_again += usize::from(!is_new);
                    if spills && list.len() == MAX_KEPT {
                        self.put(self.n_queued.fetch_add(MAX_KEPT, Relaxed), list);
                        list.clear();
                    }
                    list.push(AtomicU32::new(to));
                }
            }
        }
    }

    /// Forgets what was found beyond the first level of the window, and moves that level to the
    /// queue.
    pub(super) fn take_back(&self, Found(lists): &mut Found) {
        let (labels, epoch) = (&self.space.labels, self.space.epoch);
        let worst = epoch.label(self.level.load(Relaxed) + 1, NO_VERTEX);
        let [first, beyond @ ..] = lists;
        for vertex in beyond.iter_mut().flat_map(|list| list.drain(..)) {
            let label = &labels[vertex.into_inner() as usize];
            // another thread may have it in a list too
            if label.load(Relaxed) < worst && epoch.is_found(label.swap(0, Relaxed)) {
                self.n_found.fetch_sub(1, Relaxed);
            }
        }
        self.put(self.n_queued.fetch_add(first.len(), Relaxed), first);
    }

    /// Copies vertices to the queue.
    pub(super) fn put(&self, at: usize, vertices: &[AtomicU32]) {
        for (slot, vertex) in self.space.queue[at..].iter().zip(vertices) {
            slot.store(vertex.load(Relaxed), Relaxed);
        }
    }

    /// Pulls: each unfound vertex scans its arcs for one from the level.
    pub(super) fn pull(&self, index: usize) {
        let (space, level) = (self.space, self.level.load(Relaxed));
        let Some(incoming) = space.incoming.as_ref().map(Arcs::of_graph) else { return };
        let [front, next] = [level, level + 1].map(|level| &space.fronts[level as usize % 2]);
        let (mut n_found, mut looked_at) = (0, 0);
        for part in self.parts(index, WORDS_PER_TASK) {
            space.fetch_rows(incoming, part.start);
            for word in part {
                space.fetch_rows(incoming, word + 1);
                let bits = space.pull_word(incoming, word, level + 1, front, &mut looked_at);
                next[word].store(bits, Relaxed);
                n_found += bits.count_ones();
            }
        }
        self.n_found.fetch_add(n_found as usize, Relaxed);
        self.shares[index].looked_at.fetch_add(looked_at, Relaxed);
    }
}

impl Space<'_> {
    /// Prefetches the arcs of the vertices that follow position `at`. The CPU does not read that
    /// far ahead, which takes half of a search where vertices are in no order.
    #[inline(always)]
    fn fetch_arcs(&self, vertices: &[AtomicU32], at: usize) {
        let Arcs { offsets, ends } = self.outgoing;
        if let Some(vertex) = vertices.get(at + OFFSETS_AHEAD) {
            prefetch(offsets, vertex.load(Relaxed) as usize);
        }
        if let Some(vertex) = vertices.get(at + ROWS_AHEAD) {
            let row = offsets[vertex.load(Relaxed) as usize] as usize;
            prefetch(ends, row);
            prefetch(ends, row + ARCS_PER_LINE - 1);
        }
    }

    /// Prefetches the arcs of the unfound vertices among the 64 of a word.
    #[inline(always)]
    fn fetch_rows(&self, incoming: Arcs<'_>, word: usize) {
        let mut left = self.seen.get(word).map_or(0, |seen| !seen.load(Relaxed));
        while left != 0 {
            let vertex = word * 64 + left.trailing_zeros() as usize;
            left &= left - 1;
            prefetch(incoming.ends, incoming.offsets[vertex] as usize);
        }
    }

    /// Pulls the 64 vertices of a word. Returns the bits of those found, in `level`.
    #[inline(always)]
    fn pull_word(
        &self,
        incoming: Arcs<'_>,
        word: usize,
        level: u32,
        front: &[AtomicU64],
        looked_at: &mut u64,
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
                    let label = self.epoch.label(level, ends[at]);
                    self.labels[vertex as usize].store(label, Relaxed);
                    *looked_at += at as u64 + 1;
                    bits |= bit;
                }
                None => {
                    *looked_at += ends.len() as u64;
                    without_arcs |= if ends.is_empty() { bit } else { 0 };
                }
            }
        }
        // a vertex without arcs is never found
        self.seen[word].store(seen | bits | without_arcs, Relaxed);
        bits
    }
}

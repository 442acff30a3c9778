//! Which vertices have a label, and where it is.

use elimination::ROOT;
use rayon::prelude::*;

use super::End;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// The places of labels, one after the other by rank.
pub(crate) struct Shape {
    /// The rank of each rank's anchor: itself, or of a dead end the vertex at which it hangs.
    pub(crate) anchors: Vec<u32>,
    /// One where every distance is that of the way back, else two.
    pub(super) n_directions: usize,
    /// How many ancestors the deepest anchor has, with itself.
    pub(crate) height: usize,
    /// Where the label of each rank starts, which only anchors have; n + 1 entries.
    pub(crate) offsets: Vec<usize>,
}

impl Shape {
    /// Of labels with the keys of these arcs. O(n + arcs).
    pub(super) fn of<K: Key>(hierarchy: &Hierarchy, arcs: &Arcs<K>) -> Self {
        Self::new(hierarchy, Self::n_directions(arcs))
    }

    /// One where every distance is that of the way back, else two. O(arcs).
    pub(super) fn n_directions<K: Key>(arcs: &Arcs<K>) -> usize {
        let is_symmetric = arcs.keys.par_iter().all(|[up, down]| up == down);
        if is_symmetric { 1 } else { 2 }
    }

    /// O(n).
    pub(crate) fn new(hierarchy: &Hierarchy, n_directions: usize) -> Self {
        let anchors = anchors(hierarchy);
        let length = |(&anchor, rank): (&u32, usize)| {
            let n_keys = n_directions * (usize::from(hierarchy.depths[rank]) + 1);
            if anchor as usize == rank { n_keys } else { 0 }
        };
        let ends = anchors.iter().zip(0..).map(length).scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let offsets = std::iter::once(0).chain(ends).collect();
        let depths = anchors.iter().map(|&anchor| hierarchy.depths[anchor as usize]);
        let height = depths.max().map_or(0, |depth| usize::from(depth) + 1);
        Self { anchors, n_directions, height, offsets }
    }

    /// The number of keys in all labels.
    pub(crate) fn n_keys(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Bytes that labels take with keys like `S`.
    pub(super) fn bytes<S>(&self) -> usize {
        self.n_keys() * size_of::<S>() + self.anchors.len() * size_of::<End<S>>()
    }

    /// Where the keys of an anchor at this depth start in a direction.
    #[inline(always)]
    pub(super) fn start(&self, anchor: u32, depth: usize, direction: usize) -> usize {
        let before = if direction == DOWN { (self.n_directions - 1) * (depth + 1) } else { 0 };
        self.offsets[anchor as usize] + before
    }
}

/// O(n).
fn anchors(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut is_dead_end: Vec<bool> =
        hierarchy.offsets.windows(2).map(|row| row[1] - row[0] == 1).collect();
    for (rank, &parent) in hierarchy.parents.iter().enumerate() {
        if parent != ROOT && !is_dead_end[rank] {
            is_dead_end[parent as usize] = false;
        }
    }
    let mut anchors: Vec<u32> = (0..is_dead_end.len() as u32).collect();
    for rank in (0..anchors.len()).rev().filter(|&rank| is_dead_end[rank]) {
        anchors[rank] = anchors[hierarchy.parents[rank] as usize];
    }
    anchors
}

/// By rank, the distances to and from the anchor. O(n).
pub(super) fn to_anchors<K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    anchors: &[u32],
) -> Vec<[K; 2]> {
    let mut keys = vec![[K::ZERO; 2]; anchors.len()];
    for rank in (0..anchors.len()).rev().filter(|&rank| anchors[rank] as usize != rank) {
        let above = keys[hierarchy.parents[rank] as usize];
        let arc = arcs.keys[hierarchy.row(rank as u32).start];
        keys[rank] = [UP, DOWN].map(|way| arc[way].add(above[way]).min(K::UNREACHED));
    }
    keys
}

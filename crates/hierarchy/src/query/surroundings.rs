//! Finds the vertices near a source by a pass down the hierarchy that skips subtrees.
//!
//! A path enters a subtree of the elimination tree only by an arc between its root and an ancestor.
//! If all these ancestors are too far, so is the whole subtree, which is passed over. The subtrees
//! on the way from the source to the root come before those beside them, so that a radius that
//! shrinks as more is found is small soon. O(height² + arcs that lead up from what is near), and of
//! some targets the part above them.
//!
//! Reference: delling-2011, dibbelt-2016

use std::ops::Range;

use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// The vertices no farther than a radius from a source.
pub(crate) struct Surroundings<'m, K> {
    hierarchy: &'m Hierarchy,
    arcs: &'m Arcs<K>,
    /// The ranks to look for, ascending; all where there is no list.
    targets: Option<&'m [u32]>,
    radius: K,
    /// By depth, how far the ancestors of the vertex at hand are.
    stack: Vec<K>,
}

impl<'m, K: Key> Surroundings<'m, K> {
    pub(crate) fn new(
        hierarchy: &'m Hierarchy,
        arcs: &'m Arcs<K>,
        targets: Option<&'m [u32]>,
        radius: K,
    ) -> Self {
        Self { hierarchy, arcs, targets, radius, stack: vec![K::UNREACHED; hierarchy.height()] }
    }

    /// Hands over the rank and key of each vertex, or target, that is no farther from `source` than
    /// the radius, and takes another, which is no greater.
    pub(crate) fn look(mut self, source: u32, mut visit: impl FnMut(u32, K) -> K) {
        let hierarchy = self.hierarchy;
        let ancestors = self.ancestors(source);
        // what has been looked through
        let mut done = source..source;
        for (&ancestor, depth) in ancestors.iter().zip((0..ancestors.len()).rev()) {
            let key = self.stack[depth];
            if key <= self.radius && self.is_wanted(ancestor..ancestor + 1) {
                self.radius = visit(ancestor, key);
            }
            let first = hierarchy.subtrees[ancestor as usize];
            self.look_beside(done.end..ancestor, &mut visit);
            self.look_beside(first..done.start, &mut visit);
            done = first..ancestor + 1;
        }
    }

    /// Looks through the subtrees of these ranks, whose parent is on the stack.
    fn look_beside(&mut self, ranks: Range<u32>, visit: &mut impl FnMut(u32, K) -> K) {
        let hierarchy = self.hierarchy;
        let mut end = ranks.end;
        while end > ranks.start {
            let rank = end - 1;
            let first = hierarchy.subtrees[rank as usize];
            let row = hierarchy.row(rank);
            let is_near = |&end: &u16| self.stack[end as usize] <= self.radius;
            if !hierarchy.ends[row].iter().any(is_near) || !self.is_wanted(first..end) {
                end = first;
                continue;
            }
            let key = self.least(rank, K::UNREACHED);
            self.stack[usize::from(hierarchy.depths[rank as usize])] = key;
            if key <= self.radius && self.is_wanted(rank..end) {
                self.radius = visit(rank, key);
            }
            end = rank;
        }
    }

    /// Whether any of these ranks is looked for.
    fn is_wanted(&self, ranks: Range<u32>) -> bool {
        self.targets.is_none_or(|targets| {
            let first = targets.partition_point(|&target| target < ranks.start);
            targets.get(first).is_some_and(|&target| target < ranks.end)
        })
    }

    /// Brings the ancestors of `source`, which it starts with, onto the stack.
    fn ancestors(&mut self, source: u32) -> Vec<u32> {
        let mut ancestors = Vec::new();
        let (keys, _) = self.stack.as_chunks_mut::<1>();
        self.arcs.climb(self.hierarchy, source, UP, keys, 0, |_, rank| ancestors.push(rank));
        for (depth, &rank) in ancestors.iter().rev().enumerate() {
            self.stack[depth] = self.least(rank, self.stack[depth]);
        }
        ancestors
    }

    /// How far a vertex is by the last arc from an ancestor, or by `key`.
    #[inline(always)]
    fn least(&self, rank: u32, key: K) -> K {
        let of_depth = |depth| self.stack[usize::from(depth)];
        self.arcs.least(self.hierarchy, rank, DOWN, key, of_depth)
    }
}

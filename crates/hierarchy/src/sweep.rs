//! Distances from several sources at once, by one pass down the hierarchy.
//!
//! The last arc of a shortest path in the hierarchy leads down from an ancestor, unless its end is
//! an ancestor of the source itself and was reached on the way up. So after a walk up from each
//! source the vertices are gone through from the roots down, and each takes the least of what its
//! ancestors have and the arcs from them. Every ancestor of a vertex is on the way to it, so a
//! stack of them by depth is all that is read besides the arcs; it stays in the fastest cache.
//! Sixteen sources share the pass, side by side, for which there are vector instructions.
//! O(arcs of the hierarchy) for sixteen sources, or of the part above some targets.
//!
//! The paper sweeps by levels over an array of all vertices; here vertices are in preorder of the
//! elimination tree, and there is a stack.
//!
//! Reference: delling-2011, dibbelt-2016

use crate::customize::Arcs;
use crate::elimination_tree::ROOT;
use crate::hierarchy::{DOWN, Hierarchy, UP};
use crate::key::Key;

/// How many sources share a pass.
pub(crate) const LANES: usize = 16;

/// A key a source.
pub(crate) type Lanes<K> = [K; LANES];

/// The work space of passes over one hierarchy.
pub(crate) struct Sweep<'m, K> {
    hierarchy: &'m Hierarchy,
    arcs: &'m Arcs<K>,
    /// By depth, the ancestors of each source, or [`ROOT`].
    ancestors: Vec<Lanes<u32>>,
    /// By depth, how far these are on the way up.
    keys_up: Vec<Lanes<K>>,
    /// By depth, how far the ancestors of the vertex at hand are.
    stack: Vec<Lanes<K>>,
    /// By depth, whether the one on the stack is an ancestor of a source.
    is_shared: Vec<bool>,
}

impl<'m, K: Key> Sweep<'m, K> {
    pub(crate) fn new(hierarchy: &'m Hierarchy, arcs: &'m Arcs<K>) -> Self {
        let height = hierarchy.height();
        let none = vec![[K::UNREACHED; LANES]; height];
        Self {
            hierarchy,
            arcs,
            ancestors: vec![[ROOT; LANES]; height],
            keys_up: none.clone(),
            stack: none,
            is_shared: vec![false; height],
        }
    }

    /// Writes the distances of each of `ranks` from `sources`, of which there are [`LANES`] at
    /// most, into `found`. The ranks descend, and the parent of each is among them.
    pub(crate) fn pass(
        &mut self,
        sources: &[u32],
        ranks: impl Iterator<Item = u32>,
        found: &mut [Lanes<K>],
    ) {
        self.walk_up(sources);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has been asked for the instructions.
            unsafe { self.walk_down_with_avx2(ranks, found) };
            return;
        }
        self.walk_down(ranks, found);
    }

    /// The same in registers of 32 bytes, and with an instruction for the lesser of two integers.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn walk_down_with_avx2(&mut self, ranks: impl Iterator<Item = u32>, found: &mut [Lanes<K>]) {
        self.walk_down(ranks, found);
    }

    #[inline(always)]
    fn walk_down(&mut self, ranks: impl Iterator<Item = u32>, found: &mut [Lanes<K>]) {
        let Self { hierarchy, arcs, ancestors, keys_up, stack, is_shared } = self;
        for (rank, found) in ranks.zip(found) {
            let depth = usize::from(hierarchy.depths[rank as usize]);
            let mut least = [K::UNREACHED; LANES];
            is_shared[depth] = false;
            if depth == 0 || is_shared[depth - 1] {
                let own = ancestors[depth].iter().zip(&keys_up[depth]);
                for (least, (&ancestor, &key)) in least.iter_mut().zip(own) {
                    if ancestor == rank {
                        (*least, is_shared[depth]) = (key, true);
                    }
                }
            }
            let row = hierarchy.row(rank);
            for (&end, keys) in hierarchy.ends[row.clone()].iter().zip(&arcs.keys[row]) {
                let (from, down) = (stack[end as usize], keys[DOWN]);
                least = std::array::from_fn(|lane| least[lane].min(from[lane].add(down)));
            }
            stack[depth] = least;
            *found = least;
        }
    }

    /// Finds how far the ancestors of each source are on the way up.
    fn walk_up(&mut self, sources: &[u32]) {
        let Self { hierarchy, arcs, ancestors, keys_up, .. } = self;
        ancestors.fill([ROOT; LANES]);
        for (lane, &source) in sources.iter().enumerate() {
            let mut depth = usize::from(hierarchy.depths[source as usize]);
            keys_up[..=depth].iter_mut().for_each(|keys| keys[lane] = K::UNREACHED);
            keys_up[depth][lane] = K::ZERO;
            let mut rank = source;
            while rank != ROOT {
                ancestors[depth][lane] = rank;
                let from = keys_up[depth][lane];
                let row = hierarchy.row(rank);
                for (&end, keys) in hierarchy.ends[row.clone()].iter().zip(&arcs.keys[row]) {
                    let key = &mut keys_up[end as usize][lane];
                    *key = key.min(from.add(keys[UP]));
                }
                rank = hierarchy.parents[rank as usize];
                depth = depth.wrapping_sub(1);
            }
        }
    }
}

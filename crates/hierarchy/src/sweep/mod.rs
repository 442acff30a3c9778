//! Distances from several sources at once, by one pass down the hierarchy.
//!
//! The last arc of a shortest path in the hierarchy leads down from an ancestor, unless its end is
//! an ancestor of the source itself and was reached on the way up. So after a walk up from each
//! source the vertices are gone through from the roots down, and each takes the least of what its
//! ancestors have and the arcs from them. Every ancestor of a vertex is on the way to it, so a
//! stack of them by depth is all that is read besides the arcs; it stays in the fastest cache.
//! Sixteen sources share the pass, side by side, for which there are vector instructions; a single
//! one has a pass of its own. O(arcs of the hierarchy), or of the part above some targets.
//!
//! The paper sweeps by levels over an array of all vertices; here vertices are in preorder of the
//! elimination tree, and there is a stack.
//!
//! Reference: delling-2011, dibbelt-2016

pub(crate) mod one_to_all;
mod points;
pub(crate) mod table;
pub(crate) mod totals;

use elimination::ROOT;
use multiversion::multiversion;

use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// How many sources share a pass, where there are many.
pub(crate) const LANES: usize = 16;

/// Vertices the distances of which are brought from lanes to planes at a time: what fits into the
/// fastest cache.
const BLOCK: usize = 128;

/// The work space of passes of up to `LANES` sources over one hierarchy.
pub(crate) struct Sweep<'m, K, const LANES: usize> {
    hierarchy: &'m Hierarchy,
    arcs: &'m Arcs<K>,
    /// How arcs are taken on the way up: [`UP`] from sources, [`DOWN`] to targets.
    way: usize,
    /// By depth, the ancestors of each source, or [`ROOT`].
    ancestors: Vec<[u32; LANES]>,
    /// By depth, how far these are on the way up.
    keys_up: Vec<[K; LANES]>,
    /// By depth, how far the ancestors of the vertex at hand are.
    stack: Vec<[K; LANES]>,
    /// By depth, whether the one on the stack is an ancestor of a source.
    is_shared: Vec<bool>,
}

impl<'m, K: Key, const LANES: usize> Sweep<'m, K, LANES> {
    pub(crate) fn new(hierarchy: &'m Hierarchy, arcs: &'m Arcs<K>) -> Self {
        let height = hierarchy.height();
        let none = vec![[K::UNREACHED; LANES]; height];
        Self {
            hierarchy,
            arcs,
            way: UP,
            ancestors: vec![[ROOT; LANES]; height],
            keys_up: none.clone(),
            stack: none,
            is_shared: vec![false; height],
        }
    }

    /// The same on this way, [`DOWN`] for passes to targets, where all else is as from sources.
    pub(crate) fn on_way(hierarchy: &'m Hierarchy, arcs: &'m Arcs<K>, way: usize) -> Self {
        Self { way, ..Self::new(hierarchy, arcs) }
    }

    /// Writes the distances of each of `ranks` into `found`: in each of [`LANES`] lanes at most,
    /// from a place this far from some ranks, each of which is an ancestor of those before. The
    /// ranks descend, and the parent of each is among them.
    pub(crate) fn pass(
        &mut self,
        lanes: &[&[(u32, K)]],
        ranks: impl Iterator<Item = u32>,
        found: &mut [[K; LANES]],
    ) {
        self.walk_up(lanes.iter().copied());
        walk_down(self, ranks, found);
    }

    /// Writes the distances of all vertices from `sources` by rank: those from the first `GROUP` of
    /// these into a plane, in which they are side by side, then those from the next.
    pub(crate) fn pass_all<const GROUP: usize>(
        &mut self,
        sources: &[u32],
        planes: &mut [[K; GROUP]],
    ) {
        let n = self.hierarchy.n_vertices();
        self.pass_by_blocks(sources, |first, found| {
            for (group, plane) in planes.chunks_exact_mut(n).enumerate() {
                let places = plane[first..first + found.len()].iter_mut().rev();
                for (place, keys) in places.zip(found) {
                    let keys = keys[group * GROUP..].first_chunk();
                    *place = keys.copied().unwrap_or([K::UNREACHED; GROUP]);
                }
            }
        });
    }

    /// Shows the distances of all vertices from `sources`, some ranks at a time: the first of them,
    /// and what is found of each, the last first.
    pub(crate) fn pass_by_blocks(
        &mut self,
        sources: &[u32],
        mut visit: impl FnMut(usize, &[[K; LANES]]),
    ) {
        let mut block = [[K::UNREACHED; LANES]; BLOCK];
        self.walk_up(sources.iter().map(|&source| [(source, K::ZERO)]));
        let mut end = self.hierarchy.n_vertices();
        while end > 0 {
            let first = end.saturating_sub(BLOCK);
            let found = &mut block[..end - first];
            walk_down(self, (first as u32..end as u32).rev(), found);
            visit(first, found);
            end = first;
        }
    }

    /// Finds how far the ancestors of each source are on the way up.
    fn walk_up(&mut self, lanes: impl Iterator<Item = impl AsRef<[(u32, K)]>>) {
        let Self { hierarchy, arcs, way, ancestors, keys_up, .. } = self;
        ancestors.fill([ROOT; LANES]);
        for (lane, starts) in lanes.enumerate() {
            arcs.climb_from(hierarchy, starts.as_ref(), *way, keys_up, lane, |depth, rank| {
                ancestors[depth][lane] = rank;
            });
        }
    }
}

/// Walks down from where the sweep has come to. Compiled for AVX2 too, which has registers of 32
/// bytes and a minimum of integers.
#[multiversion(targets("x86_64+avx2"))]
fn walk_down<K: Key, const LANES: usize>(
    sweep: &mut Sweep<'_, K, LANES>,
    ranks: impl Iterator<Item = u32>,
    found: &mut [[K; LANES]],
) {
    let Sweep { hierarchy, arcs, way, ancestors, keys_up, stack, is_shared } = sweep;
    let way_down = if *way == UP { DOWN } else { UP };
    for (rank, found) in ranks.zip(found) {
        let depth = usize::from(hierarchy.depths[rank as usize]);
        let mut least = [K::UNREACHED; LANES];
        let row = hierarchy.row(rank);
        for (&end, keys) in hierarchy.ends[row.clone()].iter().zip(&arcs.keys[row]) {
            let (from, down) = (stack[end as usize], keys[way_down]);
            least = std::array::from_fn(|lane| least[lane].min(from[lane].add(down)));
        }
        stack[depth] = least;
        // after the arcs, or NEON's instructions are not made of these
        is_shared[depth] = false;
        if depth == 0 || is_shared[depth - 1] {
            let own = ancestors[depth].iter().zip(&keys_up[depth]);
            for (least, (&ancestor, &key)) in stack[depth].iter_mut().zip(own) {
                if ancestor == rank {
                    (*least, is_shared[depth]) = (key.min(*least), true);
                }
            }
        }
        *found = stack[depth];
    }
}

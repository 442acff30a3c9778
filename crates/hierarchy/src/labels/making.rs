//! Labels, from the roots down.
//!
//! The first arc of a shortest path from a vertex to an ancestor leads up to another ancestor. So
//! the label of a vertex is the least, over its arcs up, of the weight and the distances from where
//! the arc ends to all ancestors. The distances among the ancestors of the vertex at hand are in a
//! matrix by depth, which stays in the caches: each vertex adds a row and a column. One row of the
//! matrix is read for each arc, with vector instructions. Subtrees are independent, so that
//! threads take them, each with its own matrix. O(Σ arcs of a vertex · its depth).
//!
//! The paper looks for the distances in the labels of the ancestors, half of them in another label
//! each. It has labels of undirected graphs; here directed ones have two for each vertex.
//!
//! Reference: ouyang-2018

use std::ops::Range;

use elimination::ROOT;
use multiversion::multiversion;

use super::shape::Shape;
use crate::metric::arcs::Arcs;
use crate::metric::key::Key;
use crate::prepare::hierarchy::Hierarchy;

/// As many arcs are worth another thread and its matrix.
const ARCS_PER_TASK: usize = 1 << 15;
/// Of the narrowest keys.
const KEYS_PER_LINE: usize = 16;

/// Writes the labels of all ranks that have one, one after the other: the keys of one direction, and
/// then of the other where there are `DIRECTIONS` of them. `narrow` is what is stored of a key; whether each could be.
pub(super) fn make<K: Key, S: Key, const DIRECTIONS: usize>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    shape: &Shape,
    narrow: impl Fn(K) -> Option<S> + Sync,
    labels: &mut [S],
) -> bool {
    let making = Making { hierarchy, arcs, shape, narrow };
    let mut ancestors = Ancestors::<K, DIRECTIONS>::new(shape.height);
    making.subtrees(0..hierarchy.n_vertices() as u32, &mut ancestors, labels)
}

/// Writes the labels of the subtrees below these roots, which have no ancestors among each other,
/// ascending. Those above are right.
pub(super) fn make_subtrees<K: Key, const DIRECTIONS: usize>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    shape: &Shape,
    roots: &[u32],
    labels: &mut [K],
) {
    let making = Making { hierarchy, arcs, shape, narrow: Some };
    let mut ancestors = Ancestors::<K, DIRECTIONS>::new(shape.height);
    // by depth, those that are in the matrix
    let mut ranks = vec![ROOT; shape.height];
    for &root in roots {
        let start = hierarchy.subtrees[root as usize];
        let own = shape.offsets[start as usize]..shape.offsets[root as usize + 1];
        if own.is_empty() {
            continue;
        }
        let is_new = |&rank: &u32| ranks[usize::from(hierarchy.depths[rank as usize])] != rank;
        let mut above: Vec<u32> = hierarchy.way_up(root).skip(1).take_while(is_new).collect();
        while let Some(rank) = above.pop() {
            let depth = usize::from(hierarchy.depths[rank as usize]);
            ranks[depth] = rank;
            let label = &labels[shape.offsets[rank as usize]..shape.offsets[rank as usize + 1]];
            for (direction, keys) in label.chunks(depth + 1).enumerate() {
                ancestors.row_mut(depth, direction).copy_from_slice(keys);
            }
            ancestors.add_column(depth);
        }
        // descendants take the rows from there on
        ranks[usize::from(hierarchy.depths[root as usize])..].fill(ROOT);
        making.subtrees(start..root + 1, &mut ancestors, &mut labels[own]);
    }
}

/// Bytes that making labels takes besides them: a matrix for each thread, and one for each subtree
/// that waits for a thread.
pub(super) fn bytes_of_making<K: Key>(hierarchy: &Hierarchy, shape: &Shape) -> usize {
    let n_tasks = hierarchy.n_arcs() / ARCS_PER_TASK + 1;
    let n_matrices = n_tasks.min(rayon::current_num_threads() * (n_tasks.ilog2() as usize + 1));
    n_matrices * shape.n_directions * shape.height * stride(shape.height) * size_of::<K>()
}

struct Making<'a, K, F> {
    hierarchy: &'a Hierarchy,
    arcs: &'a Arcs<K>,
    shape: &'a Shape,
    narrow: F,
}

impl<K: Key, F> Making<'_, K, F> {
    /// Labels whole subtrees, whose ancestors are given: these ranks, which have these labels.
    fn subtrees<S: Key, const DIRECTIONS: usize>(
        &self,
        ranks: Range<u32>,
        ancestors: &mut Ancestors<K, DIRECTIONS>,
        labels: &mut [S],
    ) -> bool
    where
        F: Fn(K) -> Option<S> + Sync,
    {
        let (hierarchy, first) = (self.hierarchy, self.shape.offsets[ranks.start as usize]);
        let at = |rank: u32| self.shape.offsets[rank as usize] - first;
        let each = |ranks: Range<u32>, ancestors: &mut _, labels: &mut [S]| {
            // a dead end has no label, nor have its descendants
            let ranks = ranks.rev().filter(|&rank| at(rank) < at(rank + 1));
            let vertex = |rank| self.vertex(rank, ancestors, &mut labels[at(rank)..at(rank + 1)]);
            ranks.map(vertex).fold(true, |all, fits| all & fits)
        };
        let (mut left, mut all_fit) = (ranks, true);
        while hierarchy.arcs_of(&left).len() > ARCS_PER_TASK {
            let (one, other, top) = hierarchy.split(left);
            all_fit &= each(top, ancestors, labels);
            let [n_one, n_other] = [&one, &other].map(|ranks| hierarchy.arcs_of(ranks).len());
            if n_one.min(n_other) > ARCS_PER_TASK {
                let both = &mut labels[at(one.start)..at(other.end)];
                let (of_one, of_other) = both.split_at_mut(at(other.start) - at(one.start));
                let mut copy = ancestors.clone();
                let (one, other) = rayon::join(
                    || self.subtrees(one, ancestors, of_one),
                    || self.subtrees(other, &mut copy, of_other),
                );
                return all_fit & one & other;
            }
            let (small, large) = if n_one < n_other { (one, other) } else { (other, one) };
            all_fit &= each(small, ancestors, labels);
            left = large;
        }
        all_fit & each(left, ancestors, labels)
    }

    /// Labels one vertex, whose ancestors are given, and makes it one of them.
    fn vertex<S: Key, const DIRECTIONS: usize>(
        &self,
        rank: u32,
        ancestors: &mut Ancestors<K, DIRECTIONS>,
        label: &mut [S],
    ) -> bool
    where
        F: Fn(K) -> Option<S> + Sync,
    {
        let depth = usize::from(self.hierarchy.depths[rank as usize]);
        let row = self.hierarchy.row(rank);
        lower(ancestors, depth, &self.hierarchy.ends[row.clone()], &self.arcs.keys[row]);
        let mut all_fit = true;
        for (direction, keys) in label.chunks_mut(depth + 1).enumerate() {
            for (stored, &key) in keys.iter_mut().zip(ancestors.row(depth, direction)) {
                let narrowed = (self.narrow)(key);
                all_fit &= narrowed.is_some();
                *stored = narrowed.unwrap_or(S::UNREACHED);
            }
        }
        if self.hierarchy.subtrees[rank as usize] < rank {
            ancestors.add_column(depth);
        }
        all_fit
    }
}

/// The distances among the ancestors of the vertex at hand, by depth.
#[derive(Clone)]
struct Ancestors<K, const DIRECTIONS: usize> {
    /// Between rows.
    stride: usize,
    /// From the ancestor of a row to that of a column; then from that of a column to that of a row,
    /// where these may differ.
    keys: [Vec<K>; DIRECTIONS],
}

impl<K: Key, const DIRECTIONS: usize> Ancestors<K, DIRECTIONS> {
    fn new(height: usize) -> Self {
        let stride = stride(height);
        Self { stride, keys: [(); DIRECTIONS].map(|()| vec![K::UNREACHED; stride * height]) }
    }

    /// Those of the ancestor at `depth`, up to itself.
    #[inline(always)]
    fn row(&self, depth: usize, direction: usize) -> &[K] {
        &self.keys[direction][depth * self.stride..][..=depth]
    }

    fn row_mut(&mut self, depth: usize, direction: usize) -> &mut [K] {
        &mut self.keys[direction][depth * self.stride..][..=depth]
    }

    /// Writes the row of the ancestor at `depth` into a column, where lower rows are read.
    fn add_column(&mut self, depth: usize) {
        for direction in 0..DIRECTIONS {
            for other in 0..depth {
                let key = self.keys[direction][depth * self.stride + other];
                self.keys[DIRECTIONS - 1 - direction][other * self.stride + depth] = key;
            }
        }
    }
}

/// An odd number of cache lines for a row: those of a column have to lie in many places of a cache.
fn stride(height: usize) -> usize {
    (height.div_ceil(KEYS_PER_LINE) | 1) * KEYS_PER_LINE
}

/// Writes the row of the vertex at `depth`, from which these arcs lead up. Compiled for AVX2 too,
/// which has registers of 32 bytes and a minimum of integers.
#[multiversion(targets("x86_64+avx2"))]
fn lower<K: Key, const DIRECTIONS: usize>(
    ancestors: &mut Ancestors<K, DIRECTIONS>,
    depth: usize,
    ends: &[u16],
    arcs: &[[K; 2]],
) {
    let stride = ancestors.stride;
    for (direction, keys) in ancestors.keys.iter_mut().enumerate() {
        let (above, own) = keys.split_at_mut(depth * stride);
        let own = &mut own[..=depth];
        own.fill(K::UNREACHED);
        for (&end, arc) in ends.iter().zip(arcs) {
            let row = &above[usize::from(end) * stride..][..depth];
            for (least, &key) in own.iter_mut().zip(row) {
                *least = least.min(key.add(arc[direction]));
            }
        }
        own[depth] = K::ZERO;
    }
}

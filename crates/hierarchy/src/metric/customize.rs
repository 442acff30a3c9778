//! Customization: what every arc of the hierarchy weighs, by the triangles below it.
//!
//! An arc weighs as much as the shortest path between its ends through lower vertices. Those are
//! found by ascending rank. The arcs of a vertex are laid out by the depth where they end. Each
//! lower neighbour lowers those to its own higher neighbours (a lower triangle), which are among
//! them. Subtrees of the elimination tree are contiguous and independent, so that threads take
//! them; the vertices above are then done on one thread. O(triangles) additions, twice.
//!
//! The paper's version goes through the triangles of one arc after another and searches for them
//! in both rows; here a row is read for all triangles at a vertex and nothing is searched for.
//!
//! Reference: dibbelt-2016

use std::hint::select_unpredictable;
use std::ops::Range;

use elimination::ROOT;
use graph_formats::{NoMemory, Weight, ensure_granted};
use search_parts::in_large_pages;

use super::arcs::{Arcs, OF_GRAPH, Origins};
use super::changes::Again;
use super::key::{Key, Weights};
use crate::prepare::below::Below;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// As many arcs are worth another thread.
const ARCS_PER_TASK: usize = 1 << 13;

/// An arc while its vertex is customized.
#[derive(Clone, Copy)]
pub(crate) struct Arc<K> {
    pub(crate) keys: [K; 2],
    pub(crate) origins: [u32; 2],
}

impl<K: Key> Arc<K> {
    pub(crate) const NONE: Self = Self { keys: [K::UNREACHED; 2], origins: [OF_GRAPH; 2] };

    #[inline(always)]
    pub(crate) fn lower(&mut self, direction: usize, key: K, origin: u32) {
        // two moves, where a branch would often be mispredicted
        let is_less = key < self.keys[direction];
        self.keys[direction] = select_unpredictable(is_less, key, self.keys[direction]);
        self.origins[direction] = select_unpredictable(is_less, origin, self.origins[direction]);
    }
}

/// The arcs of the hierarchy with these weights.
pub(crate) fn customize<U: Weight, K: Key>(
    hierarchy: &Hierarchy,
    below: &Below,
    weights: Weights<'_, U>,
) -> Result<Arcs<K>, NoMemory> {
    let n_arcs = hierarchy.n_arcs();
    ensure_granted(Arcs::<K>::bytes_of(n_arcs))?;
    let mut keys = in_large_pages(vec![[K::ZERO; 2]; n_arcs]);
    let mut origins = in_large_pages(vec![[0; 2]; n_arcs]);
    let customization = Customization { hierarchy, below, weights, again: None };
    customization.all(&mut keys, &mut origins);
    Ok(Arcs { keys: keys.into(), origins: origins.into() })
}

/// The arcs of contiguous ranks.
pub(super) struct Rows<'a, K> {
    /// The position of the first in the hierarchy.
    pub(super) first: usize,
    keys: &'a mut [[K; 2]],
    origins: &'a mut [[u32; 2]],
}

impl<K> Rows<'_, K> {
    /// The keys at some positions in the hierarchy.
    #[inline(always)]
    pub(super) fn keys(&self, arcs: Range<usize>) -> &[[K; 2]] {
        &self.keys[arcs.start - self.first..arcs.end - self.first]
    }

    /// The origins there.
    pub(super) fn origins(&self, arcs: Range<usize>) -> &[[u32; 2]] {
        &self.origins[arcs.start - self.first..arcs.end - self.first]
    }

    /// Those at some positions in the hierarchy.
    fn at(&mut self, arcs: Range<usize>) -> Rows<'_, K> {
        let range = arcs.start - self.first..arcs.end - self.first;
        let (keys, origins) = (&mut self.keys[range.clone()], &mut self.origins[range]);
        Rows { first: arcs.start, keys, origins }
    }

    /// Those before a position, and the others.
    fn split_at(&mut self, arc: usize) -> (Rows<'_, K>, Rows<'_, K>) {
        let (keys, more_keys) = self.keys.split_at_mut(arc - self.first);
        let (origins, more_origins) = self.origins.split_at_mut(arc - self.first);
        let more = Rows { first: arc, keys: more_keys, origins: more_origins };
        (Rows { first: self.first, keys, origins }, more)
    }
}

pub(super) struct Customization<'a, U> {
    pub(super) hierarchy: &'a Hierarchy,
    pub(super) below: &'a Below,
    pub(super) weights: Weights<'a, U>,
    /// What has to be customized again; all where there is none.
    pub(super) again: Option<&'a Again>,
}

/// What a thread works with.
pub(super) struct Work<K> {
    /// By depth, the arcs of the rank at hand.
    pub(super) row: Vec<Arc<K>>,
    /// By depth, the ancestors of a rank.
    pub(super) ancestors: Vec<u32>,
}

impl<U: Weight> Customization<'_, U> {
    pub(super) fn all<K: Key>(&self, keys: &mut [[K; 2]], origins: &mut [[u32; 2]]) {
        self.subtrees(0..self.hierarchy.n_vertices() as u32, Rows { first: 0, keys, origins });
    }

    /// Customizes whole subtrees: these ranks, which have these arcs.
    fn subtrees<K: Key>(&self, ranks: Range<u32>, mut arcs: Rows<'_, K>) {
        // only ancestors of what has to be done again have to be later
        if self.again.is_some_and(|again| again.ranks.next(&ranks).is_none()) {
            return;
        }
        let height = self.hierarchy.height();
        let work = &mut Work { row: vec![Arc::NONE; height], ancestors: vec![ROOT; height] };
        let mut left = ranks;
        // what is above subtrees comes after them, the lowest first
        let mut above = Vec::new();
        while self.hierarchy.arcs_of(&left).len() > ARCS_PER_TASK {
            let (one, other, top) = self.hierarchy.split(left);
            above.push(top);
            let [n_one, n_other] = [&one, &other].map(|ranks| self.hierarchy.arcs_of(ranks).len());
            if n_one.min(n_other) > ARCS_PER_TASK {
                let mut both = arcs.at(self.hierarchy.arcs_of(&(one.start..other.end)));
                let (below, above) = both.split_at(self.hierarchy.arcs_of(&other).start);
                rayon::join(|| self.subtrees(one, below), || self.subtrees(other, above));
                left = 0..0;
            } else {
                let (small, large) = if n_one < n_other { (one, other) } else { (other, one) };
                self.ranks(small, &mut arcs, work);
                left = large;
            }
        }
        self.ranks(left, &mut arcs, work);
        above.into_iter().rev().for_each(|top| self.ranks(top, &mut arcs, work));
    }

    fn ranks<K: Key>(&self, mut ranks: Range<u32>, arcs: &mut Rows<'_, K>, work: &mut Work<K>) {
        let Some(again) = self.again else {
            for rank in ranks {
                self.find(rank, arcs, &mut work.row);
                self.put(rank, arcs, &work.row);
            }
            return;
        };
        while let Some(rank) = again.ranks.next(&ranks) {
            self.vertex_again(again, rank, arcs, work);
            ranks.start = rank + 1;
        }
    }

    /// Finds the arcs of one vertex, whose descendants are customized, by the depth where they end.
    #[inline(always)]
    pub(super) fn find<K: Key>(&self, rank: u32, arcs: &Rows<'_, K>, row: &mut [Arc<K>]) {
        let Hierarchy { offsets, ends, .. } = self.hierarchy;
        let origins = Origins::of(self.hierarchy.n_arcs());
        let Below { lower_offsets, lower, input_offsets, inputs, .. } = self.below;
        let range =
            |offsets: &[u32]| offsets[rank as usize] as usize..offsets[rank as usize + 1] as usize;
        for &end in &ends[range(offsets)] {
            row[end as usize] = Arc::NONE;
        }
        for input in &inputs[range(input_offsets)] {
            let key = K::of_weight(self.weights.of_arc(input.arc as usize));
            row[input.end as usize].lower(input.direction.into(), key, OF_GRAPH | input.arc);
        }
        for triangle in &lower[range(lower_offsets)] {
            let (middle, arc) = (triangle.from, triangle.arc as usize);
            let sides = arc + 1..offsets[middle as usize + 1] as usize;
            let [from_middle, to_middle] = arcs.keys[arc - arcs.first];
            let others = arcs.keys(sides.clone());
            for ((&end, other), n_on) in ends[sides].iter().zip(others).zip(1..) {
                let place = &mut row[end as usize];
                let origin = origins.through(triangle.arc, n_on);
                place.lower(UP, to_middle.add(other[UP]), origin);
                place.lower(DOWN, other[DOWN].add(from_middle), origin);
            }
        }
    }

    /// Puts the arcs of one vertex, by the depth where they end, into their places.
    #[inline(always)]
    pub(super) fn put<K: Key>(&self, rank: u32, arcs: &mut Rows<'_, K>, row: &[Arc<K>]) {
        let own = self.hierarchy.row(rank);
        let ends = &self.hierarchy.ends[own.clone()];
        let places = own.start - arcs.first..own.end - arcs.first;
        let places = arcs.keys[places.clone()].iter_mut().zip(&mut arcs.origins[places]);
        for ((keys, origins), &end) in places.zip(ends) {
            (*keys, *origins) = (row[end as usize].keys, row[end as usize].origins);
        }
    }
}

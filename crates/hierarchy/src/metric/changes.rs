//! Customization of those arcs of the hierarchy that new weights of some arcs change.
//!
//! An arc of the hierarchy has the least of its candidates: the arcs of the graph between its ends,
//! and the two other sides of each triangle below it. A candidate that is less than before takes
//! the arc over; where the one that it has becomes greater, it is found again among all. The arcs
//! whose candidates have changed wait in their order, those that start lowest first, so that each
//! is final before others are made from it; those that are as before change no others. The result is
//! that of a customization of its own, ties included. O(log) for each candidate that changes, and
//! for an arc that is found again all triangles below its lower end.
//!
//! Reference: dibbelt-2016

use std::cmp::{max, min};
use std::collections::BTreeMap;

use elimination::ROOT;
use graph_formats::{Csr, Weight};

use super::arcs::{Arcs, OF_GRAPH, Origins};
use super::customize::Arc;
use super::key::{Key, Weights};
use super::{AnyArcs, with_arcs};
use crate::prepare::below::Below;
use crate::prepare::hierarchy::{DOWN, Hierarchy, Structure, UP, structure};

/// Makes `arcs` those of `graph`, of whose arcs those in `changes` have other weights than before.
pub(crate) fn change<W: Weight>(
    arcs: &mut AnyArcs,
    hierarchy: &Hierarchy,
    graph: &Csr<W>,
    changes: &[(usize, W)],
) {
    let (structure, weights) = (structure(graph), Weights::of_all(graph.weights()));
    let changed: Vec<usize> = changes.iter().map(|&(arc, _)| arc).collect();
    with_arcs!(W, arcs, arcs => {
        let changes = Changes::new(hierarchy, &structure, weights, std::mem::take(arcs));
        *arcs = changes.make(&changed);
    });
}

/// An arc of the hierarchy with a candidate that has changed.
struct Waiting<K> {
    /// Its keys before.
    before: [K; 2],
    /// Whether one that it had is greater now, so that it must be found again.
    has_lost: bool,
}

struct Changes<'c, U, K> {
    hierarchy: &'c Hierarchy,
    graph: &'c Structure,
    weights: Weights<'c, U>,
    /// Of the arcs of the hierarchy.
    keys: Vec<[K; 2]>,
    origins: Vec<[u32; 2]>,
    waiting: BTreeMap<u32, Waiting<K>>,
    /// By depth, the ancestors of the rank at hand.
    ancestors: Vec<u32>,
}

impl<'c, U: Weight, K: Key> Changes<'c, U, K> {
    fn new(
        hierarchy: &'c Hierarchy,
        graph: &'c Structure,
        weights: Weights<'c, U>,
        arcs: Arcs<K>,
    ) -> Self {
        let (keys, origins) = (arcs.keys.into_vec(), arcs.origins.into_vec());
        let ancestors = vec![ROOT; hierarchy.height()];
        Self { hierarchy, graph, weights, keys, origins, waiting: BTreeMap::new(), ancestors }
    }

    /// Takes in the weights of these arcs of the graph.
    fn make(mut self, changed: &[usize]) -> Arcs<K> {
        let hierarchy = self.hierarchy;
        for &input in changed {
            let from = self.graph.row_offsets().partition_point(|&first| first <= input as u64) - 1;
            let to = self.graph.column_indices()[input];
            let [from, to] = [hierarchy.ranks[from], hierarchy.ranks[to as usize]];
            if from == to {
                continue;
            }
            let direction = if from < to { UP } else { DOWN };
            let arc = hierarchy.arc(min(from, to), hierarchy.depths[max(from, to) as usize]) as u32;
            let key = K::of_weight(self.weights.of_arc(input));
            self.take_candidate(arc, direction, key, OF_GRAPH | input as u32);
        }
        while let Some((&first, _)) = self.waiting.first_key_value() {
            let rank = hierarchy.offsets.partition_point(|&offset| offset <= first) as u32 - 1;
            let later = self.waiting.split_off(&(hierarchy.row(rank).end as u32));
            let row = std::mem::replace(&mut self.waiting, later);
            for (&arc, _) in row.iter().filter(|(_, waiting)| waiting.has_lost) {
                self.find_again(rank, arc);
            }
            self.find_ancestors(rank);
            for (&arc, waiting) in &row {
                if self.keys[arc as usize] != waiting.before {
                    self.take_triangles(rank, arc);
                }
            }
        }
        Arcs { keys: self.keys.into(), origins: self.origins.into() }
    }

    /// Gives an arc this candidate if it is the first of the least, in the order in which a
    /// customization comes to them: arcs of the graph, then triangles.
    fn take_candidate(&mut self, arc: u32, direction: usize, key: K, origin: u32) {
        let notes = Origins::of(self.keys.len());
        let (keys, origins) = (&mut self.keys[arc as usize], &mut self.origins[arc as usize]);
        let before = *keys;
        let (own, own_origin) = (&mut keys[direction], &mut origins[direction]);
        let [turn, own_turn] = [origin, *own_origin].map(|origin| notes.turn(origin));
        let is_least = key < *own || key == *own && turn < own_turn && key < K::UNREACHED;
        let has_lost = !is_least && turn == own_turn && key != *own;
        if is_least {
            (*own, *own_origin) = (key, origin);
        }
        if is_least || has_lost {
            let waiting = self.waiting.entry(arc);
            waiting.or_insert(Waiting { before, has_lost: false }).has_lost |= has_lost;
        }
    }

    /// Goes through all candidates of an arc that leads up from `rank`.
    fn find_again(&mut self, rank: u32, arc: u32) {
        let Hierarchy { offsets, ends, .. } = self.hierarchy;
        let Below { lower_offsets, lower, input_offsets, inputs } =
            self.hierarchy.below(self.graph);
        let range =
            |offsets: &[u32]| offsets[rank as usize] as usize..offsets[rank as usize + 1] as usize;
        let end = ends[arc as usize];
        let mut found = Arc::NONE;
        for input in inputs[range(input_offsets)].iter().filter(|input| input.end == end) {
            let key = K::of_weight(self.weights.of_arc(input.arc as usize));
            found.lower(input.direction.into(), key, OF_GRAPH | input.arc);
        }
        for triangle in &lower[range(lower_offsets)] {
            let others = triangle.arc as usize + 1..offsets[triangle.from as usize + 1] as usize;
            let place = ends[others.clone()].partition_point(|&other| other > end);
            let other = others.start + place;
            if others.contains(&other) && ends[other] == end {
                found.lower_by_triangle(&self.keys, triangle.arc, other);
            }
        }
        self.keys[arc as usize] = found.keys;
        self.origins[arc as usize] = found.origins;
    }

    /// The candidates that an arc from `rank` makes together with the other arcs from there.
    fn take_triangles(&mut self, rank: u32, arc: u32) {
        let hierarchy = self.hierarchy;
        let ends = &hierarchy.ends;
        for other in hierarchy.row(rank).map(|other| other as u32) {
            if other == arc {
                continue;
            }
            // the rows descend: the one before ends lower
            let (first, second) = (min(arc, other), max(arc, other));
            let lower_end = self.ancestors[usize::from(ends[first as usize])];
            let above = hierarchy.arc(lower_end, ends[second as usize]) as u32;
            let [from_middle, to_middle] = self.keys[first as usize];
            let other = self.keys[second as usize];
            let origins = Origins::of(self.keys.len());
            let origin = origins.through(first, (second - first) as usize);
            self.take_candidate(above, UP, to_middle.add(other[UP]), origin);
            self.take_candidate(above, DOWN, other[DOWN].add(from_middle), origin);
        }
    }

    fn find_ancestors(&mut self, rank: u32) {
        for rank in self.hierarchy.way_up(rank) {
            self.ancestors[usize::from(self.hierarchy.depths[rank as usize])] = rank;
        }
    }
}

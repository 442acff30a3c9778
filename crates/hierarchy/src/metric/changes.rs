//! Customization of those arcs of the hierarchy that new weights of some arcs change.
//!
//! An arc of the hierarchy has the least of its candidates: the arcs of the graph between its ends,
//! and the two other sides of each triangle below it. Vertices are gone through by ascending rank,
//! as in any customization, but only those are that have an arc with a candidate that may be
//! another. Candidates through those lower neighbours are compared that have an arc that changed.
//! If the candidate that an arc has becomes greater, or most lower neighbours have changed, all
//! arcs of the vertex are found again. What changes marks the vertices above where it may matter.
//!
//! The result is that of a customization of its own, ties included. O(triangles at the marked
//! vertices), and 1/32 of a byte a vertex.
//!
//! The paper goes from one arc that has changed to those that it is a side of, in a queue, and
//! searches for them. Here a vertex is read once, and nothing is searched for.
//!
//! Reference: dibbelt-2016

use std::cmp::min;
use std::ops::Range;

use graph_formats::{Csr, Weight};

use super::arcs::{Arcs, OF_GRAPH, Origins};
use super::customize::{Arc, Customization, Rows, Work};
use super::key::{Key, Weights};
use super::marks::Marks;
use super::{AnyArcs, with_arcs};
use crate::prepare::below::Below;
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP, structure};

/// If more than 1/SHARE of the lower neighbours have changed, finding all arcs is faster.
const SHARE: usize = 2;

/// Makes `arcs` those of `graph`, of whose arcs those in `changes` have other weights than before.
pub(crate) fn change<W: Weight>(
    arcs: &mut AnyArcs,
    hierarchy: &Hierarchy,
    graph: &Csr<W>,
    changes: &[(usize, W)],
) {
    let again = Again::new(hierarchy);
    for &(arc, _) in changes {
        let (from, to) = graph.ends(arc);
        again.ranks.set(min(hierarchy.ranks[from as usize], hierarchy.ranks[to as usize]));
    }
    let structure = structure(graph);
    let (below, weights) = (hierarchy.below(&structure), Weights::of_all(graph.weights()));
    let customization = Customization { hierarchy, below, weights, again: Some(&again) };
    with_arcs!(W, arcs, arcs => {
        let Arcs { keys, origins } = std::mem::take(arcs);
        let (mut keys, mut origins) = (keys.into_vec(), origins.into_vec());
        customization.all(&mut keys, &mut origins);
        *arcs = Arcs { keys: keys.into(), origins: origins.into() };
    });
}

/// What has to be customized again.
pub(super) struct Again {
    /// The ranks of which an arc has a candidate that may be another.
    pub(super) ranks: Marks,
    /// Those of which an arc has changed.
    changed: Marks,
    /// Those arcs.
    arcs: Marks,
}

impl Again {
    fn new(hierarchy: &Hierarchy) -> Self {
        let [ranks, changed] = [(); 2].map(|()| Marks::new(hierarchy.n_vertices()));
        Self { ranks, changed, arcs: Marks::new(hierarchy.n_arcs()) }
    }
}

impl<U: Weight> Customization<'_, U> {
    /// Customizes the arcs of a vertex, and marks the ancestors between which they make others.
    pub(super) fn vertex_again<K: Key>(
        &self,
        again: &Again,
        rank: u32,
        arcs: &mut Rows<'_, K>,
        work: &mut Work<K>,
    ) {
        let hierarchy = self.hierarchy;
        if !self.take_changed(again, rank, arcs, &mut work.row) {
            self.find(rank, arcs, &mut work.row);
        }
        let own = hierarchy.row(rank);
        let ends = &hierarchy.ends[own.clone()];
        let mut last = None;
        for ((place, &end), before) in ends.iter().enumerate().zip(arcs.keys(own.clone())) {
            if work.row[end as usize].keys != *before {
                again.arcs.set((own.start + place) as u32);
                last = Some(place);
            }
        }
        self.put(rank, arcs, &work.row);
        let Some(last) = last else { return };
        again.changed.set(rank);
        for above in hierarchy.way_up(rank) {
            let ancestor = &mut work.ancestors[usize::from(hierarchy.depths[above as usize])];
            // those above it are of the rank before too
            if *ancestor == above {
                break;
            }
            *ancestor = above;
        }
        // the last arc of the row is the higher side of triangles alone
        for &end in &ends[..min(last + 1, ends.len() - 1)] {
            again.ranks.set(work.ancestors[usize::from(end)]);
        }
    }

    /// Compares the arcs of a vertex with the candidates that may be others. False where more are
    /// needed: all arcs have to be found again then.
    fn take_changed<K: Key>(
        &self,
        again: &Again,
        rank: u32,
        arcs: &Rows<'_, K>,
        row: &mut [Arc<K>],
    ) -> bool {
        let Hierarchy { offsets, ends, .. } = self.hierarchy;
        let Below { lower_offsets, lower, input_offsets, inputs } = self.below;
        let range =
            |offsets: &[u32]| offsets[rank as usize] as usize..offsets[rank as usize + 1] as usize;
        let lower = &lower[range(lower_offsets)];
        let changed = || lower.iter().filter(|triangle| again.changed.has(triangle.from));
        if SHARE * changed().count() > lower.len() {
            return false;
        }
        let own = range(offsets);
        let before = arcs.keys(own.clone()).iter().zip(arcs.origins(own.clone()));
        for (&end, (&keys, &origins)) in ends[own].iter().zip(before) {
            row[end as usize] = Arc { keys, origins };
        }
        let notes = Origins::of(self.hierarchy.n_arcs());
        for input in &inputs[range(input_offsets)] {
            let key = K::of_weight(self.weights.of_arc(input.arc as usize));
            let arc = &mut row[input.end as usize];
            if !arc.take(notes, input.direction.into(), key, OF_GRAPH | input.arc) {
                return false;
            }
        }
        for triangle in changed() {
            let all = triangle.arc + 1..offsets[triangle.from as usize + 1];
            let [from_middle, to_middle] = arcs.keys(triangle.arc as usize..all.start as usize)[0];
            let is_changed = again.arcs.has(triangle.arc);
            let next = |sides: &Range<u32>| match is_changed {
                true => Some(sides.start).filter(|_| !sides.is_empty()),
                false => again.arcs.next(sides),
            };
            let mut sides = all.clone();
            while let Some(side) = next(&sides) {
                sides.start = side + 1;
                let arc = &mut row[ends[side as usize] as usize];
                let other = arcs.keys(side as usize..side as usize + 1)[0];
                let [up, down] = [to_middle.add(other[UP]), other[DOWN].add(from_middle)];
                let is_its = arc.origins.map(|origin| notes.lower(origin) == triangle.arc);
                if (up > arc.keys[UP]) & (down > arc.keys[DOWN]) & (is_its == [false; 2]) {
                    continue;
                }
                let origin = notes.through(triangle.arc, (side - triangle.arc) as usize);
                if !arc.take(notes, UP, up, origin) || !arc.take(notes, DOWN, down, origin) {
                    return false;
                }
            }
        }
        true
    }
}

impl<K: Key> Arc<K> {
    /// Gives it this candidate if it is the first of the least, in the order in which a
    /// customization comes to them: arcs of the graph, then triangles. False where it is the one
    /// that the arc has, and greater now.
    #[inline(always)]
    fn take(&mut self, notes: Origins, direction: usize, key: K, origin: u32) -> bool {
        let (own, own_origin) = (&mut self.keys[direction], &mut self.origins[direction]);
        let [turn, own_turn] = [origin, *own_origin].map(|origin| notes.turn(origin));
        if key < *own || key == *own && turn < own_turn && key < K::UNREACHED {
            (*own, *own_origin) = (key, origin);
        }
        key <= *own || turn != own_turn || *own >= K::UNREACHED
    }
}

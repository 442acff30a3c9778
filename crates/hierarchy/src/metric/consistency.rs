//! Whether arrays of a file are a hierarchy of their graph.
//!
//! Each array may be in range and the checksum right, and yet they may be of another graph, lack an
//! arc, have shortcuts that lead round a cycle, or weigh more than a path. So all that an arc may be
//! made of is looked at: the arcs of the graph between its ends, and the two other sides of each
//! triangle below it.
//!
//! * No key is negative or beyond that of no path, so that no sum of two wraps.
//! * The hierarchy has the arc, it is no heavier than any of these, and what it is made of comes
//!   first among those as heavy.
//! * As many of these are what their arc is made of, and as heavy, as there are keys of a path. No
//!   arc can have two, so each has one.
//!
//! So the arrays are those of a customization, and every answer is right.
//! O(n + m log + triangles) for m arcs of both, in parallel.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use elimination::ROOT;
use graph_formats::{Csr, Weight, parallel};

use super::arcs::{Arcs, OF_GRAPH, Origins};
use super::key::{Key, Weights};
use crate::prepare::hierarchy::{DOWN, Hierarchy, UP};

/// As many ranks are worth another thread.
const RANKS_PER_TASK: usize = 1 << 12;

/// A hierarchy and its arcs, to be held against their graph.
struct Check<'a, U, K> {
    hierarchy: &'a Hierarchy,
    arcs: &'a Arcs<K>,
    row_offsets: &'a [u64],
    columns: &'a [u32],
    weights: Weights<'a, U>,
}

/// Whether `arcs` are those of `hierarchy` for `graph`, none of whose weights is negative.
pub(crate) fn is_consistent<W: Weight, K: Key>(
    hierarchy: &Hierarchy,
    arcs: &Arcs<K>,
    graph: &Csr<W>,
) -> bool {
    if hierarchy.n_vertices() != graph.n_vertices() {
        return false;
    }
    let (row_offsets, columns) = (graph.row_offsets(), graph.column_indices());
    Check { hierarchy, arcs, row_offsets, columns, weights: Weights::of(graph) }.all()
}

impl<U: Weight, K: Key> Check<'_, U, K> {
    fn all(&self) -> bool {
        let (n, n_made) = (self.hierarchy.n_vertices(), AtomicUsize::new(0));
        let wrong = parallel::find_first(n, RANKS_PER_TASK, &|ranks| {
            let first = ranks.start;
            self.n_made(ranks).map_or(Some(first), |n| {
                n_made.fetch_add(n, Relaxed);
                None
            })
        });
        let keys = self.arcs.keys.as_flattened();
        let n_reached = keys.iter().filter(|&&key| key < K::UNREACHED).count();
        wrong.is_none() && n_made.into_inner() == n_reached
    }

    /// How many arcs of the graph from these ranks, and triangles with one of them for the lowest,
    /// an arc of the hierarchy is made of. None where something is wrong.
    fn n_made(&self, ranks: Range<usize>) -> Option<usize> {
        let depths = &self.hierarchy.depths;
        // the rank at each depth of the way up; ranks descend, so that children come after parents
        let mut way_up = vec![ROOT; self.hierarchy.height()];
        for rank in self.hierarchy.way_up(ranks.end as u32 - 1) {
            way_up[usize::from(depths[rank as usize])] = rank;
        }
        let mut n_made = 0;
        for rank in ranks.rev().map(|rank| rank as u32) {
            way_up[usize::from(depths[rank as usize])] = rank;
            n_made += self.by_arcs(rank)? + self.by_triangles(rank, &way_up)?;
        }
        Some(n_made)
    }

    /// Of the arcs of the graph from the vertex of this rank.
    fn by_arcs(&self, rank: u32) -> Option<usize> {
        let Hierarchy { ranks, vertices, subtrees, ends, depths, .. } = self.hierarchy;
        let (vertex, mut n_made) = (vertices[rank as usize] as usize, 0);
        for input in self.row_offsets[vertex] as usize..self.row_offsets[vertex + 1] as usize {
            let head = ranks[self.columns[input] as usize];
            let (lower, higher) = (Ord::min(rank, head), Ord::max(rank, head));
            if lower == higher {
                continue;
            }
            if subtrees[higher as usize] > lower {
                return None;
            }
            let arc = self.hierarchy.arc(lower, depths[higher as usize]);
            if arc == self.hierarchy.row(lower).end || ends[arc] != depths[higher as usize] {
                return None;
            }
            let way = if lower == rank { UP } else { DOWN };
            let key = K::of_weight(self.weights.of_arc(input));
            n_made += usize::from(self.is_made_of(arc, way, key, OF_GRAPH | input as u32)?);
        }
        Some(n_made)
    }

    /// Of the triangles that have this rank for the lowest.
    fn by_triangles(&self, rank: u32, way_up: &[u32]) -> Option<usize> {
        let (ends, row) = (&self.hierarchy.ends, self.hierarchy.row(rank));
        let keys = self.arcs.keys[row.clone()].as_flattened();
        if !keys.iter().all(|key| (K::ZERO..=K::UNREACHED).contains(key)) {
            return None;
        }
        let notes = Origins::of(self.arcs.origins.len());
        let mut n_made = 0;
        for first in row.clone() {
            let mut above = self.hierarchy.row(way_up[usize::from(ends[first])]);
            let [from_middle, to_middle] = self.arcs.keys[first];
            for second in first + 1..row.end {
                let (arc, other) =
                    (above.find(|&arc| ends[arc] == ends[second])?, self.arcs.keys[second]);
                let sums = [to_middle.add(other[UP]), other[DOWN].add(from_middle)];
                let origin = notes.through(first as u32, second - first);
                n_made += usize::from(self.is_made_of(arc, UP, sums[UP], origin)?);
                n_made += usize::from(self.is_made_of(arc, DOWN, sums[DOWN], origin)?);
            }
        }
        Some(n_made)
    }

    /// Whether the arc of the hierarchy, this way, is made of a candidate with this key and origin.
    /// None where it should be and is not.
    #[inline(always)]
    fn is_made_of(&self, arc: usize, way: usize, key: K, origin: u32) -> Option<bool> {
        let own = self.arcs.keys[arc][way];
        if own < key || own == K::UNREACHED && key == own {
            return Some(false);
        }
        // a customization takes the first of the least: arcs of the graph, then triangles
        let own_origin = self.arcs.origins[arc][way];
        let notes = Origins::of(self.arcs.origins.len());
        let [own_turn, turn] = [own_origin, origin].map(|origin| notes.turn(origin));
        let is_made = own_turn == turn;
        let is_right = !is_made || own_origin == origin || notes.higher(own_origin).is_none();
        (own == key && own_turn <= turn && is_right).then_some(is_made)
    }
}

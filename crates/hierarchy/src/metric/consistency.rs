//! Whether arrays of a file are a hierarchy of their graph.
//!
//! Each array may be in range and the checksum right, and yet they may be of another graph, lack an
//! arc, or have shortcuts that lead round a cycle. Three things are checked:
//!
//! * the neighbours of a rank that are higher than its parent are neighbours of the parent, so that
//!   no shortcut is missing;
//! * each arc of the graph is one of the hierarchy, which is no heavier;
//! * each arc that a path can take weighs as much as its parts: an arc of the graph between the same
//!   vertices, or the two sides of a triangle with a lower vertex.
//!
//! So every answer is the length of a path of the graph, and is unpacked in finitely many steps.
//! Whether a triangle is lighter than the arc above it is not checked: that would be to customize
//! again. O(n + m log) for m arcs of both, in parallel.

use std::ops::Range;

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
    /// The rank where each arc of the hierarchy starts.
    tails: Vec<u32>,
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
    let weights = Weights::of(graph);
    Check { hierarchy, arcs, tails: tails(&hierarchy.offsets), row_offsets, columns, weights }.all()
}

fn tails(offsets: &[u32]) -> Vec<u32> {
    let mut tails = vec![0; offsets.last().map_or(0, |&end| end as usize)];
    for (row, rank) in offsets.windows(2).zip(0..) {
        tails[row[0] as usize..row[1] as usize].fill(rank);
    }
    tails
}

impl<U: Weight, K: Key> Check<'_, U, K> {
    fn all(&self) -> bool {
        let n = self.hierarchy.n_vertices();
        let wrong = parallel::find_first(n, RANKS_PER_TASK, &|ranks| {
            let first = ranks.start;
            (!self.are_right(ranks)).then_some(first)
        });
        wrong.is_none()
    }

    fn are_right(&self, ranks: Range<usize>) -> bool {
        let depths = &self.hierarchy.depths;
        // the rank at each depth of the way up; ranks descend, so that children come after parents
        let mut way_up = vec![ROOT; self.hierarchy.height()];
        for rank in self.hierarchy.way_up(ranks.end as u32 - 1) {
            way_up[usize::from(depths[rank as usize])] = rank;
        }
        ranks.rev().map(|rank| rank as u32).all(|rank| {
            way_up[usize::from(depths[rank as usize])] = rank;
            self.has_all_shortcuts(rank)
                && self.has_all_arcs(rank)
                && self.hierarchy.row(rank).all(|arc| {
                    let higher = way_up[usize::from(self.hierarchy.ends[arc])];
                    [UP, DOWN].into_iter().all(|way| self.is_right(rank, higher, arc, way))
                })
        })
    }

    /// Whether the parent has the neighbours of `rank` that are higher.
    fn has_all_shortcuts(&self, rank: u32) -> bool {
        let Hierarchy { ends, parents, .. } = self.hierarchy;
        let Some((_, higher)) = ends[self.hierarchy.row(rank)].split_first() else { return true };
        let of_parent = self.hierarchy.row(parents[rank as usize]);
        higher.iter().all(|end| find(&ends[of_parent.clone()], *end).is_some())
    }

    /// Whether the arcs of the graph from the vertex of this rank are in the hierarchy.
    fn has_all_arcs(&self, rank: u32) -> bool {
        let Hierarchy { ranks, vertices, subtrees, ends, depths, .. } = self.hierarchy;
        let vertex = vertices[rank as usize];
        self.row_of_graph(vertex).all(|of_graph| {
            let head = ranks[self.columns[of_graph] as usize];
            let (lower, higher) = (Ord::min(rank, head), Ord::max(rank, head));
            if lower == higher {
                return true;
            }
            let way = if lower == rank { UP } else { DOWN };
            let row = self.hierarchy.row(lower);
            let place = find(&ends[row.clone()], depths[higher as usize]);
            let is_no_heavier = |place: usize| {
                let key = K::of_weight(self.weights.of_arc(of_graph));
                self.arcs.keys[row.start + place][way] <= key
            };
            subtrees[higher as usize] <= lower && place.is_some_and(is_no_heavier)
        })
    }

    /// Whether the arc from a rank to a higher one, this way, weighs what it is made of.
    fn is_right(&self, rank: u32, higher: u32, arc: usize, way: usize) -> bool {
        let Hierarchy { vertices, subtrees, offsets, ends, depths, .. } = self.hierarchy;
        let (key, origin) = (self.arcs.keys[arc][way], self.arcs.origins[arc][way]);
        if key == K::UNREACHED {
            // no path takes this arc
            return true;
        }
        if origin & OF_GRAPH != 0 {
            let of_graph = (origin & !OF_GRAPH) as usize;
            let [from, to] = if way == UP { [rank, higher] } else { [higher, rank] };
            return self.row_of_graph(vertices[from as usize]).contains(&of_graph)
                && self.columns[of_graph] == vertices[to as usize]
                && key == K::of_weight(self.weights.of_arc(of_graph));
        }
        // an arc to the lower end, from below it
        let origins = Origins::of(self.arcs.origins.len());
        let lower = origins.lower(origin);
        let first = lower as usize;
        let below = offsets[subtrees[rank as usize] as usize]..offsets[rank as usize];
        if !below.contains(&lower) || ends[first] != depths[rank as usize] {
            return false;
        }
        let others = first + 1..self.hierarchy.row(self.tails[first]).end;
        let Some(second) = find(&ends[others.clone()], depths[higher as usize]) else {
            return false;
        };
        let second = others.start + second;
        if origins.higher(origin).is_some_and(|noted| noted as usize != second) {
            return false;
        }
        let [first, second] = [first, second].map(|arc| self.arcs.keys[arc]);
        let [there, on] = if way == UP { [first, second] } else { [second, first] };
        let sides = [there[DOWN], on[UP]];
        // greater keys might wrap when they are added
        sides.iter().all(|side| (K::ZERO..K::UNREACHED).contains(side))
            && key == sides[0].add(sides[1])
    }

    /// The positions of a vertex's arcs in the graph.
    fn row_of_graph(&self, vertex: u32) -> Range<usize> {
        let vertex = vertex as usize;
        self.row_offsets[vertex] as usize..self.row_offsets[vertex + 1] as usize
    }
}

/// Where a row, which descends, has this depth.
fn find(row: &[u16], depth: u16) -> Option<usize> {
    row.binary_search_by(|end| depth.cmp(end)).ok()
}

//! Upper bounds of the repeated work of Δ-stepping.
//!
//! Take all pairs (u, v) with v at most Δ from u, and for each pair the fewest arcs of a shortest
//! path; let l be one more than the greatest of these counts. A vertex is taken from its bucket
//! again only after another vertex of its path in the same bucket, a different one each time. So
//! re-insertions are at most the number of pairs, and re-relaxations at most the light arcs out of
//! their ends. Each of the D/Δ + 1 buckets, D being the largest distance, has at most l phases of
//! light arcs and one of heavy arcs. This holds if a phase takes all vertices in a bucket.
//!
//! Difference from the papers: origin-four-families, after an early version of the proof, has the
//! sets of paths up to Δ and up to 2 Δ in place of the pairs and their arcs. Those sets are larger.
//!
//! Reference: meyer-sanders-2003, origin-four-families

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

/// Upper bounds of the counts of Δ-stepping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// The bound of [`Again::insertions`](search_parts::Again::insertions).
    pub insertions: f64,
    /// The bound of [`Again::relaxations`](search_parts::Again::relaxations).
    pub relaxations: f64,
    /// The bound of [`Work::rounds`](search_parts::Work::rounds).
    pub phases: f64,
}

impl Bounds {
    /// The bounds for buckets of `width` on a graph without negative weights whose largest distance
    /// is `farthest`. For integers the width is rounded down. Pairs begin at the vertices of
    /// `from`: all vertices give bounds; a sample gives estimates, of which the one of the phases
    /// is too low. Searches from each vertex of `from` up to `width`.
    pub fn of<W: Weight>(graph: &Csr<W>, width: f64, farthest: f64, from: &[VertexId]) -> Self {
        let is_whole = W::ONE.to_i128().is_some();
        let width = if is_whole { width.floor().max(1.0) } else { width };
        let sum = |a: (f64, f64, u32), b: (f64, f64, u32)| (a.0 + b.0, a.1 + b.1, a.2.max(b.2));
        let near = from.par_iter().map(|&u| near(graph, width, u));
        let (pairs, arcs, most_arcs) = near.reduce(Default::default, sum);
        let share = graph.n_vertices() as f64 / from.len().max(1) as f64;
        Self {
            insertions: pairs * share,
            relaxations: arcs * share,
            phases: ((farthest / width).floor() + 1.0) * (f64::from(most_arcs) + 2.0),
        }
    }
}

/// The number of vertices up to `width` from `start`, the number of light arcs out of them, and the
/// most arcs of their shortest paths of fewest arcs. This is Dijkstra's algorithm over (distance,
/// arcs). The distance is in the bits of a non-negative float, which compare like the float.
fn near<W: Weight>(graph: &Csr<W>, width: f64, start: VertexId) -> (f64, f64, u32) {
    let (mut vertices, mut arcs, mut most_arcs) = (0.0, 0.0, 0);
    let mut best = HashMap::from([(start, (0, 0))]);
    let mut queue = BinaryHeap::from([Reverse(((0, 0), start))]);
    while let Some(Reverse((key, v))) = queue.pop() {
        if best[&v] != key {
            continue;
        }
        let mut light = 0.0;
        for (to, weight) in graph.arcs_from(v).filter(|arc| arc.1.to_f64() <= width) {
            light += 1.0;
            let distance = f64::from_bits(key.0) + weight.to_f64();
            let new = (distance.to_bits(), key.1 + 1);
            if distance <= width && best.get(&to).is_none_or(|&known| new < known) {
                best.insert(to, new);
                queue.push(Reverse((new, to)));
            }
        }
        if v != start {
            vertices += 1.0;
            arcs += light;
            most_arcs = most_arcs.max(key.1);
        }
    }
    (vertices, arcs, most_arcs)
}

//! The arcs that can begin a shortest path: those that no path undercuts.
//!
//! An arc (u, x, w) with w > d(u, x) lies on no shortest path. Dense graphs have few others:
//! for random weights some n log n. O(m).

use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind, parallel};

use super::next_hops::Rows;

/// Bytes for finding the useful ones of these arcs, and for all of them.
pub(crate) fn bytes_of_arcs<W: Weight>(graph: &Csr<W>) -> u128 {
    // on rank 0 a mark is there twice
    let arc = size_of::<VertexId>() + size_of::<W>() + 2 * size_of::<u8>();
    let offsets = graph.row_offsets().len() as u128 * size_of::<u64>() as u128;
    graph.n_arcs() as u128 * arc as u128 + offsets
}

/// For each arc from these vertices, row after row, whether it weighs no more than the distance
/// of its ends, and `slack`: 1 or 0.
pub(crate) fn marks<W: Weight, R: Rows<W::Distance>>(
    graph: &Csr<W>,
    sources: &[VertexId],
    distances: &R,
    slack: f64,
) -> Vec<u8> {
    let is_useful = |distance: W::Distance, weight: W| match (weight.to_i128(), distance.to_i128())
    {
        (Some(weight), Some(distance)) => weight <= distance,
        _ => weight.to_f64() <= distance.to_f64() + slack,
    };
    let of_row = |from: VertexId| {
        let row = distances.row(from);
        let mark = |(to, weight)| is_useful(distances.distance(row[to as usize]), weight).into();
        graph.arcs_from(from).map(mark).collect::<Vec<u8>>()
    };
    parallel::map(sources.len(), &|at| of_row(sources[at])).concat()
}

/// The arcs that are marked.
pub(crate) fn marked<W: Weight>(graph: &Csr<W>, marks: &[u8]) -> Csr<W> {
    let mut row_offsets = vec![0];
    let (mut columns, mut weights) = (Vec::new(), Vec::new());
    let mut marks = marks.iter();
    for from in graph.vertices() {
        for ((to, weight), _) in
            graph.arcs_from(from).zip(&mut marks).filter(|(_, mark)| **mark > 0)
        {
            columns.push(to);
            weights.push(weight);
        }
        row_offsets.push(columns.len() as u64);
    }
    Csr::new(row_offsets, columns, weights).expect("arcs of a graph")
}

/// The greatest absolute value of the distances from these vertices. O(n) for each.
pub(crate) fn greatest<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    distances: &impl Rows<W::Distance>,
) -> f64 {
    let greatest = |&from: &VertexId| {
        let row = &distances.row(from)[..graph.n_vertices()];
        let row = row.iter().map(|&cell| distances.distance(cell));
        row.filter(|&d| d != W::Distance::UNREACHED).map(|d| d.to_f64().abs()).fold(0.0, f64::max)
    };
    let of_rows = parallel::map(sources.len(), &|at| greatest(&sources[at]));
    of_rows.into_iter().fold(0.0, f64::max)
}

/// How far rounding can take two sums over a shortest path apart, generously: 16 n ε times
/// the greatest distance of all. Each of the sums has at most n additions, or for potentials three
/// times as many, and no part of a shortest path is longer than the greatest distance.
pub(crate) fn slack<W: Weight>(graph: &Csr<W>, greatest: f64) -> f64 {
    16.0 * graph.n_vertices() as f64 * epsilon(W::KIND).unwrap_or_default() * greatest
}

/// Whether sums of the weights may be rounded: not those of integers, nor of whole numbers
/// that are small. Then distances depend on the order of the sums, and next hops are for
/// settled ones only. O(m).
pub(crate) fn rounds<W: Weight>(graph: &Csr<W>) -> bool {
    epsilon(W::KIND).is_some_and(|epsilon| !sums_are_whole(graph, epsilon))
}

/// The distance from 1 to the next float; `None` for integers.
pub(crate) fn epsilon(kind: WeightKind) -> Option<f64> {
    match kind {
        WeightKind::F32 => Some(f64::from(f32::EPSILON)),
        WeightKind::F64 => Some(f64::EPSILON),
        _ => None,
    }
}

/// Whether weights are whole numbers so small that no sum of them is rounded, potentials
/// included.
fn sums_are_whole<W: Weight>(graph: &Csr<W>, epsilon: f64) -> bool {
    sums_are_small(graph.n_vertices(), graph.weight_summary().greatest_size(), epsilon)
        && are_whole(graph)
}

/// Whether sums of whole weights of at most this size are exact, potentials included.
pub(crate) fn sums_are_small(n_vertices: usize, greatest: f64, epsilon: f64) -> bool {
    4.0 * n_vertices as f64 * greatest < 1.0 / epsilon
}

/// Whether all weights are whole numbers.
pub(crate) fn are_whole<W: Weight>(graph: &Csr<W>) -> bool {
    graph.stored_weights().iter().all(|weight| weight.to_f64().fract() == 0.0)
}

//! The arcs that can begin a shortest path: those that no path undercuts.
//!
//! An arc (u, x, w) with w > d(u, x) lies on no shortest path. Dense graphs have few others:
//! for random weights some n log n. O(m).

use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind};
use rayon::prelude::*;

use super::next_hops::Rows;

/// Bytes for the useful ones of these arcs, be they all.
pub(crate) fn bytes_of_arcs<W: Weight>(graph: &Csr<W>) -> u128 {
    let arcs = graph.n_arcs() as u128 * (size_of::<VertexId>() + size_of::<W>()) as u128;
    arcs + graph.row_offsets().len() as u128 * size_of::<u64>() as u128
}

/// The arcs of `graph` that weigh no more than the distance of their ends, and `slack`.
pub(crate) fn useful_arcs<W: Weight>(
    graph: &Csr<W>,
    distances: &impl Rows<W::Distance>,
    slack: f64,
) -> Csr<W> {
    let is_useful = |from, to, weight: W| {
        let distance = distances.get(from, to);
        match (weight.to_i128(), distance.to_i128()) {
            (Some(weight), Some(distance)) => weight <= distance,
            _ => weight.to_f64() <= distance.to_f64() + slack,
        }
    };
    let mut row_offsets = vec![0];
    let (mut columns, mut weights) = (Vec::new(), Vec::new());
    for from in graph.vertices() {
        for (to, weight) in graph.arcs_from(from).filter(|&(to, w)| is_useful(from, to, w)) {
            columns.push(to);
            weights.push(weight);
        }
        row_offsets.push(columns.len() as u64);
    }
    Csr::new(row_offsets, columns, weights).expect("arcs of a graph")
}

/// How far rounding can take two sums over a shortest path apart, generously: 16 n ε times
/// the greatest distance. Each of the sums has at most n additions, or for potentials three
/// times as many, and no part of a shortest path is longer than the greatest distance. `None`
/// where [no sum rounds](rounds). O(m), or O(n²).
pub(crate) fn rounding<W: Weight>(
    graph: &Csr<W>,
    distances: &impl Rows<W::Distance>,
) -> Option<f64> {
    let epsilon = epsilon(W::KIND).filter(|_| rounds(graph))?;
    let greatest = |from: VertexId| {
        let row = graph.vertices().map(move |to| distances.get(from, to));
        row.filter(|&d| d != W::Distance::UNREACHED).map(|d| d.to_f64().abs()).fold(0.0, f64::max)
    };
    let greatest = graph.vertices().into_par_iter().map(greatest).reduce(|| 0.0, f64::max);
    Some(16.0 * graph.n_vertices() as f64 * epsilon * greatest)
}

/// Whether sums of the weights may be rounded: not those of integers, nor of whole numbers
/// that are small. Then distances depend on the order of the sums, and next hops are for
/// settled ones only. O(m).
pub(crate) fn rounds<W: Weight>(graph: &Csr<W>) -> bool {
    epsilon(W::KIND).is_some_and(|epsilon| !sums_are_whole(graph, epsilon))
}

/// The distance from 1 to the next float; `None` for integers.
fn epsilon(kind: WeightKind) -> Option<f64> {
    match kind {
        WeightKind::F32 => Some(f64::from(f32::EPSILON)),
        WeightKind::F64 => Some(f64::EPSILON),
        _ => None,
    }
}

/// Whether weights are whole numbers so small that no sum of them is rounded, potentials
/// included.
fn sums_are_whole<W: Weight>(graph: &Csr<W>, epsilon: f64) -> bool {
    let greatest = graph.weight_summary().greatest_size();
    4.0 * graph.n_vertices() as f64 * greatest < 1.0 / epsilon
        && graph.weights().par_iter().all(|weight| weight.to_f64().fract() == 0.0)
}

//! Whether a row that a run has left half lowered is right when it has been lowered again.
//!
//! A process that is killed leaves rows of the matrix that are neither what they were before a
//! block of pivots nor what they are after it, so that no checksum is of them. Lowering goes on in
//! them as if nothing had happened, but a bit that has changed since goes on, too. Therefore the
//! lowered row is compared with the graph: its distances are those of paths whose inner vertices
//! are pivots of blocks that are done. No arc from such a vertex may lead nearer, and along arcs
//! that add up exactly all vertices that have a distance must be reached. Floats are compared as
//! nearly as their sums may have been rounded. O(n + m).

use graph_formats::{Csr, Distance, VertexId, Weight};

use crate::element::Element;
use crate::host::useful_arcs::epsilon;

/// Bytes that it takes.
pub(super) fn bytes(n: usize) -> u128 {
    (n * (size_of::<bool>() + size_of::<VertexId>())) as u128
}

/// Whether these are the distances from `source` of paths through the vertices below `through`.
pub(super) fn is_right<W: Weight, E: Element>(
    graph: &Csr<W>,
    source: usize,
    through: usize,
    row: &[E],
) -> bool {
    let n = graph.n_vertices();
    let (zero, none) = (W::Distance::ZERO, W::Distance::UNREACHED);
    let at = |v: usize| row[v].decode::<W::Distance>();
    // no path leads to or from what is no vertex
    let n_vertices = if source < n { n } else { 0 };
    let mut padding = (n_vertices..row.len()).filter(|&v| v != source);
    if at(source) != zero || padding.any(|v| at(v) != none) {
        return false;
    }
    if source >= n {
        return true;
    }
    let sizes = (0..n).map(at).filter(|&d| d != none).map(|d| d.to_f64().abs());
    let greatest = sizes.fold(0.0, f64::max);
    let slack = epsilon(W::KIND).map_or(0.0, |epsilon| 2.0 * n as f64 * epsilon * greatest);
    let is_less = |a: W::Distance, b: W::Distance| match slack {
        0.0 => a < b,
        _ => a.to_f64() < b.to_f64() - slack,
    };
    let mut reached = vec![false; n];
    reached[source] = true;
    let mut waiting = vec![source as VertexId];
    while let Some(u) = waiting.pop() {
        if u as usize != source && u as usize >= through {
            continue;
        }
        for (v, weight) in graph.arcs_from(u) {
            // a sum that the matrix cannot hold is no path there
            let sum = weight.after(at(u as usize)).map_or(none, |sum| E::encode(sum).decode());
            let (v, known) = (v as usize, at(v as usize));
            if is_less(sum, known) {
                return false;
            }
            if sum != none && !is_less(known, sum) && !reached[v] {
                reached[v] = true;
                waiting.push(v as VertexId);
            }
        }
    }
    (0..n).all(|v| reached[v] || at(v) == none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::write_row;

    /// Rows of the matrix of this graph, when paths may lead through the first `through` vertices.
    fn rows<E: Element, W: Weight>(graph: &Csr<W>, through: usize, side: usize) -> Vec<Vec<E>> {
        let mut rows: Vec<_> = (0..side)
            .map(|u| {
                let mut row = vec![E::INFINITE; side];
                write_row(graph, u, &mut row);
                row
            })
            .collect();
        for k in 0..through {
            let pivot = rows[k].clone();
            for row in &mut rows {
                let first = row[k];
                row.iter_mut().zip(&pivot).for_each(|(d, &rest)| *d = d.smaller(first.plus(rest)));
            }
        }
        rows
    }

    fn graph() -> Csr<i32> {
        let height = |v: u32| (v * v % 13) as i32;
        // one part that no arc leads to, arcs that add nothing, and some below zero
        let arcs = (0..40u32).flat_map(|u| [(u, (u * 5 + 1) % 30), (u, (u + 7) % 30)]);
        let weight = |u: u32, v: u32| (u * 3 + v) as i32 % 4 + height(v) - height(u);
        let arcs: Vec<_> = arcs.map(|(u, v)| (u, v, weight(u, v))).collect();
        Csr::from_arcs(40, &arcs).unwrap()
    }

    /// Every row at every moment is right, and none with another number in it.
    #[test]
    fn only_right_rows_are_right() {
        let graph = graph();
        for through in [0, 1, 17, 40] {
            for (source, row) in rows::<i32, _>(&graph, through, 43).into_iter().enumerate() {
                assert!(is_right(&graph, source, through, &row), "{source} through {through}");
                for v in 0..43 {
                    for bit in [0, 3, 29] {
                        let mut other = row.clone();
                        other[v] ^= 1 << bit;
                        let same = other[v].decode::<i64>() == row[v].decode::<i64>();
                        let right = is_right(&graph, source, through, &other);
                        assert_eq!(right, same, "{source} to {v} through {through}, bit {bit}");
                    }
                }
            }
        }
    }

    #[test]
    fn floats_are_compared_as_nearly_as_they_are_rounded() {
        let arcs: Vec<_> =
            graph().arcs().map(|(u, v, w)| (u, v, f64::from(w + 20) / 7.0)).collect();
        let graph = Csr::from_arcs(40, &arcs).unwrap();
        for (source, row) in rows::<f64, _>(&graph, 25, 40).into_iter().enumerate() {
            assert!(is_right(&graph, source, 25, &row), "{source}");
            for v in (0..40).filter(|&v| row[v].is_finite() && v != source) {
                for factor in [1.0 - 1e-9, 1.0 + 1e-9, -1.0, f64::INFINITY, f64::NAN] {
                    let mut other = row.clone();
                    other[v] *= factor;
                    assert!(
                        !is_right(&graph, source, 25, &other),
                        "{source} to {v} times {factor}"
                    );
                }
            }
        }
    }
}

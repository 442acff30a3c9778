//! Dijkstra's algorithm with a binary heap: settle the nearest vertex, relax its arcs.
//!
//! A vertex is pushed again whenever it gets nearer, and old entries are skipped when
//! they come out. O((n + m) log m).
//!
//! Reference: dijkstra-1959

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use graph_formats::{Csr, Distance, VertexId, Weight};

use super::{OracleError, refuse_negative_weight, refuse_overflow, refuse_source_out_of_range};
use crate::Distances;

/// The distances of all vertices from `source`.
///
/// # Errors
/// When there is no such source, a weight is negative, or a distance overflows.
pub fn dijkstra<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
) -> Result<Distances<W::Distance>, OracleError> {
    refuse_source_out_of_range(graph, source)?;
    refuse_negative_weight(graph)?;
    let mut distances: Vec<Option<W::Distance>> = vec![None; graph.n_vertices()];
    distances[source as usize] = Some(W::Distance::ZERO);
    let mut heap = BinaryHeap::from([Entry(W::Distance::ZERO, source)]);
    while let Some(Entry(from, u)) = heap.pop() {
        if distances[u as usize] != Some(from) {
            continue;
        }
        for (v, weight) in graph.arcs_from(u) {
            let Some(through) = weight.after(from) else { continue };
            if distances[v as usize].is_none_or(|known| through < known) {
                distances[v as usize] = Some(through);
                heap.push(Entry(through, v));
            }
        }
    }
    let distances = Distances::from_iter(distances);
    refuse_overflow(graph, source, &distances)?;
    Ok(distances)
}

/// A distance and its vertex; the least distance is the greatest entry.
struct Entry<D>(D, VertexId);

impl<D: Distance> Ord for Entry<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.order(self.0).then(other.1.cmp(&self.1))
    }
}

impl<D: Distance> PartialOrd for Entry<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<D: Distance> PartialEq for Entry<D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<D: Distance> Eq for Entry<D> {}

//! The Floyd-Warshall algorithm: three nested loops over middle vertices and pairs.
//!
//! O(n³) time, n² distances. Sums are taken at the middle vertex, not from the source
//! onwards, so that floats may round otherwise than in the other oracles.
//!
//! Reference: floyd-1962, warshall-1962

use graph_formats::{Csr, Distance, Weight};
use ndarray::Array2;

use super::{OracleError, bellman_ford, refuse_overflow};
use crate::{DistanceTable, Distances};

/// The distances of all pairs of vertices; weights may be negative.
///
/// # Errors
/// When the graph has a negative cycle or a distance overflows.
pub fn floyd_warshall<W: Weight>(graph: &Csr<W>) -> Result<DistanceTable<W>, OracleError> {
    let n = graph.n_vertices();
    let mut distances: Array2<Option<W::Distance>> = Array2::from_elem((n, n), None);
    for v in 0..n {
        distances[(v, v)] = Some(W::Distance::ZERO);
    }
    let relax = |known: &mut Option<W::Distance>, through: Option<W::Distance>| {
        if let Some(through) = through
            && known.is_none_or(|known| through < known)
        {
            *known = Some(through);
        }
    };
    for (u, v, weight) in graph.arcs() {
        let through = weight.after(W::Distance::ZERO);
        relax(&mut distances[(u as usize, v as usize)], through);
    }
    for k in 0..n {
        // values near a negative cycle grow fast: check before each use of them
        refuse_negative_cycle(graph, &distances)?;
        for i in 0..n {
            let Some(first) = distances[(i, k)] else { continue };
            for j in 0..n {
                let through = distances[(k, j)].and_then(|second| second.after(first));
                relax(&mut distances[(i, j)], through);
            }
        }
    }
    refuse_negative_cycle(graph, &distances)?;
    for u in graph.vertices() {
        let row = Distances::from_iter(distances.row(u as usize).iter().copied());
        refuse_overflow(graph, u, &row)?;
    }
    let storage = distances.mapv(|d| d.unwrap_or(W::Distance::UNREACHED));
    Ok(DistanceTable::from_storage(storage))
}

/// A vertex nearer than zero to itself reaches a negative cycle; Bellman-Ford names it.
fn refuse_negative_cycle<W: Weight>(
    graph: &Csr<W>,
    distances: &Array2<Option<W::Distance>>,
) -> Result<(), OracleError> {
    let mut vertices = graph.vertices();
    let negative = vertices
        .find(|&v| distances[(v as usize, v as usize)].is_some_and(|d| d < W::Distance::ZERO));
    negative.map_or(Ok(()), |v| bellman_ford(graph, v).map(|_| ()))
}

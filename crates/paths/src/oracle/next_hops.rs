//! The first steps of the shortest paths between all pairs, destination by destination.

use graph_formats::{Csr, VertexId, Weight};
use ndarray::Array2;

use super::canonical_predecessors;
use crate::{DistanceTable, Distances, HopStorage, NextHops};

/// The next hops that belong to the `distances` of all pairs, by the rule that every
/// backend must reproduce exactly.
///
/// A path to v is a path from v in the reversed graph. So the hop from u to v is what
/// [`canonical_predecessors`] gives as the predecessor of u in the reversed graph, searched from v.
/// If no arc of the graph is negative, the hop is by the arc (u, x, w) with w + d(x, v) = d(u, v)
/// and the smallest x strictly nearer to v. Behind arcs of weight zero, and for all pairs if an arc
/// is negative, the order is by levels.
///
/// O(n (n log n + m)).
///
/// # Panics
/// When the table is not square, of as many rows as the graph has vertices.
///
/// ```
/// use graph_formats::Csr;
/// use paths::oracle;
///
/// // two paths of equal length: by the smaller vertex
/// let graph = Csr::from_arcs(4, &[(0, 2, 1u32), (0, 1, 1), (1, 3, 1), (2, 3, 1)])?;
/// let distances = oracle::floyd_warshall(&graph)?;
/// assert_eq!(oracle::next_hops(&graph, &distances).get(0, 3), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn next_hops<W: Weight>(graph: &Csr<W>, distances: &DistanceTable<W>) -> NextHops {
    let n = graph.n_vertices();
    assert_eq!((distances.n_sources(), distances.n_targets()), (n, n), "a table of all pairs");
    let reversed = graph.transposed();
    let mut hops = Array2::from_elem((n, n), None);
    for to in graph.vertices() {
        let column = (0..n).map(|from| distances.get(from, to as usize));
        let column = Distances::from_iter(column);
        let predecessors = canonical_predecessors(&reversed, to, &column);
        for from in graph.vertices() {
            hops[(from as usize, to as usize)] = predecessors.get(from);
        }
    }
    let storage = if NextHops::is_narrow(n) {
        HopStorage::Narrow(hops.mapv(|hop| hop.map_or(u16::MAX, |hop| hop as u16)))
    } else {
        HopStorage::Wide(hops.mapv(|hop| hop.unwrap_or(VertexId::MAX)))
    };
    NextHops::from_storage(storage).expect("vertices of the graph")
}

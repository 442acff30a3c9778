//! A minimum spanning forest by Kruskal's algorithm: the cheapest edge first, unless its
//! ends are joined already. O(m log m).
//!
//! Reference: kruskal-1956

use graph_formats::{Csr, Direction, DisjointSets, VertexId, Weight};
use rayon::prelude::*;

use crate::Total;

/// The cheapest edges that join whatever can be joined.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanningForest<W> {
    /// Edges {u, v} with u < v, in the order taken: by weight, then u, then v. There
    /// are as many as the vertices less the components.
    pub edges: Vec<(VertexId, VertexId, W)>,
    /// What they weigh together: the same for every minimum spanning forest.
    pub total: Total,
}

/// A minimum spanning forest; arcs count as edges, whichever way they point.
///
/// ```
/// use graph_formats::Csr;
/// use paths::Total;
/// use paths::spanning::minimum_spanning_forest;
///
/// let graph = Csr::from_edges(4, &[(0, 1, 3u32), (1, 2, 1), (2, 0, 2)])?;
/// let forest = minimum_spanning_forest(&graph);
/// assert_eq!(forest.edges, [(1, 2, 1), (0, 2, 2)]);
/// assert_eq!(forest.total, Total::Integer(3));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn minimum_spanning_forest<W: Weight>(graph: &Csr<W>) -> SpanningForest<W> {
    let arcs = minimum_spanning_arcs(graph).into_iter();
    let edges: Vec<_> = arcs.map(|(u, v, w)| (u.min(v), u.max(v), w)).collect();
    let total = Total::of(edges.iter().map(|edge| edge.2));
    SpanningForest { edges, total }
}

/// The edges of [`minimum_spanning_forest`] as arcs of the graph. Of an arc and its reverse that
/// weigh the same it is the arc to the greater vertex.
pub fn minimum_spanning_arcs<W: Weight>(graph: &Csr<W>) -> Vec<(VertexId, VertexId, W)> {
    // of an edge that is stored both ways, one is enough
    let is_undirected = graph.direction() == Direction::Undirected;
    let mut arcs: Vec<_> =
        graph.arcs().filter(|&(u, v, _)| u < v || (u > v && !is_undirected)).collect();
    let ends = |&(u, v, _): &(VertexId, VertexId, W)| (u.min(v), u.max(v), u > v);
    arcs.par_sort_unstable_by(|a, b| a.2.order(b.2).then_with(|| ends(a).cmp(&ends(b))));
    let mut sets = DisjointSets::new(graph.n_vertices());
    arcs.retain(|&(u, v, _)| sets.unite(u, v));
    arcs
}

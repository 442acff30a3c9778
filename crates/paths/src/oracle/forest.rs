//! A minimum spanning forest by Kruskal's algorithm: the cheapest edge first, unless its
//! ends are joined already. O(m log m).
//!
//! Reference: kruskal-1956

use graph_formats::{Csr, VertexId, Weight};

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
/// use paths::{Total, oracle};
///
/// let graph = Csr::from_edges(4, &[(0, 1, 3u32), (1, 2, 1), (2, 0, 2)])?;
/// let forest = oracle::minimum_spanning_forest(&graph);
/// assert_eq!(forest.edges, [(1, 2, 1), (0, 2, 2)]);
/// assert_eq!(forest.total, Total::Integer(3));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn minimum_spanning_forest<W: Weight>(graph: &Csr<W>) -> SpanningForest<W> {
    let mut edges: Vec<_> = graph.arcs().map(|(u, v, w)| (u.min(v), u.max(v), w)).collect();
    edges.sort_by(|a, b| a.2.order(b.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut parents: Vec<VertexId> = graph.vertices().collect();
    edges.retain(|&(u, v, _)| {
        let (u, v) = (root(&mut parents, u), root(&mut parents, v));
        parents[u as usize] = v;
        u != v
    });
    let total = Total::of_weights(edges.iter().map(|edge| edge.2));
    SpanningForest { edges, total }
}

/// The vertex that stands for the tree of `vertex`. Halves the way there as it goes.
fn root(parents: &mut [VertexId], mut vertex: VertexId) -> VertexId {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}

//! Statistics of the arcs of a graph, without their weights.

use std::mem;

use crate::{Csr, DisjointSets, VertexId, Weight};

/// Counts that describe a graph.
///
/// ```
/// use graph_formats::{ArcCounts, Csr};
///
/// let graph = Csr::from_arcs(6, &[(3, 0, 1u32), (3, 0, 2), (4, 3, 1), (2, 2, 1), (5, 1, 1)])?;
/// let counts = ArcCounts::of(&graph);
/// assert_eq!((counts.self_loops, counts.parallel), (1, 1));
/// assert_eq!((counts.least_degree, counts.greatest_degree), (0, 2));
/// assert_eq!((counts.isolated, counts.components, counts.largest_component), (1, 3, 3));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcCounts {
    /// Arcs from a vertex to itself.
    pub self_loops: usize,
    /// Arcs beyond the first between the same two vertices, in the same direction.
    pub parallel: usize,
    /// The least out-degree of a vertex; 0 without vertices.
    pub least_degree: usize,
    /// The greatest out-degree of a vertex.
    pub greatest_degree: usize,
    /// Vertices without arcs, loops aside.
    pub isolated: usize,
    /// The number of weakly connected components.
    pub components: usize,
    /// The number of vertices of the largest component.
    pub largest_component: usize,
}

impl ArcCounts {
    /// Counts them. O(n + m), and nearly so for the components.
    pub fn of<W: Weight>(graph: &Csr<W>) -> Self {
        // the vertex that last had an arc to each vertex
        let mut tails = vec![VertexId::MAX; graph.n_vertices()];
        let mut touched = vec![false; graph.n_vertices()];
        let (mut self_loops, mut parallel) = (0, 0);
        for (u, v, _) in graph.arcs() {
            parallel += usize::from(mem::replace(&mut tails[v as usize], u) == u);
            self_loops += usize::from(u == v);
            touched[u as usize] |= u != v;
            touched[v as usize] |= u != v;
        }
        let degrees = || graph.vertices().map(|v| graph.out_degree(v));
        let (components, labels) = DisjointSets::joined_by(graph).labels();
        let mut sizes = vec![0; components];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        Self {
            self_loops,
            parallel,
            least_degree: degrees().min().unwrap_or(0),
            greatest_degree: degrees().max().unwrap_or(0),
            isolated: touched.iter().filter(|&&touched| !touched).count(),
            components,
            largest_component: sizes.into_iter().max().unwrap_or(0),
        }
    }
}

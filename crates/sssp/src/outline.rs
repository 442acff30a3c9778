//! The outline of a graph, from which the cost of searches is estimated: size, depth, density.

use breadth_first::depth;
use graph_formats::{Csr, Weight};

use crate::arc_split;

/// The properties of a graph that the [cost](crate::cost) of searches depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Number of vertices.
    pub n_vertices: usize,
    /// Number of arcs.
    pub n_arcs: usize,
    /// Estimated number of arcs of the longest shortest paths.
    pub depth: f64,
    /// Whether searches may skip most arcs, as on dense undirected graphs.
    pub is_dense: bool,
    /// Whether all weights are equal, so that breadth-first search is correct.
    pub is_unweighted: bool,
}

impl Outline {
    /// Scans the degrees of all vertices, and searches a part of some thousand vertices. O(n).
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::cost::Outline;
    ///
    /// let path: Vec<_> = (0..99_999).map(|v| (v, v + 1, 7u32)).collect();
    /// let outline = Outline::of(&Csr::from_edges(100_000, &path)?);
    /// assert_eq!((outline.n_arcs, outline.depth), (199_998, 100_000.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<W: Weight>(graph: &Csr<W>) -> Self {
        Self {
            n_vertices: graph.n_vertices(),
            n_arcs: graph.n_arcs(),
            depth: depth(graph),
            is_dense: arc_split::is_dense(graph),
            is_unweighted: graph.weight_summary().common().is_some(),
        }
    }
}

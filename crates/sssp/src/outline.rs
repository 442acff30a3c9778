//! What a glance at a graph tells of its searches: how large it is, how deep, how dense.

use breadth_first::depth;
use graph_formats::{Csr, Weight};

use crate::arc_split;

/// A graph, as far as the [cost](crate::cost) of searches hangs on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// Its vertices.
    pub n_vertices: usize,
    /// Its arcs.
    pub n_arcs: usize,
    /// About how many arcs the longest of the shortest paths have.
    pub depth: f64,
    /// Whether searches may leave out most arcs, as on dense undirected graphs.
    pub is_dense: bool,
    /// Whether breadth-first search will do: all arcs weigh the same.
    pub is_unweighted: bool,
}

impl Outline {
    /// Looks at the vertices' degrees, and at some thousand vertices beside one another. O(n).
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

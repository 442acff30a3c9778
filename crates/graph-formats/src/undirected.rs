//! Undirected graphs with every edge {u, v} once, and back to both arcs.
//!
//! Half the arcs are half the memory to read: an edge-parallel solver that holds
//! (u, v, w) relaxes both directions at once.

use crate::{Coo, Csr, Direction, GraphError, Weight};

impl<W: Weight> Csr<W> {
    /// Every edge {u, v} of an undirected graph once, as the arc with u ≤ v, in row
    /// order. Parallel edges stay as many as they are. O(m).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_edges(3, &[(1, 0, 4u32), (1, 2, 5), (2, 2, 6)])?;
    /// let edges = graph.undirected_edges()?;
    /// assert_eq!(edges.arcs().collect::<Vec<_>>(), [(0, 1, 4), (1, 2, 5), (2, 2, 6)]);
    /// assert_eq!(Csr::from_undirected_edges(&edges), graph);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] when the graph is not known to be undirected.
    pub fn undirected_edges(&self) -> Result<Coo<W>, GraphError> {
        if self.direction() == Direction::Directed {
            return Err(GraphError::BadParameter {
                name: "direction",
                value: "directed".into(),
                expected: "an undirected graph; Csr::into_undirected proves that a graph is one"
                    .into(),
            });
        }
        let n_edges = self.arcs().filter(|&(u, v, _)| u <= v).count();
        let mut sources = Vec::with_capacity(n_edges);
        let mut destinations = Vec::with_capacity(n_edges);
        let mut weights = Vec::with_capacity(n_edges);
        for (u, v, weight) in self.arcs().filter(|&(u, v, _)| u <= v) {
            sources.push(u);
            destinations.push(v);
            weights.push(weight);
        }
        Ok(Coo::from_valid(self.n_vertices(), sources, destinations, weights))
    }

    /// The undirected graph whose edges are the entries of `edges`, whichever end comes
    /// first: two arcs for each, one for a loop. O(n + m log d).
    pub fn from_undirected_edges(edges: &Coo<W>) -> Self {
        let mut sources = edges.sources().to_vec();
        let mut destinations = edges.destinations().to_vec();
        let mut weights = edges.weights().to_vec();
        for (u, v, weight) in edges.arcs().filter(|&(u, v, _)| u != v) {
            sources.push(v);
            destinations.push(u);
            weights.push(weight);
        }
        let arcs = Coo::from_valid(edges.n_vertices(), sources, destinations, weights);
        Self::from_coo(&arcs).made_undirected()
    }
}

//! Undirected graphs: from edges, from arcs after a check, and as a list of each edge {u, v} once.
//!
//! An edge-parallel solver then reads half the memory: it relaxes both directions of (u, v, w) at
//! once.

use crate::{Coo, Csr, Direction, GraphError, VertexId, Weight, parallel};

/// Rows per task of a parallel pass.
const ROWS_PER_TASK: usize = 1024;

impl<W: Weight> Csr<W> {
    /// Every edge {u, v} of an undirected graph once, as the arc with u ≤ v, in row order. Parallel
    /// edges are kept. O(m).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let graph = Csr::from_edges(3, &[(1, 0, 4u32), (1, 2, 5), (2, 2, 6)])?;
    /// let edges = graph.undirected_edges()?;
    /// assert_eq!(edges.arcs().collect::<Vec<_>>(), [(0, 1, 4), (1, 2, 5), (2, 2, 6)]);
    /// assert_eq!(Csr::from_undirected_edges(&edges)?, graph);
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

    /// The undirected graph whose edges are the entries of `edges`, with their ends in either
    /// order: two arcs for each, one for a loop. O(n + m log d).
    ///
    /// # Errors
    /// [`GraphError::NoMemory`].
    pub fn from_undirected_edges(edges: &Coo<W>) -> Result<Self, GraphError> {
        Ok(Self::from_valid_edges(edges.n_vertices(), || edges.arcs())?)
    }

    /// The same graph, checked and marked as undirected.
    ///
    /// # Errors
    /// [`GraphError::NotUndirected`] names an arc without its reverse. O(m log d).
    pub fn into_undirected(self) -> Result<Self, GraphError> {
        if self.direction() == Direction::Undirected {
            return Ok(self);
        }
        let sorted_row = |graph: &Self, v: VertexId| {
            let mut row: Vec<_> = arcs_from(graph, v).collect();
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.order(b.1)));
            row
        };
        let reverse = self.transposed();
        let lonely_at = |v: VertexId| {
            let (forward, backward) = (sorted_row(&self, v), sorted_row(&reverse, v));
            let at = (0..forward.len().max(backward.len()))
                .find(|&i| forward.get(i) != backward.get(i))?;
            match (forward.get(at), backward.get(at)) {
                (Some(&(to, weight)), _) => Some((v, to, weight)),
                (None, Some(&(from, weight))) => Some((from, v, weight)),
                (None, None) => None,
            }
        };
        let row = parallel::find_first(self.n_vertices(), ROWS_PER_TASK, &|mut rows| {
            rows.find(|&row| lonely_at(row as VertexId).is_some())
        });
        match row.and_then(|row| lonely_at(row as VertexId)) {
            Some((from, to, weight)) => {
                Err(GraphError::NotUndirected { from, to, weight: weight.to_string() })
            }
            None => Ok(self.made_undirected()),
        }
    }
}

/// The arcs that leave `vertex`, without making an array of equal weights.
pub(crate) fn arcs_from<W: Weight>(
    graph: &Csr<W>,
    vertex: VertexId,
) -> impl Iterator<Item = (VertexId, W)> + '_ {
    graph.row(vertex).map(|arc| (graph.column_indices()[arc], graph.weight(arc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undirected_is_proved_or_refused() {
        let both = Csr::from_arcs(3, &[(0, 1, 2u32), (1, 0, 2), (2, 2, 1)]).unwrap();
        assert_eq!(both.direction(), Direction::Directed);
        assert_eq!(both.into_undirected().unwrap().direction(), Direction::Undirected);
        let unequal = Csr::from_arcs(2, &[(0, 1, 2u32), (1, 0, 3)]).unwrap();
        assert!(matches!(unequal.into_undirected(), Err(GraphError::NotUndirected { .. })));
        let edges = Csr::from_edges(3, &[(0, 1, 2u32), (2, 2, 1)]).unwrap();
        assert_eq!((edges.n_arcs(), edges.direction()), (3, Direction::Undirected));
    }
}

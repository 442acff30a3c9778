//! Elimination orders.

mod dissect;
mod least_degree;
mod positions;
mod separator;

use graph_formats::{Csr, Progress, VertexId, Weight};

use self::dissect::Dissection;
use crate::EliminationError;
use crate::part::Part;

/// The vertices of a graph from the least important to the most.
///
/// Any order is right; a good one has few arcs in its [`Completion`](crate::Completion).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(Vec<VertexId>);

impl Order {
    /// By nested dissection, along lines through the hops from four landmarks of each part.
    ///
    /// The weights do not matter. In parallel, and the same on any number of threads. About
    /// O((n + m) c log n) with separators of c vertices.
    ///
    /// # Errors
    /// When the graph has no small separators, or too many arcs, or the system refuses the memory.
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use elimination::Order;
    ///
    /// let path = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)])?;
    /// assert_eq!(Order::by_landmarks(&path)?.vertices().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_landmarks<W: Weight>(graph: &Csr<W>) -> Result<Self, EliminationError> {
        Self::by_dissection(graph, None, None)
    }

    /// By nested dissection, along lines through the coordinates of the vertices.
    ///
    /// # Errors
    /// As [`Order::by_landmarks`], and when there is not one position for each vertex.
    pub fn by_coordinates<W: Weight>(
        graph: &Csr<W>,
        coordinates: &[[f64; 2]],
    ) -> Result<Self, EliminationError> {
        Self::by_dissection(graph, Some(coordinates), None)
    }

    /// By coordinates if there are some, else by landmarks; `progress` gets an estimate of the part
    /// of the work that is done.
    ///
    /// # Errors
    /// As [`Order::by_coordinates`], and when the callback ended the work.
    pub fn by_dissection<W: Weight>(
        graph: &Csr<W>,
        coordinates: Option<&[[f64; 2]]>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, EliminationError> {
        let max_arcs = max_arcs(graph.n_vertices(), graph.n_arcs());
        Self::within(&graph.clone().unweighted(), coordinates, progress, max_arcs)
    }

    /// The same for a completion of at most `max_arcs` arcs.
    ///
    /// # Errors
    /// As [`Order::by_dissection`].
    pub fn within(
        graph: &Csr<u32>,
        coordinates: Option<&[[f64; 2]]>,
        progress: Option<Progress<'_>>,
        max_arcs: u64,
    ) -> Result<Self, EliminationError> {
        let (expected, found) =
            (graph.n_vertices(), coordinates.map_or(graph.n_vertices(), <[_]>::len));
        if expected != found {
            return Err(EliminationError::NotAllVertices { what: "positions", expected, found });
        }
        let positions = |part: &Part| match coordinates {
            Some(coordinates) => part.vertices.iter().map(|&v| coordinates[v as usize]).collect(),
            None => positions::by_landmarks(part),
        };
        let whole = Part::of_graph(graph)?;
        let mut order = vec![0; graph.n_vertices()];
        Dissection::new(&whole, positions, max_arcs, progress).order(&mut order)?;
        Ok(Self(order))
    }

    /// The order of these vertices, the least important first, which the caller has found.
    ///
    /// # Errors
    /// When they are not 0 to n − 1, each once.
    pub fn from_vertices(vertices: Vec<VertexId>) -> Result<Self, EliminationError> {
        let mut is_seen = vec![false; vertices.len()];
        for &vertex in &vertices {
            match is_seen.get_mut(vertex as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(EliminationError::NotAPermutation { vertex }),
            }
        }
        Ok(Self(vertices))
    }

    /// The vertices, the least important first.
    pub fn vertices(&self) -> &[VertexId] {
        &self.0
    }
}

/// More arcs than a completion has: another mark than their numbers fits into 32 bits.
pub const MAX_ARCS: u64 = 1 << 31;

/// The number of arcs of the largest completion allowed for a graph of this size. It is enough for
/// a clique of thousands of vertices, or for several times as many arcs as the graph has; road
/// networks need two or three times as many. It is at most [`MAX_ARCS`].
pub fn max_arcs(n_vertices: usize, n_arcs: usize) -> u64 {
    (8 * (n_vertices + n_arcs) as u64).clamp(1 << 22, MAX_ARCS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_arcs_are_numbered_below_the_mark() {
        assert_eq!(max_arcs(10, 20), 1 << 22);
        assert_eq!(max_arcs(1 << 24, 1 << 25), 24 << 24);
        let most = max_arcs(1 << 29, (1 << 31) - 1);
        assert_eq!((most - 1) & MAX_ARCS, 0);
    }
}

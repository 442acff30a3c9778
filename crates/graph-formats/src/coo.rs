//! Coordinate storage: an arc is a source, a destination and a weight.

use crate::checks::{summary_of_finite, validate_columns};
use crate::{GraphError, VertexId, Weight};

/// A directed multigraph as three arrays of one entry per arc, in any order.
///
/// Parallel arcs and self-loops are legal, and so are vertices without arcs: the
/// vertex count is explicit. Vertices are in range and weights finite by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo<W> {
    n_vertices: usize,
    sources: Vec<VertexId>,
    destinations: Vec<VertexId>,
    weights: Vec<W>,
}

impl<W: Weight> Coo<W> {
    /// A graph of `n_vertices` from the three arrays, equally long.
    ///
    /// # Errors
    /// When the lengths differ, a vertex is out of range, a weight is not finite, or
    /// there are more vertices than 32-bit ids can number. O(m).
    pub fn new(
        n_vertices: usize,
        sources: Vec<VertexId>,
        destinations: Vec<VertexId>,
        weights: Vec<W>,
    ) -> Result<Self, GraphError> {
        crate::checks::validate_vertex_count(n_vertices)?;
        for (what, found) in [("destinations", destinations.len()), ("weights", weights.len())] {
            if found != sources.len() {
                return Err(GraphError::LengthMismatch { what, expected: sources.len(), found });
            }
        }
        if let Some(arc) = sources.iter().position(|&v| v as usize >= n_vertices) {
            let vertex = u64::from(sources[arc]);
            return Err(GraphError::VertexOutOfRange { arc, vertex, n_vertices });
        }
        validate_columns(n_vertices, &destinations)?;
        summary_of_finite(&weights)?;
        Ok(Self { n_vertices, sources, destinations, weights })
    }

    /// As [`Coo::new`], without checks: this crate made the arrays from a valid graph.
    pub(crate) fn from_valid(
        n_vertices: usize,
        sources: Vec<VertexId>,
        destinations: Vec<VertexId>,
        weights: Vec<W>,
    ) -> Self {
        debug_assert!(sources.len() == destinations.len() && sources.len() == weights.len());
        Self { n_vertices, sources, destinations, weights }
    }

    /// How many vertices, those without arcs included.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// How many arcs are stored.
    pub fn n_arcs(&self) -> usize {
        self.sources.len()
    }

    /// Where each arc starts.
    pub fn sources(&self) -> &[VertexId] {
        &self.sources
    }

    /// Where each arc ends.
    pub fn destinations(&self) -> &[VertexId] {
        &self.destinations
    }

    /// What each arc weighs.
    pub fn weights(&self) -> &[W] {
        &self.weights
    }

    /// The arcs as (source, destination, weight), in storage order.
    pub fn arcs(&self) -> impl ExactSizeIterator<Item = (VertexId, VertexId, W)> + '_ {
        (0..self.n_arcs()).map(|i| (self.sources[i], self.destinations[i], self.weights[i]))
    }

    /// The three arrays.
    pub fn into_parts(self) -> (Vec<VertexId>, Vec<VertexId>, Vec<W>) {
        (self.sources, self.destinations, self.weights)
    }
}

//! Grids of two or three dimensions: simple graphs of high diameter, models of roads and meshes.
//!
//! Vertex (l · K + r) · K + c is layer l, row r, column c. Each has an edge to its neighbours left,
//! right, above and below, and in three dimensions before and behind. O(m log m), because the arcs
//! are sorted.

use super::draws::graph_of_draws;
use super::{GraphOptions, check_memory};
use crate::checks::validate_vertex_count;
use crate::{Csr, Direction, GraphError, VertexId};

/// The parameters of [`grid`].
#[derive(Clone, Debug, PartialEq)]
pub struct GridConfig {
    /// Vertices along a side; at most 65535, in three dimensions 1625.
    pub side: u32,
    /// 2 or 3.
    pub dimensions: u32,
    /// Weights, seed, direction. There are no duplicates.
    pub options: GraphOptions,
}

impl Default for GridConfig {
    fn default() -> Self {
        Self { side: 256, dimensions: 2, options: GraphOptions::default() }
    }
}

impl GridConfig {
    /// The coordinates of the vertices of [`grid`]: the first `D` of column, row and layer, counted
    /// from 0, as x, y and z.
    ///
    /// ```
    /// use graph_formats::generate::GridConfig;
    ///
    /// let cube = GridConfig { side: 2, dimensions: 3, ..Default::default() };
    /// assert_eq!(cube.coordinates()?[6], [0.0, 1.0, 1.0]);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// As [`grid`].
    pub fn coordinates<const D: usize>(&self) -> Result<Vec<[f64; D]>, GraphError> {
        let n_vertices = self.n_vertices()?;
        check_memory(n_vertices, 0)?;
        let side = u64::from(self.side);
        let along = |vertex: u64, axis: usize| {
            // a grid of two dimensions has one layer
            side.checked_pow(axis as u32).map_or(0, |step| vertex / step % side) as f64
        };
        let position = |vertex| std::array::from_fn(|axis| along(vertex, axis));
        Ok((0..n_vertices as u64).map(position).collect())
    }

    fn n_vertices(&self) -> Result<usize, GraphError> {
        if !(2..=3).contains(&self.dimensions) {
            let (value, expected) = (self.dimensions.to_string(), "2 or 3".to_owned());
            return Err(GraphError::BadParameter { name: "dimensions", value, expected });
        }
        let n_vertices = u64::from(self.side).checked_pow(self.dimensions);
        let n_vertices = n_vertices.and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        validate_vertex_count(n_vertices)?;
        Ok(n_vertices)
    }
}

/// A grid of `side` × `side` vertices, or `side` such layers, with random weights.
///
/// An undirected edge has one weight; in a directed grid the two arcs between neighbours have
/// independent weights.
///
/// ```
/// use graph_formats::generate::{GridConfig, grid};
///
/// let graph = grid(&GridConfig { side: 3, ..Default::default() })?;
/// assert_eq!(graph.arcs_from(4).map(|arc| arc.0).collect::<Vec<_>>(), [1, 3, 5, 7]);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
///
/// # Errors
/// [`GraphError::TooManyVertices`] for too long a side, or [`GraphError::BadParameter`] for other
/// dimensions than 2 and 3, an empty weight range or a refusal of memory.
pub fn grid(config: &GridConfig) -> Result<Csr<u32>, GraphError> {
    config.options.check()?;
    let n_vertices = config.n_vertices()?;
    let (side, n) = (u64::from(config.side), n_vertices as u64);
    // edges along an axis: one for each vertex that is not in the last plane across it
    let n_along = n - n.checked_div(side).unwrap_or(0);
    let edge = |index: u64| -> (VertexId, VertexId) {
        let (axis, number) = (index / n_along, index % n_along);
        let step = side.pow(axis as u32);
        // an edge starts in one of the first `side - 1` of each `side` planes across the axis
        let (run, place) = (number / (step * (side - 1)), number % (step * (side - 1)));
        let from = run * step * side + place;
        (from as VertexId, (from + step) as VertexId)
    };
    let n_edges = u64::from(config.dimensions) * n_along;
    match config.options.direction {
        Direction::Undirected => graph_of_draws(n_vertices, n_edges, &config.options, edge),
        Direction::Directed => graph_of_draws(n_vertices, 2 * n_edges, &config.options, |index| {
            let (u, v) = edge(index / 2);
            if index % 2 == 0 { (u, v) } else { (v, u) }
        }),
    }
}

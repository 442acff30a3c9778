//! A square grid: the plainest graph of high diameter, and a stand-in for roads.
//!
//! Vertex r · K + c is row r, column c; each has an edge to its neighbours left, right,
//! above and below. O(m log m), for the arcs are sorted as any other draws.

use super::draws::graph_of_draws;
use super::{GraphOptions, check_memory};
use crate::checks::validate_vertex_count;
use crate::{Csr, Direction, GraphError, VertexId};

/// What [`grid`] makes.
#[derive(Clone, Debug, PartialEq)]
pub struct GridConfig {
    /// Vertices along a side; at most 65535.
    pub side: u32,
    /// Weights, seed, direction. There are no duplicates to drop.
    pub options: GraphOptions,
}

impl Default for GridConfig {
    fn default() -> Self {
        Self { side: 256, options: GraphOptions::default() }
    }
}

impl GridConfig {
    /// Where the vertices of [`grid`] lie: column and row, counted from 0, as x and y.
    ///
    /// # Errors
    /// As [`grid`].
    pub fn coordinates(&self) -> Result<Vec<[f64; 2]>, GraphError> {
        let n_vertices = usize::try_from(u64::from(self.side).pow(2)).unwrap_or(usize::MAX);
        validate_vertex_count(n_vertices)?;
        check_memory(n_vertices, 0)?;
        let rows = 0..self.side;
        Ok(rows.flat_map(|r| (0..self.side).map(move |c| [c.into(), r.into()])).collect())
    }
}

/// A grid of `side` × `side` vertices with random weights.
///
/// An undirected edge has one weight; in a directed grid the two arcs between
/// neighbours are weighed apart.
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
/// [`GraphError::TooManyVertices`] for a side beyond 65535, or
/// [`GraphError::BadParameter`] for an empty weight range or a refusal of memory.
pub fn grid(config: &GridConfig) -> Result<Csr<u32>, GraphError> {
    config.options.check()?;
    let side = u64::from(config.side);
    let n_vertices = usize::try_from(side * side).unwrap_or(usize::MAX);
    validate_vertex_count(n_vertices)?;
    let n_across = side * side.saturating_sub(1);
    let edge = |index: u64| -> (VertexId, VertexId) {
        if index < n_across {
            let (row, column) = (index / (side - 1), index % (side - 1));
            let left = row * side + column;
            (left as VertexId, left as VertexId + 1)
        } else {
            let above = index - n_across;
            (above as VertexId, (above + side) as VertexId)
        }
    };
    match config.options.direction {
        Direction::Undirected => graph_of_draws(n_vertices, 2 * n_across, &config.options, edge),
        Direction::Directed => graph_of_draws(n_vertices, 4 * n_across, &config.options, |index| {
            let (u, v) = edge(index / 2);
            if index % 2 == 0 { (u, v) } else { (v, u) }
        }),
    }
}

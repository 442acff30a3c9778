//! Uniformly random graphs: every edge joins two vertices drawn independently.
//!
//! O(m log m). This is G(n, m) of Erdős and Rényi with replacement: if duplicates are dropped, m
//! draws leave slightly fewer than m edges.

use super::GraphOptions;
use super::draws::EdgeDraws;
use crate::checks::validate_vertex_count;
use crate::{Csr, GraphError};

/// The parameters of [`uniform`].
#[derive(Clone, Debug, PartialEq)]
pub struct UniformConfig {
    /// Vertices, isolated ones included.
    pub n_vertices: usize,
    /// Edges drawn; fewer remain if duplicates are dropped.
    pub n_edges: u64,
    /// Weights, seed, direction, duplicates.
    pub options: GraphOptions,
}

impl Default for UniformConfig {
    fn default() -> Self {
        Self { n_vertices: 1 << 16, n_edges: 1 << 20, options: GraphOptions::default() }
    }
}

/// Draws `n_edges` edges among `n_vertices` vertices.
///
/// ```
/// use graph_formats::generate::{Duplicates, GraphOptions, UniformConfig, uniform};
/// use graph_formats::Direction;
///
/// let options = GraphOptions {
///     direction: Direction::Directed,
///     duplicates: Duplicates::Keep,
///     ..Default::default()
/// };
/// let graph = uniform(&UniformConfig { n_vertices: 100, n_edges: 5000, options })?;
/// assert_eq!((graph.n_vertices(), graph.n_arcs()), (100, 5000));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
///
/// # Errors
/// [`GraphError::TooManyVertices`], or [`GraphError::BadParameter`] for edges without vertices, an
/// empty weight range or a refusal of memory (16 bytes per arc drawn).
pub fn uniform(config: &UniformConfig) -> Result<Csr<u32>, GraphError> {
    config.draws()?.graph()
}

impl UniformConfig {
    /// The edges that [`uniform`] draws.
    ///
    /// # Errors
    /// As of `uniform`, but for the memory.
    pub fn draws(&self) -> Result<EdgeDraws, GraphError> {
        self.options.check()?;
        let &Self { n_vertices, n_edges, ref options } = self;
        validate_vertex_count(n_vertices)?;
        if n_vertices == 0 && n_edges > 0 {
            return Err(GraphError::BadParameter {
                name: "n_edges",
                value: n_edges.to_string(),
                expected: "0 in a graph without vertices".into(),
            });
        }
        Ok(EdgeDraws::new(n_vertices, n_edges, options))
    }
}

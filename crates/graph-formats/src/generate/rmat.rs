//! R-MAT: graphs with the skewed degrees of social networks and of the web.
//!
//! The adjacency matrix of 2^S vertices is cut into quadrants S times; at each cut an edge falls
//! into one of the four with fixed probabilities, until one cell is left. The defaults are those of
//! the Graph500 benchmark. Without scrambling, low numbers have high degrees, which favours caches.
//!
//! O(m · S) draws and a sort of m arcs. Unlike in the first paper, the probabilities are
//! the same at every cut, as in Graph500.
//!
//! Reference: chakrabarti-2004, graph500-2010

use super::GraphOptions;
use super::draws::EdgeDraws;
use super::random::{Scramble, Stream};
use crate::{Csr, GraphError, VertexId};

/// The greatest scale; ids cannot number 2^32 vertices.
const MAX_SCALE: u32 = 31;
/// The greatest deviation of the sum of the probabilities from 1.
const MAX_DEVIATION: f64 = 1e-9;

/// How the vertices of an R-MAT graph are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum VertexNumbering {
    /// By a seeded permutation, so that numbers do not depend on degrees.
    #[default]
    Scrambled,
    /// By the row of the matrix: vertex 0 tends to have the highest degree.
    AsDrawn,
}

/// The parameters of [`rmat`].
#[derive(Clone, Debug, PartialEq)]
pub struct RmatConfig {
    /// The graph has 2^`scale` vertices; at most 31.
    pub scale: u32,
    /// Edges drawn for each vertex.
    pub edge_factor: u32,
    /// Probabilities of the quadrants: low to low, low to high, high to low, high to
    /// high. They sum to 1.
    pub quadrants: [f64; 4],
    /// How vertices are numbered.
    pub numbering: VertexNumbering,
    /// Weights, seed, direction, duplicates.
    pub options: GraphOptions,
}

impl Default for RmatConfig {
    fn default() -> Self {
        Self {
            scale: 16,
            edge_factor: 16,
            quadrants: [0.57, 0.19, 0.19, 0.05],
            numbering: VertexNumbering::Scrambled,
            options: GraphOptions::default(),
        }
    }
}

/// Draws `edge_factor` · 2^`scale` edges of an R-MAT graph.
///
/// If duplicates are dropped, fewer edges remain.
///
/// ```
/// use graph_formats::generate::{RmatConfig, rmat};
///
/// let graph = rmat(&RmatConfig { scale: 10, ..Default::default() })?;
/// let hub = graph.vertices().map(|v| graph.out_degree(v)).max();
/// assert!(hub > Some(10 * graph.n_arcs() / graph.n_vertices()));
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
///
/// # Errors
/// [`GraphError::BadParameter`] when a parameter is out of range, or when the system refuses the
/// memory (16 bytes per arc drawn).
pub fn rmat(config: &RmatConfig) -> Result<Csr<u32>, GraphError> {
    config.draws()?.graph()
}

impl RmatConfig {
    /// The edges that [`rmat`] draws.
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] when a parameter is out of range.
    pub fn draws(&self) -> Result<EdgeDraws, GraphError> {
        self.options.check()?;
        let scale = self.scale;
        if scale > MAX_SCALE {
            return Err(GraphError::BadParameter {
                name: "scale",
                value: scale.to_string(),
                expected: format!("0 to {MAX_SCALE}, for vertices are numbered in 32 bits"),
            });
        }
        let mut draws =
            EdgeDraws::new(1 << scale, u64::from(self.edge_factor) << scale, &self.options);
        draws.parameters.quadrants = thresholds(self.quadrants)?;
        draws.parameters.scale = scale;
        Ok(match self.numbering {
            VertexNumbering::Scrambled => draws.scrambled(Scramble::new(self.options.seed, scale)),
            VertexNumbering::AsDrawn => draws,
        })
    }
}

/// Where the quadrants b, c and d begin when a 32-bit number chooses among the four.
fn thresholds(quadrants: [f64; 4]) -> Result<[u64; 3], GraphError> {
    let [a, b, c, d] = quadrants;
    let in_range = quadrants.iter().all(|p| (0.0..=1.0).contains(p));
    if !in_range || (a + b + c + d - 1.0).abs() > MAX_DEVIATION {
        return Err(GraphError::BadParameter {
            name: "quadrants",
            value: format!("{quadrants:?}"),
            expected: "four probabilities, each from 0 to 1, that sum to 1".into(),
        });
    }
    Ok([a, a + b, a + b + c].map(|p| (p * (1u64 << 32) as f64).round() as u64))
}

/// One edge: a bit of each end from each cut, two cuts from each random number.
pub(super) fn draw(stream: Stream, scale: u32, [b, c, d]: [u64; 3]) -> (VertexId, VertexId) {
    let (mut u, mut v) = (0, 0);
    let mut random = 0;
    for cut in 0..scale {
        random = if cut % 2 == 0 { stream.at(u64::from(cut / 2)) } else { random >> 32 };
        let choice = random & u64::from(u32::MAX);
        // the lower half of the rows is c and d, the right half of the columns b and d
        let (low, right) = (choice >= c, (choice >= b) ^ (choice >= c) ^ (choice >= d));
        u = u << 1 | VertexId::from(low);
        v = v << 1 | VertexId::from(right);
    }
    (u, v)
}

#[cfg(test)]
mod tests {
    use super::super::random::Purpose;
    use super::*;

    #[test]
    fn quadrants_are_hit_as_often_as_asked() {
        let quadrants = [0.4, 0.3, 0.2, 0.1];
        let (stream, n_draws) = (Stream::new(3, Purpose::Edges), 100_000);
        let mut hits = [0u32; 4];
        for edge in 0..n_draws {
            let (u, v) = draw(stream.of(edge), 2, thresholds(quadrants).unwrap());
            hits[(u & 1) as usize * 2 + (v & 1) as usize] += 1;
        }
        for (hit, quadrant) in hits.into_iter().zip(quadrants) {
            // five standard deviations at most
            assert!((f64::from(hit) / n_draws as f64 - quadrant).abs() < 0.008, "{hits:?}");
        }
    }

    #[test]
    fn impossible_quadrants_are_never_hit() {
        let certain = thresholds([0.0, 1.0, 0.0, 0.0]).unwrap();
        let stream = Stream::new(1, Purpose::Edges);
        assert!((0..1000).all(|edge| draw(stream.of(edge), 5, certain) == (0, 31)));
    }
}

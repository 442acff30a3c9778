//! Seeded synthetic graphs, the same on any number of threads.
//!
//! Every random number is a pure function of the seed, a purpose and an index, so the order of work
//! does not matter. Each generator is a struct of parameters with defaults and a function that
//! takes it; [`GraphOptions`] are their common options.
//!
//! ```
//! use graph_formats::generate::{GraphOptions, RmatConfig, rmat};
//!
//! let options = GraphOptions { weights: 1..=9, seed: 7, ..Default::default() };
//! let graph = rmat(&RmatConfig { scale: 8, edge_factor: 4, options, ..Default::default() })?;
//! assert_eq!(graph.n_vertices(), 256);
//! assert!(graph.weights().iter().all(|w| (1..=9).contains(w)));
//! # Ok::<(), graph_formats::GraphError>(())
//! ```

mod draws;
mod geometric;
mod graph500;
mod grid;
pub(crate) mod random;
mod rmat;
mod uniform;

use std::ops::RangeInclusive;

pub use draws::{DrawParameters, EdgeDraws};
pub use geometric::{GeometricConfig, geometric};
pub use graph500::{Graph500Config, Graph500Draws, graph500};
pub use grid::{GridConfig, grid};
pub use rmat::{RmatConfig, VertexNumbering, rmat};
pub use uniform::{UniformConfig, uniform};

use crate::{Direction, GraphError, ensure_granted};

/// Whether self-loops and edges drawn more than once are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Duplicates {
    /// They are dropped, and one of equal edges is kept: a simple graph, with fewer edges than were
    /// drawn.
    #[default]
    Drop,
    /// Every edge drawn is kept: a multigraph.
    Keep,
}

/// The options of all generators; by default an undirected simple graph with weights 1 … 255.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    /// The least and the greatest weight.
    pub weights: RangeInclusive<u32>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Undirected graphs hold each edge as two arcs of one weight, a loop as one arc.
    pub direction: Direction,
    /// Whether loops and parallel edges are kept.
    pub duplicates: Duplicates,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self {
            weights: 1..=255,
            seed: 1,
            direction: Direction::Undirected,
            duplicates: Duplicates::Drop,
        }
    }
}

impl GraphOptions {
    fn check(&self) -> Result<(), GraphError> {
        if self.weights.is_empty() {
            return Err(GraphError::BadParameter {
                name: "weights",
                value: format!("{:?}", self.weights),
                expected: "a least weight no greater than the greatest".into(),
            });
        }
        Ok(())
    }
}

/// Refuses a graph that the system would not grant memory for.
fn check_memory(n_vertices: usize, n_arcs: u128) -> Result<(), GraphError> {
    // per arc: 8 bytes while it is drawn and sorted, 8 in the finished graph
    let bytes = 16 * (n_vertices as u128 + n_arcs);
    let granted = usize::try_from(bytes).is_ok_and(|bytes| ensure_granted(bytes).is_ok());
    if granted {
        return Ok(());
    }
    Err(GraphError::BadParameter {
        name: "size",
        value: format!("{n_vertices} vertices and at least {n_arcs} arcs"),
        expected: format!(
            "a graph that fits the memory: this one takes {:.3} GB to make, which the system \
             refuses",
            bytes as f64 / 1e9
        ),
    })
}

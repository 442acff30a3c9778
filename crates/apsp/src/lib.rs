//! The distances of all pairs of vertices.
//!
//! [`all_pairs`] takes a graph with weights of any sign and returns a square
//! [`DistanceTable`](paths::DistanceTable), a row for each source. [`Config`] names the
//! [`Algorithm`], or leaves it to the [`Plan`], which says what it chose and why.
//!
//! ```
//! use apsp::{Algorithm, Config, all_pairs};
//! use graph_formats::Csr;
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
//! let by_matrix = all_pairs(&graph, &Config::with(Algorithm::Blocked), None)?;
//! let by_search = all_pairs(&graph, &Config::with(Algorithm::Johnson), None)?;
//! assert_eq!(by_matrix.distances.get(0, 1), Some(4));
//! assert_eq!(by_matrix.distances, by_search.distances);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod error;
mod host;
mod number;
mod plan;
mod potentials;
mod proof;
mod solve;

pub use config::{Algorithm, Config};
pub use error::ApspError;
pub use number::Number;
pub use plan::Plan;
pub use solve::{AllPairs, all_pairs};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The distances of all pairs of vertices, and the paths.
//!
//! [`all_pairs`] takes a graph with weights of any sign and returns a square
//! [`DistanceTable`](paths::DistanceTable), a row for each source. [`Config`] names the
//! [`Algorithm`], or leaves it to the [`Plan`], which says what it chose and why. Where it asks
//! for them, there are [`NextHops`](paths::NextHops) too, and with them the paths. Where memory
//! cannot hold the matrix, [`all_pairs_in`] keeps it in a folder, and goes on with it there
//! after an interruption.
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
//!
//! let config = Config { next_hops: true, ..Config::default() };
//! let paths = all_pairs(&graph, &config, None)?.into_paths().expect("they were asked for");
//! assert_eq!(paths.path(0, 3), Some(vec![0, 2, 3]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod cuda;
mod element;
mod error;
mod hops;
mod host;
mod npy;
mod number;
mod plan;
mod potentials;
mod proof;
mod ranks;
mod scratch;
mod solve;

pub use config::{Algorithm, Config};
pub use cuda::{GpuPairs, GpuTimes, all_pairs_on_gpu, all_pairs_on_gpus, published};
pub use error::ApspError;
pub use number::Number;
pub use plan::Plan;
pub use ranks::{RankPairs, all_pairs_over};
pub use scratch::{
    ScratchError, ScratchFolder, StoredPairs, Summary, all_pairs_in, all_pairs_in_on_gpus,
};
pub use solve::{AllPairs, all_pairs};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The distances of all pairs of vertices, and the paths.
//!
//! [`Solver`] takes a graph with weights of any sign and returns [`Pairs`], which answer row by
//! row, a row for each source. [`Config`] names the [`Algorithm`], or lets the solver choose; the
//! [`Plan`] says what it chose and why. With [`Config::next_hops`] there are paths too. The solver
//! works on [GPUs](Solver::on), in a [folder](Solver::in_folder) if memory cannot hold the matrix,
//! where an interrupted run can be resumed, and on several [ranks](Solver::solve_over).
//! [`DynamicPairs`] follow a graph that changes.
//!
//! ```
//! use apsp::{Algorithm, Config, Solver};
//! use graph_formats::Csr;
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
//! let by_matrix = Solver::new(&graph, &Config::with(Algorithm::Blocked)).solve(None)?;
//! let by_search = Solver::new(&graph, &Config::with(Algorithm::Johnson)).solve(None)?;
//! assert_eq!(by_matrix.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(3), Some(5)]);
//! assert_eq!(by_matrix.distances(), by_search.distances());
//!
//! let config = Config { next_hops: true, ..Config::default() };
//! let paths = Solver::new(&graph, &config).solve(None)?.into_paths();
//! assert_eq!(paths.expect("they were asked for").path(0, 3), Some(vec![0, 2, 3]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`sssp`] and what it depends on, `pivots`, `elimination` and [`collectives`]. Feature
//! `cuda`, off by default: NVIDIA GPUs, as in [`gpu_runtime`].

pub mod any;
mod check;
mod config;
mod cpu;
mod cuda;
mod dynamic;
mod element;
mod error;
mod hops;
mod host;
mod job;
mod pairs;
mod plan;
mod potentials;
mod proof;
mod ranks;
mod saved;
mod scratch;
mod solver;
mod supernodes;
mod width;

pub use config::{Algorithm, Config};
pub use cuda::{DevicePairs, DynamicDevicePairs};
pub use dynamic::{DynamicPairs, Updated};
pub use element::Number;
pub use error::ApspError;
pub use pairs::{Pairs, Phases, Report, Summary};
pub use plan::Plan;
pub use published;
pub use ranks::RankPairs;
pub use scratch::{ScratchError, ScratchFolder};
pub use solver::{InFolder, PairsWeight, Solver};
pub use supernodes::Ordered;
pub use width::Certainty;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The k shortest simple paths from one vertex to another.
//!
//! [`k_shortest_paths`] needs the distances of vertices to the target, from any solver. Correct
//! distances of any origin give the same paths in the same order.
//!
//! ```
//! use graph_formats::Csr;
//! use k_paths::k_shortest_paths;
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 3, 4), (0, 2, 2), (2, 3, 1), (1, 2, 1)])?;
//! let to_target = |vertex| Some([3, 2, 1, 0][vertex as usize]);
//! let found = k_shortest_paths(&graph, 0, 3, 2, to_target, None)?;
//! let paths: Vec<_> = found.paths.iter().map(|path| (path.length, &path.vertices[..])).collect();
//! assert_eq!(paths, [(3, &[0, 1, 2, 3][..]), (3, &[0, 2, 3])]);
//! assert!(found.work.settled > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`], [`paths`] and [`search_parts`]; no features.

#![forbid(unsafe_code)]

mod candidate;
mod overflow;
mod spur;
mod weights;
mod yen;

pub use search_parts::{SearchError, Work};
pub use weights::{PathWeight, k_shortest_paths};
pub use yen::{Found, Path, check};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! What shortest-path solvers return, certificates that check any answer without
//! trusting the solver, and plain oracles that compute the answer again.
//!
//! * [`Tree`]: distances from one source with the paths; [`Distances`] alone.
//! * [`Within`]: the vertices near a source alone, with their distances and paths.
//! * [`Nearest`]: the nearest of several sources; [`DistanceTable`]: many sources, many targets.
//! * [`Paths`]: all pairs, with the [`NextHops`] along them.
//! * [`ShortestPathSubgraph`]: all shortest paths to one vertex.
//! * [`Closure`]: which vertices reach which; [`BitMatrix`]: the bits of a closure while it is
//!   computed.
//! * [`aggregate`]: what is asked about points within a cutoff of every vertex.
//! * [`certificate`]: is this answer right? In O(n + m), from the graph alone.
//! * [`oracle`]: the answer, by the simplest method.
//! * [`spanning`]: both for spanning trees and branchings.
//!
//! ```
//! use graph_formats::Csr;
//! use paths::certificate::{Violation, check_tree};
//! use paths::{Predecessors, oracle};
//!
//! // 0 → 1 → 2 and a heavier arc 0 → 2
//! let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
//! let mut tree = oracle::tree(&graph, 0, None)?;
//! assert_eq!((tree.distance(2), tree.path_to(2)), (Some(7), Some(vec![0, 1, 2])));
//! check_tree(&graph, &tree)?;
//!
//! // The distance is right, but the claimed path is longer.
//! tree.predecessors = Predecessors::from_iter([None, Some(0), Some(0)]);
//! let violation = check_tree(&graph, &tree).unwrap_err();
//! assert!(matches!(violation, Violation::PredecessorNotTight { vertex: 2, .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`]; no features.

#![forbid(unsafe_code)]

pub mod aggregate;
mod any;
mod bit_matrix;
pub mod certificate;
mod changes;
mod closure;
mod distances;
mod float_sum;
mod hop_sums;
mod nearest;
mod next_hops;
pub mod oracle;
pub mod spanning;
mod subgraph;
mod table;
mod tree;
mod within;

pub use any::{AnyDistances, AnyNearest, AnyTable, AnyTree, AnyWithin, Number};
pub use bit_matrix::BitMatrix;
pub use changes::typed_changes;
pub use closure::Closure;
pub use distances::{Distances, Total};
pub use float_sum::FloatSum;
pub use graph_formats::Progress;
pub use hop_sums::HopSums;
pub use nearest::Nearest;
pub use next_hops::{HopStorage, NextHops, NextHopsError, Paths};
pub use subgraph::ShortestPathSubgraph;
pub use table::DistanceTable;
pub use tree::{Predecessors, Tree};
pub use within::Within;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

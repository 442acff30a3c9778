//! Shortest paths in road networks: a graph is prepared once, for millions of queries.
//!
//! Customizable contraction hierarchies, in three steps:
//!
//! * an [`Order`] of the vertices, by nested dissection, and the [`Hierarchy`] of the graph in this
//!   order: once for all weights;
//! * [`Hierarchy::customize`] makes the [`Metric`] of the weights: milliseconds;
//!   [`Metric::update`] changes some, while queries run on clones of it;
//! * a [`Query`] finds distances and paths between two vertices: microseconds;
//!   [`Metric::k_shortest_paths`] finds the k shortest; [`Metric::pairs`], [`Metric::table`] and
//!   [`Metric::distances`] have many at once, [`Metric::nearest`] and [`Metric::within`] what is
//!   near. [`Metric::targets`] are kept between tables, and may be points on arcs.
//!
//! Weights are of any type and not negative. Distances of integers are exact, the same as those of
//! the solvers of `sssp`. A graph that has no small separators, such as a social network, is
//! refused: contraction would make it dense.
//!
//! [`gpu`] customizes and has many distances on a GPU.
//!
//! ```
//! use graph_formats::Csr;
//! use hierarchy::{Hierarchy, Order};
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
//! let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph)?)?;
//! let metric = hierarchy.customize(&graph)?;
//! let mut query = metric.query();
//! assert_eq!(query.distance(0, 1)?, Some(4));
//! assert_eq!(query.path(0, 3)?.map(|path| path.vertices), Some(vec![0, 2, 3]));
//! assert_eq!(metric.table(&[0, 3], &[1, 2])?.row(1).collect::<Vec<_>>(), [Some(3), Some(2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`], [`paths`], [`elimination`], [`k_paths`] and [`search_parts`].
//! Feature `cuda`, off by default: NVIDIA GPUs, as in [`gpu_runtime`].

pub mod any;
mod error;
pub mod gpu;
mod labels;
mod metric;
mod prepare;
mod query;
mod sweep;
mod weights;

pub use elimination::{EliminationError, Order};
pub use error::HierarchyError;
pub use labels::Labels;
pub use metric::Metric;
pub use metric::prepared::Prepared;
pub use prepare::hierarchy::Hierarchy;
pub use query::{Path, Query};
pub use sweep::table::Targets;
pub use sweep::totals::{Lengths, Totals};
pub use weights::MetricWeight;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

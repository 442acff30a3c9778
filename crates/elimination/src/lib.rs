//! Elimination orders of the vertices of a graph, and the arcs that elimination adds.
//!
//! Eliminating a vertex joins its neighbours that are left. An [`Order`] by nested dissection, which
//! has separators last, makes few such arcs; all of them, with those of the graph, are its
//! [`Completion`]. Arcs are taken both ways, and weights do not matter. A graph without small
//! separators is refused: eliminating its vertices would make it dense.
//!
//! ```
//! use elimination::{Completion, Order, max_arcs};
//! use graph_formats::Csr;
//!
//! let graph = Csr::from_edges(3, &[(0, 1, 7u32), (1, 2, 1)])?;
//! let order = Order::from_vertices(vec![1, 0, 2])?;
//! // eliminating the middle of a path joins its ends
//! let completion = Completion::new(&graph, &order, max_arcs(3, 4))?;
//! assert_eq!(completion.heads, [1, 2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`]; no features.

mod completion;
mod error;
mod order;
mod part;
mod tree;

pub use completion::Completion;
pub use error::EliminationError;
pub use order::{MAX_ARCS, Order, max_arcs};
pub use tree::{ROOT, inverse, subtrees};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

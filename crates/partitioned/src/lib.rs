//! One search over any memory: a graph in parts, on ranks and on several GPUs.
//!
//! [`Deal`] says which part has which vertices. A [`Part`] has the arcs of a rank's vertices: dealt
//! from a graph in memory, drawn by a generator, or read from a file, of which no rank then reads
//! all. [`tree`] searches all parts together, breadth first or by Δ-stepping, over any
//! [`Communicator`](collectives::Communicator), and so do [`table`] between several vertices and
//! [`nearest`] from several. [`components`] are those of the graph. Results are those of one process.
//! [`Need`] says beforehand what memory a rank needs. [`check_edges`] proves a tree by the edges that its
//! graph was made of. Ranks with GPUs search there once a part was [moved](Part::move_to_gpu).
//! [`gpu`] has the searches of a graph that is dealt to the GPUs of a machine.
//!
//! Depends on [`graph_formats`], [`paths`], [`sssp`] and [`collectives`]. Feature `cuda`, off by
//! default: NVIDIA GPUs, as in [`gpu_runtime`].

mod check;
mod components;
mod deal;
mod error;
mod gathered;
pub mod gpu;
mod level_keys;
mod levels;
mod messages;
mod nearest;
mod need;
mod part;
mod predecessors;
mod ring;
mod search;
mod stepping;
mod table;
mod tree;
mod written;

use graph_formats::VertexId;
use sssp::SsspError;

pub use check::check_edges;
pub use components::{COMPONENTS_BYTES, components};
pub use deal::Deal;
pub use error::PartitionedError;
pub use nearest::{NEAREST_BYTES, nearest};
pub use need::Need;
pub use part::Part;
pub use search::{Found, SEARCH_BYTES};
pub use table::table;
pub use tree::{TreePart, tree, tree_part};
pub use written::{write_drawn, write_graph500};

/// An error if there is a negative weight: the ends of its arc and what it weighs.
fn check_not_negative(first: Option<(VertexId, VertexId, String)>) -> Result<(), PartitionedError> {
    let Some((from, to, weight)) = first else { return Ok(()) };
    let what = "a search over parts of the graph";
    let advice = "search it in one process, by Bellman-Ford's algorithm";
    Err(SsspError::NegativeWeight { what, from, to, weight, advice }.into())
}

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

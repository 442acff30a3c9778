//! Graph algorithms of the STAR-machine, as texts for [`Text`](crate::Text), and functions that
//! apply them to graphs.
//!
//! Each text describes its tables, its results and its cost; positions count from 0. The function
//! of the same name makes a [`Task`] of it for a graph, which runs on any machine, or in one launch
//! on a GPU.
//!
//! ```
//! use star_machine::Host;
//! use star_machine::algorithms::{EdgeList, Runner, kruskal};
//!
//! let edges = EdgeList::new(3, &[(0, 1, 3), (1, 2, 1), (0, 2, 2)])?;
//! let (task, mut m) = (kruskal(&edges)?, Host::new());
//! let mut run = task.on(&mut m)?;
//! run.run()?;
//! assert_eq!(run.slice("T")?.to_string(), "011");
//! # Ok::<(), star_machine::StarError>(())
//! ```

mod branching;
mod changes;
mod dynamic;
mod edges;
mod forest;
mod matrix;
mod shortest_paths;
mod task;

pub use branching::{ARBORESCENCE, EDMONDS, arborescence, edmonds};
pub use changes::{Change, NoChange};
pub use dynamic::{
    DYNAMIC_CLOSURE, DYNAMIC_MST, DYNAMIC_PATHS, Dynamic, Room, dynamic_closure, dynamic_mst,
    dynamic_paths,
};
pub use edges::EdgeList;
pub use forest::{GABOW, KRUSKAL, PRIM, gabow, kruskal, prim};
pub use matrix::{SignedMatrix, WeightMatrix};
pub use shortest_paths::{
    BELLMAN_FORD, DIJKSTRA, FLOYD, FLOYD_SIGNED, bellman_ford, cycle, cycle_of_hops, dijkstra,
    floyd, floyd_signed,
};
pub use task::{OnGpu, OnMachine, Runner, Task, Value};

use graph_formats::VertexId;

use crate::{CountFrom, StarError};

/// An arc or an edge: its ends, the tail first, and its weight.
pub type Edge = (VertexId, VertexId, i64);

/// The number of bits of numbers up to this one, at least one.
fn bits(greatest: u64) -> usize {
    greatest.checked_ilog2().unwrap_or(0) as usize + 1
}

/// A task of one of the texts here, which count from 0.
fn task(text: &str, values: impl IntoIterator<Item = Value>) -> Result<Task, StarError> {
    Ok(Task::new(text, values, CountFrom::Zero)?)
}

/// The vertex, or an error where it does not exist.
fn vertex(v: VertexId, n_vertices: usize) -> Result<VertexId, StarError> {
    StarError::inside("vertex", v as usize, n_vertices).map(|()| v)
}

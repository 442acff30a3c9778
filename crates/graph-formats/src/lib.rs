//! Graphs for shortest-path work: three storage formats, readers and writers of files, generators,
//! and cache-friendly edge orders.
//!
//! * [`Csr`] (compressed sparse rows) is what solvers take; [`Coo`] (one triple per arc) is what
//!   files and edge-parallel algorithms store; [`Ell`] (padded rows, column-major) suits machines
//!   that run in lock step.
//! * [`Weight`] is the trait of weights. Sums of distances are checked and never wrap.
//! * `read` loads a file of any supported format, `write` saves one. Both need the feature `files`;
//!   without it this crate compiles no decompressor.
//! * [`npy`] writes results as arrays of NumPy, and reads them again.
//! * [`generate`] makes seeded synthetic graphs, the same on any number of threads.
//! * [`permute`] relabels vertices and sorts edges by segments of vertices.
//! * [`DynamicGraph`] takes batches of [`Change`]s: arcs and vertices in and out, other weights.
//!
//! ```
//! use graph_formats::Csr;
//!
//! // 0 → 1 → 2 and a heavier arc 0 → 2
//! let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (1, 2, 2), (0, 2, 9)])?;
//! assert_eq!(graph.n_arcs(), 3);
//! assert_eq!(graph.arcs_from(0).collect::<Vec<_>>(), [(1, 5), (2, 9)]);
//! # Ok::<(), graph_formats::GraphError>(())
//! ```
//!
//! Depends on no other crate of the workspace. Features, off by default: `files`; `compression` for
//! `.bz2`, `.xz` and `.zst`; `rustacuda` for its trait `DeviceCopy`.

mod any;
mod arc_counts;
mod arc_pass;
mod buffer;
mod changes;
mod checks;
mod components;
mod coo;
mod csr;
mod disjoint_sets;
mod ell;
mod error;
mod from_arcs;
pub mod generate;
mod ids;
#[cfg(feature = "files")]
mod io;
mod key;
mod memory;
mod names;
pub mod npy;
mod numbering;
pub mod parallel;
pub mod permute;
mod prefetch;
mod progress;
mod rows;
#[cfg(feature = "rustacuda")]
mod rustacuda;
mod sealed;
mod undirected;
mod weight;
mod weight_summary;
mod words;

pub use any::AnyCsr;
pub use arc_counts::ArcCounts;
pub use buffer::Buffer;
pub use changes::{
    ArcChange, Change, ChangeError, ChangeProblem, Changed, DynamicGraph, NoChange, ReadChanges,
};
pub use components::Components;
pub use coo::Coo;
pub use csr::{Csr, Direction};
pub use disjoint_sets::DisjointSets;
pub use ell::Ell;
pub use error::GraphError;
pub use ids::{Ids, Name};
#[cfg(feature = "files")]
pub use io::{
    AtomicFile, Attachment, Base, Column, Columns, Comment, EdgeListOptions, Format, Header,
    IdKind, LoadedGraph, NamesLost, Note, ReadOptions, RowRange, SpgParts, SpgRows, SpgShape,
    SpgSums, id_line, id_of_line, map_spg, names_lost, parse, parse_with, read, read_coordinates,
    read_with, write, write_attached, write_coordinates, write_csr, write_ids,
};
pub use key::DistanceKey;
pub use memory::{Large, NoMemory, ensure_granted, free_memory};
pub use names::{UnknownName, by_name};
pub use numbering::Numbering;
pub use prefetch::{prefetch, prefetch_first};
pub use progress::{Interrupted, Progress, tell};
pub use weight::{Distance, Weight, WeightKind};
pub use weight_summary::WeightSummary;
pub use words::Words;

/// A vertex of a graph with `n` vertices: a number from 0 to `n − 1`.
pub type VertexId = u32;

// The example of the README is a test too.
#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../README.md")]
struct Readme;

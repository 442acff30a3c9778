//! Single-source shortest paths: the published algorithms with one interface.
//!
//! * [`shortest_path`] finds the path to one target, [`shortest_paths`] those to all. A [`Solver`]
//!   keeps its work space for many searches, and can stop at a target or a cutoff ([`Goal`]).
//! * [`Solver::within`] finds what is near, at the cost of what is near.
//! * [`Solver::k_shortest_paths`] finds the next shortest paths too.
//! * [`Solver::table`] and [`Solver::nearest`] take many sources at once.
//! * [`DynamicTrees`] keeps trees up to date while arcs and vertices come and go.
//! * [`Solver::aggregate`] counts or sums up the points within a cutoff of every vertex.
//! * [`Config`] names the [`Algorithm`], on a GPU the [`gpu::Algorithm`], with its settings. If it
//!   names none, the solver chooses; its [`Plan`] has the choice and the reason.
//! * Each call returns its result as a [`Found`], with the plan, the work done and, on a GPU, the
//!   times.
//! * [`predecessors()`] computes the shortest-path tree from the distances, by a rule that gives
//!   the same tree on every backend and in every run.
//!
//! Every solver takes all [`Weight`](graph_formats::Weight)s for which it is correct: Bellman-Ford
//! admits negative weights and lists a negative cycle; the others return an error for negative
//! weights. No distance wraps.
//!
//! ```
//! use graph_formats::Csr;
//! use sssp::{Config, shortest_paths};
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 7u32), (1, 2, 1), (0, 2, 3), (2, 3, 2)])?;
//! let tree = shortest_paths(&graph, 0, &Config::default())?;
//! assert_eq!(tree.distance(1), Some(4));
//! assert_eq!(tree.path_to(1), Some(vec![0, 2, 1]));
//! paths::certificate::check_tree(&graph, &tree)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`], [`paths`], [`breadth_first`], [`k_paths`], [`published`] and
//! [`search_parts`]. Feature `cuda`, off by default: NVIDIA GPUs, as in [`gpu_runtime`].
//!
#![doc = include_str!("../WHICH.md")]

mod algorithm;
pub mod any;
mod arc_split;
mod config;
pub mod cost;
mod cpu;
mod delta;
mod dynamic;
mod found;
pub mod gpu;
mod key;
mod level_distances;
mod overflow;
mod plan;
mod predecessors;
mod search;
mod solver;
mod table;
mod weights;

/// What searches over parts of a graph use too.
#[doc(hidden)]
pub mod over_parts {
    pub use crate::key::{FullKey, FullKeys, KeyArithmetic, U32Keys, distance_bound};
    pub use search_parts::buckets::{
        auto, defers_enough, has_many_arcs, limit_below, typical, usable,
    };
}

pub use algorithm::{Algorithm, Queue, QueueRule};
pub use config::{Config, Goal};
pub use delta::Delta;
pub use dynamic::{DynamicTrees, Updated};
pub use found::Found;
pub use k_paths::Path;
pub use paths::Progress;
pub use paths::aggregate::{Aggregate, Categories, Decay, Points, Statistic, Way};
pub use plan::Plan;
#[doc(hidden)]
pub use search_parts::Team;
pub use search_parts::{DeviceTimes, SearchError as SsspError, Work};
pub use solver::{SearchWeight, Solver, predecessors, shortest_path, shortest_paths};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The common parts of the searches of `sssp`, `breadth_first`, `k_paths` and `published`.
//!
//! * A [`Query`] asks for distances from one source; a solver passes it down to the loop or the
//!   kernel. [`Work`] has the counts of a search, and [`DeviceTimes`] its times on a GPU.
//! * [`SearchError`] is the reason why a search could not start or has no result.
//! * [`Threads`] stay from one search to the next and synchronise at a [`Barrier`]. A [`Pool`] has
//!   the threads for work beside a search. [`prefetch()`] loads memory ahead, [`in_large_pages`] has it
//!   found sooner.
//! * [`Launch`] is a kernel that searches, reports progress and can be ended.
//!
//! ```
//! use search_parts::Threads;
//!
//! let mut squares = [1, 2, 3];
//! Threads::new(3).each(&mut squares, |_, n| *n *= *n);
//! assert_eq!(squares, [1, 4, 9]);
//! ```
//!
//! Depends on [`graph_formats`], [`paths`] and [`gpu_runtime`]. Feature `cuda`, off by default:
//! NVIDIA GPUs.

pub mod buckets;
pub mod device;
mod error;
mod large_pages;
mod launch;
mod pool;
mod query;
mod threads;
mod work;

pub use error::{SearchError, check_not_negative, unless_out_of_memory};
pub use graph_formats::{prefetch, prefetch_first};
pub use large_pages::in_large_pages;
pub use launch::{
    EDGES_PER_LAUNCH, Kernels, Launch, MAX_VERTICES, NO_VERTEX, a_thread_each, all_threads,
    check_size, length, milliseconds, two_blocks_each,
};
pub use pool::Pool;
pub use query::{Query, check_vertices};
pub use threads::{Barrier, EndsOnPanic, Team, Threads, side_by_side, wait};
pub use work::{Again, DeviceTimes, Work};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! What the searches of `sssp`, `breadth_first` and `k_paths` share.
//!
//! * A [`Query`] is one question about one source, from a solver down to the loop or the kernel;
//!   [`Work`] counts what it took, and [`DeviceTimes`] where the time on a GPU went.
//! * [`SearchError`] says why a search could not be started or has no answer.
//! * [`Threads`] stay from one search to the next, and meet at a [`Barrier`]; a [`Pool`] has those
//!   that work beside a search; [`prefetch()`] asks
//!   for memory before it is needed.
//! * [`Launch`] is a kernel that searches, which tells how far it is and can be ended.
//!
//! ```
//! use search_parts::Threads;
//!
//! let mut squares = [1, 2, 3];
//! Threads::new(3).each(&mut squares, |_, n| *n *= *n);
//! assert_eq!(squares, [1, 4, 9]);
//! ```

pub mod device;
mod error;
mod launch;
mod pool;
mod prefetch;
mod query;
mod threads;
mod work;

pub use error::{SearchError, by_name, unless_out_of_memory};
pub use launch::{
    EDGES_PER_LAUNCH, Kernels, Launch, MAX_VERTICES, NO_VERTEX, a_thread_each, all_threads,
    check_size, length, milliseconds, two_blocks_each,
};
pub use pool::Pool;
pub use prefetch::{prefetch, prefetch_first};
pub use query::{Query, check_vertices};
pub use threads::{Barrier, EndsOnPanic, Team, Threads, wait};
pub use work::{Again, DeviceTimes, Work};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

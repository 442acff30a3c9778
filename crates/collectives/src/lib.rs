//! Collectives of several ranks: broadcast, gather, reduce.
//!
//! A *rank* is one of several workers that run the same program, each on its share of the work,
//! with no memory in common. A *collective* is a call that all of them make, in the same order;
//! each returns when it has its result. A [`Communicator`] says which ranks there are:
//!
//! * [`Alone`]: this process, the only rank;
//! * [`Threads`]: threads of this process, for tests;
//! * `Mpi` of the crate `collectives-mpi`: the processes that `mpirun` has started, on one machine
//!   or many.
//!
//! Ranks with a GPU each broadcast from memory to memory, by [`Nccl`], where that is found.
//!
//! If a rank ends too early, no other waits for it for ever: collectives over threads return an
//! error, and MPI ends all processes.
//!
//! ```
//! use collectives::{Alone, Communicator, RanksError, Threads};
//!
//! fn greatest(ranks: &dyn Communicator, own: u64) -> Result<u64, RanksError> {
//!     ranks.max(own)
//! }
//! assert_eq!(greatest(&Alone, 7)?, 7);
//! assert_eq!(Threads::run(3, |ranks| greatest(ranks, ranks.rank() as u64))?, [2, 2, 2]);
//! # Ok::<(), RanksError>(())
//! ```
//!
//! Depends on no other crate of the workspace; no features.

mod alone;
mod communicator;
mod nccl;
mod threads;

pub use alone::Alone;
pub use communicator::{Communicator, RanksError};
pub use nccl::Nccl;
pub use threads::Threads;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

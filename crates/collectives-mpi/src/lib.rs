//! The processes that `mpirun` has started, on one machine or many, as ranks of the crate
//! [`collectives`].
//!
//! It is a separate crate, so that code that uses collectives is the same with MPI and without.
//! Only the program that chooses its ranks is built for the one or the other.
//!
#![doc = include_str!("../README.md")]

#[cfg(feature = "mpi")]
mod mpi;

use collectives::{Alone, Communicator, RanksError};

#[cfg(feature = "mpi")]
pub use self::mpi::Mpi;

/// The ranks that this process is one of: those that `mpirun` has started, in a build with the
/// feature `mpi`; else it is alone. To be called once, on the thread that will make all calls;
/// what is returned lives until the last of them.
///
/// # Errors
/// When MPI does not start.
pub fn start() -> Result<Box<dyn Communicator>, RanksError> {
    #[cfg(feature = "mpi")]
    if let Some(ranks) = Mpi::start()? {
        return Ok(Box::new(ranks));
    }
    Ok(Box::new(Alone))
}

//! Machines, which execute programs.

mod counting;
mod execute;
mod host;

pub use counting::{Cost, Counting};
pub use host::Host;

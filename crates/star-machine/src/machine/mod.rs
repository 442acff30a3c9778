//! Machines: who carries programs out.

mod host;

pub use host::Host;

//! The tests of hierarchies, in one program.

mod agreement;
mod common;
mod laws;
mod orders;
mod prepared;
mod refusals;
mod roads;

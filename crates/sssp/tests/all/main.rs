//! The tests of the solvers, as one program, so that they are linked once.

mod aggregate;
mod agreement;
mod any;
mod breadth_first;
mod common;
mod cost;
mod dynamic;
mod k_paths;
mod laws;
mod near;
mod questions;
mod refusals;
mod settings;
mod unsigned;

//! The tests of the solvers, in one program: each is linked anew.

mod agreement;
mod any;
mod breadth_first;
mod common;
mod cost;
mod k_paths;
mod laws;
mod questions;
mod refusals;
mod unsigned;

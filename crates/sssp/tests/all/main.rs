//! The tests of the solvers, in one program: each test program compiles every solver
//! for every weight type anew.

mod agreement;
mod breadth_first;
mod common;
mod cost;
mod hop_sums;
mod k_paths;
mod laws;
mod questions;
mod refusals;

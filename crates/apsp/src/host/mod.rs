//! Solvers on the CPU.

pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod matrix;
mod min_plus;
pub(crate) mod next_hops;
pub(crate) mod settle;
pub(crate) mod useful_arcs;

pub(crate) use matrix::{Matrix, all_rows, rows_of_rank};
pub(crate) use min_plus::{Kernel, MinPlus, Panel, copies, pack_groups};

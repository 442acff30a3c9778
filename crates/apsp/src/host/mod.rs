//! Solvers for the processor.

mod aligned;
pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod matrix;
mod min_plus;
pub(crate) mod next_hops;
pub(crate) mod settle;
mod share;
pub(crate) mod useful_arcs;

pub(crate) use aligned::Aligned;
pub(crate) use matrix::Matrix;
pub(crate) use min_plus::{
    Kernel, MinPlus, copies, pack_groups, pack_some, packed_len, packed_place, relax_packed,
    unpack_row,
};
pub(crate) use share::{all_rows, rows_of_rank};

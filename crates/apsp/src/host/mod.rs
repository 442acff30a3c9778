//! Solvers for the processor.

pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod min_plus;
pub(crate) mod next_hops;
pub(crate) mod settle;
pub(crate) mod useful_arcs;

pub(crate) use floyd_warshall::Matrix;
pub(crate) use min_plus::{AREA, Element, SIDE};

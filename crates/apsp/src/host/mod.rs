//! Solvers for the processor.

mod aligned;
pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod matrix;
mod min_plus;

pub(crate) use matrix::Matrix;
pub(crate) use min_plus::Element;

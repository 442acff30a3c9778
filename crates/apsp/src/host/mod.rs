//! Solvers for the processor.

pub(crate) mod floyd_warshall;
pub(crate) mod johnson;
mod min_plus;

pub(crate) use min_plus::Element;

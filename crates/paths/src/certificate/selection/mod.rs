//! Certificates of edges or arcs that are selected from a list: spanning forests,
//! branchings.
//!
//! The answers are positions in the list, so that parallel edges are told apart.

mod branching;
mod merges;
mod potentials;
mod violation;

pub use branching::{check_maximum_branching, check_minimum_arborescence};
pub use violation::SelectionViolation;

//! Certificates of edges or arcs that are selected from a list: spanning forests,
//! branchings.
//!
//! The answers are positions in the list, so that parallel edges are told apart.

mod branching;
mod forest;
mod merges;
mod potentials;
mod violation;

pub use branching::{check_maximum_branching, check_minimum_arborescence};
pub use forest::{check_spanning_forest, check_spanning_tree};
pub use violation::SelectionViolation;

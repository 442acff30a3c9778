//! Whether edges or arcs that are selected from a list are the best, from the list alone.

mod branching;
mod degree_tree;
mod forest;
mod merges;
mod potentials;
mod violation;

pub use branching::{check_maximum_branching, check_minimum_arborescence};
pub use degree_tree::check_tree_of_degree;
pub use forest::{check_spanning_forest, check_spanning_tree};
pub use violation::SelectionViolation;

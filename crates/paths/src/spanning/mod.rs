//! Spanning trees: the cheapest edges or arcs of a list that join its vertices, by the simplest
//! methods, and certificates of any answer. They are independent of shortest paths: no distance
//! occurs.
//!
//! * Spanning forests of undirected graphs, and spanning trees with a given number of edges at a
//!   root.
//! * Branchings of directed graphs, of which an arborescence reaches all vertices from a root.
//!
//! An answer lists positions of edges, since two parallel edges have the same ends. Each
//! certificate documents why it proves the answer, and shares no code with the methods.

mod branching;
mod certificate;
mod degree_tree;
mod forest;

pub use branching::{maximum_branching, minimum_arborescence};
pub use certificate::{
    SelectionViolation, check_maximum_branching, check_minimum_arborescence, check_spanning_forest,
    check_spanning_tree, check_tree_of_degree,
};
pub use degree_tree::spanning_tree_of_degree;
pub use forest::{SpanningForest, minimum_spanning_arcs, minimum_spanning_forest};

/// How many edges of a spanning tree are to be at its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// This number.
    Exactly(usize),
    /// This number or fewer.
    AtMost(usize),
}

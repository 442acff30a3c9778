//! The tests of this crate, in one program: each test program compiles the crate's generic code
//! anew.

mod all_pairs;
mod branchings;
mod degree_trees;
mod forests;
mod laws;
mod mutation;
mod refusals;
mod subgraphs;

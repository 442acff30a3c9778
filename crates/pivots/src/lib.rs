//! Closing a matrix by blocks of pivots, as blocked Floyd-Warshall does, by one or more parts.
//!
//! A part is a CPU with its threads, a rank or a GPU. [`Blocks`] says which part has which rows.
//! [`close`] is the order of the work; a [`Part`] does it.

mod blocks;
mod order;

pub use blocks::{Blocks, Share};
pub use order::{Counts, Part, Strip, Work, close};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

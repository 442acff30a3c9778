//! Closing a matrix by blocks of pivots, as blocked Floyd-Warshall does, by one or more parts.
//!
//! A part is a CPU with its threads, a rank or a GPU. [`Blocks`] says which part has which rows.
//! [`close`] is the order of the work; a [`Part`] does it.
//!
#![doc = include_str!("../README.md")]

mod blocks;
mod order;

pub use blocks::{Blocks, Share};
pub use order::{Counts, Part, Strip, Work, close};

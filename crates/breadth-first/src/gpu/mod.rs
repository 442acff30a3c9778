//! Breadth-first search on GPUs.

mod batches;
mod hops;
mod schedule;
mod search;
mod tree;

pub use self::batches::{HopSearches, rows_at_once};
pub use self::hops::HopsOnGpu;
pub use self::search::BreadthFirstOnGpu;

//! Breadth-first search on GPUs.

mod batches;
mod schedule;
mod search;

pub use self::batches::{HopSearches, rows_at_once};
pub use self::search::BreadthFirstOnGpu;

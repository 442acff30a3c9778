//! Breadth-first search on GPUs.

mod batches;
mod parts;
mod search;

pub use self::batches::{HopSearches, hop_sums, rows_at_once};
pub use self::search::BreadthFirstOnGpu;

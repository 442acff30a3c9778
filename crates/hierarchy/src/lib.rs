//! Shortest paths of road networks: prepare once, ask millions of questions.

#![forbid(unsafe_code)]

mod customize;
mod elimination_tree;
mod error;
mod hierarchy;
mod key;
mod metric;
mod order;
mod query;
mod unpack;

pub use error::HierarchyError;
pub use hierarchy::Hierarchy;
pub use metric::Metric;
pub use order::Order;
pub use query::{Path, Query};

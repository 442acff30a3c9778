//! A graph prepared for any weights.

pub(crate) mod below;
pub(crate) mod hierarchy;
mod tree;

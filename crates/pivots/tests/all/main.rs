//! Which rows a part has, and the order of the work.

mod blocks;
mod order;

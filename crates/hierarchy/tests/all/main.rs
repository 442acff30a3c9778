//! The tests of hierarchies, in one program.

mod agreement;
#[cfg(feature = "all-pairs")]
mod all_pairs;
mod any;
mod common;
mod extremes;
mod k_paths;
mod laws;
mod many_queries;
mod orders;
mod prepared;
mod refusals;
mod roads;
#[path = "../../examples/traffic.rs"]
mod traffic;
mod witnesses;

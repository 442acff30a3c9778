//! The tests of hierarchies, in one program.

mod agreement;
mod any;
mod changes;
mod common;
mod crafted;
mod extremes;
mod k_paths;
mod laws;
mod many_queries;
mod points;
mod prepared;
mod refusals;
mod roads;
#[path = "../../examples/traffic.rs"]
mod traffic;
mod witnesses;

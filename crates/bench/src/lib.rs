//! Benchmarks of the solvers beside their peers.
//!
//! * [`workloads`]: the graphs, by name;
//! * [`roster`](mod@roster): who solves them: every algorithm of this project, a
//!   yardstick, and other people's libraries;
//! * [`measure`](mod@measure): the clock, which times no answer that was not checked;
//! * [`report`]: what `cargo xtask bench` leaves in `target/bench/`.
//!
//! The criterion benches in `benches/` use the same graphs and the same roster.

#![forbid(unsafe_code)]

mod dial;
pub mod machine;
pub mod measure;
mod peers;
mod plots;
pub mod report;
pub mod roster;
mod summary;
mod table;
pub mod workloads;

//! Benchmarks of the solvers beside their peers.
//!
//! * [`graphs`]: the graphs, by name or file;
//! * [`studies`]: what is measured, a file each; [`study`]: what a study is and is given;
//! * [`clock`]: contenders take turns, and no run counts that was not checked; [`verify`]: what
//!   answers are held against;
//! * [`records`], [`page`], [`plot`], [`run`]: what was measured, and what `cargo xtask bench`
//!   leaves of it in `target/bench/`.
//!
//! The criterion benches in `benches/` use the same graphs and the same solvers.

#![forbid(unsafe_code)]

pub mod cli;
pub mod clock;
mod compare;
mod draws;
pub mod field;
pub mod graphs;
pub mod machine;
pub mod page;
mod peers;
pub mod plot;
mod programs;
pub mod records;
pub mod run;
pub mod studies;
pub mod study;
mod table;
pub mod verify;

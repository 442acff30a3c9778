//! Benchmarks of the solvers beside their peers.
//!
//! * [`workloads`]: the graphs, by name;
//! * [`roster`](mod@roster): who solves them: every algorithm of this project, a
//!   yardstick, and other people's libraries;
//! * [`measure`](mod@measure): the clock, which times no answer that was not checked;
//! * [`report`]: what `cargo xtask bench` leaves in `target/bench/`;
//! * [`families`]: the families of algorithms of the paper on GPUs side by side, its
//!   extract-min, and how near `auto` comes to the best, which is
//!   `cargo xtask bench sssp-families`;
//! * [`choice`]: what `auto` costs somebody who waits, beside each backend and algorithm, which is
//!   `cargo xtask bench choice`;
//! * [`floyd_warshall`]: the study of the published forms of Floyd-Warshall on a GPU, which
//!   is `cargo xtask bench floyd-warshall`;
//! * [`segments`]: the study of the edge-parallel Bellman-Ford on a GPU, which is
//!   `cargo xtask bench segments`;
//! * [`min_plus`]: Floyd-Warshall beside the peak of the processor, which is
//!   `cargo xtask bench min-plus`.
//!
//! The criterion benches in `benches/` use the same graphs and the same roster.

#![forbid(unsafe_code)]

pub mod choice;
pub mod cli;
pub mod clock;
mod compare;
mod dial;
mod draws;
pub mod families;
pub mod floyd_warshall;
mod folder;
pub mod machine;
pub mod measure;
pub mod page;
mod peers;
pub mod plot;
mod plots;
pub mod records;
pub mod report;
pub mod roster;
pub mod run;
pub mod segments;
pub mod studies;
pub mod study;
mod summary;
mod table;
pub mod verify;
pub mod workloads;

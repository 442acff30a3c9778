//! Benchmarks of the solvers beside their peers.
//!
//! * [`graphs`]: the graphs, by name or file;
//! * `studies`: what is measured, a file each; `study`: what a study is and is given;
//! * `clock`: contenders take turns, and no run counts that was not checked; `verify`: what
//!   answers are held against;
//! * `records`, `page`, `plot`, `run`: what was measured, and what `cargo xtask bench` leaves of
//!   it in `target/bench/`.
//!
//! The criterion benches in `benches/` use the same graphs and the same solvers.

#![forbid(unsafe_code)]

pub mod cli;
mod clock;
mod compare;
mod draws;
mod field;
mod first;
pub mod graphs;
mod machine;
mod page;
mod peers;
mod plot;
mod programs;
mod records;
mod run;
mod studies;
mod study;
mod table;
mod verify;

pub use studies::sssp::each_search;

/// The Rust programs of the documents are tests. They stand here because this package is not
/// published, and may read files outside of it.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/start.md")]
    struct Start;
    #[doc = include_str!("../../../docs/guides/larger-than-memory.md")]
    struct LargerThanMemory;
    #[doc = include_str!("../../../docs/guides/roads.md")]
    struct Roads;
    #[doc = include_str!("../../../docs/coming-from/petgraph.md")]
    struct Petgraph;
    #[doc = include_str!("../../../docs/coming-from/routingkit.md")]
    struct RoutingKit;
    #[doc = include_str!("../../../docs/star-machine.md")]
    struct StarMachine;
}

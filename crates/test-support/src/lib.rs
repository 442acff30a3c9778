//! What the tests of several crates share.
//!
//! * [`corner_cases`], [`arbitrary_graph`], [`scattered`], [`forest`], [`streets`],
//!   [`road_with_detours`], [`large_detours`]: graphs for the tests of solvers, which
//!   [`undirected`] changes; [`some_vertices`] of them; [`draws`]: numbers as if they were drawn.
//! * [`data`], [`data_folder`]: real graphs; [`gpu`]: the GPU. Where they are not there, the
//!   test says `SKIPPED` and ends.
//! * [`mod@layout`]: what a kernel's sources say of the structures that the host fills for it.
//!
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod graphs;
pub mod layout;

use std::env;
use std::fmt::Display;
use std::path::PathBuf;

pub use graphs::{
    arbitrary_graph, corner_cases, forest, large_detours, road_with_detours, scattered,
    some_vertices, streets, undirected,
};

/// A GPU as it was opened; `None`, and a line that says `SKIPPED` and why, where there is none.
///
/// # Panics
/// Where there is none and the environment has `STARPATH_REQUIRE_GPU=1`.
pub fn gpu<G, E: Display>(opened: Result<G, E>) -> Option<G> {
    let skip = |reason: &E| {
        let is_required = env::var_os("STARPATH_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!is_required, "STARPATH_REQUIRE_GPU=1, but {reason}");
        println!("SKIPPED: {reason}");
    };
    opened.inspect_err(skip).ok()
}

/// The folder of real graphs, which `STARPATH_DATA` names; `None`, and a line that says
/// `SKIPPED`, where there is none.
pub fn data_folder() -> Option<PathBuf> {
    let folder = env::var_os("STARPATH_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into(),
        PathBuf::from,
    );
    if !folder.is_dir() {
        println!("SKIPPED: there is no folder {}; set STARPATH_DATA", folder.display());
        return None;
    }
    Some(folder)
}

/// A file of the folder of real graphs, compressed or not; `None`, and a line that says
/// `SKIPPED`, where there is none.
pub fn data(name: &str) -> Option<PathBuf> {
    let plain = data_folder()?.join(name);
    let path = if plain.is_file() { plain } else { plain.with_added_extension("gz") };
    if !path.is_file() {
        println!("SKIPPED: there is no {}", path.display());
        return None;
    }
    Some(path)
}

/// Numbers below the bound of each call, as if they were drawn: the same for the same seed.
pub fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |bound| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    }
}

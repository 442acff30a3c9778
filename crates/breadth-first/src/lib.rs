//! Breadth-first search from one vertex, and from many at once.
//!
//! Searches count arcs and return levels; weights are ignored, and callers turn levels into
//! distances.
//!
//! * [`BreadthFirst`] searches from one source on the threads of a CPU. It pushes and pulls levels
//!   and finds the tree in the same pass. [`gpu::BreadthFirstOnGpu`] searches on a GPU.
//! * [`ManySources`] searches from up to 512 sources at once, a bit each; [`gpu::HopSearches`] from
//!   up to 1,024.
//! * [`HopCounter`] adds up the hops from many sources, on either.
//! * [`depth`] estimates from a part of a graph how many arcs its longest shortest paths have.
//!
//! ```
//! use breadth_first::HopCounter;
//! use graph_formats::Csr;
//!
//! let graph = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)])?;
//! let sums = HopCounter::new(&graph, &[], None).sums(&[0], None)?;
//! assert_eq!(sums.greatest, [0, 1, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`], [`paths`] and [`search_parts`]. Feature `cuda`, off by default:
//! NVIDIA GPUs, as in [`gpu_runtime`].

mod arcs;
mod depth;
pub mod gpu;
mod hop_counter;
mod levels;
mod many;

pub use arcs::incoming;
pub use depth::depth;
pub use hop_counter::HopCounter;
pub use levels::BreadthFirst;
pub use many::{ManySources, TakeHops, pays, pays_on_gpu};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

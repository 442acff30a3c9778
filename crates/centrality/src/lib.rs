//! Measures of a whole graph, computed from its shortest paths: closeness, eccentricity and
//! betweenness of vertices, betweenness of arcs, and the diameter and mean distance of the graph.
//!
//! [`totals`] searches from every vertex, or from a sample of them ([`Sources`]), and adds up what
//! each search finds: [`Totals`]. All measures are computed from these at no further cost:
//! [closeness](Totals::closeness), [harmonic closeness](Totals::harmonic),
//! [eccentricity](Totals::eccentricities), radius, diameter, centre and periphery, [mean
//! distance](Totals::mean_distance), [Wiener index](Totals::wiener_index) and [hop
//! plot](Totals::hop_plot). [`Lengths`] chooses between arcs and weights, [`Side`] the direction of
//! distances in a directed graph. [`totals_on_gpus`] finds the totals on GPUs,
//! [`totals_by_hierarchy`] those of road networks. A run of hours can save its state in a file,
//! [`Config::checkpoint`], from which another run continues. [`diameter`] finds the diameter alone,
//! by a few searches; [`betweenness`](betweenness()) and [`arc_betweenness`] count the paths
//! themselves, [on GPUs](betweenness_on_gpus) too. Ranks share the sources of both
//! ([`Workers`]). [`approximate_betweenness`] finds it within a
//! given error, from random paths.
//!
//! ```
//! use centrality::{Config, Correction, totals};
//! use graph_formats::Csr;
//! use paths::Number;
//!
//! let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 2, 1), (2, 3, 1)])?;
//! let totals = totals(&graph, &Config::default(), None)?;
//! assert_eq!(totals.closeness(Correction::WassermanFaust), [0.5, 0.75, 0.75, 0.5]);
//! assert_eq!((totals.radius(), totals.diameter()), (Some(Number::U64(2)), Some(Number::U64(3))));
//! assert_eq!((totals.centre(), totals.periphery()), (vec![1, 2], vec![0, 3]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`sssp`], [`breadth_first`], [`hierarchy`] and [`collectives`]. Feature `cuda`, off by default: NVIDIA
//! GPUs, as in [`gpu_runtime`].

pub mod any;
mod approximate;
mod betweenness;
mod checkpoint;
mod config;
mod diameter;
mod error;
mod measures;
mod parts;
mod sample;
mod search;
mod sweeps;
mod totals;
mod weights;

/// Sums of hops on GPUs, of graphs that are drawn there too.
pub mod gpu {
    pub use breadth_first::gpu::{HopSearches, hop_sums};
}

pub use approximate::{
    ApproximateBetweenness, ApproximateConfig, approximate_betweenness,
    approximate_betweenness_on_gpus,
};
pub use betweenness::{Betweenness, Convention};
pub use config::{Config, Lengths, Side, Sources};
pub use diameter::Diameter;
pub use error::CentralityError;
pub use measures::Correction;
pub use parts::Workers;
pub use sample::{sampling_error, sources_for_error};
pub use totals::Totals;
pub use weights::{
    MeasureWeight, arc_betweenness, arc_betweenness_on_gpus, betweenness, betweenness_on_gpus,
    diameter, totals, totals_by_hierarchy, totals_on_gpus,
};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

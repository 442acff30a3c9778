//! The transitive closure of a graph: which vertices reach which, a bit for every pair.
//!
//! [`closure`] takes a graph, whose weights do not matter, and returns [`Found`]: the
//! [`Closure`](paths::Closure) and the [`Plan`], which says what was chosen and why. [`Config`]
//! names the [`Algorithm`], or lets the plan choose. [`closure_on_gpus`] runs on GPUs. [`counts`]
//! finds how many vertices each reaches, without a bit for every pair. [`DynamicClosure`] follows
//! changes of the graph. The closures that were published for the STAR-machine are in
//! `star-machine`.
//!
//! ```
//! use closure::{Algorithm, Config, closure};
//! use graph_formats::Csr;
//!
//! let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
//! let found = closure(&graph, &Config::default(), None)?;
//! assert!(found.closure.reaches(0, 2) && !found.closure.reaches(0, 0));
//! assert_eq!(found.closure.n_pairs(), 6);
//! println!("{}", found.plan);
//!
//! let by_bits = closure(&graph, &Config::with(Algorithm::Blocked), None)?;
//! assert_eq!(by_bits.closure, found.closure);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Depends on [`graph_formats`], [`paths`] and `pivots`. Feature `cuda`, off by default: NVIDIA
//! GPUs, as in [`gpu_runtime`].

mod auto;
mod blocked;
mod component_order;
mod components;
mod config;
mod counts;
mod cuda;
mod dynamic;
mod error;
mod plan;
mod unite;

use graph_formats::{Csr, Weight};
use paths::{BitMatrix, Progress};

pub use component_order::ComponentOrder;
pub use config::{Algorithm, Config};
pub use counts::counts;
pub use cuda::{DynamicDeviceClosure, OnGpu, Times, closure_on_gpus};
pub use dynamic::{DynamicClosure, Updated};
pub use error::ClosureError;
pub use plan::{Found, Plan};

use crate::auto::{Auto, auto};

/// The pairs (u, v) with a path of at least one arc from u to v; weights do not matter. A
/// vertex reaches itself only along a cycle.
///
/// Takes n² / 8 bytes, on all threads of the current rayon pool. `Auto` uses strongly connected
/// components, O(n + m) and n / 64 for each union of lines, unless there are more unions than the
/// O(n³ / 256) of `Blocked` is worth.
///
/// # Errors
/// When memory cannot hold the bits, the algorithm is for a GPU, or the progress callback
/// ended the work.
pub fn closure<W: Weight>(
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Found, ClosureError> {
    find(&graph.clone().unweighted(), config, progress)
}

/// The same of the arcs alone, so that its code does not hang on the type of the weights.
fn find(
    graph: &Csr<u32>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Found, ClosureError> {
    let plan = match config.algorithm {
        Algorithm::Auto => match auto(graph, config, blocked::time(graph), progress)? {
            Auto::Found(found) => return Ok(found),
            Auto::Engine(plan) => plan,
        },
        Algorithm::Components => {
            let closure = components::closure(graph, progress)?;
            return Ok(Found { closure, plan: Plan::asked(Algorithm::Components) });
        }
        Algorithm::Blocked => Plan::asked(Algorithm::Blocked),
        algorithm @ (Algorithm::FourRussians | Algorithm::Lop3 | Algorithm::MatrixUnits) => {
            return Err(ClosureError::OnlyOnGpu { algorithm });
        }
    };
    let too_large = ClosureError::TooLarge { n_vertices: graph.n_vertices() };
    let mut matrix = BitMatrix::of(graph).ok_or(too_large)?;
    blocked::blocked(&mut matrix, progress)?;
    Ok(Found { closure: matrix.into_closure(), plan })
}

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

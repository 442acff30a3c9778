//! When all pairs are found by supernodes.
//!
//! They are made, which takes the order of the vertices, where they are asked for; and where the
//! choice is left, for sparse graphs of enough vertices. What they take is counted then: with too
//! many arcs in the completion the order ends early, and the graph goes the other ways.

use std::fmt::Display;
use std::time::Instant;

use elimination::EliminationError;
use graph_formats::{Csr, Weight, parallel};
use rayon::ThreadPoolBuilder;
use sssp::Progress;

use super::Supernodes;
use crate::pairs::milliseconds;
use crate::width::search;
use crate::{Algorithm, ApspError, Config};

/// Vertices below which any other way is fast, and arcs a vertex above which no separators are
/// looked for.
const MIN_VERTICES: usize = 2000;
const MAX_DEGREE: usize = 32;
/// Vertices below which a GPU has closed the matrix before the order is there.
const MIN_VERTICES_ON_GPU: usize = 20_000;
/// Sums of the matrix, or of what searches take, for each of supernodes: these have the order to
/// make, and on the CPU many small products.
const ADVANTAGE: f64 = 16.0;

/// The decision for or against [supernodes](Algorithm::Supernodes) for a graph, with the order of
/// its vertices if it is for them.
///
/// [`Solver::order`](crate::Solver::order) makes it of the arcs alone, so that it serves
/// [`Solver::in_order`](crate::Solver::in_order) for other weights of these.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    pub(crate) supernodes: Option<Supernodes>,
    /// Why there are some, or none although they were looked for; `None` where there was no choice.
    pub(crate) reason: Option<String>,
    /// How long that took.
    pub(crate) order_ms: f64,
}

impl Ordered {
    /// The supernodes of a graph that is solved in memory, by one GPU or none, where they are asked
    /// for, or should take far less time.
    pub(crate) fn of<W: Weight>(
        graph: &Csr<W>,
        config: &Config,
        is_on_gpu: bool,
        progress: Option<Progress<'_>>,
    ) -> Result<Self, ApspError> {
        let (n, algorithm) = (graph.n_vertices(), config.algorithm);
        let pairs = (n as f64).powi(2);
        let max_sums = match algorithm {
            // beside the matrix, a completion is never too large
            Algorithm::Supernodes => Some(f64::INFINITY),
            Algorithm::Auto => max_sums(graph, is_on_gpu),
            _ => None,
        };
        let Some(max_sums) = max_sums else { return Ok(Self::default()) };
        let start = Instant::now();
        let max_arcs = (max_sums / n.max(1) as f64).min(pairs) as u64;
        let arcs = graph.clone().unweighted();
        let pool = ThreadPoolBuilder::new().num_threads(config.n_threads()).build()?;
        let made = parallel::install(&pool, || Supernodes::of(&arcs, max_arcs, progress));
        let order_ms = milliseconds(start);
        let not = |reason: &dyn Display| {
            let reason = Some(format!("without supernodes: {reason}"));
            Ok(Self { supernodes: None, reason, order_ms })
        };
        let supernodes = match made {
            Ok(supernodes) => supernodes,
            Err(EliminationError::Interrupted(interrupted)) => return Err(interrupted.into()),
            Err(error) if algorithm == Algorithm::Auto => return not(&error),
            Err(error) => return Err(error.into()),
        };
        let n_sums = supernodes.n_sums();
        if n_sums > max_sums {
            return not(&format_args!("they would take {n_sums:.1e} sums"));
        }
        let reason =
            || format!("they take {n_sums:.1e} sums, and the matrix {:.1e}", pairs * n as f64);
        let reason = (algorithm == Algorithm::Auto).then(reason);
        Ok(Self { supernodes: Some(supernodes), reason, order_ms })
    }
}

/// The most sums with which supernodes are worth their order; `None` where no order is.
fn max_sums<W: Weight>(graph: &Csr<W>, is_on_gpu: bool) -> Option<f64> {
    let (n, degree) = (graph.n_vertices(), graph.n_arcs() / graph.n_vertices().max(1));
    let is_small = n < if is_on_gpu { MIN_VERTICES_ON_GPU } else { MIN_VERTICES };
    if is_small || degree > MAX_DEGREE || graph.first_negative().is_some() {
        return None;
    }
    let search = match graph.weight_summary().common() {
        _ if is_on_gpu => f64::INFINITY,
        // searches go on together, a bit each
        Some(_) => return None,
        None => search(graph),
    };
    Some((n as f64).powi(2) * search.min(n as f64) / ADVANTAGE)
}

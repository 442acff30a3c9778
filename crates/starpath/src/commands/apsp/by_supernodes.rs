//! When all pairs are found by supernodes.
//!
//! They are made, which takes the order of the vertices, where they were asked for; and where the
//! choice is left, for sparse graphs of enough vertices. What they take is counted then: with too
//! many arcs in the hierarchy the order ends early, and the graph goes the other ways.

use std::time::Instant;

use apsp::{Algorithm, Supernodes};
use graph_formats::AnyCsr;

use super::Request;
use crate::cli::{Backend, Common, GpuCount, PairsAlgorithm};
use crate::failure::say;
use crate::progress::check_interrupt;
use crate::report::{Ms, milliseconds};

/// Vertices below which any other way is fast, and arcs a vertex above which no separators are
/// looked for.
const MIN_VERTICES: usize = 2000;
const MAX_DEGREE: usize = 32;
/// Vertices below which a GPU has closed the matrix before the order is there.
const MIN_VERTICES_ON_GPU: usize = 20_000;
/// Sums of the matrix, and of what a search takes for a vertex and for an arc, for each of
/// supernodes: these have the order to make, and on the CPU many small products.
const ADVANTAGE: f64 = 16.0;
const SUMS_A_VERTEX: f64 = 1000.0;
const SUMS_AN_ARC: f64 = 200.0;

/// Supernodes, and why.
pub(super) struct Ordered {
    pub(super) supernodes: Supernodes,
    /// `None` where they were asked for.
    pub(super) reason: Option<String>,
    pub(super) order_ms: Ms,
}

/// The supernodes of a graph, where they are asked for, or should take far less time.
pub(super) fn choose(
    graph: &AnyCsr,
    request: &Request,
    common: &Common,
) -> anyhow::Result<Option<Ordered>> {
    let n = graph.n_vertices();
    let pairs = (n as f64).powi(2);
    let (is_asked, max_sums) = match request.algorithm {
        // beside the matrix, a hierarchy is never too large
        PairsAlgorithm::Supernodes => (true, f64::INFINITY),
        PairsAlgorithm::Plain(Algorithm::Auto) => match most_sums(graph, request, common) {
            Some(most) => (false, most),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let start = Instant::now();
    let max_arcs = (max_sums / n.max(1) as f64).min(pairs) as u64;
    let made = hierarchy::supernodes(&graph.unweighted(), max_arcs);
    let order_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let supernodes = match made {
        Ok(supernodes) => supernodes,
        Err(error) if is_asked => return Err(error.into()),
        Err(error) => return not(&error, common),
    };
    let n_sums = supernodes.n_sums();
    if n_sums > max_sums {
        return not(&format_args!("they take {n_sums:.1e} sums"), common);
    }
    let reason = format!("it takes {n_sums:.1e} sums, of {:.1e} for the matrix", pairs * n as f64);
    Ok(Some(Ordered { supernodes, reason: Some(reason).filter(|_| !is_asked), order_ms }))
}

/// The most sums with which supernodes are worth their order; `None` where no order is.
fn most_sums(graph: &AnyCsr, request: &Request, common: &Common) -> Option<f64> {
    let (n, degree) = (graph.n_vertices(), graph.n_arcs() / graph.n_vertices().max(1));
    let is_forced = common.backend == Backend::Cuda;
    let is_alone = match request.gpus {
        None => true,
        Some(GpuCount::Of(count)) => count.get() == 1,
        Some(GpuCount::All) => false,
    };
    let is_small = n < if is_forced { MIN_VERTICES_ON_GPU } else { MIN_VERTICES };
    let is_other = request.scratch.is_some() || graph.first_negative().is_some();
    if is_small || degree > MAX_DEGREE || is_other || !is_alone {
        return None;
    }
    let search = match graph.common_weight() {
        // searches go on together, a bit each
        Some(_) if !is_forced => return None,
        _ if is_forced => f64::INFINITY,
        _ => SUMS_A_VERTEX + SUMS_AN_ARC * degree as f64,
    };
    Some((n as f64).powi(2) * search.min(n as f64) / ADVANTAGE)
}

/// `None`, and a word about it.
fn not(reason: &dyn std::fmt::Display, common: &Common) -> anyhow::Result<Option<Ordered>> {
    if common.explain {
        say(format_args!("not by supernodes: {reason}"));
    }
    Ok(None)
}

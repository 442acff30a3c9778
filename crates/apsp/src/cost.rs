//! How long the processor takes for all pairs, about: whether a GPU is worth opening.

use graph_formats::AnyCsr;
use sssp::cost::{self, Machine, Outline, Searches};

use crate::supernodes::Ordered;
use crate::{Algorithm, Config};

/// Sums a second of one thread in Floyd-Warshall: half of what a core with AVX2 does at its best.
const SUMS_PER_SECOND: f64 = 2e10;
/// The same in products of supernodes, many of which are small.
const SUMS_PER_SECOND_OF_SUPERNODES: f64 = 5e9;

pub(crate) fn seconds_on_cpu(graph: &AnyCsr, config: &Config, ordered: Option<&Ordered>) -> f64 {
    let (n, threads) = (graph.n_vertices(), config.n_threads());
    if let Some(supernodes) = ordered.and_then(|ordered| ordered.supernodes.as_ref()) {
        return supernodes.n_sums() / (SUMS_PER_SECOND_OF_SUPERNODES * threads as f64);
    }
    let by_matrix = (n as f64).powi(3) / (SUMS_PER_SECOND * threads as f64);
    let machine = Machine { threads, ..Machine::default() };
    let by_search = || cost::seconds(&Outline::of(graph), Searches::Table(n), &machine).0;
    match config.algorithm {
        Algorithm::Auto => by_search().min(by_matrix),
        Algorithm::Johnson => by_search(),
        _ => by_matrix,
    }
}

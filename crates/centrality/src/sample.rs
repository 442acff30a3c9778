//! Samples of the vertices, and bounds on the error of estimates from them.
//!
//! The mean distance of a vertex to k others, drawn at random, is an estimate of that to all. No
//! distance is greater than the diameter Δ. So by Hoeffding's inequality the estimate of one vertex
//! is off by more than ε·Δ with a probability of at most 2·exp(−2·k·ε²). That any of n vertices is
//! off has at most n times this probability. Drawing without replacement only helps.
//!
//! The dependency of a source on a vertex is at most n − 2, and betweenness the mean of these times
//! n/((n − 1)(n − 2)): the same bound, where k counts one source fewer.
//!
//! Reference: eppstein-wang-2004, brandes-pich-2007, hoeffding-1963

use graph_formats::permute::Relabelling;
use graph_formats::{GraphError, VertexId};

use crate::Sources;

/// A bound on the error of the mean distances of all `n_vertices` vertices, estimated from
/// `n_sources` sources, as a fraction of the diameter. It is exceeded in at most a share `failure`
/// of samples.
///
/// It holds for graphs in which all distances exist; closeness is the reciprocal of the mean
/// distance. With diameter 1 it is the bound for harmonic closeness divided by n − 1, counted in
/// hops, wherever paths lead, and for [normalised betweenness](crate::Betweenness::normalised).
///
/// ```
/// use centrality::sampling_error;
///
/// let error = sampling_error(1 << 20, 1000, 0.01);
/// assert!((0.097..0.098).contains(&error), "{error}");
/// ```
pub fn sampling_error(n_vertices: usize, n_sources: usize, failure: f64) -> f64 {
    // a source is no sample of its own distances
    let k = n_sources.saturating_sub(1) as f64;
    (logarithm(n_vertices, failure) / (2.0 * k)).sqrt()
}

/// The number of sources with which [`sampling_error`] is at most `error`.
///
/// ```
/// use centrality::{sampling_error, sources_for_error};
///
/// let n = sources_for_error(1 << 20, 0.05, 0.01);
/// assert_eq!(n, 3834);
/// assert!(sampling_error(1 << 20, n, 0.01) <= 0.05);
/// ```
pub fn sources_for_error(n_vertices: usize, error: f64, failure: f64) -> usize {
    (logarithm(n_vertices, failure) / (2.0 * error * error)).ceil() as usize + 1
}

fn logarithm(n_vertices: usize, failure: f64) -> f64 {
    (2.0 * n_vertices.max(1) as f64 / failure).ln()
}

/// The vertices that are drawn or listed, ascending; `None` where that is all.
///
/// # Errors
/// When one that is listed does not exist.
pub(crate) fn draw(
    n_vertices: usize,
    sources: &Sources,
) -> Result<Option<Vec<VertexId>>, GraphError> {
    match sources {
        Sources::Listed(listed) => {
            if let Some(&missing) = listed.iter().find(|&&source| source as usize >= n_vertices) {
                return Err(GraphError::BadParameter {
                    name: "source",
                    value: missing.to_string(),
                    expected: format!("one of {n_vertices} vertices, counted from 0"),
                });
            }
            let mut listed = listed.clone();
            listed.sort_unstable();
            listed.dedup();
            Ok(Some(listed))
        }
        Sources::Sample { n, seed } if n.get() < n_vertices => {
            Relabelling::first_of_random(n_vertices, n.get(), *seed).map(Some)
        }
        Sources::All | Sources::Sample { .. } => Ok(None),
    }
}

//! The width of the buckets of Δ-stepping.
//!
//! With a small Δ each vertex is settled once, in many nearly empty steps. With a large Δ vertices
//! are settled before their distance is final. The three published rules use only the weights, or
//! one degree. [`Delta::Auto`] is Δ = c · (typical weight) / (mean degree at the end of an arc). On
//! average, a vertex reached by an arc has Σd²/Σd arcs. Its nearest neighbour is about (typical
//! weight) / (that degree) away. This is how far the frontier moves in a step. On R-MAT graphs,
//! whose hubs make that degree large, Δ is below 1 and buckets are exact; on grids and road
//! networks Δ is about a tenth of the largest weight. The measurements behind c are in
//! docs/results/2026-11-21-cpu.

use std::fmt;
use std::str::FromStr;

use graph_formats::{Csr, Weight, by_name};
use rayon::prelude::*;
use search_parts::buckets::{auto, typical, usable};

use crate::SsspError;

/// The most weights of which a median is taken.
const SAMPLES: usize = 1 << 12;
/// The most buckets in use at one time with a given width.
const MAX_BUCKETS_REQUESTED: f64 = 1_048_576.0;

/// How wide the buckets of Δ-stepping are.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Algorithm, Config, Delta, Solver};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 2u32), (0, 2, 4), (1, 2, 9)])?;
/// let width = |rule| {
///     let config = Config::with(Algorithm::DeltaStepping(rule));
///     Solver::new(&graph, &config).map(|solver| solver.plan().delta)
/// };
/// assert_eq!(width(Delta::MedianWeight)?, Some(4.0));
/// assert_eq!(width(Delta::MeanWeight)?, Some(5.0));
/// assert_eq!(width(Delta::MaxWeightPerDegree)?, Some(4.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// Computed from weights, degrees and threads: about four times the typical weight divided by
    /// the mean degree at the end of an arc.
    #[default]
    Auto,
    /// This width, in units of the weights.
    Fixed(f64),
    /// The median of the weights.
    MedianWeight,
    /// The mean of the weights.
    MeanWeight,
    /// The sum of the weights divided by the number of vertices, (1/n)·Σc as printed in the paper.
    WeightPerVertex,
    /// The largest weight divided by the largest out-degree.
    MaxWeightPerDegree,
}

impl Delta {
    /// The rules by name; [`Delta::Fixed`] is written as its number.
    pub const RULES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("median", Self::MedianWeight),
        ("mean", Self::MeanWeight),
        ("per-vertex", Self::WeightPerVertex),
        ("max-per-degree", Self::MaxWeightPerDegree),
    ];
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::RULES.iter().find(|rule| rule.1 == *self) {
            Some((name, _)) => f.write_str(name),
            None if let Self::Fixed(width) = self => width.fmt(f),
            None => unreachable!("every rule is in the table"),
        }
    }
}

impl FromStr for Delta {
    type Err = SsspError;

    fn from_str(name: &str) -> Result<Self, SsspError> {
        if let Ok(width) = name.parse() {
            return check_requested(width, 0.0).map(Self::Fixed);
        }
        Ok(by_name("delta", name, &Self::RULES)?)
    }
}

/// The width of the buckets by `rule`; no weight is negative. An error if a given width is not
/// positive, or so small that more than 2^20 buckets would be in use. O(n + m).
pub(crate) fn width<W: Weight>(graph: &Csr<W>, rule: Delta) -> Result<f64, SsspError> {
    width_for(graph, rule, 1)
}

/// The width for `n_threads`. The work of vain relaxations grows about as Δ² and is shared by the
/// threads; the time of waiting falls as 1/Δ and is not. So the sum is least if [`Delta::Auto`]
/// grows as the cube root of the number of threads, here rounded to a power of two.
pub(crate) fn width_for<W: Weight>(
    graph: &Csr<W>,
    rule: Delta,
    n_threads: usize,
) -> Result<f64, SsspError> {
    let (weights, summary) = (graph.weights(), graph.weight_summary());
    let (max, sum) = (summary.greatest.to_f64(), summary.sum_of_sizes);
    let width = match rule {
        Delta::Fixed(width) => return check_requested(width, max),
        Delta::MedianWeight => median(weights),
        Delta::MeanWeight => sum / weights.len() as f64,
        Delta::WeightPerVertex => sum / graph.n_vertices() as f64,
        Delta::MaxWeightPerDegree => {
            max / graph.vertices().map(|v| graph.out_degree(v)).max().unwrap_or(0) as f64
        }
        Delta::Auto => {
            let step = sample_step(weights.len());
            let sample: Vec<W> = weights.iter().copied().step_by(step).collect();
            let typical = typical(median(&sample), sum / weights.len() as f64);
            auto(typical, degree_at_arc_end(graph), n_threads)
        }
    };
    Ok(usable::<W>(width, max))
}

/// The given width, or an error if it is not positive or makes more than [`MAX_BUCKETS_REQUESTED`].
fn check_requested(width: f64, max_weight: f64) -> Result<f64, SsspError> {
    let reason = if !(width.is_finite() && width > 0.0) {
        "it must be a positive number".to_owned()
    } else if max_weight / width > MAX_BUCKETS_REQUESTED {
        let least = max_weight / MAX_BUCKETS_REQUESTED;
        format!("weights up to {max_weight} would need more than 2^20 buckets; use {least} or more")
    } else {
        return Ok(width);
    };
    Err(SsspError::BadDelta { delta: width, reason })
}

/// The stride at which at most [`SAMPLES`] of `n_weights` weights are sampled.
pub(crate) fn sample_step(n_weights: usize) -> usize {
    n_weights.div_ceil(SAMPLES).max(1)
}

/// The upper median, or zero. O(m) and a copy of the weights.
pub(crate) fn median<W: Weight>(weights: &[W]) -> f64 {
    let mut sorted = weights.to_vec();
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        return 0.0;
    }
    sorted.select_nth_unstable_by(middle, |a, b| a.order(*b)).1.to_f64()
}

/// Σd²/Σd over the out-degrees d: the mean out-degree at the end of an arc.
pub(crate) fn degree_at_arc_end<W: Weight>(graph: &Csr<W>) -> f64 {
    let degrees = graph.row_offsets().par_windows(2).map(|row| (row[1] - row[0]) as f64);
    degrees.map(|degree| degree * degree).sum::<f64>() / graph.n_arcs() as f64
}

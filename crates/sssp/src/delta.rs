//! How wide the buckets of Δ-stepping should be.
//!
//! A small Δ looks at each vertex once but takes many nearly empty steps; a large one
//! looks at vertices whose distance is still going to fall. The three published rules
//! look at the weights alone or at one degree. [`Delta::Auto`] is
//! Δ = c · (typical weight) / (mean degree at the end of an arc): a vertex reached by an
//! arc has on average Σd²/Σd arcs of its own, and the nearest of so many neighbours is
//! about (that weight) / (that degree) away, which is how fast a search front moves. On
//! R-MAT graphs, whose hubs make that degree large, it comes out below 1 and buckets are
//! exact; on grids and road networks it comes out near a tenth of the largest weight.
//! docs/benchmarking.md has the sweeps behind the constant.

use std::fmt;
use std::str::FromStr;

use graph_formats::{Csr, Weight};
use rayon::prelude::*;
use search_parts::by_name;

use crate::SsspError;

/// The constant c.
const STEPS_OF_THE_FRONT: f64 = 4.0;
/// Weights that a median is guessed from.
const SAMPLES: usize = 1 << 12;
/// Most buckets in use at one time that a width of the solver's choice leads to.
const MAX_BUCKETS: f64 = 65_536.0;
/// Most buckets in use at one time that a given width may lead to.
const MAX_BUCKETS_ASKED: f64 = 1_048_576.0;

/// How wide the buckets of Δ-stepping are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// Chosen from weights, degrees and threads: see [the module](self).
    #[default]
    Auto,
    /// This width, in units of the weights.
    Fixed(f64),
    /// The median of the weights.
    MedianWeight,
    /// The mean of the weights.
    MeanWeight,
    /// The sum of the weights divided by the number of vertices, (1/n)·Σc as the
    /// paper prints it.
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
            check_width(width)?;
            return Ok(Self::Fixed(width));
        }
        by_name("delta", name, &Self::RULES)
    }
}

/// The width of the buckets by `rule`, for weights of which none is negative. O(n + m).
///
/// # Errors
/// [`SsspError::BadDelta`] when a given width is not positive, or so small that more
/// than 2^20 buckets would be in use.
///
/// ```
/// use graph_formats::Csr;
/// use sssp::{Delta, delta};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 2u32), (0, 2, 4), (1, 2, 9)])?;
/// assert_eq!(delta::width(&graph, Delta::MedianWeight)?, 4.0);
/// assert_eq!(delta::width(&graph, Delta::MeanWeight)?, 5.0);
/// assert_eq!(delta::width(&graph, Delta::MaxWeightPerDegree)?, 4.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn width<W: Weight>(graph: &Csr<W>, rule: Delta) -> Result<f64, SsspError> {
    width_for(graph, rule, 1)
}

/// The same for so many threads. What is relaxed in vain grows about with the square of Δ, and
/// the threads share it; the waiting for one another falls with Δ, and they do not: the sum is
/// least where [`Delta::Auto`] grows as the cube root of their number, here a power of two.
pub(crate) fn width_for<W: Weight>(
    graph: &Csr<W>,
    rule: Delta,
    n_threads: usize,
) -> Result<f64, SsspError> {
    let (weights, summary) = (graph.weights(), graph.weight_summary());
    let (max, sum) = (summary.greatest.to_f64(), summary.sum_of_sizes);
    let width = match rule {
        Delta::Fixed(width) => return check_asked(width, max),
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

/// The width by [`Delta::Auto`], before it is made [usable].
pub(crate) fn auto(typical_weight: f64, degree_at_arc_end: f64, n_threads: usize) -> f64 {
    let width = STEPS_OF_THE_FRONT * typical_weight / degree_at_arc_end;
    // the time is flat around the best width, so a round number will do
    width.log2().round().exp2() * f64::from(1 << (n_threads.ilog2() / 3))
}

/// The width, or the nearest that is one for weights up to `max` and makes few enough buckets.
pub(crate) fn usable<W: Weight>(width: f64, max: f64) -> f64 {
    if max == 0.0 {
        // no arcs, or none that costs anything: one bucket
        return 1.0;
    }
    let least = if W::ONE.to_i128().is_some() { 1.0 } else { f64::MIN_POSITIVE };
    // a sum of floats may be infinite
    let width = if width.is_finite() { width } else { max };
    width.max(max / MAX_BUCKETS).max(least)
}

/// An error when no graph could have buckets this wide.
fn check_width(width: f64) -> Result<(), SsspError> {
    if width.is_finite() && width > 0.0 {
        return Ok(());
    }
    Err(SsspError::BadDelta { delta: width, reason: "it must be a positive number".to_owned() })
}

fn check_asked(width: f64, max_weight: f64) -> Result<f64, SsspError> {
    check_width(width)?;
    let refuse = |reason| Err(SsspError::BadDelta { delta: width, reason });
    if max_weight / width > MAX_BUCKETS_ASKED {
        let least = max_weight / MAX_BUCKETS_ASKED;
        return refuse(format!(
            "weights up to {max_weight} would need more than 2^20 buckets; use {least} or more"
        ));
    }
    Ok(width)
}

/// The mean, or twice the median where that is less: where a few weights are many times as
/// great as all others, these decide how a front moves. The median is that of a sample, and
/// tells nothing where it is zero.
pub(crate) fn typical(median: f64, mean: f64) -> f64 {
    if median > 0.0 { mean.min(2.0 * median) } else { mean }
}

/// Every so manieth of so many weights makes a sample.
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

/// Σd²/Σd over the out-degrees d: how many arcs the end of an arc has on average.
pub(crate) fn degree_at_arc_end<W: Weight>(graph: &Csr<W>) -> f64 {
    sum_of_squares(graph.row_offsets()) / graph.n_arcs() as f64
}

/// The squares of the degrees of all vertices, whose rows begin at these offsets.
fn sum_of_squares(row_offsets: &[u64]) -> f64 {
    let degrees = row_offsets.par_windows(2).map(|row| (row[1] - row[0]) as f64);
    degrees.map(|degree| degree * degree).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_graphs_have_a_width() {
        let rules = [Delta::Auto, Delta::MedianWeight, Delta::MeanWeight]
            .into_iter()
            .chain([Delta::WeightPerVertex, Delta::MaxWeightPerDegree]);
        for rule in rules {
            for graph in [Csr::from_arcs(0, &[]), Csr::from_arcs(2, &[(0, 1, 0.0f64)])] {
                assert_eq!(width(&graph.unwrap(), rule), Ok(1.0));
            }
            let far = Csr::from_arcs(2, &[(0, 1, u64::MAX), (1, 0, 1)]).unwrap();
            assert!(width(&far, rule).unwrap() * 65_536.0 >= u64::MAX as f64);
        }
    }

    #[test]
    fn names_round_trip() {
        for (name, rule) in Delta::RULES {
            assert_eq!(name.parse::<Delta>().unwrap(), rule);
            assert_eq!(rule.to_string(), name);
        }
        assert_eq!("2.5".parse::<Delta>().unwrap(), Delta::Fixed(2.5));
        for bad in ["0", "-3", "nan", "inf"] {
            assert!(matches!(bad.parse::<Delta>(), Err(SsspError::BadDelta { .. })), "{bad}");
        }
    }

    #[test]
    fn asked_widths_are_checked() {
        let graph = Csr::from_arcs(2, &[(0, 1, u32::MAX)]).unwrap();
        assert_eq!(width(&graph, Delta::Fixed(5000.0)), Ok(5000.0));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.0] {
            assert!(matches!(width(&graph, Delta::Fixed(bad)), Err(SsspError::BadDelta { .. })));
        }
    }
}

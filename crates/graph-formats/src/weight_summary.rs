//! A summary of the weights of a graph, made in one pass.
//!
//! Solvers use it to choose an algorithm, to prove that sums of weights fit their types, and to
//! refuse what they cannot solve. It is computed once, in the pass that checks the weights of a new
//! graph.

use crate::arc_pass::ARCS_PER_PART;
use crate::{Weight, parallel};

/// Independent accumulators, so that no operation waits for the one before.
const LANES: usize = 8;

/// The summary of a graph's weights; see [`Csr::weight_summary`](crate::Csr::weight_summary).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightSummary<W> {
    /// The least weight; zero without arcs.
    pub least: W,
    /// The greatest weight; zero without arcs.
    pub greatest: W,
    /// The sum of the absolute weights: exact for integers up to 2^53, and the same on any number
    /// of threads.
    pub sum_of_sizes: f64,
    /// The position of the first arc of negative weight.
    pub first_negative: Option<usize>,
}

impl<W: Weight> WeightSummary<W> {
    /// The greatest absolute weight.
    pub fn greatest_size(&self) -> f64 {
        self.least.to_f64().abs().max(self.greatest.to_f64().abs())
    }

    /// The weight of all arcs, if it is the same for all and positive.
    pub fn common(&self) -> Option<W> {
        (W::ZERO < self.least && self.least == self.greatest).then_some(self.greatest)
    }

    /// The summary of `n_arcs` arcs of the same weight.
    pub(crate) fn of_equal(weight: W, n_arcs: usize) -> Self {
        let weights = [weight];
        let one = Self::of(&weights[..n_arcs.min(1)]);
        Self { sum_of_sizes: one.sum_of_sizes * n_arcs as f64, ..one }
    }

    /// The summary of `weights`; if one is not finite, the sum is not either. O(m).
    pub(crate) fn of(weights: &[W]) -> Self {
        let parts = parallel::map(weights.len().div_ceil(ARCS_PER_PART), &|part| {
            let rest = &weights[part * ARCS_PER_PART..];
            extremes_of(&rest[..rest.len().min(ARCS_PER_PART)])
        });
        Self::of_extremes(parts.into_iter().reduce(Extremes::and), weights)
    }

    /// The summary of `weights`, of which these are the extremes.
    pub(crate) fn of_extremes(extremes: Option<Extremes<W>>, weights: &[W]) -> Self {
        let none = Extremes { least: W::ZERO, greatest: W::ZERO, sum_of_sizes: 0.0 };
        let Extremes { least, greatest, sum_of_sizes } = extremes.unwrap_or(none);
        let is_negative = |weight: &W| weight.is_negative();
        let first_negative = match least.is_negative() {
            true => parallel::find_first(weights.len(), ARCS_PER_PART, &|arcs| {
                let first = weights[arcs.clone()].iter().position(is_negative);
                first.map(|at| arcs.start + at)
            }),
            false => None,
        };
        Self { least, greatest, sum_of_sizes, first_negative }
    }
}

/// The least and the greatest of some weights, and the sum of their absolute values.
#[derive(Clone, Copy)]
pub(crate) struct Extremes<W> {
    least: W,
    greatest: W,
    pub(crate) sum_of_sizes: f64,
}

impl<W: Weight> Extremes<W> {
    /// Those of these weights and the `next`.
    pub(crate) fn and(self, next: Self) -> Self {
        Self {
            least: least_of(self.least, next.least),
            greatest: greatest_of(self.greatest, next.greatest),
            sum_of_sizes: self.sum_of_sizes + next.sum_of_sizes,
        }
    }
}

/// The extremes of `weights`, which must not be empty.
pub(crate) fn extremes_of<W: Weight>(weights: &[W]) -> Extremes<W> {
    let mut least = [weights[0]; LANES];
    let mut greatest = least;
    let mut sums = [0.0; LANES];
    let (whole, rest) = weights.as_chunks::<LANES>();
    for lanes in whole {
        for lane in 0..LANES {
            least[lane] = least_of(least[lane], lanes[lane]);
            greatest[lane] = greatest_of(greatest[lane], lanes[lane]);
            sums[lane] += lanes[lane].to_f64().abs();
        }
    }
    let first = (weights[0], weights[0], sums.iter().sum());
    let all = least.into_iter().zip(greatest);
    let (least, greatest, sum) = all.fold(first, |(a, b, sum), (least, greatest)| {
        (least_of(a, least), greatest_of(b, greatest), sum)
    });
    let whole = Extremes { least, greatest, sum_of_sizes: sum };
    rest.iter().fold(whole, |whole, &weight| {
        let sum_of_sizes = weight.to_f64().abs();
        whole.and(Extremes { least: weight, greatest: weight, sum_of_sizes })
    })
}

#[inline(always)]
fn least_of<W: Weight>(a: W, b: W) -> W {
    if b < a { b } else { a }
}

#[inline(always)]
fn greatest_of<W: Weight>(a: W, b: W) -> W {
    if a < b { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_and_part_is_covered() {
        let n = 3 * ARCS_PER_PART + LANES + 3;
        for at in [0, LANES + 1, ARCS_PER_PART - 1, ARCS_PER_PART, n - 1] {
            let with = |weight| {
                let mut weights = vec![2i64; n];
                weights[at] = weight;
                WeightSummary::of(&weights)
            };
            let others = 2.0 * (n - 1) as f64;
            let expected = WeightSummary {
                least: 2,
                greatest: 9,
                sum_of_sizes: others + 9.0,
                first_negative: None,
            };
            assert_eq!(with(9), expected);
            let expected = WeightSummary {
                least: -5,
                greatest: 2,
                sum_of_sizes: others + 5.0,
                first_negative: Some(at),
            };
            assert_eq!(with(-5), expected);
        }
    }

    #[test]
    fn odd_weights_are_summed() {
        let none =
            WeightSummary { least: 0.0, greatest: 0.0, sum_of_sizes: 0.0, first_negative: None };
        assert_eq!(WeightSummary::<f32>::of(&[]), none);
        let far = WeightSummary::of(&[f64::MAX, -f64::MAX, f64::MAX]);
        assert_eq!((far.sum_of_sizes, far.first_negative), (f64::INFINITY, Some(1)));
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!WeightSummary::of(&[1.0, odd, 2.0]).sum_of_sizes.is_finite());
        }
        assert_eq!(WeightSummary::of(&[7u32]).least, 7);
    }
}

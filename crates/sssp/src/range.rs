//! What one pass over the weights of a graph tells.

use graph_formats::{Csr, Weight};
use rayon::prelude::*;

/// Weights that a thread looks at in one go.
const PIECE: usize = 1 << 16;
/// Sums kept side by side, for an addition to need not wait for the one before.
const LANES: usize = 8;

/// The range of a graph's weights, and their sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightRange<W> {
    /// Whether one is below zero.
    pub(crate) negative: bool,
    /// The largest; zero when there is none above.
    pub(crate) greatest: W,
    /// The sum: exact for integers up to 2^53.
    pub(crate) sum: f64,
}

#[cfg(test)]
thread_local! {
    /// How many passes this thread has asked for.
    pub(crate) static PASSES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<W: Weight> WeightRange<W> {
    /// Looks at every weight of `graph`. O(m).
    pub(crate) fn of(graph: &Csr<W>) -> Self {
        #[cfg(test)]
        PASSES.set(PASSES.get() + 1);
        let none = || Self { negative: false, greatest: W::ZERO, sum: 0.0 };
        graph.weights().par_chunks(PIECE).map(Self::of_piece).reduce(none, |a, b| Self {
            negative: a.negative | b.negative,
            greatest: greater(a.greatest, b.greatest),
            sum: a.sum + b.sum,
        })
    }

    fn of_piece(weights: &[W]) -> Self {
        let mut negative = false;
        let mut greatest = [W::ZERO; LANES];
        let mut sums = [0.0; LANES];
        for lanes in weights.chunks(LANES) {
            for (lane, &weight) in lanes.iter().enumerate() {
                negative |= weight.is_negative();
                greatest[lane] = greater(greatest[lane], weight);
                sums[lane] += weight.to_f64();
            }
        }
        Self {
            negative,
            greatest: greatest.into_iter().fold(W::ZERO, greater),
            sum: sums.iter().sum(),
        }
    }
}

#[inline(always)]
fn greater<W: Weight>(a: W, b: W) -> W {
    if a.order(b).is_lt() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_covers_every_lane_and_piece() {
        let n = 3 * PIECE + LANES + 3;
        for (at, negative) in [(0, false), (PIECE - 1, true), (n - 1, false)] {
            let mut arcs = vec![(0, 1, 2i64); n];
            arcs[at].2 = if negative { -5 } else { 9 };
            let range = WeightRange::of(&Csr::from_arcs(2, &arcs).expect("it is a graph"));
            let (greatest, change) = if negative { (2, -7.0) } else { (9, 7.0) };
            assert_eq!(range, WeightRange { negative, greatest, sum: 2.0 * n as f64 + change });
        }
        let none = Csr::<f32>::from_arcs(3, &[]).expect("it is a graph");
        let range = WeightRange { negative: false, greatest: 0.0, sum: 0.0 };
        assert_eq!(WeightRange::of(&none), range);
    }
}

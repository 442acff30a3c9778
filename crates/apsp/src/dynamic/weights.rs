//! What is known of the weights of a graph that changes: enough to tell whether sums are exact.

use graph_formats::{Change, Csr, Weight, WeightKind};

use crate::host::useful_arcs::{are_whole, epsilon, sums_are_small};
use crate::width::Width;

/// Bounds on weights, of arcs that were deleted too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// The least; infinite without arcs.
    pub(crate) least: f64,
    /// The greatest absolute value.
    greatest: f64,
    are_whole: bool,
}

impl Weights {
    /// Those of a graph. O(m).
    pub(crate) fn of<W: Weight>(graph: &Csr<W>) -> Self {
        let all = graph.weight_summary();
        let least = if graph.n_arcs() == 0 { f64::INFINITY } else { all.least.to_f64() };
        Self { least, greatest: all.greatest_size(), are_whole: are_whole(graph) }
    }

    /// These and those that arcs have after changes.
    pub(crate) fn and<W: Weight>(self, changes: &[Change<W>]) -> Self {
        let weight = |change: &Change<W>| match *change {
            Change::Insert { weight, .. } | Change::Reweight { weight, .. } => {
                Some(weight.to_f64())
            }
            _ => None,
        };
        changes.iter().filter_map(weight).fold(self, |all, weight| Self {
            least: all.least.min(weight),
            greatest: all.greatest.max(weight.abs()),
            are_whole: all.are_whole && weight.fract() == 0.0,
        })
    }

    /// Numbers that have all sums along paths, and far more.
    pub(crate) fn width(self, kind: WeightKind, n: usize) -> Width {
        Width::proven(kind, n as f64 * self.greatest * (1.0 + 1e-9))
    }

    /// Whether the type of the distances has all sums along paths, and far more.
    pub(crate) fn have_sums(self, kind: WeightKind, n: usize) -> bool {
        self.width(kind, n).number.is_some()
    }

    /// Whether sums may be rounded.
    pub(crate) fn are_rounded(self, kind: WeightKind, n: usize) -> bool {
        let is_exact = |epsilon| self.are_whole && sums_are_small(n, self.greatest, epsilon);
        epsilon(kind).is_some_and(|epsilon| !is_exact(epsilon))
    }

    /// How far apart two sums over a path may be, where no distance is above `greatest`.
    pub(crate) fn slack(self, kind: WeightKind, n: usize, greatest: f64) -> f64 {
        match epsilon(kind).filter(|_| self.are_rounded(kind, n)) {
            Some(epsilon) => 16.0 * n as f64 * epsilon * greatest,
            None => 0.0,
        }
    }
}

//! The triangle inequality of distances, on sampled triples of vertices.

use graph_formats::{Distance, VertexId, Weight, WeightKind};

use super::Violation;
use crate::DistanceTable;

/// SplitMix64's step: 2^64 divided by the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Checks that d(u, v) ≤ d(u, k) + d(k, v) for `n_samples` random triples of vertices, and that
/// every d(v, v) is zero.
///
/// This is no proof, but it needs no graph and takes O(n² + samples), so that it can check tables
/// of any size and origin. The seed determines the triples. Integers are compared exactly; floats
/// may differ by 2 n ε times the right-hand side, which covers n roundings on each side, or times
/// the greatest distance where distances are negative.
///
/// # Errors
/// When the table is not square, or the first [`Violation`], the same in every run.
///
/// ```
/// use ndarray::array;
/// use paths::DistanceTable;
/// use paths::certificate::check_triangles;
///
/// let table = DistanceTable::<u32>::from_storage(array![[0, 2, 5], [7, 0, 3], [4, 6, 0]]);
/// check_triangles(&table, 1000, 1)?;
/// let table = DistanceTable::<u32>::from_storage(array![[0, 2, 6], [7, 0, 3], [4, 6, 0]]);
/// assert!(check_triangles(&table, 1000, 1).is_err());
/// # Ok::<(), paths::certificate::Violation>(())
/// ```
pub fn check_triangles<W: Weight>(
    table: &DistanceTable<W>,
    n_samples: usize,
    seed: u64,
) -> Result<(), Violation> {
    let (n, columns) = (table.n_sources(), table.n_targets());
    if n != columns {
        return Err(Violation::NotAllPairs { n_vertices: n, rows: n, columns });
    }
    for v in 0..n {
        if table.get(v, v) != Some(W::Distance::ZERO) {
            let distance = table.get(v, v).map(|d| d.to_string());
            return Err(Violation::SourceDistance { source_vertex: v as VertexId, distance });
        }
    }
    let slack = Slack::of(table);
    let mut state = seed;
    let mut below_n = || {
        state = state.wrapping_add(STEP);
        ((u128::from(mix(state)) * n as u128) >> 64) as usize
    };
    for _ in 0..if n == 0 { 0 } else { n_samples } {
        let (from, via, to) = (below_n(), below_n(), below_n());
        let (Some(first), Some(second)) = (table.get(from, via), table.get(via, to)) else {
            continue;
        };
        let distance = table.get(from, to);
        if distance.is_some_and(|distance| slack.allows(distance, first, second)) {
            continue;
        }
        return Err(Violation::Triangle {
            from: from as VertexId,
            via: via as VertexId,
            to: to as VertexId,
            distance: distance.map(|d| d.to_string()),
            first: first.to_string(),
            second: second.to_string(),
        });
    }
    Ok(())
}

/// The tolerance for floats.
struct Slack {
    /// The tolerance relative to a sum: 2 n ε.
    relative: f64,
    /// The greatest absolute distance, if some are negative.
    greatest: f64,
}

impl Slack {
    fn of<W: Weight>(table: &DistanceTable<W>) -> Self {
        let epsilon = match W::KIND {
            WeightKind::F32 => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        let reached = || {
            let storage = table.as_storage().iter();
            storage.filter(|&&d| d != W::Distance::UNREACHED).map(|&d| Weight::to_f64(d))
        };
        let is_negative = reached().any(|d| d < 0.0);
        let greatest = if is_negative { reached().map(f64::abs).fold(0.0, f64::max) } else { 0.0 };
        Self { relative: 2.0 * table.n_sources() as f64 * epsilon, greatest }
    }

    fn allows<D: Distance>(&self, distance: D, first: D, second: D) -> bool {
        match (distance.to_i128(), first.to_i128(), second.to_i128()) {
            (Some(distance), Some(first), Some(second)) => distance <= first + second,
            _ => {
                let round = first.to_f64() + second.to_f64();
                distance.to_f64() <= round + self.relative * round.abs().max(self.greatest)
            }
        }
    }
}

/// SplitMix64's function of its state.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

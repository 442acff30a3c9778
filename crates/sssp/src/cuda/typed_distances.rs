//! Distances of the weights' own type, as kernels leave them in memory.
//!
//! The kernels' side is `kernels/common/weights.cuh`: unsigned and signed integers have the
//! greatest value for a vertex that is not reached, floats have infinity.

use gpu_runtime::{Buffer, GpuError};
use graph_formats::{Distance, Weight, WeightKind};
use rayon::prelude::*;

/// The distances that `words` stand for. O(n).
pub(super) fn download<W: Weight>(words: &Buffer<W>) -> Result<Vec<W::Distance>, GpuError> {
    let words = words.download()?;
    let unreached = unreached::<W>();
    let distances = words.par_iter().with_min_len(1 << 14);
    Ok(distances.map(|&word| distance(word, unreached)).collect())
}

/// What the kernels write for a vertex that is not reached, where `W` has no infinity.
fn unreached<W: Weight>() -> Option<W> {
    match W::KIND {
        WeightKind::U32 => W::from_i128(u32::MAX.into()),
        WeightKind::I32 => W::from_i128(i32::MAX.into()),
        _ => None,
    }
}

#[inline(always)]
fn distance<W: Weight>(word: W, unreached: Option<W>) -> W::Distance {
    if Some(word) == unreached {
        return W::Distance::UNREACHED;
    }
    // an infinite sum is no distance
    word.after(W::Distance::ZERO).unwrap_or(W::Distance::UNREACHED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_distances() {
        assert_eq!(distance(u32::MAX, unreached()), u64::UNREACHED);
        assert_eq!(distance(u32::MAX - 1, unreached()), u64::from(u32::MAX - 1));
        assert_eq!(distance(i32::MAX, unreached()), i64::UNREACHED);
        assert_eq!(distance(i32::MIN, unreached()), i64::from(i32::MIN));
        assert_eq!(distance(f32::INFINITY, unreached()), f32::UNREACHED);
        assert_eq!(distance(-2.5f64, unreached()), -2.5);
    }
}

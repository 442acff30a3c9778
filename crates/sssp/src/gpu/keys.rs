//! The numbers that kernels compare.
//!
//! Where no weight is negative they are [keys](crate::key::U32Keys) of 32 bits: of integers, or
//! the bits of floats. Forms of Bellman-Ford, which take any sign, add in the weights' own type;
//! for a vertex that is not reached they leave the greatest integer, or infinity
//! (`kernels/common/weights.cuh`).

use std::borrow::Cow;

use gpu_runtime::{Buffer, GpuError};
use graph_formats::{Distance, Weight, WeightKind};
use rayon::prelude::*;

use crate::SsspError;
use crate::key::{KeyArithmetic, U32Keys};

/// Numbers that a task turns into others.
const PER_TASK: usize = 1 << 14;

/// The type whose bits are the keys for weights up to `greatest`, none of them negative.
pub(super) fn kind<W: Weight>(greatest: W) -> Result<WeightKind, SsspError> {
    let reason = match W::KIND {
        WeightKind::F32 => return Ok(WeightKind::F32),
        WeightKind::F64 => "it adds 32-bit weights; convert the graph's f64 weights to f32 or to \
                            whole numbers, or solve on the CPU"
            .to_owned(),
        _ if greatest.to_f64() <= f64::from(u32::MAX) => {
            return Ok(WeightKind::U32);
        }
        _ => format!("it adds 32-bit weights, and this graph has {}; solve on the CPU", greatest),
    };
    Err(SsspError::NotOnGpu { reason })
}

/// The key of this kind of a width or a distance of at least zero, a normal number, the nearest
/// there is.
pub(super) fn key(kind: WeightKind, value: f64) -> u32 {
    match kind {
        WeightKind::F32 => (value as f32).clamp(f32::MIN_POSITIVE, f32::MAX).to_bits(),
        // rounds down and saturates
        _ => value as u32,
    }
}

/// The greatest key whose distance is at most `limit`, which is not negative.
pub(super) fn limit_key<W: Weight>(limit: W::Distance) -> u32 {
    <U32Keys as KeyArithmetic<W>>::limit_key(limit)
}

/// The keys of weights, of which none is negative and each fits.
pub(super) fn of_weights<W: Weight>(weights: &[W]) -> Cow<'_, [u32]> {
    if size_of::<W>() == size_of::<u32>() {
        return Cow::Borrowed(bytemuck::cast_slice(weights));
    }
    Cow::Owned(weights.iter().map(|w| w.to_i128().unwrap_or(0) as u32).collect())
}

/// The distances with these keys.
pub(super) fn distances<W: Weight>(keys: &[u32]) -> Vec<W::Distance> {
    let keys = keys.par_iter().with_min_len(PER_TASK);
    keys.map(|&key| <U32Keys as KeyArithmetic<W>>::distance(key)).collect()
}

/// Writes the distances with these keys into `cells`, as many.
pub(super) fn write_distances<W: Weight>(keys: &[u32], cells: &mut [W::Distance]) {
    let pairs = cells.par_iter_mut().with_min_len(PER_TASK).zip(keys);
    pairs.for_each(|(cell, &key)| *cell = <U32Keys as KeyArithmetic<W>>::distance(key));
}

/// The distances that kernels have left in the weights' own type. O(n).
pub(super) fn download<W: Weight>(sums: &Buffer<W>) -> Result<Vec<W::Distance>, GpuError> {
    let sums = sums.download()?;
    let unreached = unreached::<W>();
    let sums = sums.par_iter().with_min_len(PER_TASK);
    Ok(sums.map(|&sum| distance(sum, unreached)).collect())
}

/// What kernels leave for a vertex that is not reached, where `W` has no infinity.
fn unreached<W: Weight>() -> Option<W> {
    match W::KIND {
        WeightKind::U32 => W::from_i128(u32::MAX.into()),
        WeightKind::I32 => W::from_i128(i32::MAX.into()),
        _ => None,
    }
}

#[inline(always)]
fn distance<W: Weight>(sum: W, unreached: Option<W>) -> W::Distance {
    if Some(sum) == unreached {
        return W::Distance::UNREACHED;
    }
    // an infinite sum is no distance
    sum.after(W::Distance::ZERO).unwrap_or(W::Distance::UNREACHED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_keys() {
        assert_eq!(of_weights(&[3i64, 4]).as_ref(), [3, 4]);
        assert_eq!(of_weights(&[0.5f32]).as_ref(), [0.5f32.to_bits()]);
        assert_eq!(key(WeightKind::U32, 7.9), 7);
        assert_eq!(key(WeightKind::F32, 0.0), f32::MIN_POSITIVE.to_bits());
    }

    #[test]
    fn sums_stand_for_distances() {
        assert_eq!(distance(u32::MAX, unreached()), u64::UNREACHED);
        assert_eq!(distance(u32::MAX - 1, unreached()), u64::from(u32::MAX - 1));
        assert_eq!(distance(i32::MAX, unreached()), i64::UNREACHED);
        assert_eq!(distance(i32::MIN, unreached()), i64::from(i32::MIN));
        assert_eq!(distance(f32::INFINITY, unreached()), f32::UNREACHED);
        assert_eq!(distance(-2.5f64, unreached()), -2.5);
    }
}

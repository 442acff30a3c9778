//! The numbers that kernels compare.
//!
//! If no weight is negative, they are keys ([`DistanceKey`]) of 32 or 64 bits: integers, or the
//! bits of floats. Forms of Bellman-Ford take weights of any sign and add in the weights' own type;
//! their code for an unreached vertex is the greatest integer, or infinity
//! (`kernels/common/weights.cuh`).

use std::borrow::Cow;
use std::fmt;

use gpu_runtime::{Buffer, GpuError};
use graph_formats::{Distance, DistanceKey, Weight, WeightKind, parallel};

/// Numbers that a task converts.
const PER_TASK: usize = 1 << 14;

/// The type of non-negative weights in a kernel, and the width of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Integers and sums of 32 bits; the kernel reports overflow.
    U32,
    /// Integers of 32 bits and sums of 64.
    U32Wide,
    /// Integers and sums of 64 bits.
    U64,
    /// The bits of `f32`.
    F32,
    /// The bits of `f64`.
    F64,
}

impl KeyKind {
    /// The kind for weights up to `greatest`: for integers, the narrowest.
    pub fn of<W: Weight>(greatest: W) -> Self {
        match W::KIND {
            WeightKind::F32 => Self::F32,
            WeightKind::F64 => Self::F64,
            _ if greatest.to_f64() <= f64::from(u32::MAX) => Self::U32,
            _ => Self::U64,
        }
    }

    /// 32-bit words of a key.
    pub fn words_of_key(self) -> usize {
        if matches!(self, Self::U32 | Self::F32) { 1 } else { 2 }
    }

    /// 32-bit words of a weight.
    pub fn words_of_weight(self) -> usize {
        if matches!(self, Self::U64 | Self::F64) { 2 } else { 1 }
    }

    /// The minimum of `key` and the greatest key of a reached vertex.
    pub fn at_most(self, key: u64) -> u64 {
        let unreached = if self.words_of_key() == 1 { u32::MAX.into() } else { u64::MAX };
        key.min(unreached - 1)
    }

    /// The key nearest to a width or distance of at least zero; of floats a normal number.
    pub fn key(self, value: f64) -> u64 {
        match self {
            Self::F32 => (value as f32).clamp(f32::MIN_POSITIVE, f32::MAX).to_bits().into(),
            Self::F64 => value.clamp(f64::MIN_POSITIVE, f64::MAX).to_bits(),
            // rounds down and saturates
            Self::U32 => (value as u32).into(),
            Self::U32Wide | Self::U64 => value as u64,
        }
    }

    /// The words of weights for kernels; no weight is negative, and each fits.
    pub fn of_weights<W: Weight>(self, weights: &[W]) -> Cow<'_, [u32]> {
        if size_of::<W>() == self.words_of_weight() * size_of::<u32>() {
            return Cow::Borrowed(bytemuck::cast_slice(weights));
        }
        Cow::Owned(weights.iter().map(|w| w.to_i128().unwrap_or(0) as u32).collect())
    }

    /// The distances whose keys are these `words`.
    pub fn distances<W: Weight>(self, words: &[u32]) -> Vec<W::Distance> {
        let mut distances = vec![W::Distance::ZERO; words.len() / self.words_of_key()];
        self.write_distances::<W>(words, &mut distances);
        distances
    }

    /// Writes the distances whose keys are these `words` into `cells`, as many.
    pub fn write_distances<W: Weight>(self, words: &[u32], cells: &mut [W::Distance]) {
        let n_words = self.words_of_key();
        parallel::fill(cells, PER_TASK, &|first, cells| {
            let words = &words[first * n_words..];
            if n_words == 1 {
                for (cell, &key) in cells.iter_mut().zip(words) {
                    *cell = W::Distance::from_key(full_key::<W::Distance>(key));
                }
            } else {
                for (cell, &[low, high]) in cells.iter_mut().zip(words.as_chunks().0) {
                    let key = u64::from(low) | u64::from(high) << 32;
                    *cell = W::Distance::from_key(DistanceKey::from_u64(key));
                }
            }
        });
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U32 => "u32",
            Self::U32Wide => "u32_wide",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// The full key of a 32-bit key; the greatest stands for unreached.
#[inline(always)]
pub fn full_key<D: Distance>(key: u32) -> D::Key {
    if key == u32::MAX { D::Key::GREATEST } else { D::Key::from_u64(u64::from(key)) }
}

/// The greatest key of a distance up to `limit`, which is not negative. It is never the code for
/// unreached: sums of `i64` overflow that type long before 64 bits.
pub fn limit_key<W: Weight>(limit: W::Distance) -> u64 {
    let greatest = W::Distance::UNREACHED.to_i128().map_or(u64::MAX, |unreached| unreached as u64);
    limit.to_key().to_u64().min(greatest - 1)
}

/// The distances that a kernel left in the weights' own type. O(n).
pub(super) fn download<W: Weight>(sums: &Buffer<W>) -> Result<Vec<W::Distance>, GpuError> {
    let sums = sums.download()?;
    let unreached = unreached::<W>();
    let mut distances = vec![W::Distance::ZERO; sums.len()];
    parallel::fill(&mut distances, PER_TASK, &|first, part| {
        for (cell, &sum) in part.iter_mut().zip(&sums[first..]) {
            *cell = distance(sum, unreached);
        }
    });
    Ok(distances)
}

/// The kernels' code for an unreached vertex, if `W` has no infinity.
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
    // an infinite sum is not a distance
    sum.after(W::Distance::ZERO).unwrap_or(W::Distance::UNREACHED)
}

#[cfg(test)]
mod tests {
    use super::*;

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

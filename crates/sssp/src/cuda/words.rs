//! Weights and distances as the 32-bit words that kernels take.

use std::borrow::Cow;

use graph_formats::{Distance, DistanceKey, Weight, WeightKind};

use crate::SsspError;
use crate::range::WeightRange;

/// How kernels take the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// As unsigned integers.
    U32,
    /// As the bits of floats.
    F32,
}

impl Arithmetic {
    /// The arithmetic for weights like these, none of them negative.
    pub(super) fn of<W: Weight>(range: &WeightRange<W>) -> Result<Self, SsspError> {
        match W::KIND {
            WeightKind::F32 => Ok(Self::F32),
            WeightKind::F64 => Err(SsspError::NotOnGpu {
                reason: "it adds 32-bit weights; convert the graph's f64 weights to f32 or to \
                         whole numbers, or solve on the CPU"
                    .to_owned(),
            }),
            _ if range.greatest.to_f64() <= f64::from(u32::MAX) => Ok(Self::U32),
            _ => Err(SsspError::NotOnGpu {
                reason: format!(
                    "it adds 32-bit weights, and this graph has {}; solve on the CPU",
                    range.greatest
                ),
            }),
        }
    }

    /// The word of a width or a length of at least zero, a normal number, the nearest
    /// there is.
    pub(super) fn word(self, value: f64) -> u32 {
        match self {
            // rounds down and saturates
            Self::U32 => value as u32,
            Self::F32 => (value as f32).clamp(f32::MIN_POSITIVE, f32::MAX).to_bits(),
        }
    }
}

/// The words of weights, of which none is negative and each fits.
pub(super) fn of_weights<W: Weight>(weights: &[W]) -> Cow<'_, [u32]> {
    if size_of::<W>() == size_of::<u32>() {
        return Cow::Borrowed(bytemuck::cast_slice(weights));
    }
    Cow::Owned(weights.iter().map(|w| w.to_i128().unwrap_or(0) as u32).collect())
}

/// The distance with this word.
#[inline(always)]
pub(super) fn distance<W: Weight>(word: u32) -> W::Distance {
    if word == u32::MAX {
        return W::Distance::UNREACHED;
    }
    W::Distance::from_key(DistanceKey::from_u64(u64::from(word)))
}

/// The greatest word whose distance is at most `limit`, which is not negative.
pub(super) fn limit<W: Weight>(limit: W::Distance) -> u32 {
    // a zero may have a sign
    if limit <= W::Distance::ZERO {
        return 0;
    }
    // the greatest word of all means unreached
    limit.to_key().to_u64().min(u64::from(u32::MAX - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_distances() {
        assert_eq!(distance::<u32>(7), 7u64);
        assert_eq!(distance::<i32>(u32::MAX), i64::UNREACHED);
        assert_eq!(distance::<f32>(2.5f32.to_bits()), 2.5);
        assert_eq!(distance::<f32>(u32::MAX), f32::INFINITY);
        assert_eq!(limit::<u32>(u64::MAX - 1), u32::MAX - 1);
        assert_eq!(limit::<f32>(1.5), 1.5f32.to_bits());
        assert_eq!((limit::<f32>(-0.0), limit::<i32>(0)), (0, 0));
        assert_eq!(of_weights(&[3i64, 4]).as_ref(), [3, 4]);
        assert_eq!(of_weights(&[0.5f32]).as_ref(), [0.5f32.to_bits()]);
    }
}

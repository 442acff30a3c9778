//! Random numbers by position: the i-th number of a stream, without those before it.
//!
//! The mixing function is that of SplitMix64, whose i-th output is a function of its seed and i
//! alone. The generators of the `rand` family give numbers in sequence: each thread would need its
//! own stream, and the result would depend on how the work is divided. Not for cryptography.
//!
//! Reference: steele-2014

/// 2^64 divided by the golden ratio, odd: SplitMix64's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The use of a stream; streams of two uses differ.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Edges = 1,
    Weights,
    Numbering,
    Points,
}

/// An endless sequence of 64-bit numbers that is read by position.
#[derive(Clone, Copy)]
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        Self(mix(mix(seed) ^ purpose as u64))
    }

    /// The stream that begins with this number.
    #[inline]
    pub(crate) fn at_number(number: u64) -> Self {
        Self(number)
    }

    /// The number that the stream begins with.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    /// The number at `index`.
    #[inline]
    pub(crate) fn at(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// A stream of its own for the item at `index`.
    #[inline]
    pub(crate) fn of(self, index: u64) -> Self {
        Self(self.at(index))
    }
}

#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Maps a random number to one below `bound`; uneven by less than `bound` in 2^64.
#[inline]
pub(crate) fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

/// Maps a random number to one of 2^53 evenly spaced values in [0, 1).
#[inline]
pub(crate) fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// A seeded permutation of the numbers of `bits` bits, without a table.
///
/// Each round is an affine map by an odd factor and an xor of the high half into the low half; both
/// are invertible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scramble {
    bits: u32,
    keys: [u64; 4],
}

impl Scramble {
    pub(crate) fn new(seed: u64, bits: u32) -> Self {
        let stream = Stream::new(seed, Purpose::Numbering);
        Self { bits, keys: std::array::from_fn(|round| stream.at(round as u64)) }
    }

    /// A factor and a summand of each round.
    pub(crate) fn keys(&self) -> [u64; 4] {
        self.keys
    }

    #[inline]
    pub(crate) fn apply(&self, number: u32) -> u32 {
        let mask = (1u64 << self.bits) - 1;
        let half = self.bits.div_ceil(2).max(1);
        let mut x = u64::from(number);
        for key in self.keys {
            x = x.wrapping_mul(key | 1).wrapping_add(key >> 32) & mask;
            x ^= x >> half;
        }
        x as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_split_mix_64() {
        let published = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!([0, 1, 2].map(|index| Stream(1234567).at(index)), published);
    }

    #[test]
    fn scrambles_are_bijections() {
        for bits in 0..=12 {
            for seed in 0..20 {
                let scramble = Scramble::new(seed, bits);
                let mut images: Vec<_> = (0..1u32 << bits).map(|x| scramble.apply(x)).collect();
                images.sort_unstable();
                assert!(images.into_iter().eq(0..1 << bits), "{bits} bits, seed {seed}");
            }
        }
    }

    #[test]
    fn reductions_stay_in_range() {
        assert_eq!((below(0, 9), below(u64::MAX, 9)), (0, 8));
        assert_eq!(below(u64::MAX, 1 << 32), u64::from(u32::MAX));
        assert!(unit(u64::MAX) < 1.0 && unit(0) == 0.0);
    }
}

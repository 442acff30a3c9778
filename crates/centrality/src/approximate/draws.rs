//! The random numbers of a pair, by position: each is a function of the seed, the pair's number and
//! what it is for. So neither threads nor the order in which arcs are read change a result.
//!
//! One of several candidates is chosen by a race: each has a random time, exponentially distributed
//! with its weight as the rate, and the first one wins, with a probability in proportion to its
//! weight. No sum of the weights is needed. The mixing function is that of SplitMix64.
//!
//! `kernels/centrality/path_samples.cu` has the same functions.
//!
//! Reference: steele-2014

use graph_formats::VertexId;

/// 2^64 divided by the golden ratio, odd: SplitMix64's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a race decides.
#[derive(Clone, Copy)]
pub(super) enum Race {
    /// The arc in the middle of a path.
    Middle = 3,
    /// An arc towards the first vertex of the pair,
    Back,
    /// or towards the last.
    On,
}

/// The random numbers of one pair.
#[derive(Clone, Copy)]
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64, sample: u64) -> Self {
        Self(mix(mixed(seed).wrapping_add(sample.wrapping_add(1).wrapping_mul(STEP))))
    }

    fn at(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_mul(STEP)))
    }

    /// Two different ones of `n` vertices, uneven by less than n in 2^64.
    pub(super) fn pair(self, n: usize) -> [VertexId; 2] {
        let below =
            |random: u64, bound: usize| ((u128::from(random) * bound as u128) >> 64) as VertexId;
        let first = below(self.at(1), n);
        let last = below(self.at(2), n - 1);
        [first, last + VertexId::from(last >= first)]
    }

    /// The random numbers of a race.
    pub(super) fn of_race(self, race: Race) -> Self {
        Self(self.at(race as u64))
    }

    /// The logarithm of the time of an arc, whose rate has this logarithm.
    pub(super) fn time(self, arc: usize, ln_rate: f64) -> f64 {
        let unit = ((self.at(arc as u64 + 1) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        (-unit.ln()).ln() - ln_rate
    }
}

/// The seed as a kernel takes it.
pub(super) fn mixed(seed: u64) -> u64 {
    mix(seed)
}

#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

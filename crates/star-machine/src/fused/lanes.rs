//! Eight words of 64 rows, as processors compute with them at once.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Words of a column that are looked at together.
pub(super) const LANES: usize = 8;

/// A bit for each of 512 rows.
#[derive(Clone, Copy)]
pub(super) struct Lanes([u64; LANES]);

impl Lanes {
    pub(super) const ZERO: Self = Self([0; LANES]);

    /// These words, [`LANES`] of them or less; zeros after them.
    pub(super) fn load(words: &[u64]) -> Self {
        Self(words.try_into().unwrap_or_else(|_| {
            let mut lanes = [0; LANES];
            lanes[..words.len()].copy_from_slice(words);
            lanes
        }))
    }

    /// As many of its words as there are.
    pub(super) fn store(self, words: &mut [u64]) {
        words.copy_from_slice(&self.0[..words.len()]);
    }

    /// Whether there is a one.
    pub(super) fn some(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) != 0
    }
}

macro_rules! bitwise {
    ($($operator:ident $method:ident $symbol:tt;)*) => {$(
        impl $operator for Lanes {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|lane| self.0[lane] $symbol other.0[lane]))
            }
        }
    )*};
}

bitwise! {
    BitAnd bitand &;
    BitOr bitor |;
    BitXor bitxor ^;
}

impl Not for Lanes {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

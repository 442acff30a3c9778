//! A set of numbers, to which threads may add some while others read others.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Numbers in a word.
const PER_WORD: u32 = u64::BITS;

/// A bit for each number.
pub(super) struct Marks(Vec<AtomicU64>);

impl Marks {
    /// None of the numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        Self((0..n.div_ceil(PER_WORD as usize)).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn set(&self, number: u32) {
        self.word(number).fetch_or(1 << (number % PER_WORD), Relaxed);
    }

    #[inline(always)]
    pub(super) fn has(&self, number: u32) -> bool {
        self.word(number).load(Relaxed) >> (number % PER_WORD) & 1 != 0
    }

    /// The first in a range. O(range / 64).
    pub(super) fn next(&self, range: &Range<u32>) -> Option<u32> {
        let mut from = range.start;
        while from < range.end {
            let word = self.word(from).load(Relaxed) >> (from % PER_WORD);
            if word != 0 {
                return Some(from + word.trailing_zeros()).filter(|&number| number < range.end);
            }
            from = (from / PER_WORD + 1) * PER_WORD;
        }
        None
    }

    #[inline(always)]
    fn word(&self, number: u32) -> &AtomicU64 {
        &self.0[(number / PER_WORD) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_in_order() {
        let marks = Marks::new(200);
        let expected = [0, 1, 63, 64, 130, 199];
        expected.iter().for_each(|&number| marks.set(number));
        let mut range = 0..200;
        let found = std::iter::from_fn(|| {
            let number = marks.next(&range)?;
            range.start = number + 1;
            Some(number)
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert!((0..200).all(|number| marks.has(number) == expected.contains(&number)));
        assert_eq!((marks.next(&(65..130)), marks.next(&(64..64))), (None, None));
    }
}

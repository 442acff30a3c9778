//! Rows of bits as numbers, the first bit most significant. The order is that of the first bit that
//! differs, and carries run from the last bit to the first. They are read 64 bits at a time, each
//! word reversed, for in memory its lowest bit is the first.

use std::cmp::Ordering;
use std::ops::Range;

use super::Slice;
use crate::StarError;

impl Slice {
    /// The bits in this range.
    pub(crate) fn trim(&self, range: Range<usize>) -> Result<Self, StarError> {
        self.has(&range)?;
        let from = range.start as isize;
        Ok(Self::of_windows(range.len(), |at| self.window(from + at)))
    }

    /// The bits in this range become those of `v`.
    pub(crate) fn rep(&mut self, range: Range<usize>, v: &Self) -> Result<(), StarError> {
        self.has(&range)?;
        StarError::same("REP", range.len(), v.len())?;
        range.zip(v.iter()).try_for_each(|(i, bit)| self.set(i, bit))
    }

    /// The number, where it has no more than 64 bits.
    pub(crate) fn to_u64(&self) -> Result<u64, StarError> {
        let head = self.len().saturating_sub(64);
        let last = self.trim(head..self.len())?;
        let value = last.iter().fold(0, |value, bit| value << 1 | u64::from(bit));
        match self.fnd() {
            Some(first) if first < head => Err(StarError::TooWide { value, bits: 64 }),
            _ => Ok(value),
        }
    }

    /// How the numbers compare: as the first words that differ.
    pub(crate) fn compare(&self, other: &Self) -> Result<Ordering, StarError> {
        self.same_len("a comparison", other)?;
        let mut pairs = self.as_words().iter().zip(other.as_words());
        let differing = pairs.find(|(a, b)| a != b);
        Ok(differing.map_or(Ordering::Equal, |(a, b)| a.reverse_bits().cmp(&b.reverse_bits())))
    }

    /// The sum, and whether it did not fit.
    pub(crate) fn add(&self, other: &Self) -> Result<(Self, bool), StarError> {
        self.ripple("ADD", other, u64::carrying_add)
    }

    /// The difference, and whether the other is greater.
    pub(crate) fn subt(&self, other: &Self) -> Result<(Self, bool), StarError> {
        self.ripple("SUBT", other, u64::borrowing_sub)
    }

    /// The last word starts, reversed, with places that are no bits: both have zeros there,
    /// and no carry comes in.
    fn ripple(
        &self,
        what: &'static str,
        other: &Self,
        step: impl Fn(u64, u64, bool) -> (u64, bool),
    ) -> Result<(Self, bool), StarError> {
        self.same_len(what, other)?;
        let (mut result, mut carry) = (self.clone(), false);
        let words = result.as_words_mut().iter_mut().zip(other.as_words());
        words.rev().for_each(|(a, b)| {
            let (word, beyond) = step(a.reverse_bits(), b.reverse_bits(), carry);
            (*a, carry) = (word.reverse_bits(), beyond);
        });
        Ok((result, carry))
    }

    /// An error where it has not these bits.
    pub(super) fn has(&self, range: &Range<usize>) -> Result<(), StarError> {
        let (index, len) = (range.start.max(range.end), self.len());
        if range.start <= range.end && index <= len {
            return Ok(());
        }
        Err(StarError::OutOfRange { what: "bit", index, len })
    }
}

//! A row of bits, one for every row of a table.

use std::fmt;

use bitvec::prelude::{BitVec, Lsb0};

use crate::StarError;
use crate::error::LIMIT;

/// A bit for every row of a table.
///
/// Bit p is bit p % 64 of word p / 64; what lies beyond the length is zero, always. Searching,
/// counting and combining take time in the number of words, O(len / 64).
///
/// ```
/// use star_machine::Slice;
///
/// let mut x = Slice::from_positions(70, [3, 64, 69])?;
/// let y = Slice::from_positions(70, [64])?;
/// assert_eq!((x.fnd(), x.numb()), (Some(3), 3));
/// x.andn_assign(&y)?;
/// while let Some(i) = x.step() {
///     assert!(i == 3 || i == 69);
/// }
/// assert!(!x.some());
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Slice {
    bits: BitVec<u64, Lsb0>,
}

impl Slice {
    /// `CLR`: zeros.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] for 2³¹ bits and more, and where there is no memory.
    pub fn zeros(len: usize) -> Result<Self, StarError> {
        StarError::fits("a slice or word", len, 1)?;
        Ok(Self::of_words(len, zeroed("a slice or word", len, 1)?))
    }

    /// `SET`: ones.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn ones(len: usize) -> Result<Self, StarError> {
        let mut slice = Self::zeros(len)?;
        slice.set_all();
        Ok(slice)
    }

    /// Ones at these positions, zeros elsewhere.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`], and those of [`zeros`](Self::zeros).
    pub fn from_positions(
        len: usize,
        positions: impl IntoIterator<Item = usize>,
    ) -> Result<Self, StarError> {
        let mut slice = Self::zeros(len)?;
        positions.into_iter().try_for_each(|position| slice.set(position, true))?;
        Ok(slice)
    }

    /// These bits, in order.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn from_bits(bits: &[bool]) -> Result<Self, StarError> {
        let ones = bits.iter().enumerate().filter(|(_, bit)| **bit);
        Self::from_positions(bits.len(), ones.map(|(position, _)| position))
    }

    /// The bits of these words, as [`as_words`](Self::as_words) has them; `None` unless there
    /// are as many words as the length takes, less than 2³¹ bits, and zeros beyond them.
    pub fn from_words(len: usize, words: Vec<u64>) -> Option<Self> {
        let fits = len < LIMIT && words.len() == len.div_ceil(64);
        let clean = words.last().is_none_or(|last| last & !tail(len) == 0);
        (fits && clean).then(|| Self::of_words(len, words))
    }

    /// As [`from_words`](Self::from_words), for words that are known to be so.
    pub(crate) fn of_words(len: usize, words: Vec<u64>) -> Self {
        debug_assert_eq!(words.len(), len.div_ceil(64));
        debug_assert!(words.last().is_none_or(|last| last & !tail(len) == 0));
        let mut bits = BitVec::from_vec(words);
        bits.truncate(len);
        Self { bits }
    }

    /// Words made of the positions where they begin; what lies beyond the length is dropped.
    pub(super) fn of_windows(len: usize, word: impl Fn(isize) -> u64) -> Self {
        let mut words: Vec<_> = (0..len as isize).step_by(64).map(word).collect();
        if let Some(last) = words.last_mut() {
            *last &= tail(len);
        }
        Self::of_words(len, words)
    }

    /// 64 bits from this position on, with zeros before the first and after the last.
    pub(super) fn window(&self, from: isize) -> u64 {
        let words = self.as_words();
        let at = |word: isize| usize::try_from(word).ok().and_then(|word| words.get(word));
        let word = |word| at(word).copied().unwrap_or(0);
        match (from.div_euclid(64), from.rem_euclid(64)) {
            (first, 0) => word(first),
            (first, low) => word(first) >> low | word(first + 1) << (64 - low),
        }
    }

    /// How many bits.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// The words, ⌈len / 64⌉ of them.
    pub fn as_words(&self) -> &[u64] {
        self.bits.as_raw_slice()
    }

    /// The words; a caller that changes them leaves zeros beyond the length.
    pub(crate) fn as_words_mut(&mut self) -> &mut [u64] {
        self.bits.as_raw_mut_slice()
    }

    /// The words.
    pub fn into_words(self) -> Vec<u64> {
        self.bits.into_vec()
    }

    /// `Y(i)`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn get(&self, i: usize) -> Result<bool, StarError> {
        StarError::inside("bit", i, self.len())?;
        Ok(self.bit(i))
    }

    /// `Y(i) := bit`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn set(&mut self, i: usize, bit: bool) -> Result<(), StarError> {
        self.get(i)?;
        self.bits.set(i, bit);
        Ok(())
    }

    /// `SET(Y)`: ones everywhere.
    pub fn set_all(&mut self) {
        self.as_words_mut().fill(!0);
        self.clear_tail();
    }

    /// `CLR(Y)`: zeros everywhere.
    pub fn clear(&mut self) {
        self.as_words_mut().fill(0);
    }

    /// `SOME(Y)`: whether there is a one.
    pub fn some(&self) -> bool {
        self.as_words().iter().any(|word| *word != 0)
    }

    /// `NUMB(Y)`: the number of ones.
    pub fn numb(&self) -> usize {
        self.as_words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// `FND(Y)`: the position of the first one.
    pub fn fnd(&self) -> Option<usize> {
        let word = self.as_words().iter().position(|word| *word != 0)?;
        Some(64 * word + self.as_words()[word].trailing_zeros() as usize)
    }

    /// `STEP(Y)`: the position of the first one, which becomes zero.
    pub fn step(&mut self) -> Option<usize> {
        let first = self.fnd()?;
        self.as_words_mut()[first / 64] &= !(1 << (first % 64));
        Some(first)
    }

    /// `FRST(Y)`: the first one alone.
    pub fn frst(&self) -> Self {
        let mut first = self.clone();
        first.clear();
        if let Some(position) = self.fnd() {
            first.as_words_mut()[position / 64] = 1 << (position % 64);
        }
        first
    }

    /// `self and other`, here.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn and_assign(&mut self, other: &Self) -> Result<(), StarError> {
        self.combine("and", other, |a, b| a & b)
    }

    /// `self or other`, here.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn or_assign(&mut self, other: &Self) -> Result<(), StarError> {
        self.combine("or", other, |a, b| a | b)
    }

    /// `self xor other`, here.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn xor_assign(&mut self, other: &Self) -> Result<(), StarError> {
        self.combine("xor", other, |a, b| a ^ b)
    }

    /// `self and not other`, here.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn andn_assign(&mut self, other: &Self) -> Result<(), StarError> {
        self.combine("and not", other, |a, b| a & !b)
    }

    /// `not self`, here.
    pub fn not_assign(&mut self) {
        self.as_words_mut().iter_mut().for_each(|word| *word = !*word);
        self.clear_tail();
    }

    /// The positions of the ones, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter_ones()
    }

    /// All bits, in order.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        self.bits.iter().map(|bit| *bit)
    }

    /// A bit; there is one.
    pub(super) fn bit(&self, i: usize) -> bool {
        self.as_words()[i / 64] >> (i % 64) & 1 == 1
    }

    /// An error where the other has not as many bits.
    pub(super) fn same_len(&self, what: &'static str, other: &Self) -> Result<(), StarError> {
        StarError::same(what, self.len(), other.len())
    }

    fn combine(
        &mut self,
        what: &'static str,
        other: &Self,
        of: impl Fn(u64, u64) -> u64,
    ) -> Result<(), StarError> {
        self.same_len(what, other)?;
        let words = self.as_words_mut().iter_mut().zip(other.as_words());
        words.for_each(|(a, b)| *a = of(*a, *b));
        Ok(())
    }

    fn clear_tail(&mut self) {
        let tail = tail(self.len());
        if let Some(last) = self.as_words_mut().last_mut() {
            *last &= tail;
        }
    }
}

/// Zeros and ones, the first bit first.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|bit| f.write_str(if bit { "1" } else { "0" }))
    }
}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({self})")
    }
}

/// The bits of the last word that `len` bits use; all where they end with a word.
pub(crate) fn tail(len: usize) -> u64 {
    if len.is_multiple_of(64) { !0 } else { (1 << (len % 64)) - 1 }
}

/// Words for `columns` columns of `rows` rows; an error if there is no memory.
pub(super) fn zeroed(
    what: &'static str,
    rows: usize,
    columns: usize,
) -> Result<Vec<u64>, StarError> {
    let too_large = || StarError::TooLarge { what, rows, columns };
    let len = rows.div_ceil(64).checked_mul(columns).ok_or_else(too_large)?;
    let mut words = Vec::new();
    words.try_reserve_exact(len).map_err(|_| too_large())?;
    words.resize(len, 0);
    Ok(words)
}

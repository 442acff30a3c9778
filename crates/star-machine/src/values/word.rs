//! A row of bits, one for every column of a table.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use super::Slice;
use crate::{Relation, StarError};

/// A bit for every column of a table; read as a number, the first is the most significant.
///
/// Operations on bits, such as searching and counting, are those of [`as_slice`](Self::as_slice).
///
/// ```
/// use star_machine::Word;
///
/// let v = Word::from_u64(11, 4)?;
/// assert_eq!(v.to_string(), "1011");
/// let (sum, carry) = v.add(&Word::from_u64(6, 4)?)?;
/// assert_eq!((sum.to_u64()?, carry), (1, true));
/// assert_eq!(v.trim(0..2)?.to_u64()?, 2);
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Word(Slice);

impl Word {
    /// Zeros.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] for 2³¹ bits and more, and where there is no memory.
    pub fn zeros(len: usize) -> Result<Self, StarError> {
        Slice::zeros(len).map(Self)
    }

    /// A number.
    ///
    /// # Errors
    /// [`StarError::TooWide`] where it has more bits, and those of [`zeros`](Self::zeros).
    pub fn from_u64(value: u64, bits: usize) -> Result<Self, StarError> {
        if bits < 64 && value >> bits != 0 {
            return Err(StarError::TooWide { value, bits });
        }
        let mut word = Self::zeros(bits)?;
        let ones = (0..bits.min(64)).filter(|place| value >> place & 1 == 1);
        ones.map(|place| bits - 1 - place).try_for_each(|i| word.set(i, true))?;
        Ok(word)
    }

    /// The number.
    ///
    /// # Errors
    /// [`StarError::TooWide`] where it is 2⁶⁴ or more, with its last 64 bits.
    pub fn to_u64(&self) -> Result<u64, StarError> {
        self.0.to_u64()
    }

    /// How many bits.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bits.
    pub fn as_slice(&self) -> &Slice {
        &self.0
    }

    /// The bits, to be changed.
    pub fn as_slice_mut(&mut self) -> &mut Slice {
        &mut self.0
    }

    /// `CONVERT`: a slice with the same bits. Nothing is copied.
    pub fn into_slice(self) -> Slice {
        self.0
    }

    /// `w(i)`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn get(&self, i: usize) -> Result<bool, StarError> {
        self.0.get(i)
    }

    /// `w(i) := bit`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn set(&mut self, i: usize, bit: bool) -> Result<(), StarError> {
        self.0.set(i, bit)
    }

    /// `TRIM`: the bits in this range. Papers name the first and the last bit, from 1.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the word ends before, or the range is reversed.
    pub fn trim(&self, range: Range<usize>) -> Result<Self, StarError> {
        self.0.trim(range).map(Self)
    }

    /// `REP`: the bits in this range become those of `v`.
    ///
    /// # Errors
    /// As [`trim`](Self::trim), and [`StarError::LengthMismatch`] where `v` is not as long as
    /// the range.
    pub fn rep(&mut self, range: Range<usize>, v: &Self) -> Result<(), StarError> {
        self.0.rep(range, &v.0)
    }

    /// How the numbers compare.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn compare(&self, other: &Self) -> Result<Ordering, StarError> {
        self.0.compare(&other.0)
    }

    /// How the numbers compare in two's complement: the first bit is the sign.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn compare_signed(&self, other: &Self) -> Result<Ordering, StarError> {
        let order = self.compare(other)?;
        let negative = |word: &Self| word.0.as_words().first().is_some_and(|first| first & 1 == 1);
        Ok(if negative(self) == negative(other) { order } else { order.reverse() })
    }

    /// `EQ(self, other)` and the like.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn relation(&self, relation: Relation, other: &Self) -> Result<bool, StarError> {
        self.compare(other).map(|order| relation.holds(order))
    }

    /// `ADD`: the sum modulo 2^length, and whether there is a carry.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn add(&self, other: &Self) -> Result<(Self, bool), StarError> {
        self.0.add(&other.0).map(|(sum, carry)| (Self(sum), carry))
    }

    /// The sum, or all ones where it does not fit: the greatest number stands for infinity.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn saturating_add(&self, other: &Self) -> Result<Self, StarError> {
        let (mut sum, carry) = self.add(other)?;
        if carry {
            sum.0.set_all();
        }
        Ok(sum)
    }

    /// `SUBT`: the difference modulo 2^length, and whether the other is greater.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`].
    pub fn subt(&self, other: &Self) -> Result<(Self, bool), StarError> {
        self.0.subt(&other.0).map(|(difference, borrow)| (Self(difference), borrow))
    }
}

impl Slice {
    /// `CONVERT`: a word with the same bits. Nothing is copied.
    pub fn into_word(self) -> Word {
        Word::from(self)
    }
}

impl Relation {
    /// Whether it is so for two that compare thus.
    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl From<Slice> for Word {
    fn from(slice: Slice) -> Self {
        Self(slice)
    }
}

/// Zeros and ones, the most significant first.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({self})")
    }
}

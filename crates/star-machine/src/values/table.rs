//! A matrix of bits, stored column by column.

use std::fmt;
use std::ops::Range;

use super::slice::{tail, zeroed};
use super::{Field, Slice, Word};
use crate::StarError;
use crate::error::LIMIT;

/// Rows by columns of bits, stored column by column, each in whole words.
///
/// Column j is words j · stride to (j + 1) · stride, each column stored as a [`Slice`] is. A
/// column is read and written in O(rows / 64), a row in O(columns).
///
/// ```
/// use star_machine::{Slice, Table, Word};
///
/// let mut table = Table::from_values(&[5, 2, 7], 3)?;
/// assert_eq!(table.col(0)?, Slice::from_positions(3, [0, 2])?);
/// table.set_row(1, &Word::from_u64(6, 3)?)?;
/// assert_eq!(table.to_values()?, [5, 6, 7]);
/// assert_eq!(table.field(1..3)?.to_values()?, [1, 2, 3]);
/// # Ok::<(), star_machine::StarError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Table {
    rows: usize,
    columns: usize,
    words: Vec<u64>,
}

impl Table {
    /// Zeros.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] for 2³¹ rows or columns and more, and where there is no memory.
    pub fn zeros(rows: usize, columns: usize) -> Result<Self, StarError> {
        StarError::fits("a table", rows, columns)?;
        Ok(Self { rows, columns, words: zeroed("a table", rows, columns)? })
    }

    /// A row for each number, the most significant bit first.
    ///
    /// # Errors
    /// [`StarError::TooWide`] where one has more bits, and those of [`zeros`](Self::zeros).
    pub fn from_values(values: &[u64], columns: usize) -> Result<Self, StarError> {
        let mut table = Self::zeros(values.len(), columns)?;
        let wide = |value: &&u64| columns < 64 && **value >> columns != 0;
        if let Some(&value) = values.iter().find(wide) {
            return Err(StarError::TooWide { value, bits: columns });
        }
        let stride = table.stride();
        for place in 0..columns.min(64) {
            let column = &mut table.words[(columns - 1 - place) * stride..][..stride];
            for (word, values) in column.iter_mut().zip(values.chunks(64)) {
                let bits = values.iter().rev();
                *word = bits.fold(0, |word, value| word << 1 | (value >> place & 1));
            }
        }
        Ok(table)
    }

    /// The bits of these words, as [`as_words`](Self::as_words) has them; `None` unless there
    /// are as many words as the columns take, and zeros beyond the rows.
    pub fn from_words(rows: usize, columns: usize, words: Vec<u64>) -> Option<Self> {
        let stride = rows.div_ceil(64);
        let fits = rows.max(columns) < LIMIT && Some(words.len()) == stride.checked_mul(columns);
        let mut last = words.iter().skip(stride.saturating_sub(1)).step_by(stride.max(1));
        let clean = last.all(|last| last & !tail(rows) == 0);
        (fits && clean).then_some(Self { rows, columns, words })
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Words in a column: ⌈rows / 64⌉.
    pub fn stride(&self) -> usize {
        self.rows.div_ceil(64)
    }

    /// The words, column after column.
    pub fn as_words(&self) -> &[u64] {
        &self.words
    }

    /// The words; a caller that changes them leaves zeros beyond the rows.
    pub(crate) fn as_words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The words, column after column.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// All columns, as a field.
    pub fn view(&self) -> Field<'_> {
        Field::new(self.rows, self.columns, &self.words)
    }

    /// The columns in this range.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the table ends before, or the range is reversed.
    pub fn field(&self, columns: Range<usize>) -> Result<Field<'_>, StarError> {
        self.view().field(columns)
    }

    /// `COL(j, T)`: a copy of a column.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn col(&self, j: usize) -> Result<Slice, StarError> {
        self.view().col(j)
    }

    /// `COL(j, T) := x`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`], [`StarError::LengthMismatch`].
    pub fn set_col(&mut self, j: usize, x: &Slice) -> Result<(), StarError> {
        self.view().inside("column", j)?;
        StarError::same("COL", x.len(), self.rows)?;
        self.put_col(j, x);
        Ok(())
    }

    /// The words of a column; there is one.
    pub(crate) fn col_words(&self, j: usize) -> &[u64] {
        let stride = self.stride();
        &self.words[j * stride..][..stride]
    }

    /// A column becomes `x`; there is one, as long.
    pub(crate) fn put_col(&mut self, j: usize, x: &Slice) {
        let stride = self.stride();
        self.words[j * stride..][..stride].copy_from_slice(x.as_words());
    }

    /// `ROW(i, T)`: a copy of a row.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn row(&self, i: usize) -> Result<Word, StarError> {
        self.view().row(i)
    }

    /// `ROW(i, T) := w`.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`], [`StarError::LengthMismatch`].
    pub fn set_row(&mut self, i: usize, w: &Word) -> Result<(), StarError> {
        self.view().inside("row", i)?;
        StarError::same("ROW", w.len(), self.columns)?;
        self.put_row(0, i, w.as_slice());
        Ok(())
    }

    /// The bits of a row from column `first` on become those of `w`; there is such a row.
    pub(crate) fn put_row(&mut self, first: usize, i: usize, w: &Slice) {
        let stride = self.stride();
        let words = self.words.iter_mut().skip(first * stride + i / 64).step_by(stride);
        for (word, bit) in words.zip(w.iter()) {
            *word = *word & !(1 << (i % 64)) | u64::from(bit) << (i % 64);
        }
    }

    /// The bit of a row in a column.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn get(&self, i: usize, j: usize) -> Result<bool, StarError> {
        self.view().get(i, j)
    }

    /// Changes the bit of a row in a column.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn set(&mut self, i: usize, j: usize, bit: bool) -> Result<(), StarError> {
        self.get(i, j)?;
        let word = &mut self.words[j * self.rows.div_ceil(64) + i / 64];
        *word = *word & !(1 << (i % 64)) | u64::from(bit) << (i % 64);
        Ok(())
    }

    /// Every row as a number.
    ///
    /// # Errors
    /// [`StarError::TooWide`] where one is 2⁶⁴ or more.
    pub fn to_values(&self) -> Result<Vec<u64>, StarError> {
        self.view().to_values()
    }
}

impl From<Field<'_>> for Table {
    fn from(field: Field<'_>) -> Self {
        let (rows, columns) = (field.rows(), field.columns());
        Self { rows, columns, words: field.as_words().to_vec() }
    }
}

/// A line for every row.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({} by {})", self.rows, self.columns)?;
        write!(f, "\n{self}")
    }
}

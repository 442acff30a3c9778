//! Neighbouring columns of a table.

use std::fmt;
use std::ops::Range;

use super::{Slice, Word};
use crate::StarError;

/// Neighbouring columns of a table, seen as a table. They lie together in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    rows: usize,
    columns: usize,
    words: &'a [u64],
}

impl<'a> Field<'a> {
    /// Columns of ⌈rows / 64⌉ words each.
    pub(super) fn new(rows: usize, columns: usize, words: &'a [u64]) -> Self {
        Self { rows, columns, words }
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
    pub fn as_words(&self) -> &'a [u64] {
        self.words
    }

    /// The columns in this range.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the field ends before, or the range is reversed.
    pub fn field(&self, columns: Range<usize>) -> Result<Self, StarError> {
        if columns.start > columns.end || columns.end > self.columns {
            let (index, len) = (columns.start.max(columns.end), self.columns);
            return Err(StarError::OutOfRange { what: "column", index, len });
        }
        let (stride, len) = (self.stride(), columns.len());
        let words = &self.words[columns.start * stride..columns.end * stride];
        Ok(Self::new(self.rows, len, words))
    }

    /// `COL(j, T)`: a copy of a column.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn col(&self, j: usize) -> Result<Slice, StarError> {
        self.inside("column", j)?;
        let stride = self.stride();
        Ok(Slice::of_words(self.rows, self.words[j * stride..][..stride].to_vec()))
    }

    /// `ROW(i, T)`: a copy of a row.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn row(&self, i: usize) -> Result<Word, StarError> {
        self.inside("row", i)?;
        let mut words = vec![0; self.columns.div_ceil(64)];
        let column = self.words.iter().skip(i / 64).step_by(self.stride());
        for (j, word) in column.enumerate() {
            words[j / 64] |= (word >> (i % 64) & 1) << (j % 64);
        }
        Ok(Slice::of_words(self.columns, words).into_word())
    }

    /// The bit of a row in a column.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`].
    pub fn get(&self, i: usize, j: usize) -> Result<bool, StarError> {
        self.inside("row", i)?;
        self.inside("column", j)?;
        Ok(self.words[j * self.stride() + i / 64] >> (i % 64) & 1 == 1)
    }

    /// Every row as a number, the most significant bit first.
    ///
    /// # Errors
    /// [`StarError::TooWide`] where one is 2⁶⁴ or more, with its first 64 bits.
    pub fn to_values(&self) -> Result<Vec<u64>, StarError> {
        let mut values = vec![0; self.rows];
        for column in self.words.chunks(self.stride().max(1)) {
            for (i, value) in values.iter_mut().enumerate() {
                if *value >> 63 == 1 {
                    return Err(StarError::TooWide { value: *value, bits: 64 });
                }
                *value = *value << 1 | (column[i / 64] >> (i % 64) & 1);
            }
        }
        Ok(values)
    }

    /// An error where there is no such row or column.
    pub(super) fn inside(&self, what: &'static str, index: usize) -> Result<(), StarError> {
        let len = if what == "row" { self.rows } else { self.columns };
        StarError::inside(what, index, len)
    }
}

/// A line for every row.
impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.rows).filter_map(|i| self.row(i).ok()).try_for_each(|row| writeln!(f, "{row}"))
    }
}

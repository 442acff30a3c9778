//! The variables of a program: names and sizes, without values. A machine has the values.

use std::ops::Range;

use crate::StarError;

/// A variable of type `slice` or `word`: a row of bits. What a machine stores for the two is
/// the same; [`SliceVar`] and [`WordVar`] keep them apart in programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    /// Which one of its machine.
    pub id: u32,
    /// Bits.
    pub len: u32,
}

/// A variable of type `slice`: a bit for every row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SliceVar(pub Vector);

/// A variable of type `word`: a bit for every column of a table, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordVar(pub Vector);

/// A variable of type `integer`: a number below 2³¹, or none. Papers count from 1 and have 0
/// for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntVar {
    /// Which one of its machine.
    pub id: u32,
}

/// A variable of type `table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableVar {
    /// Which one of its machine.
    pub id: u32,
    /// Rows: the length of its slices.
    pub rows: u32,
    /// Columns: the length of its words.
    pub columns: u32,
}

/// Neighbouring columns of a table, seen as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldVar {
    /// The table.
    pub table: TableVar,
    /// The first of its columns.
    pub first: u32,
    /// How many.
    pub columns: u32,
}

impl From<SliceVar> for Vector {
    fn from(slice: SliceVar) -> Self {
        slice.0
    }
}

impl From<WordVar> for Vector {
    fn from(word: WordVar) -> Self {
        word.0
    }
}

impl TableVar {
    /// The columns in this range.
    ///
    /// # Errors
    /// [`StarError::OutOfRange`] where the table ends before, or the range is reversed.
    pub fn field(self, columns: Range<usize>) -> Result<FieldVar, StarError> {
        let len = self.columns as usize;
        if columns.start > columns.end || columns.end > len {
            return Err(StarError::OutOfRange { what: "column", index: columns.end, len });
        }
        let (first, columns) = (columns.start as u32, columns.len() as u32);
        Ok(FieldVar { table: self, first, columns })
    }
}

impl From<TableVar> for FieldVar {
    fn from(table: TableVar) -> Self {
        Self { table, first: 0, columns: table.columns }
    }
}

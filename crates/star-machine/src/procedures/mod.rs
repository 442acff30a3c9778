//! The basic procedures: searches, comparisons, copies and arithmetic over all rows of a table
//! at once, in time that grows with its columns.

mod arithmetic;
mod calls;
mod copy;
mod search;
mod warshall;

use std::ops::Range;

use crate::StarError;
use crate::language::check::{equal, field};
use crate::language::{FieldVar, Operations, SliceVar, Star, TableVar, WordVar};

pub use calls::Procedures;
pub use warshall::{warshall, warshall_columns};

/// A call of a basic procedure.
///
/// Tables of a call have the same rows and columns, slices a bit for every row, words a bit for
/// every column. `rows` marks the rows that take part: no other row is ever in a result. Results
/// may be operands; two results of one call are two variables. A table that is written may be
/// one that is read, or share columns with it: every column is read before it is written, in
/// the order of the procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// `MATCH`: `z` marks the rows equal to `word`.
    Match {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What they are compared with.
        word: WordVar,
        /// The result.
        z: SliceVar,
    },
    /// `LESS` and `GREAT` together: which rows are less than `word`, equal to it, greater.
    Compare {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What they are compared with.
        word: WordVar,
        /// Rows less than the word.
        less: SliceVar,
        /// Rows equal to it.
        equal: SliceVar,
        /// Rows greater.
        greater: SliceVar,
    },
    /// `MIN`: all rows that hold the least number.
    Min {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `MAX`: all rows that hold the greatest number.
    Max {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `SETMIN`: rows where the first table is strictly less; `SETMAX` is this with the tables
    /// exchanged.
    SetMin {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Whether numbers are in two's complement.
        signed: bool,
        /// The result.
        z: SliceVar,
    },
    /// `HIT`: rows where the two tables are equal.
    Hit {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `CLEAR`: zeros everywhere.
    Clear {
        /// The table.
        table: TableVar,
    },
    /// `TCOPY`: the whole table.
    CopyTable {
        /// What is copied.
        table: FieldVar,
        /// Where to.
        to: FieldVar,
    },
    /// `TMERGE`: the marked rows of the table; the others keep their values.
    MergeTable {
        /// What is copied.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `WCOPY`: the word into the marked rows, zeros into the others.
    CopyWord {
        /// What is copied.
        word: WordVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `WMERGE`: the word into the marked rows; the others keep their values.
    MergeWord {
        /// What is copied.
        word: WordVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `ADDC`: marked rows plus the word, modulo 2 to the columns; zeros in the others.
    AddWord {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What is added.
        word: WordVar,
        /// The sums.
        to: FieldVar,
        /// Rows whose sum did not fit.
        carry: SliceVar,
    },
    /// `ADDV`: marked rows of two tables, modulo 2 to the columns; zeros in the others.
    AddTable {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The sums.
        to: FieldVar,
        /// Rows whose sum did not fit.
        carry: SliceVar,
    },
    /// `SUBTC`: marked rows less the word, modulo 2 to the columns; zeros in the others.
    SubtractWord {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What is subtracted.
        word: WordVar,
        /// The differences.
        to: FieldVar,
        /// Rows less than the word.
        borrow: SliceVar,
    },
    /// `SUBTV`: marked rows of the first table less those of the second, modulo 2 to the
    /// columns; zeros in the others.
    SubtractTable {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The differences.
        to: FieldVar,
        /// Rows of the first that are less.
        borrow: SliceVar,
    },
}

impl Procedure {
    /// What it is called in messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Match { .. } => "MATCH",
            Self::Compare { .. } => "LESS and GREAT",
            Self::Min { .. } => "MIN",
            Self::Max { .. } => "MAX",
            Self::SetMin { .. } => "SETMIN",
            Self::Hit { .. } => "HIT",
            Self::Clear { .. } => "CLEAR",
            Self::CopyTable { .. } => "TCOPY",
            Self::MergeTable { .. } => "TMERGE",
            Self::CopyWord { .. } => "WCOPY",
            Self::MergeWord { .. } => "WMERGE",
            Self::AddWord { .. } => "ADDC",
            Self::AddTable { .. } => "ADDV",
            Self::SubtractWord { .. } => "SUBTC",
            Self::SubtractTable { .. } => "SUBTV",
        }
    }

    /// An error where the sizes of the operands do not fit together.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`], and [`StarError::OutOfRange`] for a field that its table
    /// does not have.
    pub fn check(&self) -> Result<(), StarError> {
        match *self {
            Self::Match { table, rows, word, z } => self.fits(&[table], &[rows, z], Some(word)),
            Self::Compare { table, rows, word, less, equal, greater } => {
                self.fits(&[table], &[rows, less, equal, greater], Some(word))
            }
            Self::Min { table, rows, z } | Self::Max { table, rows, z } => {
                self.fits(&[table], &[rows, z], None)
            }
            Self::SetMin { table, other, rows, z, .. } | Self::Hit { table, other, rows, z } => {
                self.fits(&[table, other], &[rows, z], None)
            }
            Self::Clear { .. } => Ok(()),
            Self::CopyTable { table, to } => self.fits(&[table, to], &[], None),
            Self::MergeTable { table, rows, to } => self.fits(&[table, to], &[rows], None),
            Self::CopyWord { word, rows, to } | Self::MergeWord { word, rows, to } => {
                self.fits(&[to], &[rows], Some(word))
            }
            Self::AddWord { table, rows, word, to, carry: out }
            | Self::SubtractWord { table, rows, word, to, borrow: out } => {
                self.fits(&[table, to], &[rows, out], Some(word))
            }
            Self::AddTable { table, other, rows, to, carry: out }
            | Self::SubtractTable { table, other, rows, to, borrow: out } => {
                self.fits(&[table, other, to], &[rows, out], None)
            }
        }
    }

    /// Tables have the sizes of the first of them, slices its rows, the word its columns.
    fn fits(
        &self,
        fields: &[FieldVar],
        slices: &[SliceVar],
        word: Option<WordVar>,
    ) -> Result<(), StarError> {
        let (what, rows, columns) = (self.name(), fields[0].table.rows, fields[0].columns);
        let same = |left: u32, right: u32| match (left as usize, right as usize) {
            (left, right) if left == right => Ok(()),
            (left, right) => Err(StarError::LengthMismatch { what, left, right }),
        };
        for other in fields {
            field(*other)?;
            same(rows, other.table.rows)?;
            same(columns, other.columns)?;
        }
        slices.iter().try_for_each(|slice| equal(what, slice.0, rows))?;
        word.map_or(Ok(()), |word| equal(what, word.0, columns))
    }

    /// The same procedure, with the fields that `locate` gives for its own.
    pub(crate) fn located(
        mut self,
        locate: impl Fn(FieldVar) -> Result<FieldVar, StarError>,
    ) -> Result<Self, StarError> {
        let fields: [Option<&mut FieldVar>; 3] = match &mut self {
            Self::Match { table, .. }
            | Self::Compare { table, .. }
            | Self::Min { table, .. }
            | Self::Max { table, .. } => [Some(table), None, None],
            Self::SetMin { table, other, .. } | Self::Hit { table, other, .. } => {
                [Some(table), Some(other), None]
            }
            Self::Clear { .. } => [None, None, None],
            Self::CopyWord { to, .. } | Self::MergeWord { to, .. } => [None, None, Some(to)],
            Self::CopyTable { table, to }
            | Self::MergeTable { table, to, .. }
            | Self::AddWord { table, to, .. }
            | Self::SubtractWord { table, to, .. } => [Some(table), None, Some(to)],
            Self::AddTable { table, other, to, .. }
            | Self::SubtractTable { table, other, to, .. } => [Some(table), Some(other), Some(to)],
        };
        for field in fields.into_iter().flatten() {
            *field = locate(*field)?;
        }
        Ok(self)
    }

    /// Gives the operations of this procedure, one column after the other.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), before anything is done; and what the machine cannot
    /// do.
    pub fn run(&self, m: &mut impl Star) -> Result<(), StarError> {
        self.check()?;
        m.scope(|m| match *self {
            Self::Match { table, rows, word, z } => search::matching(m, table, rows, word, z),
            Self::Compare { table, rows, word, less, equal, greater } => {
                search::compare(m, table, rows, word, [less, equal, greater])
            }
            Self::Min { table, rows, z } => search::extreme(m, table, rows, false, z),
            Self::Max { table, rows, z } => search::extreme(m, table, rows, true, z),
            Self::SetMin { table, other, rows, signed, z } => {
                search::less(m, table, other, rows, signed, z)
            }
            Self::Hit { table, other, rows, z } => search::equal(m, table, other, rows, z),
            Self::Clear { table } => copy::clear(m, table),
            Self::CopyTable { table, to } => copy::table(m, table, to),
            Self::MergeTable { table, rows, to } => copy::merge_table(m, table, rows, to),
            Self::CopyWord { word, rows, to } => copy::word(m, word, rows, to),
            Self::MergeWord { word, rows, to } => copy::merge_word(m, word, rows, to),
            Self::AddWord { table, rows, word, to, carry } => {
                arithmetic::add_word(m, table, rows, word, to, carry)
            }
            Self::AddTable { table, other, rows, to, carry } => {
                arithmetic::add_table(m, table, other, rows, to, carry)
            }
            Self::SubtractWord { table, rows, word, to, borrow } => {
                arithmetic::subtract_word(m, table, rows, word, to, borrow)
            }
            Self::SubtractTable { table, other, rows, to, borrow } => {
                arithmetic::subtract_table(m, table, other, rows, to, borrow)
            }
        })
    }
}

/// The columns to go through.
fn columns(field: FieldVar) -> Range<usize> {
    0..field.columns as usize
}

/// A slice of zeros, a bit for every row of the table.
fn slice_of(m: &mut impl Star, field: FieldVar) -> Result<SliceVar, StarError> {
    m.slice(field.table.rows as usize)
}

/// A slice that starts as this one. Results are made in slices of the procedure and copied at
/// its end, so that they may be operands; on the abstract machine copies are free.
fn copy_of(m: &mut impl Star, x: SliceVar) -> Result<SliceVar, StarError> {
    let copy = m.slice(x.0.len as usize)?;
    m.copy(copy, x)?;
    Ok(copy)
}

//! What a procedure takes, whichever it is: the columns of one table or two, the marked rows,
//! what it makes of them, and where that goes.

use super::Procedure;
use crate::language::{FieldVar, SliceVar, WordVar};

/// What is done in every column; see the functions of [`steps`](super::steps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// From the first column on, rows that are equal go on; they are the result.
    Equal,
    /// The same in columns where there is such a row at all.
    Extreme,
    /// From the first column on, rows that are equal go on; results are those that are less,
    /// and if asked for the equal ones and the greater ones. In two's complement, the first
    /// column has the tables exchanged.
    Less { signed: bool },
    /// Every column is written.
    Merge,
    /// From the last column on, every column is written; the result is the last carry. With
    /// `flip`, differences and borrows.
    Add { flip: bool },
}

/// What the first table is compared with, or added to it, or changed into.
#[derive(Clone, Copy)]
pub(crate) enum Second {
    /// All ones or all zeros, in every column.
    Known(bool),
    /// All ones or all zeros, as the word has it.
    Word(WordVar),
    Field(FieldVar),
}

/// A procedure as a pass over columns.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    pub(crate) step: Step,
    /// The marked rows; all, where there are none.
    pub(crate) rows: Option<SliceVar>,
    /// Zeros, where there is none.
    pub(crate) a: Option<FieldVar>,
    pub(crate) b: Second,
    /// What is written.
    pub(crate) to: Option<FieldVar>,
    /// The equal rows, or the last carry; those that are less; those that are greater.
    pub(crate) results: [Option<SliceVar>; 3],
}

impl Pass {
    pub(crate) fn of(procedure: &Procedure) -> Self {
        let found = |step, rows, a, b, z| {
            let results = [Some(z), None, None];
            Self { step, rows: Some(rows), a: Some(a), b, to: None, results }
        };
        let merged = |rows, a, b, to| Self {
            step: Step::Merge,
            rows,
            a,
            b,
            to: Some(to),
            results: [None; 3],
        };
        let added = |flip, rows, a, b, to, carry| Self {
            to: Some(to),
            ..found(Step::Add { flip }, rows, a, b, carry)
        };
        match *procedure {
            Procedure::Match { table, rows, word, z } => {
                found(Step::Equal, rows, table, Second::Word(word), z)
            }
            Procedure::Hit { table, other, rows, z } => {
                found(Step::Equal, rows, table, Second::Field(other), z)
            }
            Procedure::Min { table, rows, z } => {
                found(Step::Extreme, rows, table, Second::Known(false), z)
            }
            Procedure::Max { table, rows, z } => {
                found(Step::Extreme, rows, table, Second::Known(true), z)
            }
            Procedure::SetMin { table, other, rows, signed, z } => Self {
                results: [None, Some(z), None],
                ..found(Step::Less { signed }, rows, table, Second::Field(other), z)
            },
            Procedure::Compare { table, rows, word, less, equal, greater } => Self {
                results: [Some(equal), Some(less), Some(greater)],
                ..found(Step::Less { signed: false }, rows, table, Second::Word(word), equal)
            },
            Procedure::Clear { table } => merged(None, None, Second::Known(false), table.into()),
            Procedure::CopyTable { table, to } => merged(None, None, Second::Field(table), to),
            Procedure::CopyWord { word, rows, to } => {
                merged(Some(rows), None, Second::Word(word), to)
            }
            Procedure::MergeTable { table, rows, to } => {
                merged(Some(rows), Some(to), Second::Field(table), to)
            }
            Procedure::MergeWord { word, rows, to } => {
                merged(Some(rows), Some(to), Second::Word(word), to)
            }
            Procedure::AddWord { table, rows, word, to, carry } => {
                added(false, rows, table, Second::Word(word), to, carry)
            }
            Procedure::AddTable { table, other, rows, to, carry } => {
                added(false, rows, table, Second::Field(other), to, carry)
            }
            Procedure::SubtractWord { table, rows, word, to, borrow } => {
                added(true, rows, table, Second::Word(word), to, borrow)
            }
            Procedure::SubtractTable { table, other, rows, to, borrow } => {
                added(true, rows, table, Second::Field(other), to, borrow)
            }
        }
    }

    /// The fields: the first one, the second, the one that is written.
    pub(crate) fn fields(&self) -> [Option<FieldVar>; 3] {
        let b = if let Second::Field(b) = self.b { Some(b) } else { None };
        [self.a, b, self.to]
    }

    /// Rows and columns of all fields.
    pub(crate) fn size(&self) -> (u32, u32) {
        let field = self.fields().into_iter().flatten().next();
        field.map_or((0, 0), |field| (field.table.rows, field.columns))
    }

    pub(crate) fn word(&self) -> Option<WordVar> {
        if let Second::Word(word) = self.b { Some(word) } else { None }
    }

    /// The word, where it is a result too.
    pub(crate) fn word_in_results(&self) -> Option<WordVar> {
        self.word().filter(|word| self.results.iter().flatten().any(|z| z.0 == word.0))
    }

    /// Whether a column is written that is read as another one.
    pub(crate) fn is_shifted(&self) -> bool {
        let [a, b, Some(to)] = self.fields() else { return false };
        [a, b].into_iter().flatten().any(|read| {
            let distance = to.first.abs_diff(read.first);
            read.table == to.table && distance != 0 && distance < to.columns
        })
    }
}

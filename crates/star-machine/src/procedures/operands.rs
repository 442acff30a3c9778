//! The operands of a procedure, by what they are in it, whichever the procedure.

use super::Procedure;
use crate::language::{FieldVar, SliceVar, WordVar};

/// Which operands there are depends on the procedure.
#[derive(Clone, Copy, Default)]
pub(crate) struct Operands {
    /// What is read.
    pub(crate) table: Option<FieldVar>,
    /// What it is compared with, or added to it.
    pub(crate) other: Option<FieldVar>,
    /// What is written.
    pub(crate) to: Option<FieldVar>,
    pub(crate) rows: Option<SliceVar>,
    pub(crate) word: Option<WordVar>,
    /// The result; of three, the first.
    pub(crate) z: Option<SliceVar>,
    pub(crate) equal: Option<SliceVar>,
    pub(crate) greater: Option<SliceVar>,
}

impl Operands {
    pub(crate) fn of(procedure: &Procedure) -> Self {
        let none = Self::default();
        let found =
            |table, rows, z| Self { table: Some(table), rows: Some(rows), z: Some(z), ..none };
        let written = |to, rows| Self { to: Some(to), rows: Some(rows), ..none };
        match *procedure {
            Procedure::Match { table, rows, word, z } => {
                Self { word: Some(word), ..found(table, rows, z) }
            }
            Procedure::Compare { table, rows, word, less, equal, greater } => {
                let (word, equal, greater) = (Some(word), Some(equal), Some(greater));
                Self { word, equal, greater, ..found(table, rows, less) }
            }
            Procedure::Min { table, rows, z } | Procedure::Max { table, rows, z } => {
                found(table, rows, z)
            }
            Procedure::SetMin { table, other, rows, z, .. }
            | Procedure::Hit { table, other, rows, z } => {
                Self { other: Some(other), ..found(table, rows, z) }
            }
            Procedure::Clear { table } => Self { to: Some(table.into()), ..none },
            Procedure::CopyTable { table, to } => Self { table: Some(table), to: Some(to), ..none },
            Procedure::MergeTable { table, rows, to } => {
                Self { table: Some(table), ..written(to, rows) }
            }
            Procedure::CopyWord { word, rows, to } | Procedure::MergeWord { word, rows, to } => {
                Self { word: Some(word), ..written(to, rows) }
            }
            Procedure::AddWord { table, rows, word, to, carry: z }
            | Procedure::SubtractWord { table, rows, word, to, borrow: z } => {
                Self { to: Some(to), word: Some(word), ..found(table, rows, z) }
            }
            Procedure::AddTable { table, other, rows, to, carry: z }
            | Procedure::SubtractTable { table, other, rows, to, borrow: z } => {
                Self { to: Some(to), other: Some(other), ..found(table, rows, z) }
            }
        }
    }

    /// The word, where it is a result too.
    pub(crate) fn word_in_results(&self) -> Option<WordVar> {
        let results = [self.z, self.equal, self.greater];
        self.word.filter(|word| results.iter().flatten().any(|z| z.0 == word.0))
    }

    /// Whether a column is written that is read as another one.
    pub(crate) fn is_shifted(&self) -> bool {
        let Some(to) = self.to else { return false };
        [self.table, self.other].into_iter().flatten().any(|read| {
            let distance = to.first.abs_diff(read.first);
            read.table == to.table && distance != 0 && distance < to.columns
        })
    }
}

//! Tables and words into tables: `TCOPY` and `WCOPY` write every row, the unmarked ones with
//! zeros; `TMERGE` and `WMERGE` leave the unmarked rows alone. A merge aimed at a table in use
//! keeps it; a copy wipes what is not marked.
//!
//! Costs on the abstract machine, for k columns: `CLEAR` k, `TCOPY` 2k, `TMERGE` 6k, `WCOPY`
//! k, `WMERGE` 3k.

use super::{columns, slice_of};
use crate::StarError;
use crate::language::{Condition, FieldVar, Operations, SliceVar, Star, TableVar, WordVar};

/// `CLEAR`
pub(super) fn clear(m: &mut impl Star, table: TableVar) -> Result<(), StarError> {
    let zeros = slice_of(m, table.into())?;
    m.for_each(columns(table.into()), |m, j| m.set_col(table, j, zeros))
}

/// `TCOPY`
pub(super) fn table(m: &mut impl Star, table: FieldVar, to: FieldVar) -> Result<(), StarError> {
    let y = slice_of(m, table)?;
    m.for_each(columns(table), |m, j| {
        m.col(y, table, j)?;
        m.set_col(to, j, y)
    })
}

/// `TMERGE`
pub(super) fn merge_table(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    to: FieldVar,
) -> Result<(), StarError> {
    let (new, old) = (slice_of(m, table)?, slice_of(m, table)?);
    m.for_each(columns(table), |m, j| {
        m.col(new, table, j)?;
        m.col(old, to, j)?;
        m.and(new, new, rows)?;
        m.and_not(old, old, rows)?;
        m.or(new, new, old)?;
        m.set_col(to, j, new)
    })
}

/// `WCOPY`
pub(super) fn word(
    m: &mut impl Star,
    word: WordVar,
    rows: SliceVar,
    to: FieldVar,
) -> Result<(), StarError> {
    let zeros = slice_of(m, to)?;
    m.for_each(columns(to), |m, j| {
        m.if_else(Condition::bit(word, j), |m| m.set_col(to, j, rows), |m| m.set_col(to, j, zeros))
    })
}

/// `WMERGE`
pub(super) fn merge_word(
    m: &mut impl Star,
    word: WordVar,
    rows: SliceVar,
    to: FieldVar,
) -> Result<(), StarError> {
    let y = slice_of(m, to)?;
    m.for_each(columns(to), |m, j| {
        m.col(y, to, j)?;
        m.if_else(Condition::bit(word, j), |m| m.or(y, y, rows), |m| m.and_not(y, y, rows))?;
        m.set_col(to, j, y)
    })
}

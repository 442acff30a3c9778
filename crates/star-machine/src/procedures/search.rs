//! Which rows are equal to a word, less, greater; which are the least of all; which are less
//! than the row of another table. Columns are looked at from the most significant on, and a
//! slice holds the rows that are still undecided.
//!
//! Costs on the abstract machine, for k columns: `MATCH` 2k, `LESS` and `GREAT` together 4k,
//! `MIN` and `MAX` 3k, `SETMIN` 7k, `HIT` 4k.
//!
//! The seed paper names `MATCH` and says of the others what they find; their statements and
//! their edge cases are ours.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use crate::StarError;
use crate::language::{Condition, FieldVar, Operations, SliceVar, Star, WordVar};

use super::{columns, copy_of, slice_of};

/// `MATCH`
pub(super) fn matching(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    word: WordVar,
    z: SliceVar,
) -> Result<(), StarError> {
    let (found, y) = (copy_of(m, rows)?, slice_of(m, table)?);
    m.for_each(columns(table), |m, j| {
        m.col(y, table, j)?;
        m.if_else(
            Condition::bit(word, j),
            |m| m.and(found, found, y),
            |m| m.and_not(found, found, y),
        )
    })?;
    m.copy(z, found)
}

/// `LESS` and `GREAT`: a row is decided by the first column in which it differs.
pub(super) fn compare(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    word: WordVar,
    results: [SliceVar; 3],
) -> Result<(), StarError> {
    let (less, equal, greater) = (slice_of(m, table)?, copy_of(m, rows)?, slice_of(m, table)?);
    let (y, differ) = (slice_of(m, table)?, slice_of(m, table)?);
    m.for_each(columns(table), |m, j| {
        m.col(y, table, j)?;
        m.if_else(
            Condition::bit(word, j),
            |m| {
                m.and_not(differ, equal, y)?;
                m.or(less, less, differ)?;
                m.and(equal, equal, y)
            },
            |m| {
                m.and(differ, equal, y)?;
                m.or(greater, greater, differ)?;
                m.and_not(equal, equal, y)
            },
        )
    })?;
    let found = [less, equal, greater];
    results.into_iter().zip(found).try_for_each(|(result, found)| m.copy(result, found))
}

/// `MIN`, and `MAX` for the greatest: whoever has the better bit goes on, if there is one.
pub(super) fn extreme(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    greatest: bool,
    z: SliceVar,
) -> Result<(), StarError> {
    let (found, y) = (copy_of(m, rows)?, slice_of(m, table)?);
    m.for_each(columns(table), |m, j| {
        m.col(y, table, j)?;
        if greatest {
            m.and(y, found, y)?
        } else {
            m.and_not(y, found, y)?
        }
        m.if_then(Condition::some(y), |m| m.copy(found, y))
    })?;
    m.copy(z, found)
}

/// `SETMIN`: among rows that are equal so far, those with 0 in the first table and 1 in the
/// other. In a column of signs it is the other way round.
pub(super) fn less(
    m: &mut impl Star,
    table: FieldVar,
    other: FieldVar,
    rows: SliceVar,
    signed: bool,
    z: SliceVar,
) -> Result<(), StarError> {
    let (found, equal) = (slice_of(m, table)?, copy_of(m, rows)?);
    let (a, b, differ) = (slice_of(m, table)?, slice_of(m, table)?, slice_of(m, table)?);
    let signs = if signed { columns(table).end.min(1) } else { 0 };
    for (range, zero, one) in [(0..signs, b, a), (signs..columns(table).end, a, b)] {
        m.for_each(range, |m, j| {
            m.col(a, table, j)?;
            m.col(b, other, j)?;
            m.xor(differ, a, b)?;
            m.and_not(one, one, zero)?;
            m.and(one, equal, one)?;
            m.or(found, found, one)?;
            m.and_not(equal, equal, differ)
        })?;
    }
    m.copy(z, found)
}

/// `HIT`
pub(super) fn equal(
    m: &mut impl Star,
    table: FieldVar,
    other: FieldVar,
    rows: SliceVar,
    z: SliceVar,
) -> Result<(), StarError> {
    let (equal, a, b) = (copy_of(m, rows)?, slice_of(m, table)?, slice_of(m, table)?);
    m.for_each(columns(table), |m, j| {
        m.col(a, table, j)?;
        m.col(b, other, j)?;
        m.xor(a, a, b)?;
        m.and_not(equal, equal, a)
    })?;
    m.copy(z, equal)
}

//! Sums and differences of all rows at once, from the least significant column to the most
//! significant, with a slice of carries or borrows. Unmarked rows take part with zeros and
//! without carries, and are zero in the result; what runs out of the first column is the
//! last result.
//!
//! Costs on the abstract machine, for k columns and w ones in the word: `ADDC` 5k + w,
//! `SUBTC` 5k + 2w, `ADDV` and `SUBTV` 11k.
//!
//! The borrow of a difference marks the rows that are less, so `SETMIN` and `LESS` are also
//! what `SUBTV` and `SUBTC` find besides.

use super::{columns, slice_of};
use crate::StarError;
use crate::language::{Condition, FieldVar, Operations, SliceVar, Star, WordVar};

/// `ADDC`
pub(super) fn add_word(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    word: WordVar,
    to: FieldVar,
    result: SliceVar,
) -> Result<(), StarError> {
    let (carry, y, sum) = (slice_of(m, table)?, slice_of(m, table)?, slice_of(m, table)?);
    m.for_each_back(columns(table), |m, j| {
        m.col(y, table, j)?;
        m.and(y, y, rows)?;
        m.xor(sum, y, carry)?;
        m.if_else(
            Condition::bit(word, j),
            |m| {
                m.xor(sum, sum, rows)?;
                m.or(carry, y, carry)
            },
            |m| m.and(carry, y, carry),
        )?;
        m.set_col(to, j, sum)
    })?;
    m.copy(result, carry)
}

/// `SUBTC`: where the word has a one, a row borrows unless it has a one and none was borrowed.
pub(super) fn subtract_word(
    m: &mut impl Star,
    table: FieldVar,
    rows: SliceVar,
    word: WordVar,
    to: FieldVar,
    result: SliceVar,
) -> Result<(), StarError> {
    let (borrow, y, difference) = (slice_of(m, table)?, slice_of(m, table)?, slice_of(m, table)?);
    m.for_each_back(columns(table), |m, j| {
        m.col(y, table, j)?;
        m.and(y, y, rows)?;
        m.xor(difference, y, borrow)?;
        m.if_else(
            Condition::bit(word, j),
            |m| {
                m.xor(difference, difference, rows)?;
                m.and_not(borrow, y, borrow)?;
                m.and_not(borrow, rows, borrow)
            },
            |m| m.and_not(borrow, borrow, y),
        )?;
        m.set_col(to, j, difference)
    })?;
    m.copy(result, borrow)
}

/// `ADDV`
pub(super) fn add_table(
    m: &mut impl Star,
    table: FieldVar,
    other: FieldVar,
    rows: SliceVar,
    to: FieldVar,
    result: SliceVar,
) -> Result<(), StarError> {
    let carry = slice_of(m, table)?;
    let (a, b, y) = (slice_of(m, table)?, slice_of(m, table)?, slice_of(m, table)?);
    m.for_each_back(columns(table), |m, j| {
        m.col(a, table, j)?;
        m.and(a, a, rows)?;
        m.col(b, other, j)?;
        m.and(b, b, rows)?;
        m.xor(y, a, b)?;
        m.xor(y, y, carry)?;
        m.set_col(to, j, y)?;
        // carry := a and b, or carry where one of them is
        m.xor(y, a, b)?;
        m.and(carry, carry, y)?;
        m.and(y, a, b)?;
        m.or(carry, carry, y)
    })?;
    m.copy(result, carry)
}

/// `SUBTV`
pub(super) fn subtract_table(
    m: &mut impl Star,
    table: FieldVar,
    other: FieldVar,
    rows: SliceVar,
    to: FieldVar,
    result: SliceVar,
) -> Result<(), StarError> {
    let borrow = slice_of(m, table)?;
    let (a, b, y) = (slice_of(m, table)?, slice_of(m, table)?, slice_of(m, table)?);
    m.for_each_back(columns(table), |m, j| {
        m.col(a, table, j)?;
        m.and(a, a, rows)?;
        m.col(b, other, j)?;
        m.and(b, b, rows)?;
        m.xor(y, a, b)?;
        m.xor(y, y, borrow)?;
        m.set_col(to, j, y)?;
        // borrow := b and not a, or borrow where they are equal
        m.xor(y, a, b)?;
        m.and_not(borrow, borrow, y)?;
        m.and_not(y, b, a)?;
        m.or(borrow, borrow, y)
    })?;
    m.copy(result, borrow)
}

//! The rules of sizes: which operands fit together, as far as sizes and constants show.

use super::{FieldVar, Index, SliceVar, Vector, WordVar};
use crate::StarError;
use crate::error::LIMIT;

/// An error unless both have as many bits.
#[inline]
pub(crate) fn same(
    what: &'static str,
    x: impl Into<Vector>,
    y: impl Into<Vector>,
) -> Result<(), StarError> {
    equal(what, x.into(), y.into().len)
}

/// An error unless `x` has `len` bits.
#[inline]
pub(crate) fn equal(what: &'static str, x: Vector, len: u32) -> Result<(), StarError> {
    StarError::same(what, x.len as usize, len as usize)
}

/// Whether a value is as large as its variable.
#[inline]
pub(crate) fn assigned<const N: usize>(sizes: [(u32, usize); N]) -> Result<(), StarError> {
    let same = |(left, right)| StarError::same("an assignment", left as usize, right);
    sizes.into_iter().try_for_each(same)
}

/// How many numbers the bits are enough for; integers are below 2³¹.
#[inline]
pub(crate) fn numbers(x: Vector) -> u32 {
    1 << x.len.min(31)
}

/// In how many places of `long` there is room for `short`.
#[inline]
pub(crate) fn places(short: Vector, long: Vector) -> u32 {
    long.len - short.len + 1
}

/// Whether x is a column of the field, and there is this one.
#[inline]
pub(super) fn of_column(
    what: &'static str,
    x: SliceVar,
    of: FieldVar,
    column: Index,
) -> Result<(), StarError> {
    equal(what, x.0, of.table.rows)?;
    field(of)?;
    inside("column", column, of.columns)
}

/// Whether x is a row of the field, and there is this one.
#[inline]
pub(super) fn of_row(
    what: &'static str,
    x: WordVar,
    of: FieldVar,
    row: Index,
) -> Result<(), StarError> {
    equal(what, x.0, of.columns)?;
    field(of)?;
    inside("row", row, of.table.rows)
}

/// Whether an integer can hold the number.
#[inline]
pub(super) fn below_limit(value: u32) -> Result<(), StarError> {
    if (value as usize) < LIMIT {
        return Ok(());
    }
    Err(StarError::TooWide { value: value.into(), bits: 31 })
}

/// Whether `short` fits into `long` from there on, as far as a constant tells.
#[inline]
pub(super) fn part(
    what: &'static str,
    short: Vector,
    long: Vector,
    from: Index,
) -> Result<(), StarError> {
    let from = match from {
        Index::At(from) => from as usize,
        Index::In(_) => 0,
    };
    let (left, right) = (short.len as usize + from, long.len as usize);
    if left <= right { Ok(()) } else { Err(StarError::LengthMismatch { what, left, right }) }
}

/// Whether the table has the columns of the field.
#[inline]
pub(crate) fn field(field: FieldVar) -> Result<(), StarError> {
    let (index, len) =
        (field.first as usize + field.columns as usize, field.table.columns as usize);
    if index <= len { Ok(()) } else { Err(StarError::OutOfRange { what: "column", index, len }) }
}

/// Whether there is this position.
#[inline]
pub(super) fn inside(what: &'static str, index: Index, len: u32) -> Result<(), StarError> {
    match index {
        Index::At(at) => StarError::inside(what, at as usize, len as usize),
        Index::In(_) => Ok(()),
    }
}

//! Whether an operation is one on its operands, as far as their sizes tell.

use super::{Condition, FieldVar, Index, Op, Vector};
use crate::StarError;

impl Op {
    /// An error where the sizes of the operands do not fit together, or a constant position is
    /// outside. What integers hold is for the machine to check, with [`Index`].
    pub(crate) fn check(&self) -> Result<(), StarError> {
        let same = |x: Vector, len: u32| equal(self.name(), x, len);
        match *self {
            Self::Copy { z, x } | Self::Not { z, x } | Self::First { z, x } => same(z, x.len),
            Self::Logic { z, x, y, .. } => same(z, x.len).and_then(|()| same(z, y.len)),
            Self::SetBit { z, at, .. } => inside("bit", at, z.len),
            Self::Trim { z, x, from } => part(self.name(), z, x, from),
            Self::Replace { z, x, from } => part(self.name(), x, z, from),
            Self::ToWord { z, i } => inside("number", i, numbers(z)),
            Self::Add { z, v, w, .. } | Self::Subtract { z, v, w, .. } => {
                same(z, v.len).and_then(|()| same(z, w.len))
            }
            Self::ReadColumn { z: x, table, column } | Self::WriteColumn { table, column, x } => {
                same(x, table.table.rows)?;
                field(table)?;
                inside("column", column, table.columns)
            }
            Self::ReadRow { z: x, table, row } | Self::WriteRow { table, row, x } => {
                same(x, table.columns)?;
                field(table)?;
                inside("row", row, table.table.rows)
            }
            Self::SetInt { value: Some(value), .. } if value >= 1 << 31 => {
                Err(StarError::TooWide { value: value.into(), bits: 31 })
            }
            Self::Fill { .. }
            | Self::Find { .. }
            | Self::Step { .. }
            | Self::Count { .. }
            | Self::ToInt { .. }
            | Self::ClearTable { .. }
            | Self::SetInt { .. }
            | Self::AddInt { .. }
            | Self::AddInts { .. } => Ok(()),
        }
    }
}

impl Condition {
    /// As [`Op::check`].
    pub(crate) fn check(&self) -> Result<(), StarError> {
        match *self {
            Self::Order { j: Index::At(value), .. } if value >= 1 << 31 => {
                Err(StarError::TooWide { value: value.into(), bits: 31 })
            }
            Self::Some(_) | Self::Found(_) | Self::Order { .. } => Ok(()),
            Self::Bit { x, at } => inside("bit", at, x.len),
            Self::Compare { v, w, .. } => equal("a comparison", v, w.len),
        }
    }
}

/// Whether there are so many bits.
pub(crate) fn equal(what: &'static str, x: Vector, len: u32) -> Result<(), StarError> {
    if x.len == len {
        return Ok(());
    }
    Err(StarError::LengthMismatch { what, left: x.len as usize, right: len as usize })
}

/// How many numbers the bits are enough for; integers are below 2³¹.
pub(crate) fn numbers(x: Vector) -> u32 {
    1 << x.len.min(31)
}

/// In how many places of `long` there is room for `short`.
pub(crate) fn places(short: Vector, long: Vector) -> u32 {
    long.len - short.len + 1
}

/// Whether `short` fits into `long` from there on, as far as a constant tells.
fn part(what: &'static str, short: Vector, long: Vector, from: Index) -> Result<(), StarError> {
    let from = match from {
        Index::At(from) => from as usize,
        Index::In(_) => 0,
    };
    let (left, right) = (short.len as usize + from, long.len as usize);
    if left <= right { Ok(()) } else { Err(StarError::LengthMismatch { what, left, right }) }
}

/// Whether the table has the columns of the field.
pub(crate) fn field(field: FieldVar) -> Result<(), StarError> {
    let (index, len) =
        (field.first as usize + field.columns as usize, field.table.columns as usize);
    if index <= len { Ok(()) } else { Err(StarError::OutOfRange { what: "column", index, len }) }
}

fn inside(what: &'static str, index: Index, len: u32) -> Result<(), StarError> {
    match index {
        Index::At(at) if at >= len => {
            Err(StarError::OutOfRange { what, index: at as usize, len: len as usize })
        }
        Index::At(_) | Index::In(_) => Ok(()),
    }
}

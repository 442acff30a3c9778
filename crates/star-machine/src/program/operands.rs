//! Which variables an operation, a procedure or a question reads and writes.

use super::Variable;
use crate::Procedure;
use crate::language::{
    Condition, FieldVar, Index, IntVar, Op, SliceVar, TableVar, Vector, WordVar,
};

/// A place in an operation that names a variable.
pub(super) enum Operand<'a> {
    Vector(&'a mut Vector),
    Int(&'a mut IntVar),
    Table(&'a mut TableVar),
}

/// What an operation does to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its value matters: it is read, or a part of it is kept.
    Read,
    /// It has another value afterwards, whatever it had before.
    Write,
}

use Role::{Read, Write};

/// Who is shown operands.
pub(super) type Visit<'a> = &'a mut dyn FnMut(Role, Operand<'_>);

impl Operand<'_> {
    /// The variable that is named there.
    pub(super) fn variable(&self) -> Variable {
        match self {
            Self::Vector(x) => Variable::Vector(**x),
            Self::Int(i) => Variable::Int(**i),
            Self::Table(table) => Variable::Table(**table),
        }
    }
}

impl<'a> From<&'a mut Vector> for Operand<'a> {
    fn from(x: &'a mut Vector) -> Self {
        Self::Vector(x)
    }
}

impl<'a> From<&'a mut SliceVar> for Operand<'a> {
    fn from(x: &'a mut SliceVar) -> Self {
        Self::Vector(&mut x.0)
    }
}

impl<'a> From<&'a mut WordVar> for Operand<'a> {
    fn from(x: &'a mut WordVar) -> Self {
        Self::Vector(&mut x.0)
    }
}

impl<'a> From<&'a mut IntVar> for Operand<'a> {
    fn from(i: &'a mut IntVar) -> Self {
        Self::Int(i)
    }
}

impl<'a> From<&'a mut TableVar> for Operand<'a> {
    fn from(table: &'a mut TableVar) -> Self {
        Self::Table(table)
    }
}

impl Op {
    /// Shows all operands, those that are read first.
    pub(super) fn operands(&mut self, visit: Visit<'_>) {
        match self {
            Self::Fill { z, .. } => visit(Write, z.into()),
            Self::Copy { z, x } | Self::Not { z, x } | Self::First { z, x } => {
                visit(Read, x.into());
                visit(Write, z.into());
            }
            Self::Trim { z, x, from } => {
                position(from, visit);
                visit(Read, x.into());
                visit(Write, z.into());
            }
            Self::ToWord { z, i } => {
                position(i, visit);
                visit(Write, z.into());
            }
            Self::ToInt { i, w } => {
                visit(Read, w.into());
                visit(Write, i.into());
            }
            Self::Logic { z, x, y, .. } => {
                visit(Read, x.into());
                visit(Read, y.into());
                visit(Write, z.into());
            }
            Self::SetBit { z, at, .. } => {
                position(at, visit);
                visit(Read, z.into());
            }
            Self::Find { i, x } | Self::Step { i, x } | Self::Count { i, x } => {
                visit(Read, x.into());
                visit(Write, i.into());
            }
            Self::Replace { z, x, from } => {
                position(from, visit);
                visit(Read, x.into());
                visit(Read, z.into());
            }
            Self::Add { z, v, w, carry: flag } | Self::Subtract { z, v, w, borrow: flag } => {
                visit(Read, v.into());
                visit(Read, w.into());
                visit(Write, z.into());
                visit(Write, flag.into());
            }
            Self::ReadColumn { z, table, column: at } | Self::ReadRow { z, table, row: at } => {
                position(at, visit);
                field(Read, table, visit);
                visit(Write, z.into());
            }
            Self::WriteColumn { table, column: at, x } | Self::WriteRow { table, row: at, x } => {
                position(at, visit);
                visit(Read, x.into());
                field(Read, table, visit);
            }
            Self::ClearTable { table } => visit(Write, table.into()),
            Self::SetInt { i, .. } => visit(Write, i.into()),
            Self::AddInt { i, j, .. } => {
                visit(Read, j.into());
                visit(Write, i.into());
            }
            Self::AddInts { i, j, k, .. } => {
                visit(Read, j.into());
                visit(Read, k.into());
                visit(Write, i.into());
            }
        }
    }
}

impl Procedure {
    /// Shows all operands, those that are read first.
    pub(super) fn operands(&mut self, visit: Visit<'_>) {
        let found = |fields: &mut [&mut FieldVar], rows: &mut SliceVar, visit: Visit<'_>| {
            fields.iter_mut().for_each(|read| field(Read, read, visit));
            visit(Read, rows.into());
        };
        match self {
            Self::Match { table, rows, word, z } => {
                found(&mut [table], rows, visit);
                visit(Read, word.into());
                visit(Write, z.into());
            }
            Self::Compare { table, rows, word, less, equal, greater } => {
                found(&mut [table], rows, visit);
                visit(Read, word.into());
                [less, equal, greater].into_iter().for_each(|z| visit(Write, z.into()));
            }
            Self::Min { table, rows, z } | Self::Max { table, rows, z } => {
                found(&mut [table], rows, visit);
                visit(Write, z.into());
            }
            Self::SetMin { table, other, rows, z, .. } | Self::Hit { table, other, rows, z } => {
                found(&mut [table, other], rows, visit);
                visit(Write, z.into());
            }
            Self::Clear { table } => visit(Write, table.into()),
            Self::CopyTable { table, to } => {
                field(Read, table, visit);
                field(Write, to, visit);
            }
            // unmarked rows keep their values
            Self::MergeTable { table, rows, to } => found(&mut [table, to], rows, visit),
            Self::MergeWord { word, rows, to } => {
                found(&mut [to], rows, visit);
                visit(Read, word.into());
            }
            Self::CopyWord { word, rows, to } => {
                visit(Read, rows.into());
                visit(Read, word.into());
                field(Write, to, visit);
            }
            Self::AddWord { table, rows, word, to, carry: out }
            | Self::SubtractWord { table, rows, word, to, borrow: out } => {
                found(&mut [table], rows, visit);
                visit(Read, word.into());
                field(Write, to, visit);
                visit(Write, out.into());
            }
            Self::AddTable { table, other, rows, to, carry: out }
            | Self::SubtractTable { table, other, rows, to, borrow: out } => {
                found(&mut [table, other], rows, visit);
                field(Write, to, visit);
                visit(Write, out.into());
            }
        }
    }
}

impl Condition {
    /// Shows all operands.
    pub(super) fn operands(&mut self, visit: Visit<'_>) {
        match self {
            Self::Some(x) => visit(Read, x.into()),
            Self::Found(i) => visit(Read, i.into()),
            Self::Bit { x, at } => {
                position(at, visit);
                visit(Read, x.into());
            }
            Self::Order { i, j, .. } => {
                visit(Read, i.into());
                position(j, visit);
            }
            Self::Compare { v, w, .. } => {
                visit(Read, v.into());
                visit(Read, w.into());
            }
        }
    }
}

/// A table whose columns are not all written keeps a part of its value.
fn field(role: Role, field: &mut FieldVar, visit: Visit<'_>) {
    field.number.iter_mut().for_each(|i| visit(Read, i.into()));
    let role = if field.is_whole() { role } else { Read };
    visit(role, (&mut field.table).into());
}

fn position(at: &mut Index, visit: Visit<'_>) {
    if let Index::In(i) = at {
        visit(Read, i.into());
    }
}

//! Which variables an operation reads and writes.

use super::Variable;
use crate::language::{Condition, Index, IntVar, Op, TableVar, Vector};

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
type Visit<'a> = &'a mut dyn FnMut(Role, Operand<'_>);

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
            Self::Copy { z, x }
            | Self::Not { z, x }
            | Self::First { z, x }
            | Self::Trim { z, x, .. } => {
                visit(Read, x.into());
                visit(Write, z.into());
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
            Self::Replace { z, x, .. } => {
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
                visit(Read, (&mut table.table).into());
                visit(Write, z.into());
            }
            Self::WriteColumn { table, column: at, x } | Self::WriteRow { table, row: at, x } => {
                position(at, visit);
                visit(Read, x.into());
                visit(Read, (&mut table.table).into());
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

fn position(at: &mut Index, visit: Visit<'_>) {
    if let Index::In(i) = at {
        visit(Read, i.into());
    }
}

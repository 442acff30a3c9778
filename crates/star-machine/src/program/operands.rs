//! The variables that operands name.

use super::Variable;
use crate::language::{Index, IntVar, Operand, Role, TableVar, Vector};

/// A variable, where an operand names it.
pub(super) enum Named<'a> {
    Vector(&'a mut Vector),
    Int(&'a mut IntVar),
    Table(&'a mut TableVar),
}

impl Named<'_> {
    pub(super) fn variable(&self) -> Variable {
        match self {
            Self::Vector(x) => Variable::Vector(**x),
            Self::Int(i) => Variable::Int(**i),
            Self::Table(table) => Variable::Table(**table),
        }
    }
}

/// Shows the variables of an operand. A field that is written is a table of which a part is kept,
/// unless it is the whole.
pub(super) fn named(role: Role, operand: Operand<'_>, mut show: impl FnMut(Role, Named<'_>)) {
    match operand {
        Operand::Vector(x) => show(role, Named::Vector(x)),
        Operand::Slice(x) => show(role, Named::Vector(&mut x.0)),
        Operand::Word(w) => show(role, Named::Vector(&mut w.0)),
        Operand::Int(i) | Operand::At(Index::In(i)) => show(role, Named::Int(i)),
        Operand::At(Index::At(_)) => {}
        Operand::Table(table) => show(role, Named::Table(table)),
        Operand::Field(field) => {
            let role = if field.is_whole() { role } else { Role::Read };
            field.number.iter_mut().for_each(|i| show(Role::Read, Named::Int(i)));
            show(role, Named::Table(&mut field.table));
        }
    }
}

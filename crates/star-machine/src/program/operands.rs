//! The variables that operands name.

use super::{Instruction, Variable};
use crate::language::{Index, IntVar, Operand, Role, TableVar, Vector, Visit};

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

impl Instruction {
    /// Calls `visit` with all operands.
    pub(super) fn operands(&mut self, visit: Visit<'_>) {
        match self {
            Self::Do(op) => op.operands(visit),
            Self::Pass(procedure) => procedure.operands(visit),
            Self::Branch { condition, .. } => condition.operands(visit),
            Self::Start { i, .. }
            | Self::Repeat { i, .. }
            | Self::Call { link: i, .. }
            | Self::Return { link: i } => visit(Role::Write, i.into()),
            Self::Jump { .. } => {}
        }
    }

    /// The same step with other variables, of the same types.
    #[must_use]
    pub fn with(mut self, mut other: impl FnMut(Variable) -> Variable) -> Self {
        self.operands(&mut |role, operand| {
            named(role, operand, |_, place| match (other(place.variable()), place) {
                (Variable::Vector(y), Named::Vector(x)) => *x = y,
                (Variable::Int(j), Named::Int(i)) => *i = j,
                (Variable::Table(other), Named::Table(table)) => *table = other,
                _ => {}
            });
        });
        self
    }
}

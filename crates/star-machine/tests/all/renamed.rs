//! What is asked of one machine, asked of another: with its variables.

use std::collections::HashMap;

use star_machine::{Condition, Instruction, IntVar, Op, Procedure, TableVar, Variable, Vector};

/// The variables of the other machine. One that is not there keeps its name, which the other
/// machine does not know either.
pub(crate) type Names = HashMap<Variable, Variable>;

/// What has variables in it.
pub(crate) trait Renamed: Copy {
    /// The same with the other machine's variables.
    fn renamed(self, names: &Names) -> Self;
}

fn other(names: &Names, variable: impl Into<Variable>) -> Variable {
    let variable = variable.into();
    names.get(&variable).copied().unwrap_or(variable)
}

macro_rules! renamed {
    ($($type:ty: |$names:ident, $value:ident| $other:expr => $found:pat => $renamed:expr;)*) => {
        $(impl Renamed for $type {
            fn renamed(self, $names: &Names) -> Self {
                let $value = self;
                match $other {
                    $found => $renamed,
                    _ => unreachable!("it is of the same type"),
                }
            }
        })*
    };
}

renamed! {
    Vector: |names, x| other(names, x) => Variable::Vector(x) => x;
    IntVar: |names, i| other(names, i) => Variable::Int(i) => i;
    TableVar: |names, table| other(names, table) => Variable::Table(table) => table;
    Op: |names, op| Instruction::Do(op).with(|x| other(names, x)) => Instruction::Do(op) => op;
    Procedure: |names, procedure| Instruction::Pass(procedure).with(|x| other(names, x))
        => Instruction::Pass(procedure) => procedure;
    Condition: |names, condition|
        Instruction::Branch { condition, answer: true, to: 0 }.with(|x| other(names, x))
        => Instruction::Branch { condition, .. } => condition;
}

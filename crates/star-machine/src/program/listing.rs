//! A program as text: a line a step.

use std::fmt::{Display, Formatter, Result};

use super::{Instruction, Program, Variable};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let parameters: Vec<_> = self.parameters.iter().map(ToString::to_string).collect();
        writeln!(f, "program({})", parameters.join(", "))?;
        let width = self.instructions.len().to_string().len();
        for (number, instruction) in self.instructions.iter().enumerate() {
            writeln!(f, "{number:>width$}  {instruction}")?;
        }
        write!(f, "{:>width$}  end", self.instructions.len())
    }
}

/// With its size, as it is declared.
impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Vector(x) => write!(f, "{x}[{}]", x.len),
            Self::Int(i) => write!(f, "{i}"),
            Self::Table(table) => write!(f, "{table}[{}, {}]", table.rows, table.columns),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Do(op) => write!(f, "{op}"),
            Self::Pass(procedure) => write!(f, "{procedure}"),
            Self::Branch { condition, answer, to } => {
                let not = if *answer { "" } else { "not " };
                write!(f, "if {not}{condition} goto {to}")
            }
            Self::Jump { to } => write!(f, "goto {to}"),
            Self::Call { to, link } => write!(f, "{link} := the next step, goto {to}"),
            Self::Return { link } => write!(f, "goto {link}"),
            Self::Start { counter, i, first } => {
                write!(f, "counter {counter}, {i} := {first}")
            }
            Self::Repeat { counter, i, last, back, to } => {
                let next = if *back { "before" } else { "after" };
                write!(f, "unless counter {counter} = {last}: {i} := the one {next}, goto {to}")
            }
        }
    }
}

//! A program as text: a line a step.

use std::fmt::{Display, Formatter, Result};

use super::{Instruction, Program, Variable};
use crate::Procedure;
use crate::language::{
    Condition, FieldVar, Index, IntVar, Logic, Op, Relation, SliceVar, TableVar, Vector, WordVar,
};

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
            Self::Vector(x) => write!(f, "{}[{}]", v(*x), x.len),
            Self::Int(i) => write!(f, "{}", int(*i)),
            Self::Table(table) => write!(f, "{}[{}, {}]", t(*table), table.rows, table.columns),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Do(op) => write!(f, "{}", operation(op)),
            Self::Pass(procedure) => write!(f, "{}", pass(procedure)),
            Self::Branch { condition, answer, to } => {
                let not = if *answer { "" } else { "not " };
                write!(f, "if {not}{} goto {to}", question(condition))
            }
            Self::Jump { to } => write!(f, "goto {to}"),
            Self::Call { to, link } => write!(f, "{} := the next step, goto {to}", int(*link)),
            Self::Return { link } => write!(f, "goto {}", int(*link)),
            Self::Start { counter, i, first } => {
                write!(f, "counter {counter}, {} := {first}", int(*i))
            }
            Self::Repeat { counter, i, last, back, to } => {
                let next = if *back { "before" } else { "after" };
                let i = int(*i);
                write!(f, "unless counter {counter} = {last}: {i} := the one {next}, goto {to}")
            }
        }
    }
}

fn v(x: Vector) -> String {
    format!("v{}", x.place())
}

fn int(i: IntVar) -> String {
    format!("i{}", i.place())
}

fn t(table: TableVar) -> String {
    format!("t{}", table.place())
}

fn field(field: FieldVar) -> String {
    let table = t(field.table);
    if FieldVar::from(field.table) == field {
        return table;
    }
    let columns = format!("{}..{}", field.first, field.first + field.columns);
    match field.number {
        None => format!("{table}[{columns}]"),
        Some(i) => format!("{table}[{columns} + {} {}]", field.columns, int(i)),
    }
}

fn index(at: Index) -> String {
    match at {
        Index::At(at) => at.to_string(),
        Index::In(i) => int(i),
    }
}

fn operation(op: &Op) -> String {
    match *op {
        Op::Fill { z, ones } => format!("{}({})", if ones { "SET" } else { "CLR" }, v(z)),
        Op::Copy { z, x } => format!("{} := {}", v(z), v(x)),
        Op::Not { z, x } => format!("{} := not {}", v(z), v(x)),
        Op::Logic { logic, z, x, y } => {
            let function = match logic {
                Logic::And => "and",
                Logic::AndNot => "and not",
                Logic::Or => "or",
                Logic::Xor => "xor",
            };
            format!("{} := {} {function} {}", v(z), v(x), v(y))
        }
        Op::SetBit { z, at, bit } => format!("{}({}) := {}", v(z), index(at), u8::from(bit)),
        Op::First { z, x } => format!("{} := FRST({})", v(z), v(x)),
        Op::Find { i, x } => format!("{} := FND({})", int(i), v(x)),
        Op::Step { i, x } => format!("{} := STEP({})", int(i), v(x)),
        Op::Count { i, x } => format!("{} := NUMB({})", int(i), v(x)),
        Op::Trim { z, x, from } => format!("{} := TRIM({}.., {})", v(z), index(from), v(x)),
        Op::Replace { z, x, from } => format!("REP({}.., {}, {})", index(from), v(x), v(z)),
        Op::ToWord { z, i } => format!("{} := WORD({})", v(z), index(i)),
        Op::ToInt { i, w } => format!("{} := NUMBER({})", int(i), v(w)),
        Op::Add { z, v: x, w, carry } => {
            format!("{}, {} := ADD({}, {})", v(z), int(carry), v(x), v(w))
        }
        Op::Subtract { z, v: x, w, borrow } => {
            format!("{}, {} := SUBT({}, {})", v(z), int(borrow), v(x), v(w))
        }
        Op::ReadColumn { z, table, column } => {
            format!("{} := COL({}, {})", v(z), index(column), field(table))
        }
        Op::WriteColumn { table, column, x } => {
            format!("COL({}, {}) := {}", index(column), field(table), v(x))
        }
        Op::ReadRow { z, table, row } => {
            format!("{} := ROW({}, {})", v(z), index(row), field(table))
        }
        Op::WriteRow { table, row, x } => {
            format!("ROW({}, {}) := {}", index(row), field(table), v(x))
        }
        Op::ClearTable { table } => format!("CLEAR({})", t(table)),
        Op::SetInt { i, value: Some(value) } => format!("{} := {value}", int(i)),
        Op::SetInt { i, value: None } => format!("{} := none", int(i)),
        Op::AddInt { i, j, by } => format!("{} := {} {by:+}", int(i), int(j)),
        Op::AddInts { i, j, k, is_minus, by } => {
            let sign = if is_minus { '-' } else { '+' };
            format!("{} := {} {sign} {} {by:+}", int(i), int(j), int(k))
        }
    }
}

/// As a text calls it.
fn pass(procedure: &Procedure) -> String {
    let name = procedure.name();
    let v = |x: SliceVar| v(x.0);
    match *procedure {
        Procedure::Match { table, rows, word, z } => {
            format!("{} := {name}({}, {}, {})", v(z), field(table), v(rows), word_of(word))
        }
        Procedure::Compare { table, rows, word, less, equal, greater } => {
            let results = [less, equal, greater].map(v).join(", ");
            format!("{results} := {name}({}, {}, {})", field(table), v(rows), word_of(word))
        }
        Procedure::Min { table, rows, z } | Procedure::Max { table, rows, z } => {
            format!("{} := {name}({}, {})", v(z), field(table), v(rows))
        }
        Procedure::SetMin { table, other, rows, z, .. }
        | Procedure::Hit { table, other, rows, z } => {
            format!("{} := {name}({}, {}, {})", v(z), field(table), field(other), v(rows))
        }
        Procedure::Clear { table } => format!("{name}({})", t(table)),
        Procedure::CopyTable { table, to } => format!("{name}({}; {})", field(table), field(to)),
        Procedure::MergeTable { table, rows, to } => {
            format!("{name}({}, {}; {})", field(table), v(rows), field(to))
        }
        Procedure::CopyWord { word, rows, to } | Procedure::MergeWord { word, rows, to } => {
            format!("{name}({}, {}; {})", word_of(word), v(rows), field(to))
        }
        Procedure::AddWord { table, rows, word, to, carry: out }
        | Procedure::SubtractWord { table, rows, word, to, borrow: out } => {
            let read = [field(table), v(rows), word_of(word)].join(", ");
            format!("{} := {name}({read}; {})", v(out), field(to))
        }
        Procedure::AddTable { table, other, rows, to, carry: out }
        | Procedure::SubtractTable { table, other, rows, to, borrow: out } => {
            let read = [field(table), field(other), v(rows)].join(", ");
            format!("{} := {name}({read}; {})", v(out), field(to))
        }
    }
}

fn word_of(word: WordVar) -> String {
    v(word.0)
}

fn question(condition: &Condition) -> String {
    match *condition {
        Condition::Some(x) => format!("SOME({})", v(x)),
        Condition::Found(i) => format!("{} holds a number", int(i)),
        Condition::Bit { x, at } => format!("{}({})", v(x), index(at)),
        Condition::Order { relation, i, j } => {
            let sign = match relation {
                Relation::Equal => "=",
                Relation::NotEqual => "<>",
                Relation::Less => "<",
                Relation::LessOrEqual => "<=",
                Relation::Greater => ">",
                Relation::GreaterOrEqual => ">=",
            };
            format!("{} {sign} {}", int(i), index(j))
        }
        Condition::Compare { relation, v: x, w } => {
            let name = match relation {
                Relation::Equal => "EQ",
                Relation::NotEqual => "NOTEQ",
                Relation::Less => "LESS",
                Relation::LessOrEqual => "LESSEQ",
                Relation::Greater => "GREAT",
                Relation::GreaterOrEqual => "GREATEQ",
            };
            format!("{name}({}, {})", v(x), v(w))
        }
    }
}

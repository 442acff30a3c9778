//! A program as the kernel reads it: each step as 32 bytes.
//!
//! Steps keep their numbers, so that jumps lead where they led. What is common in loops is
//! fused: where such a row of operations starts, there is one operation for all of them, which
//! leads on behind them; the others keep their places, for jumps to them. Results are the
//! same, and so are errors.

use bytemuck::{Pod, Zeroable};

use super::{Instruction, Program};
use crate::language::{Condition, FieldVar, Index, IntVar, Logic, Op, Relation, Vector};

/// A step: `Code` in `kernels/star/interpreter/code.cuh`.
///
/// In general `z`, `x` and `y` are where vectors start, `len` their bits, `index` an integer or
/// a position, `a` the step that a jump leads to, or `a` and `b` the address of a table's first
/// column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Code {
    head: u32,
    z: u32,
    x: u32,
    y: u32,
    len: u32,
    index: u32,
    a: u32,
    b: u32,
}

macro_rules! operations {
    ($($name:ident,)*) => {
        /// `Operation` of the kernel, in its order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        enum Operation {
            $($name,)*
        }

        #[cfg(test)]
        const OPERATIONS: &[Operation] = &[$(Operation::$name,)*];
    };
}

operations! {
    End, Fill, Copy, Not, And, AndNot, Or, Xor, SetBit, First, Find, Step, Count, Trim, Replace,
    Add, Subtract, ReadColumn, WriteColumn, ReadRow, WriteRow, ClearTable, SetInt, AddInt,
    AddInts, Jump, IfSome, IfFound, IfBit, IfOrder, IfCompare, Start, Repeat, TakeFirst, UpdateAnd, UpdateAndNot, UpdateOr,
    UpdateXor, UpdateNotAnd,
}

/// The index is the position itself.
const CONSTANT: u32 = 0x8000;
/// The bit, or the answer, that is meant is one.
const ONE: u32 = 0x100;
/// The loop counts downwards.
const BACK: u32 = 0x200;
/// The step after an update finds the number of the next column, and leads back.
const REPEATS: u32 = 0x400;
/// The step may jump.
const JUMPS: u32 = 1 << 31;

/// Where the variables of a program are.
pub(crate) struct Addresses {
    /// The word that each vector starts at.
    pub(crate) vectors: Vec<u32>,
    /// The address of each table.
    pub(crate) tables: Vec<u64>,
}

impl Code {
    /// A step that is followed by the one `skip` further.
    fn new(operation: Operation, skip: u32) -> Self {
        Self { head: operation as u32 | skip << 16, ..Self::zeroed() }
    }

    /// With a bit, an answer or the like.
    fn with(mut self, flags: u32, holds: bool) -> Self {
        self.head |= if holds { flags } else { 0 };
        self
    }

    /// With a step that it may jump to.
    fn to(mut self, to: u32) -> Self {
        self.head |= JUMPS;
        self.a = to;
        self
    }

    fn at(mut self, at: Index) -> Self {
        match at {
            Index::At(position) => {
                self.head |= CONSTANT;
                self.index = position;
            }
            Index::In(i) => self.index = i.place(),
        }
        self
    }
}

impl Program {
    /// The program for the kernel.
    pub(crate) fn encode(&self, addresses: &Addresses) -> Vec<Code> {
        let encoder = Encoder { program: self, addresses };
        let steps = (0..self.instructions.len()).map(|at| {
            let fused = encoder.fused_step(at).or_else(|| encoder.fused_update(at));
            fused.unwrap_or_else(|| encoder.plain(&self.instructions[at]))
        });
        steps.chain([Code::new(Operation::End, 0)]).collect()
    }
}

struct Encoder<'a> {
    program: &'a Program,
    addresses: &'a Addresses,
}

impl Encoder<'_> {
    fn vector(&self, x: Vector) -> u32 {
        self.addresses.vectors[x.place() as usize]
    }

    /// With the address of a field, and its table's number for the account of barriers.
    fn field(&self, mut code: Code, field: FieldVar) -> Code {
        let first = u64::from(field.first) * u64::from(field.table.rows.div_ceil(64)) * 8;
        let address = self.addresses.tables[field.table.place() as usize] + first;
        code.head |= (field.table.place() % 32) << 24;
        (code.a, code.b) = (address as u32, (address >> 32) as u32);
        code
    }

    /// The number of a counter among the integers.
    fn counter(&self, counter: u32) -> u32 {
        self.program.n_ints + counter
    }

    fn plain(&self, instruction: &Instruction) -> Code {
        match *instruction {
            Instruction::Do(ref op) => self.operation(op),
            Instruction::Pass(_) => Code::new(Operation::End, 0),
            Instruction::Branch { ref condition, answer, to } => {
                self.question(condition).with(ONE, answer).to(to)
            }
            Instruction::Call { .. } | Instruction::Return { .. } => Code::new(Operation::End, 0),
            Instruction::Jump { to } => Code::new(Operation::Jump, 1).to(to),
            Instruction::Start { counter, i, first } => {
                let code = Code::new(Operation::Start, 1);
                Code { x: self.counter(counter), index: i.place(), y: first, ..code }
            }
            Instruction::Repeat { counter, i, last, back, to } => {
                let code = Code::new(Operation::Repeat, 1).with(BACK, back).to(to);
                Code { x: self.counter(counter), index: i.place(), y: last, ..code }
            }
        }
    }

    /// An operation on whole vectors.
    fn vectors(&self, operation: Operation, z: Vector, x: Vector, y: Vector) -> Code {
        let code = Code::new(operation, 1);
        Code { z: self.vector(z), x: self.vector(x), y: self.vector(y), len: z.len, ..code }
    }

    /// An operation that finds an integer from a vector.
    fn find(&self, operation: Operation, i: IntVar, x: Vector) -> Code {
        Code { index: i.place(), ..self.vectors(operation, x, x, x) }
    }

    fn column(&self, code: Code, x: Vector, table: FieldVar, column: Index) -> Code {
        let x = self.vector(x);
        let code = Code { z: x, x, y: table.columns, len: table.table.rows, ..code };
        self.field(code, table).at(column)
    }

    fn operation(&self, op: &Op) -> Code {
        match *op {
            Op::Fill { z, ones } => self.vectors(Operation::Fill, z, z, z).with(ONE, ones),
            Op::Copy { z, x } => self.vectors(Operation::Copy, z, x, x),
            Op::Not { z, x } => self.vectors(Operation::Not, z, x, x),
            Op::Logic { logic, z, x, y } => {
                let operation = match logic {
                    Logic::And => Operation::And,
                    Logic::AndNot => Operation::AndNot,
                    Logic::Or => Operation::Or,
                    Logic::Xor => Operation::Xor,
                };
                self.vectors(operation, z, x, y)
            }
            Op::SetBit { z, at, bit } => {
                self.vectors(Operation::SetBit, z, z, z).with(ONE, bit).at(at)
            }
            Op::First { z, x } => self.vectors(Operation::First, z, x, x),
            Op::Find { i, x } => self.find(Operation::Find, i, x),
            Op::Step { i, x } => self.find(Operation::Step, i, x),
            Op::Count { i, x } => self.find(Operation::Count, i, x),
            Op::Trim { z, x, from } => {
                Code { y: x.len, ..self.vectors(Operation::Trim, z, x, x) }.at(from)
            }
            Op::Replace { z, x, from } => {
                Code { y: x.len, ..self.vectors(Operation::Replace, z, x, x) }.at(from)
            }
            Op::ToWord { z, i } => self.vectors(Operation::End, z, z, z).at(i),
            Op::ToInt { i, w } => self.find(Operation::End, i, w),
            Op::Add { z, v, w, carry } => {
                Code { index: carry.place(), ..self.vectors(Operation::Add, z, v, w) }
            }
            Op::Subtract { z, v, w, borrow } => {
                Code { index: borrow.place(), ..self.vectors(Operation::Subtract, z, v, w) }
            }
            Op::ReadColumn { z, table, column } => {
                self.column(Code::new(Operation::ReadColumn, 1), z, table, column)
            }
            Op::WriteColumn { table, column, x } => {
                self.column(Code::new(Operation::WriteColumn, 1), x, table, column)
            }
            Op::ReadRow { z, table, row } => {
                let stride = table.table.rows.div_ceil(64);
                let code = Code { x: stride, ..self.vectors(Operation::ReadRow, z, z, z) };
                self.field(Code { y: table.table.rows, ..code }, table).at(row)
            }
            Op::WriteRow { table, row, x } => {
                let stride = table.table.rows.div_ceil(64);
                let code = Code { z: stride, ..self.vectors(Operation::WriteRow, x, x, x) };
                self.field(Code { y: table.table.rows, ..code }, table).at(row)
            }
            Op::ClearTable { table } => {
                let words = u64::from(table.rows.div_ceil(64)) * u64::from(table.columns);
                let code = Code::new(Operation::ClearTable, 1);
                let code = Code { x: words as u32, y: (words >> 32) as u32, ..code };
                self.field(code, table.into())
            }
            Op::SetInt { i, value } => {
                let code = Code::new(Operation::SetInt, 1);
                Code { index: i.place(), x: value.unwrap_or(u32::MAX), ..code }
            }
            Op::AddInt { i, j, by } => {
                let code = Code::new(Operation::AddInt, 1);
                Code { index: i.place(), x: j.place(), y: by as u32, ..code }
            }
            Op::AddInts { i, j, k, is_minus, by } => {
                let code = Code::new(Operation::AddInts, 1).with(ONE, is_minus);
                Code { index: i.place(), x: j.place(), z: k.place(), y: by as u32, ..code }
            }
        }
    }

    fn question(&self, condition: &Condition) -> Code {
        match *condition {
            Condition::Some(x) => self.vectors(Operation::IfSome, x, x, x),
            Condition::Found(i) => Code { index: i.place(), ..Code::new(Operation::IfFound, 1) },
            Condition::Bit { x, at } => self.vectors(Operation::IfBit, x, x, x).at(at),
            Condition::Order { relation, i, j } => {
                let code = Code::new(Operation::IfOrder, 1).at(j);
                Code { z: orders(relation), x: i.place(), ..code }
            }
            Condition::Compare { relation, v, w } => {
                Code { z: orders(relation), ..self.vectors(Operation::IfCompare, v, v, w) }
            }
        }
    }

    /// `while SOME(x) do i := STEP(x) ..` and `i := STEP(x); while i > 0`, the question and
    /// `STEP` in one.
    fn fused_step(&self, at: usize) -> Option<Code> {
        let step = |at: usize| match self.program.instructions.get(at) {
            Some(&Instruction::Do(Op::Step { i, x })) => Some((i, x)),
            _ => None,
        };
        let here = at as u32;
        if let Some((i, x)) = step(at) {
            let Some(&Instruction::Branch { condition, answer: true, to }) =
                self.program.instructions.get(at + 1)
            else {
                return None;
            };
            let code = Code::new(Operation::TakeFirst, 2).with(ONE, true).to(to);
            return (condition == Condition::Found(i) && to <= here)
                .then(|| self.take_first(code, i, x));
        }
        let Some(&Instruction::Branch { condition: Condition::Some(some), answer, to }) =
            self.program.instructions.get(at)
        else {
            return None;
        };
        // where STEP follows, and where it goes on if there is no one
        let (taken, skip) = if answer { (to, 1) } else { (here + 1, to.checked_sub(here)?) };
        let (i, x) = step(taken as usize)?;
        let code = Code::new(Operation::TakeFirst, skip & 0xff).to(taken + 1);
        (x == some && (1..256).contains(&skip)).then(|| self.take_first(code, i, x))
    }

    fn take_first(&self, code: Code, i: IntVar, x: Vector) -> Code {
        Code { x: self.vector(x), len: x.len, index: i.place(), ..code }
    }

    /// `v := COL(i, t); v := v or w; COL(i, t) := v`, and with other functions.
    fn fused_update(&self, at: usize) -> Option<Code> {
        let [
            Instruction::Do(Op::ReadColumn { z, table, column }),
            Instruction::Do(Op::Logic { logic, z: v, x, y }),
            Instruction::Do(Op::WriteColumn { table: to, column: there, x: written }),
        ] = *self.program.instructions.get(at..at + 3)?
        else {
            return None;
        };
        if z != v || v != written || (table, column) != (to, there) || (x == v) == (y == v) {
            return None;
        }
        let operation = match logic {
            Logic::And => Operation::UpdateAnd,
            Logic::AndNot if x == v => Operation::UpdateAndNot,
            Logic::AndNot => Operation::UpdateNotAnd,
            Logic::Or => Operation::UpdateOr,
            Logic::Xor => Operation::UpdateXor,
        };
        let other = if x == v { y } else { x };
        let code = self.column(Code::new(operation, 3), v, table, column);
        let code = Code { x: self.vector(other), ..code };
        let repeats = self.fused_step(at + 3).is_some_and(|step| {
            let apart = step.x != code.z && step.x != code.x;
            apart
                && step.a == at as u32
                && matches!(column, Index::In(i) if i.place() == step.index)
        });
        Some(code.with(REPEATS, repeats))
    }
}

/// Which of less, equal and greater a relation is true of.
fn orders(relation: Relation) -> u32 {
    match relation {
        Relation::Less => 1,
        Relation::Equal => 2,
        Relation::LessOrEqual => 3,
        Relation::Greater => 4,
        Relation::NotEqual => 5,
        Relation::GreaterOrEqual => 6,
    }
}

#[cfg(test)]
mod tests {
    use kernels::layout;
    use kernels::layout::{STAR_CODE, block, layout_in, number};

    use super::*;
    use crate::{Recorder, procedures};

    fn heads(program: &Program) -> Vec<u32> {
        let vectors = (0..).step_by(16).take(program.vectors.len()).collect();
        let addresses = Addresses { vectors, tables: vec![0; program.tables.len()] };
        program.encode(&addresses).iter().map(|code| code.head).collect()
    }

    #[test]
    fn the_inner_loops_of_warshall_are_two_steps() {
        let mut recorder = Recorder::new();
        let p = recorder.parameter_table(100, 100).unwrap();
        procedures::warshall_columns(&mut recorder, p, 0..100).unwrap();
        let program = recorder.finish();
        let [update, step] = [Operation::UpdateOr as u32, Operation::TakeFirst as u32];
        let heads = heads(&program);
        let at = heads.iter().position(|head| head & 0xff == update).unwrap();
        assert_ne!(heads[at] & REPEATS, 0, "{program}");
        assert_eq!(heads[at + 3] & 0xff, step, "{program}");
    }

    #[test]
    fn steps_are_those_of_the_kernel() {
        let source = STAR_CODE;
        let fields = layout!(Code: head, z, x, y, len, index, a, b);
        assert_eq!(fields, layout_in(source, "Code"));
        let names = block(source, "enum Operation : u32 {");
        let names: Vec<_> = names.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
        let ours: Vec<_> = OPERATIONS.iter().map(|operation| format!("{operation:?}")).collect();
        assert_eq!(names, ours);
        assert!((0..).zip(OPERATIONS).all(|(number, &operation)| operation as u32 == number));
        let flags = [
            ("constant_position", CONSTANT),
            ("one", ONE),
            ("backwards", BACK),
            ("repeats", REPEATS),
        ];
        for (name, flag) in flags {
            assert_eq!(number(source, &format!(" {name}")), flag, "{name}");
        }
        // the parts of the head, of which `Code::new`, `to` and `field` make it
        for part in ["head & 0xff;", "head >> 16 & 0xff;", "head >> 31;", "head >> 24 & 31)"] {
            assert!(source.contains(part), "{part}");
        }
        let code = Code::new(Operation::UpdateNotAnd, 3).to(5);
        let last = OPERATIONS.len() as u32 - 1;
        assert_eq!((code.head & 0xff, code.head >> 16 & 0xff, code.head >> 31), (last, 3, 1));
    }
}

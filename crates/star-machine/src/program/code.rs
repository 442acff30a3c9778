//! A program as the kernel reads it: each step as 80 bytes, of which 32 are always read.
//!
//! Steps keep their numbers, so that jumps lead where they led.

mod fused;
mod passes;

use bytemuck::{Pod, Zeroable};

use super::{Instruction, Program};
use crate::language::check::numbers;
use crate::language::{Condition, FieldVar, Index, IntVar, Logic, Op, Relation, Vector};

/// A step: `Code` and `More` in `kernels/star/interpreter/code.cuh`.
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
    /// From here on: `More` of the kernel.
    other_a: u32,
    other_b: u32,
    to_a: u32,
    to_b: u32,
    equal: u32,
    greater: u32,
    number: u32,
    other_number: u32,
    to_number: u32,
    fields: u32,
    other_fields: u32,
    to_fields: u32,
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
    AddInts, Jump, Call, Return, IfSome, IfFound, IfBit, IfOrder, IfCompare, Start, Repeat,
    TakeFirst, UpdateAnd, UpdateAndNot, UpdateOr, UpdateXor, UpdateNotAnd, ToWord, ToInt,
    EqualRows, CompareRows, LeastRows, Merge, AddRows, SubtractRows, Relax,
}

/// The index is the position itself.
const CONSTANT: u32 = 0x8000;
/// The bit, or the answer, that is meant is one.
const ONE: u32 = 0x100;
/// The loop counts downwards.
const BACK: u32 = 0x200;
/// The step after an update finds the number of the next column, and leads back.
const REPEATS: u32 = 0x400;
/// A field is one by a number.
const NUMBERED: u32 = 0x800;
/// A word stands for a table.
const OF_WORD: u32 = 0x1000;
/// Rows that are not marked keep their values.
const KEEPS: u32 = 0x2000;
/// All rows are marked.
const EVERYWHERE: u32 = 0x4000;
/// A column that is written may be another one of those that are read.
const SHIFTED: u32 = 0x2000_0000;
/// No integer.
const NONE: u32 = u32::MAX;
/// Bits of a word of the kernel.
pub(crate) const WORD_BITS: u32 = 32;

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
        let none = Self::zeroed();
        let head = operation as u32 | skip << 16;
        Self { head, number: NONE, other_number: NONE, to_number: NONE, ..none }
    }

    /// The same for more steps than one.
    fn instead_of(mut self, operation: Operation, skip: u32) -> Self {
        self.head = self.head & !0xff_00ff | operation as u32 | skip << 16;
        self
    }

    /// With a bit, an answer or the like.
    fn with(mut self, flags: u32, holds: bool) -> Self {
        self.head |= if holds { flags } else { 0 };
        self
    }

    /// With a step that it may jump to.
    fn to(mut self, to: u32) -> Self {
        self.a = to;
        self
    }

    fn at(self, at: Index) -> Self {
        let (is_constant, index) = position(at);
        Self { index, ..self }.with(CONSTANT, is_constant)
    }
}

/// Whether it is a position itself, and that or the integer that holds it.
fn position(at: Index) -> (bool, u32) {
    match at {
        Index::At(position) => (true, position),
        Index::In(i) => (false, i.place()),
    }
}

impl Program {
    /// The program for the kernel.
    pub(crate) fn encode(&self, addresses: &Addresses) -> Vec<Code> {
        let encoder = Encoder { program: self, addresses };
        let steps = (0..self.instructions.len())
            .map(|at| encoder.fused(at).unwrap_or_else(|| encoder.plain(&self.instructions[at])));
        steps.chain([Code::new(Operation::End, 0)]).collect()
    }

    /// Whether there is a loop that changes one column after another, which are then shared out.
    pub(crate) fn updates_columns(&self, vectors: Vec<u32>) -> bool {
        let addresses = Addresses { vectors, tables: vec![0; self.tables.len()] };
        self.encode(&addresses).iter().any(|code| code.head & REPEATS != 0)
    }
}

/// Where a field is: its address; the integer with its number, if it is one by a number, and
/// how many there are.
struct Place {
    address: [u32; 2],
    number: u32,
    fields: u32,
}

struct Encoder<'a> {
    program: &'a Program,
    addresses: &'a Addresses,
}

impl Encoder<'_> {
    fn vector(&self, x: Vector) -> u32 {
        self.addresses.vectors[x.place() as usize]
    }

    /// With a field, and its table's number for the account of barriers.
    fn field(&self, code: Code, field: FieldVar) -> Code {
        let Place { address: [a, b], number, fields } = self.place(Some(field));
        let head = code.head | (field.table.place() % 32) << 24;
        Code { head, a, b, number, fields, ..code }.with(NUMBERED, number != NONE)
    }

    /// Where a field is; of none all is zero.
    fn place(&self, field: Option<FieldVar>) -> Place {
        let Some(FieldVar { table, first, columns, number }) = field else {
            return Place { address: [0, 0], number: NONE, fields: 0 };
        };
        let before = u64::from(first) * u64::from(table.rows.div_ceil(64)) * 8;
        let address = self.addresses.tables[table.place() as usize] + before;
        Place {
            address: [address as u32, (address >> 32) as u32],
            // without columns all are the same
            number: number.filter(|_| columns != 0).map_or(NONE, IntVar::place),
            fields: (table.columns - first).checked_div(columns).unwrap_or(0),
        }
    }

    /// The number of a counter among the integers.
    fn counter(&self, counter: u32) -> u32 {
        self.program.n_ints + counter
    }

    fn plain(&self, instruction: &Instruction) -> Code {
        match *instruction {
            Instruction::Do(ref op) => self.operation(op),
            Instruction::Pass(ref procedure) => self.pass(procedure),
            Instruction::Branch { ref condition, answer, to } => {
                self.question(condition).with(ONE, answer).to(to)
            }
            Instruction::Jump { to } => Code::new(Operation::Jump, 1).to(to),
            Instruction::Call { to, link } => {
                Code { index: link.place(), ..Code::new(Operation::Call, 1).to(to) }
            }
            Instruction::Return { link } => {
                Code { index: link.place(), ..Code::new(Operation::Return, 1) }
            }
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
            Op::ToWord { z, i } => {
                Code { y: numbers(z), ..self.vectors(Operation::ToWord, z, z, z) }.at(i)
            }
            Op::ToInt { i, w } => self.find(Operation::ToInt, i, w),
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
                let stride = stride_of(table.table.rows);
                let code = Code { x: stride, ..self.vectors(Operation::ReadRow, z, z, z) };
                self.field(Code { y: table.table.rows, ..code }, table).at(row)
            }
            Op::WriteRow { table, row, x } => {
                let stride = stride_of(table.table.rows);
                let code = Code { z: stride, ..self.vectors(Operation::WriteRow, x, x, x) };
                self.field(Code { y: table.table.rows, ..code }, table).at(row)
            }
            Op::ClearTable { table } => {
                let words = u64::from(stride_of(table.rows)) * u64::from(table.columns);
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
}

/// Words of the kernel from a column to the next.
fn stride_of(rows: u32) -> u32 {
    rows.div_ceil(64) * (64 / WORD_BITS)
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
    use test_support::layout::{block, layout_in, number};
    use test_support::{kernel_source, layout};

    use super::fused::{ASKS, FINDS, FORGETS, MAKES};
    use super::*;

    #[test]
    fn steps_are_those_of_the_kernel() {
        let source = kernel_source!("star/interpreter/code.cuh");
        let (ours, size) = layout!(Code: head, z, x, y, len, index, a, b, other_a, other_b, to_a,
            to_b, equal, greater, number, other_number, to_number, fields, other_fields, to_fields);
        let [(first, first_size), (more, more_size)] =
            ["Code", "More"].map(|name| layout_in(&[source], name));
        let more = more.into_iter().map(|(name, at, size)| (name, first_size + at, size));
        assert_eq!(ours, first.into_iter().chain(more).collect::<Vec<_>>());
        assert_eq!(size, first_size + more_size);
        let names = block(source, "enum Operation : u32 {");
        let names: Vec<_> = names.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
        let ours: Vec<_> = OPERATIONS.iter().map(|operation| format!("{operation:?}")).collect();
        assert_eq!(names, ours);
        assert!((0..).zip(OPERATIONS).all(|(number, &operation)| operation as u32 == number));
        let flags = [
            ("constant_position", CONSTANT),
            ("one", ONE),
            ("backwards", BACK),
            ("finds", FINDS),
            ("repeats", REPEATS),
            ("numbered", NUMBERED),
            ("of_word", OF_WORD),
            ("keeps", KEEPS),
            ("everywhere", EVERYWHERE),
            ("makes", MAKES),
            ("asks", ASKS),
            ("forgets", FORGETS),
            ("shifted", SHIFTED),
            ("word_bits", WORD_BITS),
        ];
        for (name, flag) in flags {
            assert_eq!(number(source, &format!(" {name}")), flag, "{name}");
        }
        // the parts of the head, of which `Code::new`, `to` and `field` make it
        for part in ["(head & 0xff);", "head >> 16 & 0xff;", "head >> 24 & 31)"] {
            assert!(source.contains(part), "{part}");
        }
        let code = Code::new(Operation::UpdateNotAnd, 3).to(5);
        let last = Operation::UpdateNotAnd as u32;
        assert_eq!((code.head & 0xff, code.head >> 16 & 0xff, code.a), (last, 3, 5));
    }
}

//! A program as the kernel reads it: each step as 80 bytes, of which 32 are always read.
//!
//! Steps keep their numbers, so that jumps lead where they led.

mod fused;
mod passes;

use bytemuck::{Pod, Zeroable};

use super::{Instruction, Program};
use crate::language::sizes::numbers;
use crate::language::table::operations;
use crate::language::{
    Condition, FieldVar, Index, IntVar, Op, Relation, SliceVar, TableVar, Vector, WordVar,
};

/// A step: `Code` and `More` in `kernels/star/interpreter/code.cuh`.
///
/// In general `z`, `x` and `y` are where vectors start, `len` is their bits, and `index` is an
/// integer or a position. `a` is the step that a jump leads to, or `a` and `b` are the address of a
/// table's first column.
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

/// Declares the operations of the kernel, and their text there.
macro_rules! kernel_operations {
    ($($(#[doc = $comment:literal])* $name:ident,)*) => {
        /// `Operation` of the kernel, in its order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        enum Operation {
            $($(#[doc = $comment])* $name,)*
        }

        /// `kernels/star/interpreter/operations.cuh`: what a step of the interpreter does, in the
        /// order of the numbers that programs have for it. `cargo xtask ptx` writes it.
        pub fn operations_in_cuda() -> String {
            let operations = [
                $(concat!($("    //", $comment, "\n",)* "    ", stringify!($name), ",\n"),)*
            ];
            format!("{HEAD}{}}};\n", operations.concat())
        }
    };
}

const HEAD: &str = "\
// What a step does. An operation of two steps or three stands where the first of them was; the
// others stay, for those who jump to them. From crates/star-machine: the operations of
// src/language/table.rs, then those of src/program/code.rs. Written by `cargo xtask ptx`.
#pragma once

enum Operation : unsigned {
";

/// Reads the operations' names in the kernel, and where their operands go there.
macro_rules! codes {
    ($(
        $(#[$doc:meta])* $name:ident $called:literal
        ($($read:ident: $read_type:ty),*) -> ($($write:ident: $write_type:ty),*)
        [$($other:ident: $other_type:ty),*]
        {
            listing: $listing:expr, sizes: $sizes:expr, cost: $class:ident, method: $method:tt,
            $(texts: $texts:tt,)? code: [$($operation:ident),*] $code:expr,
        }
    )*) => {
        kernel_operations! {
            End,
            $($($operation,)*)*
            Jump, Call, Return, IfSome, IfFound, IfBit, IfOrder, IfCompare, Start, Repeat,
            /// `if SOME(x) then i := STEP(x), goto a`; with `one`, i is none otherwise
            TakeFirst,
            /// `z := COL(i, t) and x; COL(i, t) := z`, and the like
            UpdateAnd, UpdateAndNot, UpdateOr, UpdateXor,
            /// with the operands exchanged: `z := x and not COL(i, t)`
            UpdateNotAnd,
            /// MATCH, HIT
            EqualRows,
            /// LESS and GREAT, SETMIN
            CompareRows,
            /// MIN, MAX
            LeastRows,
            /// TCOPY, TMERGE, WCOPY, WMERGE
            Merge,
            /// ADDC, ADDV
            AddRows,
            /// SUBTC, SUBTV
            SubtractRows,
            /// `C := ADDC(t, Y, w; S); B := SETMIN(S, D, Y); E := B and not C; TMERGE(S, E; D)`
            Relax,
        }

        impl Encoder<'_> {
            fn operation(&self, op: &Op) -> Code {
                match *op {
                    $(Op::$name { $($read,)* $($write,)* $($other,)* } => {
                        self.encoded(&[$(Operation::$operation),*], $code)
                    })*
                }
            }
        }
    };
}

operations! { codes }

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

    /// The operation that is so much further on.
    fn further(mut self, distance: u32) -> Self {
        self.head += distance;
        self
    }

    /// With a step that it may jump to.
    fn to(self, a: u32) -> Self {
        Self { a, ..self }
    }

    fn z(self, z: u32) -> Self {
        Self { z, ..self }
    }

    fn x(self, x: u32) -> Self {
        Self { x, ..self }
    }

    fn y(self, y: u32) -> Self {
        Self { y, ..self }
    }

    fn int(self, i: IntVar) -> Self {
        Self { index: i.place(), ..self }
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
struct FieldAddress {
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
        let FieldAddress { address: [a, b], number, fields } = self.place(Some(field));
        let head = code.head | (field.table.place() % 32) << 24;
        Code { head, a, b, number, fields, ..code }.with(NUMBERED, number != NONE)
    }

    /// Where a field is; of none all is zero.
    fn place(&self, field: Option<FieldVar>) -> FieldAddress {
        let Some(FieldVar { table, first, columns, number }) = field else {
            return FieldAddress { address: [0, 0], number: NONE, fields: 0 };
        };
        let before = u64::from(first) * u64::from(table.rows.div_ceil(64)) * 8;
        let address = self.addresses.tables[table.place() as usize] + before;
        FieldAddress {
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
            Instruction::Call { to, link } => Code::new(Operation::Call, 1).to(to).int(link),
            Instruction::Return { link } => Code::new(Operation::Return, 1).int(link),
            Instruction::Start { counter, i, first } => {
                Code::new(Operation::Start, 1).x(self.counter(counter)).int(i).y(first)
            }
            Instruction::Repeat { counter, i, last, back, to } => {
                let code = Code::new(Operation::Repeat, 1).with(BACK, back).to(to);
                code.x(self.counter(counter)).int(i).y(last)
            }
        }
    }

    /// The first of these operations, with its operands.
    fn encoded(
        &self,
        operations: &[Operation],
        operands: impl FnOnce(&Self, Code) -> Code,
    ) -> Code {
        operands(self, Code::new(operations[0], 1))
    }

    /// With whole vectors, as many bits as the first has.
    fn vectors(
        &self,
        code: Code,
        z: impl Into<Vector>,
        x: impl Into<Vector>,
        y: impl Into<Vector>,
    ) -> Code {
        let z = z.into();
        let [x, y] = [x.into(), y.into()].map(|x| self.vector(x));
        Code { z: self.vector(z), x, y, len: z.len, ..code }
    }

    /// With a column, read or written.
    fn column(&self, code: Code, x: SliceVar, table: FieldVar, column: Index) -> Code {
        let code = self.vectors(code, x, x, x).y(table.columns);
        self.field(code, table).at(column)
    }

    /// With a row, read or written; the other one of `z` and `x` is its stride.
    fn row(&self, code: Code, w: WordVar, table: FieldVar, row: Index) -> Code {
        let code = self.vectors(code, w, w, w).y(table.table.rows);
        self.field(code, table).at(row)
    }

    /// With a whole table.
    fn whole(&self, code: Code, table: TableVar) -> Code {
        let words = u64::from(stride_of(table.rows)) * u64::from(table.columns);
        self.field(code.x(words as u32).y((words >> 32) as u32), table.into())
    }

    fn question(&self, condition: &Condition) -> Code {
        let new = |operation| Code::new(operation, 1);
        match *condition {
            Condition::Some(x) => self.vectors(new(Operation::IfSome), x, x, x),
            Condition::Found(i) => new(Operation::IfFound).int(i),
            Condition::Bit { x, at } => self.vectors(new(Operation::IfBit), x, x, x).at(at),
            Condition::Order { relation, i, j } => {
                new(Operation::IfOrder).at(j).z(orders(relation)).x(i.place())
            }
            Condition::Compare { relation, v, w } => {
                self.vectors(new(Operation::IfCompare), v, v, w).z(orders(relation))
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
    use test_support::layout::{layout_in, number};
    use test_support::{kernel_source, layout};

    use super::fused::{ASKS, FINDS, FORGETS, MAKES};
    use super::*;

    #[test]
    fn the_kernel_has_the_same_operations() {
        let committed = kernel_source!("star/interpreter/operations.cuh");
        assert_eq!(committed, operations_in_cuda(), "run cargo xtask ptx");
    }

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

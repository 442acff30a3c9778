//! The operations and procedures of a text: what they take and give, and what they do, once
//! each.

use crate::language::{
    Condition, FieldVar, Index, IntVar, Op, Relation, SliceVar, Vector, WordVar,
};
use crate::procedures::Procedure;

/// What an operand is; equal letters stand for equal sizes within an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// An integer.
    Int,
    /// A slice of so many rows.
    Slice(char),
    /// A word of so many columns.
    Word(char),
    /// Either, of so many bits.
    Bits(char),
    /// The same, of a variable that is changed.
    Changed(char),
    /// A table of so many rows and columns.
    Table(char, char),
    /// The same, which is changed.
    Written(char, char),
}

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// Nothing: it is a statement.
    Nothing,
    Int,
    Truth,
    Slice(char),
    Word(char),
    /// As the first operand.
    Same,
    /// A word for a slice, a slice for a word.
    Other,
}

/// What it does.
pub(super) enum Does {
    Op(fn(&Given) -> Op),
    Call(fn(&Given) -> Procedure),
    /// A procedure with two more results, which nobody looks at.
    CallBeside(fn(&Given) -> Procedure),
    Ask(fn(&Given) -> Condition),
    /// A number that is known when a text is compiled.
    Size,
}

/// An operation or a procedure.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) takes: &'static [Takes],
    pub(super) gives: Gives,
    pub(super) does: Does,
}

/// An operand of an operation that is given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Int(Index),
    Bits(Vector),
    Table(FieldVar),
}

/// The operands of an operation, and where its result goes.
pub(super) struct Given {
    pub(super) operands: Vec<Operand>,
    pub(super) z: Option<Vector>,
    pub(super) i: Option<IntVar>,
    /// Further results, which nobody looks at.
    pub(super) spare: Option<IntVar>,
    pub(super) beside: Option<[Vector; 2]>,
}

// Operands were compared with what the operation takes before it is made.
impl Given {
    fn x(&self, n: usize) -> Vector {
        match self.operands[n] {
            Operand::Bits(x) => x,
            other => unreachable!("{other:?} is no row of bits"),
        }
    }

    fn slice(&self, n: usize) -> SliceVar {
        SliceVar(self.x(n))
    }

    fn word(&self, n: usize) -> WordVar {
        WordVar(self.x(n))
    }

    fn table(&self, n: usize) -> FieldVar {
        match self.operands[n] {
            Operand::Table(table) => table,
            other => unreachable!("{other:?} is no table"),
        }
    }

    fn at(&self, n: usize) -> Index {
        match self.operands[n] {
            Operand::Int(at) => at,
            other => unreachable!("{other:?} is no integer"),
        }
    }

    fn z(&self) -> Vector {
        self.z.expect("made for an operation that gives bits")
    }

    fn found(&self) -> SliceVar {
        SliceVar(self.z())
    }

    fn i(&self) -> IntVar {
        self.i.expect("made for an operation that gives an integer")
    }

    fn beside(&self) -> [SliceVar; 2] {
        self.beside.expect("made for a procedure with three results").map(SliceVar)
    }

    fn spare(&self) -> IntVar {
        self.spare.expect("made for an operation with two results")
    }
}

impl Operation {
    /// The one of this name with so many operands.
    pub(super) fn find(name: &str, n_operands: usize) -> Option<&'static Self> {
        OPERATIONS.iter().find(|op| op.name == name && op.takes.len() == n_operands)
    }

    /// One of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|op| op.name == name)
    }
}

use Takes::{Bits, Changed, Int, Slice, Table, Word, Written};

macro_rules! operations {
    ($($name:literal($($takes:expr),*) -> $gives:expr => $does:expr;)*) => {
        &[$(Operation { name: $name, takes: &[$($takes),*], gives: $gives, does: $does },)*]
    };
}

macro_rules! compare {
    ($relation:ident) => {
        Does::Ask(|o| Condition::Compare { relation: Relation::$relation, v: o.x(0), w: o.x(1) })
    };
}

/// Rows less than a word, equal to it and greater, one of which is the result.
fn compared(o: &Given, results: fn(SliceVar, [SliceVar; 2]) -> [SliceVar; 3]) -> Procedure {
    let [less, equal, greater] = results(o.found(), o.beside());
    Procedure::Compare {
        table: o.table(0),
        rows: o.slice(1),
        word: o.word(2),
        less,
        equal,
        greater,
    }
}

static OPERATIONS: &[Operation] = operations! {
    "SET"(Changed('n')) -> Gives::Nothing => Does::Op(|o| Op::Fill { z: o.x(0), ones: true });
    "CLR"(Changed('n')) -> Gives::Nothing => Does::Op(|o| Op::Fill { z: o.x(0), ones: false });
    "FRST"(Bits('n')) -> Gives::Same => Does::Op(|o| Op::First { z: o.z(), x: o.x(0) });
    "CONVERT"(Bits('n')) -> Gives::Other => Does::Op(|o| Op::Copy { z: o.z(), x: o.x(0) });
    "FND"(Bits('n')) -> Gives::Int => Does::Op(|o| Op::Find { i: o.i(), x: o.x(0) });
    "STEP"(Changed('n')) -> Gives::Int => Does::Op(|o| Op::Step { i: o.i(), x: o.x(0) });
    "NUMB"(Bits('n')) -> Gives::Int => Does::Op(|o| Op::Count { i: o.i(), x: o.x(0) });
    "SOME"(Bits('n')) -> Gives::Truth => Does::Ask(|o| Condition::Some(o.x(0)));
    "COL"(Int, Table('r', 'c')) -> Gives::Slice('r')
        => Does::Op(|o| Op::ReadColumn { z: o.z(), table: o.table(1), column: o.at(0) });
    "ROW"(Int, Table('r', 'c')) -> Gives::Word('c')
        => Does::Op(|o| Op::ReadRow { z: o.z(), table: o.table(1), row: o.at(0) });
    "TRIM"(Int, Int, Word('m')) -> Gives::Word('n')
        => Does::Op(|o| Op::Trim { z: o.z(), x: o.x(2), from: o.at(0) });
    "TRIM"(Int, Word('m')) -> Gives::Word('n')
        => Does::Op(|o| Op::Trim { z: o.z(), x: o.x(1), from: o.at(0) });
    "REP"(Int, Int, Word('n'), Changed('m')) -> Gives::Nothing
        => Does::Op(|o| Op::Replace { z: o.x(3), x: o.x(2), from: o.at(0) });
    "REP"(Int, Word('n'), Changed('m')) -> Gives::Nothing
        => Does::Op(|o| Op::Replace { z: o.x(2), x: o.x(1), from: o.at(0) });
    "WORD"(Int) -> Gives::Word('n') => Does::Op(|o| Op::ToWord { z: o.z(), i: o.at(0) });
    "NUMBER"(Word('n')) -> Gives::Int => Does::Op(|o| Op::ToInt { i: o.i(), w: o.x(0) });
    "ROWS"(Table('r', 'c')) -> Gives::Int => Does::Size;
    "COLUMNS"(Table('r', 'c')) -> Gives::Int => Does::Size;
    "ADD"(Word('n'), Word('n')) -> Gives::Word('n')
        => Does::Op(|o| Op::Add { z: o.z(), v: o.x(0), w: o.x(1), carry: o.spare() });
    "SUBT"(Word('n'), Word('n')) -> Gives::Word('n')
        => Does::Op(|o| Op::Subtract { z: o.z(), v: o.x(0), w: o.x(1), borrow: o.spare() });
    "EQ"(Word('n'), Word('n')) -> Gives::Truth => compare!(Equal);
    "NOTEQ"(Word('n'), Word('n')) -> Gives::Truth => compare!(NotEqual);
    "LESS"(Word('n'), Word('n')) -> Gives::Truth => compare!(Less);
    "LESSEQ"(Word('n'), Word('n')) -> Gives::Truth => compare!(LessOrEqual);
    "GREAT"(Word('n'), Word('n')) -> Gives::Truth => compare!(Greater);
    "GREATEQ"(Word('n'), Word('n')) -> Gives::Truth => compare!(GreaterOrEqual);
    "MATCH"(Table('r', 'c'), Slice('r'), Word('c')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::Match {
            table: o.table(0), rows: o.slice(1), word: o.word(2), z: o.found() });
    "LESS"(Table('r', 'c'), Slice('r'), Word('c')) -> Gives::Slice('r')
        => Does::CallBeside(|o| compared(o, |less, [equal, greater]| [less, equal, greater]));
    "GREAT"(Table('r', 'c'), Slice('r'), Word('c')) -> Gives::Slice('r')
        => Does::CallBeside(|o| compared(o, |greater, [less, equal]| [less, equal, greater]));
    "MIN"(Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::Min { table: o.table(0), rows: o.slice(1), z: o.found() });
    "MAX"(Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::Max { table: o.table(0), rows: o.slice(1), z: o.found() });
    "SETMIN"(Table('r', 'c'), Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SetMin {
            table: o.table(0), other: o.table(1), rows: o.slice(2), signed: false, z: o.found() });
    "SETMAX"(Table('r', 'c'), Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SetMin {
            table: o.table(1), other: o.table(0), rows: o.slice(2), signed: false, z: o.found() });
    "SETMINS"(Table('r', 'c'), Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SetMin {
            table: o.table(0), other: o.table(1), rows: o.slice(2), signed: true, z: o.found() });
    "SETMAXS"(Table('r', 'c'), Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SetMin {
            table: o.table(1), other: o.table(0), rows: o.slice(2), signed: true, z: o.found() });
    "HIT"(Table('r', 'c'), Table('r', 'c'), Slice('r')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::Hit {
            table: o.table(0), other: o.table(1), rows: o.slice(2), z: o.found() });
    "TCOPY"(Table('r', 'c'), Written('r', 'c')) -> Gives::Nothing
        => Does::Call(|o| Procedure::CopyTable { table: o.table(0), to: o.table(1) });
    "TMERGE"(Table('r', 'c'), Slice('r'), Written('r', 'c')) -> Gives::Nothing
        => Does::Call(|o| Procedure::MergeTable {
            table: o.table(0), rows: o.slice(1), to: o.table(2) });
    "WCOPY"(Word('c'), Slice('r'), Written('r', 'c')) -> Gives::Nothing
        => Does::Call(|o| Procedure::CopyWord {
            word: o.word(0), rows: o.slice(1), to: o.table(2) });
    "WMERGE"(Word('c'), Slice('r'), Written('r', 'c')) -> Gives::Nothing
        => Does::Call(|o| Procedure::MergeWord {
            word: o.word(0), rows: o.slice(1), to: o.table(2) });
    "ADDC"(Table('r', 'c'), Slice('r'), Word('c'), Written('r', 'c')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::AddWord {
            table: o.table(0), rows: o.slice(1), word: o.word(2), to: o.table(3),
            carry: o.found() });
    "ADDV"(Table('r', 'c'), Table('r', 'c'), Slice('r'), Written('r', 'c')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::AddTable {
            table: o.table(0), other: o.table(1), rows: o.slice(2), to: o.table(3),
            carry: o.found() });
    "SUBTC"(Table('r', 'c'), Slice('r'), Word('c'), Written('r', 'c')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SubtractWord {
            table: o.table(0), rows: o.slice(1), word: o.word(2), to: o.table(3),
            borrow: o.found() });
    "SUBTV"(Table('r', 'c'), Table('r', 'c'), Slice('r'), Written('r', 'c')) -> Gives::Slice('r')
        => Does::Call(|o| Procedure::SubtractTable {
            table: o.table(0), other: o.table(1), rows: o.slice(2), to: o.table(3),
            borrow: o.found() });
};

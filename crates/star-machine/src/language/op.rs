//! What a machine can do: its instructions, and the conditions that it evaluates.

use std::fmt;

use super::operand::{Operand, Role, Visit, instructions};
use super::{FieldVar, IntVar, TableVar, Vector, WordVar};

/// A position: a number, or the value of an integer variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// This position.
    At(u32),
    /// The position that the variable holds; an error where it holds none.
    In(IntVar),
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "{at}"),
            Self::In(i) => write!(f, "{i}"),
        }
    }
}

impl From<IntVar> for Index {
    fn from(variable: IntVar) -> Self {
        Self::In(variable)
    }
}

impl From<u32> for Index {
    fn from(position: u32) -> Self {
        Self::At(position)
    }
}

/// A function of two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    /// Both.
    And,
    /// The first and not the second.
    AndNot,
    /// The first, the second or both.
    Or,
    /// Exactly one of them.
    Xor,
}

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And => "and",
            Self::AndNot => "and not",
            Self::Or => "or",
            Self::Xor => "xor",
        })
    }
}

/// How two numbers compare; of words the first bit is the most significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `EQ`
    Equal,
    /// `NOTEQ`
    NotEqual,
    /// `LESS`
    Less,
    /// `LESSEQ`
    LessOrEqual,
    /// `GREAT`
    Greater,
    /// `GREATEQ`
    GreaterOrEqual,
}

impl Relation {
    fn name(self) -> &'static str {
        match self {
            Self::Equal => "EQ",
            Self::NotEqual => "NOTEQ",
            Self::Less => "LESS",
            Self::LessOrEqual => "LESSEQ",
            Self::Greater => "GREAT",
            Self::GreaterOrEqual => "GREATEQ",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// The number, if an integer can hold it.
pub(crate) fn integer(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&number| number < 1 << 31)
}

/// The sum or difference that `AddInt` and `AddInts` give.
pub(crate) fn sum(j: Option<u32>, k: Option<u32>, is_minus: bool, by: i32) -> Option<u32> {
    let (j, k) = (i64::from(j?), i64::from(k?));
    let sum = if is_minus { j - k } else { j + k } + i64::from(by);
    u64::try_from(sum).ok().and_then(integer)
}

instructions! {
    /// An instruction. A result may also be an operand.
    ///
    /// The vectors of an instruction have the same length unless stated otherwise.
    pub enum Op

    /// `SET(z)` or `CLR(z)`: every bit of `z` becomes `ones`. Free on the abstract machine.
    Fill "SET or CLR" () -> (z: Vector) [ones: bool]
        => format!("{}({z})", if ones { "SET" } else { "CLR" });
    /// `z := x`, and `CONVERT` where one is a slice and the other a word. Free.
    Copy "an assignment" (x: Vector) -> (z: Vector) [] => format!("{z} := {x}");
    /// `z := not x`.
    Not "not" (x: Vector) -> (z: Vector) [] => format!("{z} := not {x}");
    /// `z := x and y`, and the like.
    Logic "a bitwise operation" (x: Vector, y: Vector) -> (z: Vector) [logic: Logic]
        => format!("{z} := {x} {logic} {y}");
    /// `z(at) := bit`; the other bits stay.
    SetBit "setting a bit" (at: Index, z: Vector) -> () [bit: bool]
        => format!("{z}({at}) := {}", u8::from(bit));
    /// `z := FRST(x)`: `x` with all but its first 1 cleared.
    First "FRST" (x: Vector) -> (z: Vector) [] => format!("{z} := FRST({x})");
    /// `i := FND(x)`: the position of the first 1, or none.
    Find "FND" (x: Vector) -> (i: IntVar) [] => format!("{i} := FND({x})");
    /// `i := STEP(x)`: the position of the first 1, or none; that bit of `x` is cleared.
    Step "STEP" (x: Vector) -> (i: IntVar) [] => format!("{i} := STEP({x})");
    /// `i := NUMB(x)`: the number of ones in `x`.
    Count "NUMB" (x: Vector) -> (i: IntVar) [] => format!("{i} := NUMB({x})");
    /// `z := TRIM(from.., x)`: as many bits as `z` has, from position `from` on; `x` is not
    /// shorter than `from` and `z` together.
    Trim "TRIM" (from: Index, x: Vector) -> (z: Vector) []
        => format!("{z} := TRIM({from}.., {x})");
    /// `REP(from.., x, z)`: the bits of `z` from position `from` on become those of `x`; `z` is
    /// not shorter than `from` and `x` together.
    Replace "REP" (from: Index, x: Vector, z: Vector) -> () []
        => format!("REP({from}.., {x}, {z})");
    /// `z := WORD(i)`: the number, its most significant bit first; an error where it has more
    /// bits than `z`.
    ToWord "WORD" (i: Index) -> (z: Vector) [] => format!("{z} := WORD({i})");
    /// `i := NUMBER(w)`, or none from 2³¹ on.
    ToInt "NUMBER" (w: Vector) -> (i: IntVar) [] => format!("{i} := NUMBER({w})");
    /// `z := ADD(v, w)`, modulo 2 to the length; `carry` holds 0 if there is one, and none
    /// otherwise.
    Add "ADD" (v: Vector, w: Vector) -> (z: Vector, carry: IntVar) []
        => format!("{z}, {carry} := ADD({v}, {w})");
    /// `z := SUBT(v, w)`, modulo 2 to the length; `borrow` holds 0 if there is one, and none
    /// otherwise.
    Subtract "SUBT" (v: Vector, w: Vector) -> (z: Vector, borrow: IntVar) []
        => format!("{z}, {borrow} := SUBT({v}, {w})");
    /// `z := COL(column, table)`; `z` is as long as the table has rows.
    ReadColumn "COL" (column: Index, table: FieldVar) -> (z: Vector) []
        => format!("{z} := COL({column}, {table})");
    /// `COL(column, table) := x`; `x` is as long as the table has rows.
    WriteColumn "COL" (column: Index, x: Vector, table: FieldVar) -> () []
        => format!("COL({column}, {table}) := {x}");
    /// `z := ROW(row, table)`; `z` is as long as the table has columns.
    ReadRow "ROW" (row: Index, table: FieldVar) -> (z: Vector) []
        => format!("{z} := ROW({row}, {table})");
    /// `ROW(row, table) := x`; `x` is as long as the table has columns.
    WriteRow "ROW" (row: Index, x: Vector, table: FieldVar) -> () []
        => format!("ROW({row}, {table}) := {x}");
    /// Every bit of the table becomes 0. Free, as `CLR` is.
    ClearTable "CLEAR" () -> (table: TableVar) [] => format!("CLEAR({table})");
    /// `i := value`, below 2³¹, or none. Integers belong to the control unit and are free.
    SetInt "an integer" () -> (i: IntVar) [value: Option<u32>]
        => format!("{i} := {}", value.map_or("none".into(), |value| value.to_string()));
    /// `i := j + by`; none where `j` holds none or the sum is not in 0..2³¹.
    AddInt "an integer" (j: IntVar) -> (i: IntVar) [by: i32] => format!("{i} := {j} {by:+}");
    /// `i := j + k + by`, or `j - k + by` with `is_minus`; none where `j` or `k` holds none or the
    /// result is not in 0..2³¹.
    AddInts "an integer" (j: IntVar, k: IntVar) -> (i: IntVar) [is_minus: bool, by: i32]
        => format!("{i} := {j} {} {k} {by:+}", if is_minus { '-' } else { '+' });
}

/// A condition that a machine evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// `SOME(x)`: whether there is a 1.
    Some(Vector),
    /// Whether the variable holds a number: the papers' `i > 0`.
    Found(IntVar),
    /// `x(at)`: whether that bit is 1.
    Bit {
        /// The vector.
        x: Vector,
        /// The position.
        at: Index,
    },
    /// `i < j` and the like; none is less than every number.
    Order {
        /// The relation.
        relation: Relation,
        /// The first integer.
        i: IntVar,
        /// The second, or a number.
        j: Index,
    },
    /// `EQ(v, w)` and the like.
    Compare {
        /// The relation.
        relation: Relation,
        /// The first number.
        v: Vector,
        /// The second, of the same length.
        w: Vector,
    },
}

impl Condition {
    /// Calls `visit` with all operands; all are read.
    pub(crate) fn operands(&mut self, visit: Visit<'_>) {
        let mut read = |operand: Operand<'_>| visit(Role::Read, operand);
        match self {
            Self::Some(x) => read(x.into()),
            Self::Found(i) => read(i.into()),
            Self::Bit { x, at } => {
                read(at.into());
                read(x.into());
            }
            Self::Order { i, j, .. } => {
                read(i.into());
                read(j.into());
            }
            Self::Compare { v, w, .. } => {
                read(v.into());
                read(w.into());
            }
        }
    }

    /// `SOME(x)`
    #[must_use]
    pub fn some(x: impl Into<Vector>) -> Self {
        Self::Some(x.into())
    }

    /// `x(at)`
    #[must_use]
    pub fn bit(x: impl Into<Vector>, at: impl Into<Index>) -> Self {
        Self::Bit { x: x.into(), at: at.into() }
    }

    /// `EQ(v, w)` and the like.
    #[must_use]
    pub fn compare(relation: Relation, v: WordVar, w: WordVar) -> Self {
        Self::Compare { relation, v: v.0, w: w.0 }
    }
}

/// Its form in a listing.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Some(x) => write!(f, "SOME({x})"),
            Self::Found(i) => write!(f, "{i} holds a number"),
            Self::Bit { x, at } => write!(f, "{x}({at})"),
            Self::Order { relation, i, j } => write!(f, "{i} {} {j}", relation.sign()),
            Self::Compare { relation, v, w } => write!(f, "{}({v}, {w})", relation.name()),
        }
    }
}

//! What a machine can do: its instructions, and the questions it answers.

use super::{FieldVar, IntVar, TableVar, Vector, WordVar};

/// A position: a number, or what an integer variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// This one.
    At(u32),
    /// The one that the variable holds; an error where it holds none.
    In(IntVar),
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
    /// The first without the second.
    AndNot,
    /// One or both.
    Or,
    /// One of them.
    Xor,
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

/// The number as one that an integer holds.
pub(crate) fn integer(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|&number| number < 1 << 31)
}

/// Integers as `AddInt` and `AddInts` add them.
pub(crate) fn sum(j: Option<u32>, k: Option<u32>, is_minus: bool, by: i32) -> Option<u32> {
    let (j, k) = (i64::from(j?), i64::from(k?));
    let sum = if is_minus { j - k } else { j + k } + i64::from(by);
    u64::try_from(sum).ok().and_then(integer)
}

/// An instruction. Results come first; a result may be an operand too.
///
/// Vectors of one instruction have the same length unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `SET(z)` or `CLR(z)`: every bit of `z` becomes `ones`. Free on the abstract machine.
    Fill {
        /// The result.
        z: Vector,
        /// The bit.
        ones: bool,
    },
    /// `z := x`, and `CONVERT` where one is a slice and the other a word. Free.
    Copy {
        /// The result.
        z: Vector,
        /// The operand.
        x: Vector,
    },
    /// `z := not x`.
    Not {
        /// The result.
        z: Vector,
        /// The operand.
        x: Vector,
    },
    /// `z := x and y`, and the like.
    Logic {
        /// The function.
        logic: Logic,
        /// The result.
        z: Vector,
        /// The first operand.
        x: Vector,
        /// The second.
        y: Vector,
    },
    /// `z(at) := bit`.
    SetBit {
        /// The vector that is changed.
        z: Vector,
        /// The position.
        at: Index,
        /// The bit.
        bit: bool,
    },
    /// `z := FRST(x)`: the first one of `x` alone.
    First {
        /// The result.
        z: Vector,
        /// The operand.
        x: Vector,
    },
    /// `i := FND(x)`: the position of the first one, or none.
    Find {
        /// The result.
        i: IntVar,
        /// The operand.
        x: Vector,
    },
    /// `i := STEP(x)`: the position of the first one, or none; it is taken out of `x`.
    Step {
        /// The result.
        i: IntVar,
        /// The operand, which is changed.
        x: Vector,
    },
    /// `i := NUMB(x)`: the number of ones.
    Count {
        /// The result.
        i: IntVar,
        /// The operand.
        x: Vector,
    },
    /// `z := TRIM(from.., x)`: as many bits as `z` has, from position `from` on.
    Trim {
        /// The result.
        z: Vector,
        /// The operand, not shorter than `from` and `z` together.
        x: Vector,
        /// Where it starts.
        from: Index,
    },
    /// `REP(from.., x, z)`: the bits of `z` from position `from` on become those of `x`.
    Replace {
        /// The vector that is changed, not shorter than `from` and `x` together.
        z: Vector,
        /// The operand.
        x: Vector,
        /// Where it starts.
        from: Index,
    },
    /// `z := WORD(i)`: the number, its most significant bit first; an error where it has more
    /// bits than `z`.
    ToWord {
        /// The result.
        z: Vector,
        /// The number.
        i: Index,
    },
    /// `i := NUMBER(w)`, or none from 2³¹ on.
    ToInt {
        /// The result.
        i: IntVar,
        /// The operand.
        w: Vector,
    },
    /// `z := ADD(v, w)`, modulo 2 to the length; `carry` holds 0 if there is one, and none
    /// otherwise.
    Add {
        /// The sum.
        z: Vector,
        /// The first number.
        v: Vector,
        /// The second.
        w: Vector,
        /// Whether it did not fit.
        carry: IntVar,
    },
    /// `z := SUBT(v, w)`, modulo 2 to the length; `borrow` holds 0 if there is one, and none
    /// otherwise.
    Subtract {
        /// The difference.
        z: Vector,
        /// The first number.
        v: Vector,
        /// The second.
        w: Vector,
        /// Whether the second is greater.
        borrow: IntVar,
    },
    /// `z := COL(column, table)`.
    ReadColumn {
        /// The result, as long as the table has rows.
        z: Vector,
        /// The table.
        table: FieldVar,
        /// Which column of it.
        column: Index,
    },
    /// `COL(column, table) := x`.
    WriteColumn {
        /// The table.
        table: FieldVar,
        /// Which column of it.
        column: Index,
        /// The operand, as long as the table has rows.
        x: Vector,
    },
    /// `z := ROW(row, table)`.
    ReadRow {
        /// The result, as long as the table has columns.
        z: Vector,
        /// The table.
        table: FieldVar,
        /// Which row of it.
        row: Index,
    },
    /// `ROW(row, table) := x`.
    WriteRow {
        /// The table.
        table: FieldVar,
        /// Which row of it.
        row: Index,
        /// The operand, as long as the table has columns.
        x: Vector,
    },
    /// Every bit of the table becomes 0. Free, as `CLR` is: tables start so.
    ClearTable {
        /// The table.
        table: TableVar,
    },
    /// `i :=` a number, or none. Integers are the control unit's and free.
    SetInt {
        /// The result.
        i: IntVar,
        /// The number, below 2³¹.
        value: Option<u32>,
    },
    /// `i := j + by`; none where `j` holds none or the sum is not in 0..2³¹.
    AddInt {
        /// The result.
        i: IntVar,
        /// The operand.
        j: IntVar,
        /// What is added.
        by: i32,
    },
    /// `i := j + k + by`, or `j - k + by`; none where `j` or `k` holds none or the result is not in
    /// 0..2³¹.
    AddInts {
        /// The result.
        i: IntVar,
        /// The first operand.
        j: IntVar,
        /// The second.
        k: IntVar,
        /// Whether it is subtracted.
        is_minus: bool,
        /// What is added.
        by: i32,
    },
}

/// A question to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// `SOME(x)`: whether there is a one.
    Some(Vector),
    /// Whether the variable holds a number: the papers' `i > 0`.
    Found(IntVar),
    /// `x(at)`: whether that bit is one.
    Bit {
        /// The vector.
        x: Vector,
        /// The position.
        at: Index,
    },
    /// `i < j` and the like; none is less than any number.
    Order {
        /// What is asked.
        relation: Relation,
        /// The first integer.
        i: IntVar,
        /// The second, or a number.
        j: Index,
    },
    /// `EQ(v, w)` and the like.
    Compare {
        /// What is asked.
        relation: Relation,
        /// The first number.
        v: Vector,
        /// The second, of the same length.
        w: Vector,
    },
}

impl Condition {
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

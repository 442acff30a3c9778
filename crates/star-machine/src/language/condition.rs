//! The conditions that a machine evaluates.

use std::fmt;

use super::operand::{Operand, Role, Visit};
use super::sizes::{below_limit, equal, inside};
use super::{Index, IntVar, Vector, WordVar};
use crate::StarError;

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
    /// Its name between words, and its sign between integers.
    fn shown(self) -> [&'static str; 2] {
        match self {
            Self::Equal => ["EQ", "="],
            Self::NotEqual => ["NOTEQ", "<>"],
            Self::Less => ["LESS", "<"],
            Self::LessOrEqual => ["LESSEQ", "<="],
            Self::Greater => ["GREAT", ">"],
            Self::GreaterOrEqual => ["GREATEQ", ">="],
        }
    }
}

/// A condition that a machine evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// `SOME(x)`: whether there is a 1.
    Some(Vector),
    /// Whether the variable holds a number; papers write `i > 0`.
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
        let pair: [Operand<'_>; 2] = match self {
            Self::Some(x) => return read(x.into()),
            Self::Found(i) => return read(i.into()),
            Self::Bit { x, at } => [at.into(), x.into()],
            Self::Order { i, j, .. } => [i.into(), j.into()],
            Self::Compare { v, w, .. } => [v.into(), w.into()],
        };
        pair.into_iter().for_each(read);
    }

    /// As [`Op::check`](super::Op::check).
    pub(crate) fn check(&self) -> Result<(), StarError> {
        match *self {
            Self::Order { j: Index::At(value), .. } => below_limit(value),
            Self::Some(_) | Self::Found(_) | Self::Order { .. } => Ok(()),
            Self::Bit { x, at } => inside("bit", at, x.len),
            Self::Compare { v, w, .. } => equal("a comparison", v, w.len),
        }
    }

    /// `SOME(x)`
    pub fn some(x: impl Into<Vector>) -> Self {
        Self::Some(x.into())
    }

    /// `x(at)`
    pub fn bit(x: impl Into<Vector>, at: impl Into<Index>) -> Self {
        Self::Bit { x: x.into(), at: at.into() }
    }

    /// `EQ(v, w)` and the like.
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
            Self::Order { relation, i, j } => write!(f, "{i} {} {j}", relation.shown()[1]),
            Self::Compare { relation, v, w } => write!(f, "{}({v}, {w})", relation.shown()[0]),
        }
    }
}

//! The sorts of expressions, whose lengths are inferred from those that must be equal.

use super::syntax::Kind;

/// A length that is to be found; equal ones are united.
pub(super) type Length = usize;

/// Lengths: each a number, the same as another, or not known yet.
#[derive(Debug, Default)]
pub(super) struct Lengths(Vec<Known>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    Is(usize),
    Same(Length),
    Open,
}

impl Lengths {
    pub(super) fn add(&mut self, known: Known) -> Length {
        self.0.push(known);
        self.0.len() - 1
    }

    fn root(&self, mut length: Length) -> Length {
        while let Known::Same(other) = self.0[length] {
            length = other;
        }
        length
    }

    pub(super) fn get(&self, length: Length) -> Option<usize> {
        match self.0[self.root(length)] {
            Known::Is(number) => Some(number),
            _ => None,
        }
    }

    /// Whether they are, or can be, the same; they are then.
    pub(super) fn unite(&mut self, a: Length, b: Length) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        match (self.0[a], self.0[b]) {
            _ if a == b => {}
            (Known::Is(x), Known::Is(y)) => return x == y,
            (Known::Open, _) => self.0[a] = Known::Same(b),
            _ => self.0[b] = Known::Same(a),
        }
        true
    }
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Integer,
    /// An answer: a condition, or a bit.
    Truth,
    Slice(Length),
    Word(Length),
    Table(Length, Length),
    /// Of integers.
    Array(Length),
}

impl Sort {
    /// The sort of this kind for a table of these rows and columns.
    pub(super) fn of(kind: Kind, rows: Length, columns: Length) -> Self {
        match kind {
            Kind::Integer => Self::Integer,
            Kind::Slice => Self::Slice(rows),
            Kind::Word => Self::Word(columns),
            Kind::Array => Self::Array(rows),
            Kind::Table => Self::Table(rows, columns),
        }
    }

    /// As messages call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Truth => "a condition",
            Self::Slice(_) => "a slice",
            Self::Word(_) => "a word",
            Self::Table(..) => "a table",
            Self::Array(_) => "an array",
        }
    }
}

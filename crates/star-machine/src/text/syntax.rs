//! The syntax tree of a text.

use super::At;

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) at: At,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(super) struct Proc {
    pub(super) name: Name,
    pub(super) parameters: Vec<Declared>,
    pub(super) variables: Vec<Declared>,
    pub(super) body: Vec<Statement>,
}

/// A name of a type.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) of: Type,
    /// Whether the caller has its value afterwards.
    pub(super) is_result: bool,
}

/// A type, with what its size is said to be: that of a table, or numbers.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) size: Vec<Expression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Slice,
    Word,
    Table,
    /// Of integers.
    Array,
}

impl Kind {
    /// As it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Slice => "slice",
            Self::Word => "word",
            Self::Table => "table",
            Self::Array => "array",
        }
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Assign { place: Place, value: Expression },
    Call(Call),
    If { condition: Expression, then: Vec<Statement>, otherwise: Vec<Statement> },
    While { condition: Expression, body: Vec<Statement> },
    For { variable: Name, first: Expression, last: Expression, back: bool, body: Vec<Statement> },
    Repeat { body: Vec<Statement>, until: Expression },
    Exit(At),
}

/// What gets a value: a variable, or `X(i)`, `COL(i, T)`, `ROW(i, T)`.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Variable(Name),
    Part(Call),
}

/// `name(arguments)`: an operation, a procedure, or a bit.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: Name,
    pub(super) arguments: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(u32, At),
    /// The integer that is none.
    None(At),
    Variable(Name),
    Call(Call),
    /// `T.field(i)`
    Field(Name, Box<Expression>),
    Not(Box<Expression>, At),
    Binary(Operator, Box<[Expression; 2]>, At),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Xor,
    Plus,
    Minus,
    Times,
    Div,
    Compare(crate::Relation),
}

impl Expression {
    /// Where it begins, or its operator stands.
    pub(super) fn at(&self) -> At {
        match self {
            Self::Number(_, at) | Self::None(at) | Self::Not(_, at) | Self::Binary(_, _, at) => *at,
            Self::Variable(name) | Self::Field(name, _) => name.at,
            Self::Call(call) => call.name.at,
        }
    }
}

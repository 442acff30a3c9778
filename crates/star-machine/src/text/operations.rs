//! What can be called in texts: the operations and procedures of the
//! [tables](crate::language::table), questions, and the sizes of tables.

use crate::language::table::{operations, procedures};
use crate::language::{
    Condition, FieldVar, Index, IntVar, Op, Procedure, Relation, SliceVar, Vector, WordVar,
};

/// What an operand or a result is. Those of one call have the same rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandKind {
    /// An integer that is a position.
    Position,
    /// An integer that is a number, the same wherever a text begins to count.
    Number,
    /// Two integers: the first and the last position of a part, which has as many bits as a word
    /// of the call.
    Part,
    /// A bit for each row.
    Slice,
    /// A bit for each column.
    Word,
    /// A word of another length.
    LongWord,
    /// A slice or a word.
    Bits,
    /// The same, of a variable that is changed.
    Changed,
    Table,
    /// The same, which is changed.
    Written,
    /// As the first operand.
    Same,
    /// A word for a slice, a slice for a word.
    Other,
}

/// What it does, by its operands and then its results.
pub(super) enum Does {
    Op(fn(&[Given]) -> Op),
    Call(fn(&[Given]) -> Procedure),
    Ask(fn(&[Given]) -> Condition),
    /// The number of rows of a table, known when a text is compiled.
    Rows,
    /// The same of columns.
    Columns,
}

/// What can be called.
pub(super) struct Callable {
    pub(super) name: &'static str,
    pub(super) takes: &'static [OperandKind],
    /// Its value, and what else it gives, which is not looked at.
    pub(super) gives: &'static [OperandKind],
    pub(super) does: Does,
}

/// An operand or a result that is given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Int(Index),
    Bits(Vector),
    Table(FieldVar),
}

// Operands were compared with what the operation takes before.
macro_rules! given {
    ($($type:ty: $given:pat => $operand:expr;)*) => {
        $(impl From<Given> for $type {
            fn from(given: Given) -> Self {
                match given {
                    $given => $operand,
                    other => unreachable!("{other:?} is another operand"),
                }
            }
        })*
    };
}

given! {
    Index: Given::Int(at) => at;
    IntVar: Given::Int(Index::In(i)) => i;
    Vector: Given::Bits(x) => x;
    SliceVar: Given::Bits(x) => SliceVar(x);
    WordVar: Given::Bits(x) => WordVar(x);
    FieldVar: Given::Table(table) => table;
}

impl Callable {
    /// The operation or procedure of this name with `n_arguments` arguments.
    pub(super) fn find(name: &str, n_arguments: usize) -> Option<&'static Self> {
        Self::all().find(|op| op.name == name && op.n_arguments() == n_arguments)
    }

    /// One of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|op| op.name == name)
    }

    /// What gives a value to `NAME(i, T)`, the value being the last argument.
    pub(super) fn assigning(name: &str) -> Option<&'static Self> {
        Self::all().find(|op| op.name.strip_suffix(" :=") == Some(name))
    }

    pub(super) fn n_arguments(&self) -> usize {
        self.takes.len() + self.takes.iter().filter(|&&takes| takes == OperandKind::Part).count()
    }

    fn all() -> impl Iterator<Item = &'static Self> {
        OPERATIONS.iter().chain(QUESTIONS).chain(PROCEDURES)
    }
}

/// Reads what each operation or procedure takes and gives in texts.
macro_rules! texts {
    ($does:ident $enum:ident; $(
        $(#[$doc:meta])* $name:ident $called:literal $reads:tt -> $writes:tt $others:tt {
            listing: $listing:expr, $(sizes: $sizes:expr, cost: $class:ident,)? method: $method:tt,
            $(texts: { $(
                $text:literal ($($operand:ident: $takes:ident),*)
                    -> ($($result:ident: $gives:ident),*) $({ $other:ident: $value:expr })?;
            )* },)?
            $(code: $codes:tt $code:expr,)? $(pass: $pass:expr, kernel: $kernel:ident,)?
        }
    )*) => {
        &[$($($(Callable {
            name: $text,
            takes: &[$(OperandKind::$takes),*],
            gives: &[$(OperandKind::$gives),*],
            does: Does::$does(|given| match *given {
                [$($operand,)* $($result),*] => $enum::$name {
                    $($operand: $operand.into(),)*
                    $($result: $result.into(),)*
                    $($other: $value)?
                },
                _ => unreachable!("it has as many operands and results"),
            }),
        },)*)?)*]
    };
}

static OPERATIONS: &[Callable] = operations! { texts Op Op; };

static PROCEDURES: &[Callable] = procedures! { texts Call Procedure; };

static QUESTIONS: &[Callable] = &[
    question("SOME", &[OperandKind::Bits], |given| Condition::Some(given[0].into())),
    question("EQ", WORDS, |given| compared(Relation::Equal, given)),
    question("NOTEQ", WORDS, |given| compared(Relation::NotEqual, given)),
    question("LESS", WORDS, |given| compared(Relation::Less, given)),
    question("LESSEQ", WORDS, |given| compared(Relation::LessOrEqual, given)),
    question("GREAT", WORDS, |given| compared(Relation::Greater, given)),
    question("GREATEQ", WORDS, |given| compared(Relation::GreaterOrEqual, given)),
    size("ROWS", Does::Rows),
    size("COLUMNS", Does::Columns),
];

const WORDS: &[OperandKind] = &[OperandKind::Word, OperandKind::Word];

const fn question(
    name: &'static str,
    takes: &'static [OperandKind],
    condition: fn(&[Given]) -> Condition,
) -> Callable {
    Callable { name, takes, gives: &[], does: Does::Ask(condition) }
}

const fn size(name: &'static str, does: Does) -> Callable {
    Callable { name, takes: &[OperandKind::Table], gives: &[OperandKind::Number], does }
}

fn compared(relation: Relation, given: &[Given]) -> Condition {
    Condition::compare(relation, given[0].into(), given[1].into())
}

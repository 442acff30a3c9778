//! What a procedure takes, whichever it is: the columns of one table or two, the marked rows,
//! what it makes of them, and where that goes.

use crate::language::table::procedures;
use crate::language::{FieldVar, Procedure, SliceVar, WordVar};

/// What is done in every column; see the functions of [`steps`](super::steps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// From the first column on, rows that are equal go on; they are the result.
    Equal,
    /// The same in columns where there is such a row at all.
    Extreme,
    /// From the first column on, rows that are equal go on; results are those that are less,
    /// and if asked for the equal ones and the greater ones. In two's complement, the first
    /// column has the tables exchanged.
    Less { signed: bool },
    /// Every column is written.
    Merge,
    /// From the last column on, every column is written; the result is the last carry. With
    /// `flip`, differences and borrows.
    Add { flip: bool },
}

/// What the first table is compared with, or added to it, or changed into.
#[derive(Clone, Copy)]
pub(crate) enum Second {
    /// All ones or all zeros, in every column.
    Known(bool),
    /// All ones or all zeros, as the word has it.
    Word(WordVar),
    Field(FieldVar),
}

/// A procedure as a pass over columns.
#[derive(Clone, Copy)]
pub(crate) struct Pass {
    pub(crate) step: Step,
    /// The marked rows; all, where there are none.
    pub(crate) rows: Option<SliceVar>,
    /// Zeros, where there is none.
    pub(crate) a: Option<FieldVar>,
    pub(crate) b: Second,
    /// What is written.
    pub(crate) to: Option<FieldVar>,
    /// The equal rows, or the last carry; those that are less; those that are greater.
    pub(crate) results: [Option<SliceVar>; 3],
}

/// Rows that are equal, all along or in columns where there are some.
fn found(step: Step, rows: SliceVar, a: FieldVar, b: Second, z: SliceVar) -> Pass {
    Pass { step, rows: Some(rows), a: Some(a), b, to: None, results: [Some(z), None, None] }
}

/// Rows by how they compare: those that are equal, less and greater.
fn compared(rows: SliceVar, a: FieldVar, b: Second, results: [SliceVar; 3]) -> Pass {
    Pass {
        results: results.map(Some),
        ..found(Step::Less { signed: false }, rows, a, b, results[0])
    }
}

/// Rows that are less.
fn rows_less(signed: bool, rows: SliceVar, a: FieldVar, b: FieldVar, z: SliceVar) -> Pass {
    let pass = found(Step::Less { signed }, rows, a, Second::Field(b), z);
    Pass { results: [None, Some(z), None], ..pass }
}

fn merged(rows: Option<SliceVar>, a: Option<FieldVar>, b: Second, to: FieldVar) -> Pass {
    Pass { step: Step::Merge, rows, a, b, to: Some(to), results: [None; 3] }
}

/// Sums, or with `flip` differences.
fn added(
    flip: bool,
    rows: SliceVar,
    a: FieldVar,
    b: Second,
    to: FieldVar,
    carry: SliceVar,
) -> Pass {
    Pass { to: Some(to), ..found(Step::Add { flip }, rows, a, b, carry) }
}

/// Reads each procedure as a pass.
macro_rules! passes {
    ($(
        $(#[$doc:meta])* $name:ident $called:literal
        ($($read:ident: $read_type:ty),*) -> ($($write:ident: $write_type:ty),*)
        [$($other:ident: $other_type:ty),*]
        {
            listing: $listing:expr, method: $method:tt, $(texts: $texts:tt,)? pass: $pass:expr,
            $($rest:tt)*
        }
    )*) => {
        impl Pass {
            pub(crate) fn of(procedure: &Procedure) -> Self {
                match *procedure {
                    $(Procedure::$name { $($read,)* $($write,)* $($other,)* } => $pass,)*
                }
            }
        }
    };
}

procedures! { passes }

impl Pass {
    /// The fields: the first one, the second, the one that is written.
    pub(crate) fn fields(&self) -> [Option<FieldVar>; 3] {
        let b = if let Second::Field(b) = self.b { Some(b) } else { None };
        [self.a, b, self.to]
    }

    /// Rows and columns of all fields.
    pub(crate) fn size(&self) -> (u32, u32) {
        let field = self.fields().into_iter().flatten().next();
        field.map_or((0, 0), |field| (field.table.rows, field.columns))
    }

    pub(crate) fn word(&self) -> Option<WordVar> {
        if let Second::Word(word) = self.b { Some(word) } else { None }
    }

    /// The word, where it is a result too.
    pub(crate) fn word_in_results(&self) -> Option<WordVar> {
        self.word().filter(|word| self.results.iter().flatten().any(|z| z.0 == word.0))
    }

    /// Whether a column is written that is read as another one.
    pub(crate) fn is_shifted(&self) -> bool {
        let [a, b, Some(to)] = self.fields() else { return false };
        [a, b].into_iter().flatten().any(|read| {
            let distance = to.first.abs_diff(read.first);
            read.table == to.table && distance != 0 && distance < to.columns
        })
    }
}

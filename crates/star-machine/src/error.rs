//! The errors of the crate.

use std::ops::Range;

use gpu_runtime::GpuError;
use graph_formats::Interrupted;

use crate::algorithms::{Change, NoChange};
use crate::{At, TextError};

/// The greatest length and count of a machine, exclusive: its integers have 31 bits.
pub(crate) const LIMIT: usize = 1 << 31;

/// Why an operation, a procedure or a program failed. An operation or a procedure that failed has
/// changed nothing. A program has run up to the operation that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StarError {
    /// Operands of one operation differ in size.
    #[error("{what}: one operand has {left} bits and the other {right}; make them as long")]
    LengthMismatch {
        /// The operation.
        what: &'static str,
        /// Bits of the first.
        left: usize,
        /// Bits of the second.
        right: usize,
    },
    /// There is no such row, column or bit.
    #[error("{}", out_of_range(what, *index, *len))]
    OutOfRange {
        /// "row", "column", "bit" and so on.
        what: &'static str,
        /// The position that was used.
        index: usize,
        /// The number that exist.
        len: usize,
    },
    /// An integer was used as a position while it held none.
    #[error("{}", no_position(what))]
    NoPosition {
        /// What the position is of.
        what: &'static str,
    },
    /// A variable is not of this machine, or its scope has ended.
    #[error("there is no such {what} here: it belongs to another machine, or its scope has ended")]
    Unknown {
        /// The type of the variable.
        what: &'static str,
    },
    /// Sizes are too large for positions or for memory.
    #[error("{what} of {rows} by {columns} bits: more than fit; cut it into parts")]
    TooLarge {
        /// The value that is too large.
        what: &'static str,
        /// Rows, or bits.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// Weights, or their sums along paths, are beyond 64 bits.
    #[error(
        "these weights and their sums take {bits} bits, and at most 64 are supported; scale the \
         weights down"
    )]
    TooHeavy {
        /// The bits that they take.
        bits: usize,
    },
    /// A number does not fit into its bits.
    #[error("{value} does not fit into {bits} bits; make the words longer")]
    TooWide {
        /// The number.
        value: u64,
        /// The number that exist.
        bits: usize,
    },
    /// A negative weight, for an algorithm that takes none.
    #[error("an arc has weight {weight}, but this algorithm needs weights of at least zero")]
    Negative {
        /// The weight.
        weight: i64,
    },
    /// A line of a file of changes is not a change.
    #[error(transparent)]
    NoChange(#[from] NoChange),
    /// A change of a graph that cannot be made.
    #[error("{change}: {why}")]
    Refused {
        /// The change.
        change: Change,
        /// Why not.
        why: &'static str,
    },
    /// A text is not valid, or sizes do not fit it.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A program made from a text failed when it ran.
    #[error("{}:{}: {error}", at.line, at.column)]
    InText {
        /// The place in the text.
        at: At,
        /// What failed.
        error: Box<StarError>,
    },
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// An argument of a recorded program has the wrong type or size.
    #[error("argument {number} of the program must be {takes}, but {given} was given")]
    Argument {
        /// Which one, counted from 0.
        number: usize,
        /// What the program takes.
        takes: String,
        /// What was given.
        given: String,
    },
    /// A recorded program exceeded its limit of iterations.
    #[error(
        "the program was stopped after {turns} iterations of its loops; raise the limit if it \
         terminates"
    )]
    Endless {
        /// The iterations that it was allowed.
        turns: u64,
    },
    /// The GPU or its driver failed, or there is no GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

fn out_of_range(what: &str, index: usize, len: usize) -> String {
    match what {
        "number" => format!("WORD: {index} is not below {len}; give the word more bits"),
        _ => format!("there is no {what} {index}: there are {len}, counted from 0"),
    }
}

fn no_position(what: &str) -> String {
    match what {
        "number" => "WORD of an integer that holds none, or 2^31 - 1 for an array, which holds \
                     numbers up to 2^31 - 2; test it first"
            .to_owned(),
        _ => {
            format!("an integer that holds none was used as the number of a {what}; test it first")
        }
    }
}

impl StarError {
    /// The range as positions.
    pub(crate) fn range(range: Range<usize>) -> Result<Range<u32>, Self> {
        Self::fits("a loop", range.start.max(range.end), 1)?;
        Ok(range.start as u32..range.end as u32)
    }

    /// The sizes, if positions can name them.
    #[inline]
    pub(crate) fn fits(what: &'static str, rows: usize, columns: usize) -> Result<[u32; 2], Self> {
        if rows.max(columns) < LIMIT {
            return Ok([rows as u32, columns as u32]);
        }
        Err(Self::TooLarge { what, rows, columns })
    }

    /// An error unless two operands have the same length.
    #[inline]
    pub(crate) fn same(what: &'static str, left: usize, right: usize) -> Result<(), Self> {
        if left == right { Ok(()) } else { Err(Self::LengthMismatch { what, left, right }) }
    }

    /// An error unless the position exists.
    #[inline]
    pub(crate) fn inside(what: &'static str, index: usize, len: usize) -> Result<(), Self> {
        if index < len { Ok(()) } else { Err(Self::OutOfRange { what, index, len }) }
    }
}

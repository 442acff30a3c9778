//! What can go wrong.

use std::ops::Range;

use gpu_runtime::GpuError;
use graph_formats::Interrupted;

use crate::algorithms::{Change, NoChange};
use crate::{At, TextError};

/// The greatest length and count of a machine, exclusive: its integers have 31 bits.
pub(crate) const LIMIT: usize = 1 << 31;

/// Why something was not done. An operation or a procedure that failed has changed nothing; a
/// program has been done up to the operation that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StarError {
    /// Operands of one operation differ in size.
    #[error("{what}: one operand has {left} bits and the other {right}; make them as long")]
    LengthMismatch {
        /// The operation.
        what: &'static str,
        /// Of the first.
        left: usize,
        /// Of the second.
        right: usize,
    },
    /// There is no such row, column or bit.
    #[error("{}", out_of_range(what, *index, *len))]
    OutOfRange {
        /// Of what kind.
        what: &'static str,
        /// The position asked for.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// An integer was used as a position while it held none.
    #[error("{}", no_position(what))]
    NoPosition {
        /// Of what.
        what: &'static str,
    },
    /// A variable is not of this machine, or its scope has ended.
    #[error("there is no such {what} here: it is of another machine, or its scope has ended")]
    Unknown {
        /// Of what type.
        what: &'static str,
    },
    /// Sizes are beyond what positions can name, or memory can hold.
    #[error("{what} of {rows} by {columns} bits: more than fit; cut it into parts")]
    TooLarge {
        /// What it was to be.
        what: &'static str,
        /// Rows, or bits.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// Weights, or their sums along paths, are beyond 64 bits.
    #[error(
        "these weights and their sums take {bits} bits, and 64 is the most; scale the weights down"
    )]
    TooHeavy {
        /// How many they take.
        bits: usize,
    },
    /// A number does not fit into so many bits.
    #[error("{value} does not fit into {bits} bits; make the words longer")]
    TooWide {
        /// The number.
        value: u64,
        /// How many there are.
        bits: usize,
    },
    /// A negative weight, for an algorithm that takes none.
    #[error("an arc weighs {weight}, and this algorithm takes no negative weights")]
    Negative {
        /// The weight.
        weight: i64,
    },
    /// A line of a file of changes that is none.
    #[error(transparent)]
    NoChange(#[from] NoChange),
    /// A change of a graph that can not be made.
    #[error("{change}: {why}")]
    Refused {
        /// The change.
        change: Change,
        /// Why not.
        why: &'static str,
    },
    /// A text that is none, or sizes that do not fit it.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A program that was a text failed when it ran.
    #[error("{}:{}: {error}", at.line, at.column)]
    InText {
        /// Where it stands.
        at: At,
        /// What failed.
        error: Box<StarError>,
    },
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// An argument of a recorded program is not what the program takes there.
    #[error("argument {number} of the program is to be {takes}, but {given} was given")]
    Argument {
        /// Which one, counted from 0.
        number: usize,
        /// What the program takes.
        takes: String,
        /// What was given.
        given: String,
    },
    /// A recorded program went on and on.
    #[error(
        "the program was stopped after {turns} turns of its loops; if it is to end at all, let it \
         have more of them"
    )]
    Endless {
        /// How many it was allowed.
        turns: u64,
    },
    /// The GPU or its driver failed, or there is none.
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

    /// Sizes, if they are not beyond what positions can name.
    #[inline]
    pub(crate) fn fits(what: &'static str, rows: usize, columns: usize) -> Result<[u32; 2], Self> {
        if rows.max(columns) < LIMIT {
            return Ok([rows as u32, columns as u32]);
        }
        Err(Self::TooLarge { what, rows, columns })
    }

    /// Whether two operands are as long.
    #[inline]
    pub(crate) fn same(what: &'static str, left: usize, right: usize) -> Result<(), Self> {
        if left == right { Ok(()) } else { Err(Self::LengthMismatch { what, left, right }) }
    }

    /// Whether there is this position.
    #[inline]
    pub(crate) fn inside(what: &'static str, index: usize, len: usize) -> Result<(), Self> {
        if index < len { Ok(()) } else { Err(Self::OutOfRange { what, index, len }) }
    }
}

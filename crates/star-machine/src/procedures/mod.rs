//! The basic procedures: searches, comparisons, copies and arithmetic over all rows of a table
//! at once, in time that grows with its columns.

use crate::language::{FieldVar, SliceVar, TableVar, WordVar};

/// A call of a basic procedure.
///
/// Tables of a call have the same rows and columns, slices a bit for every row, words a bit for
/// every column. `rows` marks the rows that take part: no other row is ever in a result. Results
/// may be operands; two results of one call are two variables. A table that is written may be
/// one that is read, or share columns with it: every column is read before it is written, in
/// the order of the procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Procedure {
    /// `MATCH`: `z` marks the rows equal to `word`.
    Match {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What they are compared with.
        word: WordVar,
        /// The result.
        z: SliceVar,
    },
    /// `LESS` and `GREAT` together: which rows are less than `word`, equal to it, greater.
    Compare {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What they are compared with.
        word: WordVar,
        /// Rows less than the word.
        less: SliceVar,
        /// Rows equal to it.
        equal: SliceVar,
        /// Rows greater.
        greater: SliceVar,
    },
    /// `MIN`: all rows that hold the least number.
    Min {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `MAX`: all rows that hold the greatest number.
    Max {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `SETMIN`: rows where the first table is strictly less; `SETMAX` is this with the tables
    /// exchanged.
    SetMin {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Whether numbers are in two's complement.
        signed: bool,
        /// The result.
        z: SliceVar,
    },
    /// `HIT`: rows where the two tables are equal.
    Hit {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The result.
        z: SliceVar,
    },
    /// `CLEAR`: zeros everywhere.
    Clear {
        /// The table.
        table: TableVar,
    },
    /// `TCOPY`: the whole table.
    CopyTable {
        /// What is copied.
        table: FieldVar,
        /// Where to.
        to: FieldVar,
    },
    /// `TMERGE`: the marked rows of the table; the others keep their values.
    MergeTable {
        /// What is copied.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `WCOPY`: the word into the marked rows, zeros into the others.
    CopyWord {
        /// What is copied.
        word: WordVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `WMERGE`: the word into the marked rows; the others keep their values.
    MergeWord {
        /// What is copied.
        word: WordVar,
        /// The rows that take part.
        rows: SliceVar,
        /// Where to.
        to: FieldVar,
    },
    /// `ADDC`: marked rows plus the word, modulo 2 to the columns; zeros in the others.
    AddWord {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What is added.
        word: WordVar,
        /// The sums.
        to: FieldVar,
        /// Rows whose sum did not fit.
        carry: SliceVar,
    },
    /// `ADDV`: marked rows of two tables, modulo 2 to the columns; zeros in the others.
    AddTable {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The sums.
        to: FieldVar,
        /// Rows whose sum did not fit.
        carry: SliceVar,
    },
    /// `SUBTC`: marked rows less the word, modulo 2 to the columns; zeros in the others.
    SubtractWord {
        /// The table.
        table: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// What is subtracted.
        word: WordVar,
        /// The differences.
        to: FieldVar,
        /// Rows less than the word.
        borrow: SliceVar,
    },
    /// `SUBTV`: marked rows of the first table less those of the second, modulo 2 to the
    /// columns; zeros in the others.
    SubtractTable {
        /// The first table.
        table: FieldVar,
        /// The second.
        other: FieldVar,
        /// The rows that take part.
        rows: SliceVar,
        /// The differences.
        to: FieldVar,
        /// Rows of the first that are less.
        borrow: SliceVar,
    },
}

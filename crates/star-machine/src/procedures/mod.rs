//! The basic procedures: searches, comparisons, copies and arithmetic over all rows of a table
//! at once, in time that grows with its columns.

mod calls;
mod circuit;
mod cuda_text;
mod pass;
pub(crate) mod steps;
mod warshall;
mod written;

use crate::StarError;
use crate::language::check::{equal, field};
use crate::language::{FieldVar, Operand, SliceVar, Star, TableVar, WordVar, instructions};

pub use calls::Procedures;
pub use cuda_text::steps_in_cuda;
pub(crate) use pass::{Pass, Second, Step};
pub use warshall::{warshall, warshall_columns};

instructions! {
    /// A call of a basic procedure.
    ///
    /// Tables of a call have the same rows and columns, slices a bit for every row, words a bit
    /// for every column. `rows` marks the rows that take part: no other row is ever in a result.
    /// Results may be operands; two results of one call are two variables. A table that is written
    /// may be one that is read, or share columns with it: every column is read before it is
    /// written, in the order of the procedure.
    pub enum Procedure

    /// `MATCH`: `z` marks the rows equal to `word`.
    Match "MATCH" (table: FieldVar, rows: SliceVar, word: WordVar) -> (z: SliceVar) []
        => format!("{z} := MATCH({table}, {rows}, {word})");
    /// `LESS` and `GREAT` together: which rows are less than `word`, equal to it, greater.
    Compare "LESS and GREAT" (table: FieldVar, rows: SliceVar, word: WordVar)
        -> (less: SliceVar, equal: SliceVar, greater: SliceVar) []
        => format!("{less}, {equal}, {greater} := LESS and GREAT({table}, {rows}, {word})");
    /// `MIN`: all rows that hold the least number.
    Min "MIN" (table: FieldVar, rows: SliceVar) -> (z: SliceVar) []
        => format!("{z} := MIN({table}, {rows})");
    /// `MAX`: all rows that hold the greatest number.
    Max "MAX" (table: FieldVar, rows: SliceVar) -> (z: SliceVar) []
        => format!("{z} := MAX({table}, {rows})");
    /// `SETMIN`: rows where the first table is strictly less, of numbers in two's complement if
    /// they are `signed`; `SETMAX` is this with the tables exchanged.
    SetMin "SETMIN" (table: FieldVar, other: FieldVar, rows: SliceVar) -> (z: SliceVar)
        [signed: bool]
        => format!("{z} := SETMIN{}({table}, {other}, {rows})", if signed { "S" } else { "" });
    /// `HIT`: rows where the two tables are equal.
    Hit "HIT" (table: FieldVar, other: FieldVar, rows: SliceVar) -> (z: SliceVar) []
        => format!("{z} := HIT({table}, {other}, {rows})");
    /// `CLEAR`: zeros everywhere.
    Clear "CLEAR" () -> (table: TableVar) [] => format!("CLEAR({table})");
    /// `TCOPY`: the whole table.
    CopyTable "TCOPY" (table: FieldVar) -> (to: FieldVar) [] => format!("TCOPY({table}; {to})");
    /// `TMERGE`: the marked rows of the table; the others keep their values.
    MergeTable "TMERGE" (table: FieldVar, to: FieldVar, rows: SliceVar) -> () []
        => format!("TMERGE({table}, {rows}; {to})");
    /// `WCOPY`: the word into the marked rows, zeros into the others.
    CopyWord "WCOPY" (rows: SliceVar, word: WordVar) -> (to: FieldVar) []
        => format!("WCOPY({word}, {rows}; {to})");
    /// `WMERGE`: the word into the marked rows; the others keep their values.
    MergeWord "WMERGE" (to: FieldVar, rows: SliceVar, word: WordVar) -> () []
        => format!("WMERGE({word}, {rows}; {to})");
    /// `ADDC`: marked rows plus the word, modulo 2 to the columns; zeros in the others. `carry`
    /// marks the rows whose sum did not fit.
    AddWord "ADDC" (table: FieldVar, rows: SliceVar, word: WordVar)
        -> (to: FieldVar, carry: SliceVar) []
        => format!("{carry} := ADDC({table}, {rows}, {word}; {to})");
    /// `ADDV`: marked rows of two tables, modulo 2 to the columns; zeros in the others. `carry`
    /// marks the rows whose sum did not fit.
    AddTable "ADDV" (table: FieldVar, other: FieldVar, rows: SliceVar)
        -> (to: FieldVar, carry: SliceVar) []
        => format!("{carry} := ADDV({table}, {other}, {rows}; {to})");
    /// `SUBTC`: marked rows less the word, modulo 2 to the columns; zeros in the others. `borrow`
    /// marks the rows less than the word.
    SubtractWord "SUBTC" (table: FieldVar, rows: SliceVar, word: WordVar)
        -> (to: FieldVar, borrow: SliceVar) []
        => format!("{borrow} := SUBTC({table}, {rows}, {word}; {to})");
    /// `SUBTV`: marked rows of the first table less those of the other, modulo 2 to the columns;
    /// zeros in the others. `borrow` marks the rows of the first that are less.
    SubtractTable "SUBTV" (table: FieldVar, other: FieldVar, rows: SliceVar)
        -> (to: FieldVar, borrow: SliceVar) []
        => format!("{borrow} := SUBTV({table}, {other}, {rows}; {to})");
}

impl Procedure {
    /// An error where the sizes of the operands do not fit together: tables have the sizes of the
    /// first of them, slices its rows, the word its columns.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`], and [`StarError::OutOfRange`] for a field that its table
    /// does not have.
    pub fn check(&self) -> Result<(), StarError> {
        let (what, mut shown) = (self.name(), *self);
        let (mut first, mut done) = (None, Ok(()));
        shown.fields(|table| {
            first.get_or_insert(*table);
        });
        let Some(FieldVar { table: TableVar { rows, .. }, columns, .. }) = first else {
            return Ok(());
        };
        let same = |left: u32, right: u32| match (left as usize, right as usize) {
            (left, right) if left == right => Ok(()),
            (left, right) => Err(StarError::LengthMismatch { what, left, right }),
        };
        shown.operands(&mut |_, operand| {
            let fits = || match operand {
                Operand::Field(other) => {
                    field(*other)?;
                    same(rows, other.table.rows)?;
                    same(columns, other.columns)
                }
                Operand::Slice(x) => equal(what, x.0, rows),
                Operand::Word(word) => equal(what, word.0, columns),
                _ => Ok(()),
            };
            if done.is_ok() {
                done = fits();
            }
        });
        done
    }

    /// The same procedure, with the fields that `locate` gives for its own.
    pub(crate) fn located(
        mut self,
        locate: impl Fn(FieldVar) -> Result<FieldVar, StarError>,
    ) -> Result<Self, StarError> {
        let mut done = Ok(());
        self.fields(|field| match locate(*field) {
            Ok(found) => *field = found,
            Err(error) if done.is_ok() => done = Err(error),
            Err(_) => {}
        });
        done.map(|()| self)
    }

    fn fields(&mut self, mut visit: impl FnMut(&mut FieldVar)) {
        self.operands(&mut |_, operand| {
            if let Operand::Field(field) = operand {
                visit(field);
            }
        });
    }

    /// Gives the operations of this procedure, one column after the other.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), before anything is done; and what the machine cannot
    /// do.
    pub fn run(&self, m: &mut impl Star) -> Result<(), StarError> {
        self.check()?;
        m.scope(|m| written::run(m, &Pass::of(self)))
    }
}

/// A slice of zeros, a bit for every row of the table.
fn slice_of(m: &mut impl Star, field: FieldVar) -> Result<SliceVar, StarError> {
    m.slice(field.table.rows as usize)
}

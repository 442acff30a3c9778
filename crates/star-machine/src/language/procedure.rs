//! Calls of the basic procedures, as data.

use super::operand::{Operand, instructions};
use super::sizes::{equal, field};
use super::table::procedures;
use super::{FieldVar, SliceVar, TableVar, WordVar};
use crate::StarError;

procedures! { instructions
    /// A call of a basic procedure.
    ///
    /// Tables of a call have the same rows and columns, slices a bit for every row, words a bit
    /// for every column. `rows` marks the rows that take part: no other row is ever in a result.
    /// Results may be operands; two results of one call are two variables. A table that is written
    /// may be one that is read, or share columns with it: every column is read before it is
    /// written, in the order of the procedure.
    pub enum Procedure;
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
        let same = |left: u32, right: u32| StarError::same(what, left as usize, right as usize);
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
}

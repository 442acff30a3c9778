//! Machines, which hold the values of variables and execute operations.

use std::ops::Range;

use super::{Condition, IntVar, Op, Procedure, SliceVar, Star, TableVar, Vector, WordVar};
use crate::{Slice, StarError, Table, Word};

/// A machine executes every operation when it is given, and its values can be read. After the same
/// program all machines have the same bits in the same variables.
pub trait Machine: Sized {
    /// The variables that were declared up to some moment.
    type Mark;

    /// Makes a row of `len` zeros.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] beyond 2³¹ bits, and where there is no memory.
    fn new_vector(&mut self, len: usize) -> Result<Vector, StarError>;

    /// Makes a table of zeros.
    ///
    /// # Errors
    /// As [`new_vector`](Self::new_vector).
    fn new_table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError>;

    /// Makes an integer that holds none.
    ///
    /// # Errors
    /// Where there is no memory.
    fn new_int(&mut self) -> Result<IntVar, StarError>;

    /// This moment, for [`release`](Self::release).
    fn mark(&self) -> Self::Mark;

    /// Forgets the variables that were made since.
    fn release(&mut self, mark: Self::Mark);

    /// Carries out an operation.
    ///
    /// # Errors
    /// As [`Star::run`].
    fn execute(&mut self, op: &Op) -> Result<(), StarError>;

    /// Evaluates a condition.
    ///
    /// # Errors
    /// As [`Star::run`].
    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError>;

    /// Carries out a basic procedure in one pass over its columns, on a GPU in one launch. The
    /// result is that of [`Procedure::run`], bit for bit.
    ///
    /// # Errors
    /// As [`Star::run`].
    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError>;

    /// The value of an integer.
    ///
    /// # Errors
    /// [`StarError::Unknown`] for a variable of another machine, or of a scope that has ended;
    /// and where a GPU fails.
    fn int_value(&mut self, i: IntVar) -> Result<Option<u32>, StarError>;

    /// A copy of a row of bits.
    ///
    /// # Errors
    /// As [`int_value`](Self::int_value).
    fn vector_value(&mut self, x: Vector) -> Result<Slice, StarError>;

    /// A copy of a table.
    ///
    /// # Errors
    /// As [`int_value`](Self::int_value).
    fn table_value(&mut self, table: TableVar) -> Result<Table, StarError>;

    /// Puts bits into a variable.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`], and as [`int_value`](Self::int_value).
    fn set_vector(&mut self, z: Vector, value: &Slice) -> Result<(), StarError>;

    /// Puts bits into a table.
    ///
    /// # Errors
    /// As [`set_vector`](Self::set_vector).
    fn set_table(&mut self, table: TableVar, value: &Table) -> Result<(), StarError>;

    /// Makes a slice of these bits.
    ///
    /// # Errors
    /// As [`new_vector`](Self::new_vector).
    fn load_slice(&mut self, value: &Slice) -> Result<SliceVar, StarError> {
        let slice = self.new_vector(value.len())?;
        self.set_vector(slice, value)?;
        Ok(SliceVar(slice))
    }

    /// Makes a word of these bits.
    ///
    /// # Errors
    /// As [`new_vector`](Self::new_vector).
    fn load_word(&mut self, value: &Word) -> Result<WordVar, StarError> {
        self.load_slice(value.as_slice()).map(|SliceVar(vector)| WordVar(vector))
    }

    /// Makes a table of these bits.
    ///
    /// # Errors
    /// As [`new_table`](Self::new_table).
    fn load_table(&mut self, value: &Table) -> Result<TableVar, StarError> {
        let table = self.new_table(value.rows(), value.columns())?;
        self.set_table(table, value)?;
        Ok(table)
    }

    /// A copy of a slice.
    ///
    /// # Errors
    /// As [`int_value`](Self::int_value).
    fn slice_value(&mut self, x: SliceVar) -> Result<Slice, StarError> {
        self.vector_value(x.0)
    }

    /// A copy of a word.
    ///
    /// # Errors
    /// As [`int_value`](Self::int_value).
    fn word_value(&mut self, w: WordVar) -> Result<Word, StarError> {
        self.vector_value(w.0).map(Slice::into_word)
    }
}

impl<M: Machine> Star for M {
    fn vector(&mut self, len: usize) -> Result<Vector, StarError> {
        self.new_vector(len)
    }

    fn table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError> {
        self.new_table(rows, columns)
    }

    fn int(&mut self) -> Result<IntVar, StarError> {
        self.new_int()
    }

    fn run(&mut self, op: Op) -> Result<(), StarError> {
        self.execute(&op)
    }

    fn call(&mut self, procedure: Procedure) -> Result<(), StarError> {
        self.fused(&procedure)
    }

    fn scope(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let mark = self.mark();
        let done = body(self);
        self.release(mark);
        done
    }

    fn if_else(
        &mut self,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Result<(), StarError>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        if self.holds(&condition)? { self.scope(then) } else { self.scope(otherwise) }
    }

    fn while_do(
        &mut self,
        condition: Condition,
        mut body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        while self.holds(&condition)? {
            self.scope(&mut body)?;
        }
        Ok(())
    }

    fn count_through(
        &mut self,
        range: Range<usize>,
        back: bool,
        mut body: impl FnMut(&mut Self, IntVar) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        let range = StarError::range(range)?;
        self.scope(|m| {
            let i = m.new_int()?;
            let mut turn = |m: &mut Self, value| {
                m.execute(&Op::SetInt { i, value: Some(value) })?;
                m.scope(|m| body(m, i))
            };
            if back {
                range.rev().try_for_each(|value| turn(m, value))
            } else {
                range.into_iter().try_for_each(|value| turn(m, value))
            }
        })
    }
}

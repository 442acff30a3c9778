//! Programs and machines.
//!
//! A program is a function that is generic over [`Star`]: it declares variables, gives
//! operations and uses the statements below for what depends on values. So it runs at once on
//! any [`Machine`], and can be recorded as well, for it never sees a value itself.
//!
//! A program that needs values in the hands of Rust, say to keep a stack of them, is generic
//! over [`Machine`] instead; it cannot be recorded.

use std::ops::Range;

use super::{Condition, FieldVar, Index, IntVar, Logic, Op, SliceVar, TableVar, Vector, WordVar};
use crate::{Procedure, Slice, StarError, Table, Word};

/// Where programs are written: declarations, operations, statements.
///
/// Every declared variable starts with zeros, integers with none.
pub trait Star: Sized {
    /// Declares a row of bits.
    ///
    /// # Errors
    /// [`StarError::TooLarge`] beyond 2³¹ bits, and where there is no memory.
    fn vector(&mut self, len: usize) -> Result<Vector, StarError>;

    /// Declares a table.
    ///
    /// # Errors
    /// As [`vector`](Self::vector).
    fn table(&mut self, rows: usize, columns: usize) -> Result<TableVar, StarError>;

    /// Declares an integer.
    ///
    /// # Errors
    /// Where there is no memory.
    fn int(&mut self) -> Result<IntVar, StarError>;

    /// Gives an operation.
    ///
    /// # Errors
    /// [`StarError::LengthMismatch`] and [`StarError::OutOfRange`] where it is not one on these
    /// operands, and what the machine cannot do.
    fn run(&mut self, op: Op) -> Result<(), StarError>;

    /// A procedure: what `body` declares is gone after it.
    ///
    /// # Errors
    /// Those of `body`.
    fn scope(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// `if condition then .. else ..`, each a [`scope`](Self::scope).
    ///
    /// # Errors
    /// Those of the question and of the branches.
    fn if_else(
        &mut self,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Result<(), StarError>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// `while condition do ..`, where each turn is a [`scope`](Self::scope). A recording
    /// calls `body` once.
    ///
    /// # Errors
    /// Those of the question and of `body`.
    fn while_do(
        &mut self,
        condition: Condition,
        body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// `for i := .. do ..`, upwards or, with `back`, downwards; each turn is a
    /// [`scope`](Self::scope). A recording calls `body` once. The body leaves `i` alone.
    ///
    /// # Errors
    /// Those of `body`, and [`StarError::TooLarge`] for a range beyond 2³¹.
    fn count_through(
        &mut self,
        range: Range<usize>,
        back: bool,
        body: impl FnMut(&mut Self, IntVar) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// Calls a basic procedure; [`Procedures`](crate::Procedures) has them by name. A machine
    /// carries it out [fused](Machine::fused); elsewhere it is given as it is
    /// [written](Procedure::run).
    ///
    /// # Errors
    /// Those of [`Procedure::run`].
    fn call(&mut self, procedure: Procedure) -> Result<(), StarError> {
        procedure.run(self)
    }

    /// Declares a slice.
    ///
    /// # Errors
    /// As [`vector`](Self::vector).
    fn slice(&mut self, rows: usize) -> Result<SliceVar, StarError> {
        self.vector(rows).map(SliceVar)
    }

    /// Declares a word.
    ///
    /// # Errors
    /// As [`vector`](Self::vector).
    fn word(&mut self, columns: usize) -> Result<WordVar, StarError> {
        self.vector(columns).map(WordVar)
    }

    /// `for i := range.start to range.end - 1 do ..`
    ///
    /// # Errors
    /// As [`count_through`](Self::count_through).
    fn for_each(
        &mut self,
        range: Range<usize>,
        body: impl FnMut(&mut Self, IntVar) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.count_through(range, false, body)
    }

    /// `for i := range.end - 1 downto range.start do ..`
    ///
    /// # Errors
    /// As [`count_through`](Self::count_through).
    fn for_each_back(
        &mut self,
        range: Range<usize>,
        body: impl FnMut(&mut Self, IntVar) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.count_through(range, true, body)
    }

    /// `if condition then ..`
    ///
    /// # Errors
    /// As [`if_else`](Self::if_else).
    fn if_then(
        &mut self,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.if_else(condition, then, |_| Ok(()))
    }

    /// `while SOME(x) do ..`
    ///
    /// # Errors
    /// As [`while_do`](Self::while_do).
    fn while_some(
        &mut self,
        x: impl Into<Vector>,
        body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.while_do(Condition::Some(x.into()), body)
    }

    /// `while i > 0 do ..`, as papers write it who count from 1.
    ///
    /// # Errors
    /// As [`while_do`](Self::while_do).
    fn while_found(
        &mut self,
        i: IntVar,
        body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError> {
        self.while_do(Condition::Found(i), body)
    }
}

/// The operations by their names in the papers; each gives one [`Op`], and has its errors.
macro_rules! operations {
    ($($(#[$doc:meta])+ $name:ident($($arg:ident: $type:ty),*) => $op:expr;)*) => {
        /// The operations of [`Star`], one method each.
        ///
        /// Each gives the [`Op`] of its last words, with its errors.
        #[expect(clippy::missing_errors_doc, reason = "those of Star::run, as said above")]
        pub trait Operations: Star {
            $($(#[$doc])+
            fn $name(&mut self, $($arg: $type),*) -> Result<(), StarError> {
                self.run($op)
            })*
        }

        impl<S: Star> Operations for S {}
    };
}

operations! {
    /// `SET(z)`: all ones. [`Op::Fill`]
    set(z: impl Into<Vector>) => Op::Fill { z: z.into(), ones: true };
    /// `CLR(z)`: all zeros. [`Op::Fill`]
    clear(z: impl Into<Vector>) => Op::Fill { z: z.into(), ones: false };
    /// `z := x`. [`Op::Copy`]
    copy(z: impl Into<Vector>, x: impl Into<Vector>) => Op::Copy { z: z.into(), x: x.into() };
    /// `z := not x`. [`Op::Not`]
    not(z: impl Into<Vector>, x: impl Into<Vector>) => Op::Not { z: z.into(), x: x.into() };
    /// `z := x and y`. [`Op::Logic`]
    and(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::And, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x and not y`. [`Op::Logic`]
    and_not(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::AndNot, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x or y`. [`Op::Logic`]
    or(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::Or, z: z.into(), x: x.into(), y: y.into() };
    /// `z := x xor y`. [`Op::Logic`]
    xor(z: impl Into<Vector>, x: impl Into<Vector>, y: impl Into<Vector>)
        => Op::Logic { logic: Logic::Xor, z: z.into(), x: x.into(), y: y.into() };
    /// `z(at) := bit`. [`Op::SetBit`]
    set_bit(z: impl Into<Vector>, at: impl Into<Index>, bit: bool)
        => Op::SetBit { z: z.into(), at: at.into(), bit };
    /// `z := FRST(x)`: the first one alone. [`Op::First`]
    frst(z: impl Into<Vector>, x: impl Into<Vector>) => Op::First { z: z.into(), x: x.into() };
    /// `i := FND(x)`: where the first one is. [`Op::Find`]
    fnd(i: IntVar, x: impl Into<Vector>) => Op::Find { i, x: x.into() };
    /// `i := STEP(x)`: where the first one is, which is taken out. [`Op::Step`]
    step(i: IntVar, x: impl Into<Vector>) => Op::Step { i, x: x.into() };
    /// `i := NUMB(x)`: how many ones there are. [`Op::Count`]
    numb(i: IntVar, x: impl Into<Vector>) => Op::Count { i, x: x.into() };
    /// `z := TRIM(from.., x)`. [`Op::Trim`]
    trim(z: WordVar, x: WordVar, from: u32) => Op::Trim { z: z.0, x: x.0, from };
    /// `REP(from.., x, z)`. [`Op::Replace`]
    rep(z: WordVar, x: WordVar, from: u32) => Op::Replace { z: z.0, x: x.0, from };
    /// `z := ADD(v, w)`. [`Op::Add`]
    add(z: WordVar, carry: IntVar, v: WordVar, w: WordVar)
        => Op::Add { z: z.0, v: v.0, w: w.0, carry };
    /// `z := SUBT(v, w)`. [`Op::Subtract`]
    subt(z: WordVar, borrow: IntVar, v: WordVar, w: WordVar)
        => Op::Subtract { z: z.0, v: v.0, w: w.0, borrow };
    /// `z := COL(column, table)`. [`Op::ReadColumn`]
    col(z: SliceVar, table: impl Into<FieldVar>, column: impl Into<Index>)
        => Op::ReadColumn { z: z.0, table: table.into(), column: column.into() };
    /// `COL(column, table) := x`. [`Op::WriteColumn`]
    set_col(table: impl Into<FieldVar>, column: impl Into<Index>, x: SliceVar)
        => Op::WriteColumn { table: table.into(), column: column.into(), x: x.0 };
    /// `z := ROW(row, table)`. [`Op::ReadRow`]
    row(z: WordVar, table: impl Into<FieldVar>, row: impl Into<Index>)
        => Op::ReadRow { z: z.0, table: table.into(), row: row.into() };
    /// `ROW(row, table) := x`. [`Op::WriteRow`]
    set_row(table: impl Into<FieldVar>, row: impl Into<Index>, x: WordVar)
        => Op::WriteRow { table: table.into(), row: row.into(), x: x.0 };
    /// Zeros in the whole table. [`Op::ClearTable`]
    clear_table(table: TableVar) => Op::ClearTable { table };
    /// `i :=` a number, or none. [`Op::SetInt`]
    set_int(i: IntVar, value: Option<u32>) => Op::SetInt { i, value };
    /// `i := j + by`. [`Op::AddInt`]
    add_int(i: IntVar, j: IntVar, by: i32) => Op::AddInt { i, j, by };
}

/// Who carries programs out at once: every operation is done when it is given, and values can
/// be asked for. All machines have the same bits in the same variables after the same program.
pub trait Machine: Sized {
    /// What was declared up to some moment.
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

    /// Answers a question.
    ///
    /// # Errors
    /// As [`Star::run`].
    fn holds(&mut self, condition: &Condition) -> Result<bool, StarError>;

    /// Carries out a basic procedure in one pass over its columns, with the state of a row in
    /// registers; on a GPU in one launch. The result is that of [`Procedure::run`], bit for bit.
    ///
    /// # Errors
    /// As [`Star::run`].
    fn fused(&mut self, procedure: &Procedure) -> Result<(), StarError>;

    /// What an integer holds.
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

//! Programs and machines.
//!
//! A program is a function that is generic over [`Star`]: it declares variables, gives
//! operations and uses the statements below for what depends on values. So it runs on any
//! [`Machine`](crate::Machine), and it can be recorded, because it never reads a value itself.
//!
//! A program that needs values in Rust, for example for a stack, is generic over
//! [`Machine`](crate::Machine) instead; it cannot be recorded.

use std::ops::Range;

use super::{Condition, IntVar, Op, Procedure, SliceVar, TableVar, Vector, WordVar};
use crate::StarError;

/// The interface for programs: declarations, operations, statements.
///
/// * Operations have the names of the papers, in lower case, and results come first:
///   `m.and_not(z, x, y)` is `z := x and not y`. A result may also be an operand.
/// * Sizes belong to variables. Operands whose sizes differ are an error, as is a position out of
///   range. Nothing is truncated or padded, and an operation that fails has changed nothing.
/// * Positions count from 0. Where papers have 0 for "there is none", an integer holds none:
///   `m.fnd(i, x)`, then `m.while_found(i, ..)`.
/// * The first bit of a slice is the topmost row; the first bit of a word is the most significant.
/// * `COL` and `ROW` copy. Changing the copy does not change the table until it is written back.
/// * A variable that is declared in a `scope`, in an iteration of a loop or in a branch ends with
///   it. Every declared variable starts with zeros, integers with none.
/// * A program has the names of variables, never their values. Control flow that depends on values
///   is written with `while_some`, `while_found`, `if_then`, `if_else` and `for_each`. Before and
///   after the program, the machine loads and returns values. A program that needs values in
///   between is generic over `Machine`, and cannot be recorded.
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

    /// A scope: variables that `body` declares end with it.
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
    /// Those of the condition and of the branches.
    fn if_else(
        &mut self,
        condition: Condition,
        then: impl FnOnce(&mut Self) -> Result<(), StarError>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// `while condition do ..`, where each iteration is a [`scope`](Self::scope). A recording calls
    /// `body` once.
    ///
    /// # Errors
    /// Those of the condition and of `body`.
    fn while_do(
        &mut self,
        condition: Condition,
        body: impl FnMut(&mut Self) -> Result<(), StarError>,
    ) -> Result<(), StarError>;

    /// `for i := .. do ..`, upwards or, with `back`, downwards; each iteration is a
    /// [`scope`](Self::scope). A recording calls `body` once. The body must not change `i`.
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
    /// carries it out [fused](crate::Machine::fused), with the result of what is
    /// [written](Procedure::run).
    ///
    /// # Errors
    /// Those of [`Procedure::run`].
    fn call(&mut self, procedure: Procedure) -> Result<(), StarError>;

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

//! Operations and questions as launches.

use std::cmp::Ordering;

use gpu_runtime::Kernel;

use super::Cuda;
use super::kernels::Kernels;
use super::launches::Launch;
use super::machine::Bits;
use crate::language::check::{numbers, places};
use crate::language::{Condition, FieldVar, Index, Machine, Op, integer, sum};
use crate::values::tail;
use crate::{StarError, Word};

/// Answers of `star_compare_words`: which order the first word has.
const ORDERS: [Ordering; 3] = [Ordering::Equal, Ordering::Less, Ordering::Greater];

impl Cuda {
    pub(super) fn operate(&mut self, op: &Op) -> Result<(), StarError> {
        op.check()?;
        match *op {
            Op::SetInt { i, value } => self.set_int(i, value),
            Op::AddInt { i, j, by } => {
                let sum = sum(self.int(j)?, Some(0), false, by);
                self.set_int(i, sum)
            }
            Op::AddInts { i, j, k, is_minus, by } => {
                let sum = sum(self.int(j)?, self.int(k)?, is_minus, by);
                self.set_int(i, sum)
            }
            Op::ToWord { z, i } => {
                let value = self.position("number", i, numbers(z))?;
                let word = Word::from_u64(value, z.len as usize)?;
                self.set_vector(z, word.as_slice())
            }
            Op::ToInt { i, w } => {
                let number = self.vector_value(w)?.to_u64().ok();
                self.set_int(i, number.and_then(integer))
            }
            Op::Find { i, .. }
            | Op::Step { i, .. }
            | Op::Count { i, .. }
            | Op::Add { carry: i, .. }
            | Op::Subtract { borrow: i, .. } => {
                self.int(i)?;
                let launch = self.launch_of(op)?;
                // of no bits there are none
                let none = matches!(op, Op::Count { .. }).then_some(0);
                // SAFETY: `launch_of` takes addresses and lengths from variables that are
                // there, and `check` has compared their sizes.
                let answer = unsafe { self.ask(launch) }?;
                self.set_int(i, answer.or(none))
            }
            _ => {
                let launch = self.launch_of(op)?;
                // SAFETY: as above.
                unsafe { self.start(launch) }
            }
        }
    }

    pub(super) fn answer(&mut self, condition: &Condition) -> Result<bool, StarError> {
        condition.check()?;
        let (together, answer) = (self.answers.together(), self.answers.address());
        let launch = match *condition {
            Condition::Found(i) => return Ok(self.int(i)?.is_some()),
            Condition::Order { relation, i, j } => {
                let j = match j {
                    Index::At(number) => Some(number),
                    Index::In(j) => self.int(j)?,
                };
                // none is the least
                return Ok(relation.holds(self.int(i)?.cmp(&j)));
            }
            Condition::Some(x) => {
                let x = self.bits(x)?;
                self.through(x, |k| &k.find, [x.at, x.words, together, answer])
            }
            Condition::Bit { x, at } => {
                let at = self.position("bit", at, x.len)?;
                Launch::warp(1, |k| &k.bit, [self.bits(x)?.at, at, answer])
            }
            Condition::Compare { v, w, .. } => {
                let (v, w) = (self.bits(v)?, self.bits(w)?);
                self.through(v, |k| &k.compare_words, [v.at, w.at, v.words, together, answer])
            }
        };
        // SAFETY: as in `operate`.
        let answer = unsafe { self.ask(launch) }?;
        Ok(match *condition {
            Condition::Bit { .. } => answer == Some(1),
            // of no bits all are equal
            Condition::Compare { relation, .. } => {
                relation.holds(ORDERS[answer.unwrap_or(0) as usize])
            }
            _ => answer.is_some(),
        })
    }

    /// The launch for an operation on vectors and tables that was checked; none where there
    /// is nothing to be done.
    fn launch_of(&self, op: &Op) -> Result<Option<Launch>, StarError> {
        let (together, answer) = (self.answers.together(), self.answers.address());
        Ok(match *op {
            Op::Fill { z, ones } => {
                let (z, word) = (self.bits(z)?, if ones { u64::MAX } else { 0 });
                Launch::over(z.words, |k| &k.fill, [z.at, z.words, z.last, word])
            }
            Op::Copy { z, x } => copy(self.bits(z)?, self.bits(x)?),
            Op::Not { z, x } => {
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                Launch::over(z.words, |k| &k.not, [z.at, x.at, z.words, z.last])
            }
            Op::Logic { logic, z, x, y } => {
                let (z, x, y) = (self.bits(z)?, self.bits(x)?, self.bits(y)?);
                // in the order of `star_logic`
                let logic = logic as u64;
                Launch::over(z.words, |k| &k.logic, [z.at, x.at, y.at, z.words, logic])
            }
            Op::SetBit { z, at, bit } => {
                let at = self.position("bit", at, z.len)?;
                Launch::warp(1, |k| &k.set_bit, [self.bits(z)?.at, at, bit.into()])
            }
            Op::First { z, x } => {
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                self.through(x, |k| &k.first, [z.at, x.at, x.words, together])
            }
            Op::Find { x, .. } => {
                let x = self.bits(x)?;
                self.through(x, |k| &k.find, [x.at, x.words, together, answer])
            }
            Op::Step { x, .. } => {
                let x = self.bits(x)?;
                self.through(x, |k| &k.step, [x.at, x.words, together, answer])
            }
            Op::Count { x, .. } => {
                let x = self.bits(x)?;
                self.through(x, |k| &k.count, [x.at, x.words, together, answer])
            }
            Op::Trim { z, x, from } => {
                let from = self.position("bit", from, places(z, x))?;
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                Launch::over(z.words, |k| &k.trim, [z.at, z.words, z.last, x.at, x.words, from])
            }
            Op::Replace { z, x, from } => {
                let from = self.position("bit", from, places(x, z))?;
                let len = u64::from(x.len);
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                // the words of z from that of the first bit to that of the last
                let n = if len == 0 { 0 } else { (from + len).div_ceil(64) - from / 64 };
                Launch::over(n, |k| &k.replace, [z.at, n, x.at, x.words, len, from])
            }
            Op::Add { z, v, w, .. } => {
                let (z, v, w) = (self.bits(z)?, self.bits(v)?, self.bits(w)?);
                Launch::warp(z.words, |k| &k.add, [z.at, v.at, w.at, z.words, answer])
            }
            Op::Subtract { z, v, w, .. } => {
                let (z, v, w) = (self.bits(z)?, self.bits(v)?, self.bits(w)?);
                Launch::warp(z.words, |k| &k.subtract, [z.at, v.at, w.at, z.words, answer])
            }
            Op::ReadColumn { z, table, column } => {
                let table = self.located(table)?;
                let column = self.position("column", column, table.columns)?;
                copy(self.bits(z)?, self.column(table, column)?)
            }
            Op::WriteColumn { table, column, x } => {
                let table = self.located(table)?;
                let column = self.position("column", column, table.columns)?;
                copy(self.column(table, column)?, self.bits(x)?)
            }
            Op::ReadRow { z, table, row } => {
                let (table, (at, shift)) = (self.located(table)?, self.place(row, table)?);
                let (z, first) = (self.bits(z)?, self.column(table, 0)?);
                let n = u64::from(table.columns);
                let numbers = [z.at, 2 * z.words, first.at, first.words, n, at, shift];
                Launch::over(64 * z.words, |k| &k.read_row, numbers)
            }
            Op::WriteRow { table, row, x } => {
                let (table, (at, shift)) = (self.located(table)?, self.place(row, table)?);
                let (x, first) = (self.bits(x)?, self.column(table, 0)?);
                let n = u64::from(table.columns);
                let numbers = [first.at, first.words, n, at, shift, x.at];
                Launch::over(n, |k| &k.write_row, numbers)
            }
            Op::ClearTable { table } => {
                let words = self.table_words(table)?;
                let n = words.len() as u64;
                Launch::over(n, |k| &k.fill, [words.address(), n, 0, 0])
            }
            Op::ToWord { .. }
            | Op::ToInt { .. }
            | Op::SetInt { .. }
            | Op::AddInt { .. }
            | Op::AddInts { .. } => None,
        })
    }

    /// The position; constants were checked with the operation.
    pub(super) fn position(
        &self,
        what: &'static str,
        at: Index,
        len: u32,
    ) -> Result<u64, StarError> {
        let position = match at {
            Index::At(position) => Some(position),
            Index::In(i) => self.int(i)?,
        };
        let position = position.ok_or(StarError::NoPosition { what })?;
        if position < len {
            return Ok(position.into());
        }
        Err(StarError::OutOfRange { what, index: position as usize, len: len as usize })
    }

    /// In which word of a column a row is, and which bit of it.
    pub(super) fn place(&self, row: Index, field: FieldVar) -> Result<(u64, u64), StarError> {
        let row = self.position("row", row, field.table.rows)?;
        Ok((row / 64, row % 64))
    }

    /// The field itself, where it is one by a number.
    pub(super) fn located(&self, field: FieldVar) -> Result<FieldVar, StarError> {
        match field.number {
            None => Ok(field),
            Some(i) => field.located(self.int(i)?),
        }
    }

    /// A column of a field, or where it would be; the field lies in its table.
    pub(super) fn column(&self, field: FieldVar, column: u64) -> Result<Bits, StarError> {
        let words = u64::from(field.table.rows.div_ceil(64));
        let at = self.table_words(field.table)?.address();
        let at = at + (u64::from(field.first) + column) * words * 8;
        Ok(Bits { at, words, last: tail(field.table.rows as usize) })
    }

    /// A launch whose threads look through x together.
    fn through<const N: usize>(
        &self,
        x: Bits,
        kernel: fn(&Kernels) -> &Kernel,
        numbers: [u64; N],
    ) -> Option<Launch> {
        Launch::through(x.words, self.gpu.properties().multiprocessors, kernel, numbers)
    }
}

fn copy(z: Bits, x: Bits) -> Option<Launch> {
    Launch::over(z.words, |k| &k.copy, [z.at, x.at, z.words])
}

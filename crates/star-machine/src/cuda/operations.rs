//! Operations and questions as launches.

use std::cmp::Ordering;

use super::Cuda;
use super::kernels::Choice;
use super::launches::Launch;
use super::machine::Bits;
use crate::language::sizes::{numbers, places};
use crate::language::{
    Condition, FieldVar, Index, Machine, Op, TableVar, Vector, WordVar, integer,
};
use crate::values::tail;
use crate::{StarError, Word};

/// Answers of `star_compare_words`: which order the first word has.
const ORDERS: [Ordering; 3] = [Ordering::Equal, Ordering::Less, Ordering::Greater];

impl Cuda {
    pub(super) fn operate(&mut self, op: &Op) -> Result<(), StarError> {
        op.check()?;
        match *op {
            Op::SetInt { i, value } => self.memory.set_int(i, value),
            Op::AddInt { i, j, by } => self.memory.add_ints(i, j, None, false, by),
            Op::AddInts { i, j, k, is_minus, by } => {
                self.memory.add_ints(i, j, Some(k), is_minus, by)
            }
            Op::ToWord { z, i } => {
                let value = self.position("number", i, numbers(z.0))?;
                let word = Word::from_u64(value, z.0.len as usize)?;
                self.set_vector(z.0, word.as_slice())
            }
            Op::ToInt { i, w } => {
                let number = self.vector_value(w.0)?.to_u64().ok();
                self.memory.set_int(i, number.and_then(integer))
            }
            Op::Find { i, .. }
            | Op::Step { i, .. }
            | Op::Count { i, .. }
            | Op::Add { carry: i, .. }
            | Op::Subtract { borrow: i, .. } => {
                self.memory.int(i)?;
                let launch = self.launch_of(op)?;
                // of no bits there are none
                let none = matches!(op, Op::Count { .. }).then_some(0);
                // SAFETY: `launch_of` takes addresses and lengths from variables that are
                // there, and `check` has compared their sizes.
                let answer = unsafe { self.ask(launch) }?;
                self.memory.set_int(i, answer.or(none))
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
            Condition::Found(i) => return Ok(self.memory.int(i)?.is_some()),
            Condition::Order { relation, i, j } => return self.memory.order(relation, i, j),
            Condition::Some(x) => self.search(x, |k| &k.find)?,
            Condition::Bit { x, at } => {
                let at = self.position("bit", at, x.len)?;
                Launch::warp(1, |k| &k.bit, &[self.bits(x)?.at, at, answer])
            }
            Condition::Compare { v, w, .. } => {
                let (v, w) = (self.bits(v)?, self.bits(w)?);
                self.through(v, |k| &k.compare_words, &[v.at, w.at, v.words, together, answer])
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
        Ok(match *op {
            Op::Fill { z, ones } => {
                let (z, word) = (self.bits(z)?, if ones { u64::MAX } else { 0 });
                Launch::over(z.words, |k| &k.fill, &[z.at, z.words, z.last, word])
            }
            Op::Copy { z, x } => copy(self.bits(z)?, self.bits(x)?),
            Op::Not { z, x } => {
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                Launch::over(z.words, |k| &k.not, &[z.at, x.at, z.words, z.last])
            }
            Op::Logic { logic, z, x, y } => {
                let (z, x, y) = (self.bits(z)?, self.bits(x)?, self.bits(y)?);
                // in the order of `star_logic`
                let logic = logic as u64;
                Launch::over(z.words, |k| &k.logic, &[z.at, x.at, y.at, z.words, logic])
            }
            Op::SetBit { z, at, bit } => {
                let at = self.position("bit", at, z.len)?;
                Launch::warp(1, |k| &k.set_bit, &[self.bits(z)?.at, at, bit.into()])
            }
            Op::First { z, x } => {
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                self.through(x, |k| &k.first, &[z.at, x.at, x.words, self.answers.together()])
            }
            Op::Find { x, .. } => self.search(x, |k| &k.find)?,
            Op::Step { x, .. } => self.search(x, |k| &k.step)?,
            Op::Count { x, .. } => self.search(x, |k| &k.count)?,
            Op::Trim { z, x, from } => {
                let from = self.position("bit", from, places(z.0, x.0))?;
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                Launch::over(z.words, |k| &k.trim, &[z.at, z.words, z.last, x.at, x.words, from])
            }
            Op::Replace { z, x, from } => {
                let from = self.position("bit", from, places(x.0, z.0))?;
                let len = u64::from(x.0.len);
                let (z, x) = (self.bits(z)?, self.bits(x)?);
                // the words of z from that of the first bit to that of the last
                let n = if len == 0 { 0 } else { (from + len).div_ceil(64) - from / 64 };
                Launch::over(n, |k| &k.replace, &[z.at, n, x.at, x.words, len, from])
            }
            Op::Add { z, v, w, .. } => self.arithmetic([z, v, w], |k| &k.add)?,
            Op::Subtract { z, v, w, .. } => self.arithmetic([z, v, w], |k| &k.subtract)?,
            Op::ReadColumn { z, table, column } => {
                copy(self.bits(z)?, self.column(table.table, self.memory.column(&table, column)?)?)
            }
            Op::WriteColumn { table, column, x } => {
                copy(self.column(table.table, self.memory.column(&table, column)?)?, self.bits(x)?)
            }
            Op::ReadRow { z, table, row } => {
                let (table, (at, shift)) = (self.memory.located(table)?, self.place(row, table)?);
                let (z, first) = (self.bits(z)?, self.column(table.table, table.first)?);
                let n = u64::from(table.columns);
                let numbers = [z.at, 2 * z.words, first.at, first.words, n, at, shift];
                Launch::over(64 * z.words, |k| &k.read_row, &numbers)
            }
            Op::WriteRow { table, row, x } => {
                let (table, (at, shift)) = (self.memory.located(table)?, self.place(row, table)?);
                let (x, first) = (self.bits(x)?, self.column(table.table, table.first)?);
                let n = u64::from(table.columns);
                let numbers = [first.at, first.words, n, at, shift, x.at];
                Launch::over(n, |k| &k.write_row, &numbers)
            }
            Op::ClearTable { table } => {
                let words = self.table_words(table)?;
                let n = words.len() as u64;
                Launch::over(n, |k| &k.fill, &[words.address(), n, 0, 0])
            }
            Op::ToWord { .. }
            | Op::ToInt { .. }
            | Op::SetInt { .. }
            | Op::AddInt { .. }
            | Op::AddInts { .. } => None,
        })
    }

    pub(super) fn position(
        &self,
        what: &'static str,
        at: Index,
        len: u32,
    ) -> Result<u64, StarError> {
        self.memory.position(what, at, len).map(u64::from)
    }

    /// In which word of a column a row is, and which bit of it.
    pub(super) fn place(&self, row: Index, field: FieldVar) -> Result<(u64, u64), StarError> {
        let row = self.position("row", row, field.table.rows)?;
        Ok((row / 64, row % 64))
    }

    /// A column of a table, or where it would be.
    pub(super) fn column(&self, table: TableVar, column: u32) -> Result<Bits, StarError> {
        let words = u64::from(table.rows.div_ceil(64));
        let at = self.table_words(table)?.address() + u64::from(column) * words * 8;
        Ok(Bits { at, words, last: tail(table.rows as usize) })
    }

    /// A launch whose threads look through x together.
    fn through(&self, x: Bits, kernel: Choice, numbers: &[u64]) -> Option<Launch> {
        Launch::through(x.words, self.gpu.properties().multiprocessors, kernel, numbers)
    }

    /// The same, with an answer.
    fn search(&self, x: Vector, kernel: Choice) -> Result<Option<Launch>, StarError> {
        let x = self.bits(x)?;
        let (together, answer) = (self.answers.together(), self.answers.address());
        Ok(self.through(x, kernel, &[x.at, x.words, together, answer]))
    }

    /// With a carry for its answer.
    fn arithmetic(
        &self,
        [z, v, w]: [WordVar; 3],
        kernel: Choice,
    ) -> Result<Option<Launch>, StarError> {
        let (z, v, w) = (self.bits(z)?, self.bits(v)?, self.bits(w)?);
        let numbers = [z.at, v.at, w.at, z.words, self.answers.address()];
        Ok(Launch::warp(z.words, kernel, &numbers))
    }
}

fn copy(z: Bits, x: Bits) -> Option<Launch> {
    Launch::over(z.words, |k| &k.copy, &[z.at, x.at, z.words])
}

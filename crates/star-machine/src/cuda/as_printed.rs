//! The machine with the launches of the paper, for comparison with those of [`Cuda`].
//!
//! AND, OR and XOR have a block of one thread for each word. A search folds the words, a launch
//! each time: a bit says whether a word has a one, 64 of them are a word again, and so on, until
//! one word is left. A last launch, of one thread, goes back from there. `STEP` is a search and a
//! launch that takes the one out. A row has a block of 64 threads for each 64 columns. All other
//! operations are those of [`Cuda`]; no procedure is fused.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::iter;

use gpu_runtime::{Buffer, Gpu};

use super::Cuda;
use super::launches::Launch;
use crate::StarError;
use crate::language::{Op, Vector};

/// Threads of a block that folds, or goes along a row.
const BLOCK: u32 = 64;
/// A row of 2³¹ bits, and its folds.
const LEVELS: usize = 6;

impl Cuda {
    /// A machine whose launches are those of the paper. It leaves the same bits.
    ///
    /// ```
    /// use star_machine::{Cuda, Machine, Operations, Slice, Star};
    ///
    /// let Ok(gpu) = gpu_runtime::Gpu::open() else { return Ok(()) };
    /// let mut m = Cuda::as_printed(&gpu)?;
    /// let (x, i) = (m.load_slice(&Slice::from_positions(5000, [4200])?)?, m.int()?);
    /// m.fnd(i, x)?;
    /// // 79 words, 2, 1, and back
    /// assert_eq!((m.int_value(i)?, m.launches()), (Some(4200), 3));
    /// # Ok::<(), star_machine::StarError>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn as_printed(gpu: &Gpu) -> Result<Self, StarError> {
        let mut machine = Self::new(gpu)?;
        machine.folds = Some(gpu.buffer(0)?);
        Ok(machine)
    }

    pub(super) fn operate_as_printed(&mut self, op: &Op) -> Result<(), StarError> {
        op.check()?;
        let launch = match *op {
            Op::Logic { logic, z, x, y } => {
                let (z, x, y) = (self.bits(z)?, self.bits(x)?, self.bits(y)?);
                let numbers = [z.at, x.at, y.at, logic as u64];
                Launch::blocks(z.words, 1, |k| &k.printed_logic, &numbers)
            }
            Op::ReadRow { z, table, row } => {
                let (table, (at, shift)) = (self.memory.located(table)?, self.place(row, table)?);
                let (z, first) = (self.bits(z)?, self.column(table.table, table.first)?);
                let numbers = [z.at, first.at, first.words, table.columns.into(), at, shift];
                Launch::blocks(z.words, BLOCK, |k| &k.get_row, &numbers)
            }
            Op::WriteRow { table, row, x } => {
                let (table, (at, shift)) = (self.memory.located(table)?, self.place(row, table)?);
                let (x, first) = (self.bits(x)?, self.column(table.table, table.first)?);
                let numbers = [first.at, first.words, table.columns.into(), at, shift, x.at];
                Launch::blocks(x.words, BLOCK, |k| &k.set_row, &numbers)
            }
            Op::Find { i, x } => {
                self.memory.int(i)?;
                let first = self.find_by_folds(x)?;
                return self.memory.set_int(i, first);
            }
            Op::Step { i, x } => {
                self.memory.int(i)?;
                let first = self.find_by_folds(x)?;
                if let Some(at) = first {
                    let x = self.bits(x)?;
                    let launch = Launch::warp(1, |k| &k.set_bit, &[x.at, at.into(), 0]);
                    // SAFETY: `at` is the place of a one of x.
                    unsafe { self.start(launch) }?;
                }
                return self.memory.set_int(i, first);
            }
            _ => return self.operate(op),
        };
        // SAFETY: addresses and lengths are those of variables that are there, `check` has
        // compared their sizes, and the row is one of the table.
        unsafe { self.start(launch) }
    }

    /// The position of the first 1.
    pub(super) fn find_by_folds(&mut self, x: Vector) -> Result<Option<u32>, StarError> {
        let x = self.bits(x)?;
        let lengths = iter::successors(Some(x.words), |&n| (n > 1).then(|| n.div_ceil(64)));
        let lengths: Vec<u64> = lengths.collect();
        let n_folds: u64 = lengths[1..].iter().sum();
        if self.folds.as_ref().is_none_or(|folds| (folds.len() as u64) < n_folds) {
            self.folds = Some(self.gpu.buffer(n_folds as usize)?);
        }
        let mut next = self.folds.as_ref().map_or(0, Buffer::address);
        let mut levels = [x.at; LEVELS];
        for (level, pair) in lengths.windows(2).enumerate() {
            let numbers = [next, levels[level], pair[0]];
            // SAFETY: a level has as many words as `lengths` says, and there is memory for all.
            unsafe { self.start(Launch::blocks(pair[1], BLOCK, |k| &k.fold, &numbers)) }?;
            levels[level + 1] = next;
            next += size_of::<u64>() as u64 * pair[1];
        }
        let [v0, v1, v2, v3, v4, v5] = levels;
        let (level, answer) = (lengths.len() as u64 - 1, self.answers.address());
        let numbers = [v0, v1, v2, v3, v4, v5, level, answer];
        // SAFETY: the levels are those that were folded; there are none of no words.
        unsafe { self.ask(Launch::blocks(x.words.min(1), 1, |k| &k.first_backward, &numbers)) }
    }
}

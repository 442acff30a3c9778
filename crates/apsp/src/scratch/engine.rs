//! What does the arithmetic of a rank, and how rows are checked before and after it.

use std::collections::BTreeSet;
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use graph_formats::tell;
use sssp::Progress;

use super::ScratchError;
use super::matrix::{MATRIX, PANELS};
use super::sums::{Section, Sums};
use crate::ApspError;

/// Bytes of the host's memory, and of that of each GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) host: u128,
    pub(crate) device: u128,
}

/// The CPU or the GPUs of a rank. Rows are as long as those of the matrix.
pub(crate) trait Engine<E>: Send {
    /// Loads rows of the pivots, from that of vertex `first` on. It gets all of them before each
    /// step.
    fn load_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &[E],
    ) -> Result<(), ApspError>;

    /// Closes the rows that it has loaded, and writes some of them to `rows`, from that of vertex
    /// `first` on.
    fn close_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
    ) -> Result<(), ApspError>;

    /// Lowers rows of other vertices, from that of vertex `first` on, by the closed rows, which it
    /// has loaded. Their columns of the pivots are given as they were, a row for each. `checks` sees
    /// each row before, and when it lies lowered where it is to stay.
    fn lower(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
        columns: &[E],
        checks: &RowChecks<'_>,
    ) -> Result<(), ApspError>;
}

/// Compares rows with their checksums before they are lowered, and gives them new ones after that.
pub(crate) struct RowChecks<'a> {
    pub(super) folder: &'a Path,
    /// Blocks that were done before.
    pub(super) step: usize,
    /// Whether a run before may have lowered some of the rows, or parts of them.
    pub(super) may_be_torn: bool,
    pub(super) sums: Mutex<&'a mut Sums>,
    /// Vertices whose rows a run before has left half lowered.
    pub(super) half_lowered: Mutex<BTreeSet<usize>>,
    pub(super) progress: Option<Progress<'a>>,
    /// Rows that were lowered, in this block and before,
    pub(super) n_done: AtomicU64,
    /// and those that are to be.
    pub(super) n_rows: u64,
}

impl RowChecks<'_> {
    /// Checks the row of a vertex, and its columns of the pivots, before it is lowered.
    pub(crate) fn before<E: Pod>(
        &self,
        row: usize,
        numbers: &[E],
        columns: &[E],
    ) -> Result<(), ApspError> {
        let sums = lock(&self.sums);
        let (sum, of_columns) = (sums.get(Section::Matrix, row), sums.get(Section::Columns, row));
        let seed = sums.seed();
        drop(sums);
        if seed.sum(Section::Columns, self.step, row, columns) != of_columns {
            return Err(ScratchError::of_row(&self.folder.join(PANELS), row).into());
        }
        let is_after = |step| seed.sum(Section::Matrix, step, row, numbers) == sum;
        if is_after(self.step) {
            return Ok(());
        }
        if !self.may_be_torn {
            return Err(ScratchError::of_row(&self.folder.join(MATRIX), row).into());
        }
        if !is_after(self.step + 1) {
            lock(&self.half_lowered).insert(row);
        }
        Ok(())
    }

    /// Gives a lowered row its checksum, unless it was half lowered.
    pub(crate) fn after<E: Pod>(&self, row: usize, numbers: &[E]) {
        if self.may_be_torn && lock(&self.half_lowered).contains(&row) {
            return;
        }
        let seed = lock(&self.sums).seed();
        let sum = seed.sum(Section::Matrix, self.step + 1, row, numbers);
        lock(&self.sums).set(Section::Matrix, row, sum);
    }

    /// The rows that a run before has left half lowered, which are to be compared with the graph.
    pub(super) fn take_half_lowered(&self) -> Vec<usize> {
        mem::take(&mut *lock(&self.half_lowered)).into_iter().collect()
    }

    /// Reports `n_rows` more lowered rows; an error ends the work.
    pub(crate) fn advance(&self, n_rows: usize) -> Result<(), ApspError> {
        let n_done = self.n_done.fetch_add(n_rows as u64, Ordering::Relaxed) + n_rows as u64;
        Ok(tell(self.progress, n_done, self.n_rows)?)
    }
}

/// What a thread has left, even one that has panicked: the run ends then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

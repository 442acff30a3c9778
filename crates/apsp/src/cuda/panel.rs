//! The rows of some pivots on a GPU, closed among themselves: a whole matrix, or a panel of one.
//!
//! For each 128 pivots four launches: the rest of the rows through the pivots before them is
//! under way on one stream, while on another the next pivots, whose rows and columns went
//! first, are closed (`kernels/apsp/blocked.cu` has the arithmetic). So the small kernels leave
//! the device idle at the start only. O(b² n) for b rows of a matrix of n; nothing is
//! allocated or copied while it runs.
//!
//! What differs from the published form: one launch for rows and columns, one more for the
//! tiles that the next pivots need, and the two streams (look-ahead). 4 b/128 - 1 launches.
//!
//! Reference: floyd-1962, venkataraman-2003, okuyama-2010

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Event, Gpu, GpuError, LaunchConfig, Priority};
use sssp::{Progress, SsspError};

use super::arithmetic::{Arithmetic, Kernels};
use crate::ApspError;

/// Pivots of a block: a constant of the kernels.
pub(super) const BLOCK: usize = 128;
/// Steps that may be queued before the host waits for the first of them.
const QUEUED: usize = 4;

/// Some rows of a matrix in the GPU's memory, all of them or those whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    /// Where they lie.
    pub(super) address: u64,
    /// How many, a multiple of [`BLOCK`].
    pub(super) n_rows: usize,
    /// The side of the whole matrix.
    pub(super) side: usize,
    /// Which row of the matrix the first is.
    pub(super) first: usize,
}

/// `Step` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Step {
    matrix: u64,
    stride: u64,
    n_rows: u32,
    n_columns: u32,
    pivot_row: u32,
    pivot_column: u32,
    has_next: u32,
    unused: u32,
    turned: u64,
    columns: u64,
}

/// What the pivots of some rows need beside them: the work space for up to so many rows.
#[derive(Debug)]
pub(super) struct Closer {
    lanes: usize,
    /// The closed diagonal tile, turned over.
    turned: Buffer<u32>,
    /// The pivots' columns, turned over: those of even and of odd blocks.
    columns: [Buffer<u32>; 2],
    beside: Gpu,
    /// Set when the next pivots' rows and columns have been updated,
    ahead: Event,
    /// and when they have been closed.
    closed: Event,
    /// Set after each of the last steps.
    done: [Event; QUEUED],
}

impl Closer {
    /// Bytes for matrices or strips of so many rows.
    pub(super) fn bytes(n_rows: usize) -> u64 {
        ((BLOCK + 2 * n_rows) * BLOCK * size_of::<u32>()) as u64
    }

    pub(super) fn new(gpu: &Gpu, arithmetic: Arithmetic, n_rows: usize) -> Result<Self, GpuError> {
        let columns = || gpu.buffer(n_rows * BLOCK);
        Ok(Self {
            lanes: arithmetic.lanes(),
            turned: gpu.buffer(BLOCK * BLOCK)?,
            columns: [columns()?, columns()?],
            beside: gpu.new_stream(Priority::High)?,
            ahead: gpu.event()?,
            closed: gpu.event()?,
            done: [gpu.event()?, gpu.event()?, gpu.event()?, gpu.event()?],
        })
    }

    /// Takes `rows` through all of their own pivots: what is between other columns comes
    /// through them, too. Returns the number of launches, which are queued on `gpu`.
    pub(super) fn close(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        rows: Panel,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let n_steps = rows.n_rows / BLOCK;
        let mut launches = 0;
        for k in 0..n_steps {
            if k >= QUEUED {
                self.done[k % QUEUED].wait()?;
            }
            if progress.is_some_and(|tell| tell(k as u64, n_steps as u64).is_break()) {
                gpu.synchronize()?;
                return Err(SsspError::Interrupted.into());
            }
            if k == 0 {
                self.close_pivots(gpu, kernels, &self.step(rows, 0))?;
                launches += 2;
            }
            let step = self.step(rows, k);
            if step.has_next == 1 {
                self.update(gpu, kernels, &step, true)?;
                self.ahead.record(gpu)?;
                self.beside.wait_for(&self.ahead)?;
                self.close_pivots(&self.beside, kernels, &self.step(rows, k + 1))?;
                self.closed.record(&self.beside)?;
                launches += 3;
            }
            launches += u64::from(self.update(gpu, kernels, &step, false)?);
            if step.has_next == 1 {
                gpu.wait_for(&self.closed)?;
            }
            self.done[k % QUEUED].record(gpu)?;
        }
        Ok(launches)
    }

    fn step(&self, rows: Panel, k: usize) -> Step {
        let pivot_column = (rows.first / BLOCK + k) as u32;
        Step {
            matrix: rows.address,
            stride: (rows.side / self.lanes) as u64,
            n_rows: rows.n_rows as u32,
            n_columns: rows.side as u32,
            pivot_row: k as u32,
            pivot_column,
            has_next: u32::from((k + 1) * BLOCK < rows.n_rows),
            unused: 0,
            turned: self.turned.address(),
            columns: self.columns[k % 2].address(),
        }
    }

    fn close_pivots(&self, gpu: &Gpu, kernels: &Kernels, step: &Step) -> Result<(), GpuError> {
        let args = [Arg::structure(step)];
        let (row_words, column_rows) = (64, if self.lanes == 1 { 64 } else { 128 });
        let strips = step.n_columns / self.lanes as u32 / row_words + step.n_rows / column_rows;
        // SAFETY: the step's rows lie in a buffer of their owner, and hold the pivots and
        // their columns; the rest of its pointers is this work space, made for so many rows.
        // The launches are ordered with all others that touch these by signals.
        unsafe {
            gpu.launch(&kernels.close_pivot, LaunchConfig::new(1, 1024), &args)?;
            gpu.launch(&kernels.panels, LaunchConfig::new(strips, 128), &args)
        }
    }

    /// Updates the next pivots' rows and columns, or the others; whether there were any.
    fn update(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        step: &Step,
        ahead: bool,
    ) -> Result<bool, GpuError> {
        let rows = step.n_rows / BLOCK as u32;
        let columns = step.n_columns / (BLOCK * self.lanes) as u32 - u32::from(self.lanes == 1);
        let tiles = if ahead {
            columns + rows - 2
        } else {
            (rows - 1 - step.has_next) * (columns - step.has_next)
        };
        if tiles == 0 {
            return Ok(false);
        }
        let args = [Arg::structure(step), u32::from(ahead).into()];
        // SAFETY: as in `close_pivots`; tiles are the rows' own.
        unsafe { gpu.launch(&kernels.update, LaunchConfig::new(tiles, 256), &args)? };
        Ok(true)
    }
}

//! The rows of some pivots on a GPU, closed among themselves: a whole matrix, or a panel of one.
//!
//! On one stream block after block of 64 pivots is closed, with its rows and columns, each in a
//! launch (`kernels/apsp/blocked.cu` has the arithmetic). What was closed last the launch takes
//! its rows and columns through itself, so that on another stream the bulk, which is nearly all
//! of the work, is one group of blocks behind (look-ahead). O(b² n) for b rows of a matrix of n;
//! nothing is allocated or copied while it runs.
//!
//! What differs from the published form: one launch for the tile on the diagonal, its rows and its
//! columns, which are kept as they were then; and the two streams.
//!
//! Reference: floyd-1962, venkataraman-2003, okuyama-2010

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Event, Gpu, GpuError, LaunchConfig, Priority};
use graph_formats::tell;
use sssp::Progress;

use super::arithmetic::{Arithmetic, Kernels, TILE_ROWS};
use super::tile::Tile;
use crate::ApspError;

/// Pivots of a block, as in the kernels.
const BLOCK: usize = 64;
/// Pivots whose rows and columns are kept: those of two groups.
const KEPT: usize = 4 * BLOCK;
/// From this number of tiles on, two blocks are a group, so that tiles are read and written half as
/// often. With fewer tiles the chain of blocks takes most of the time, so a group is one block.
const MANY_TILES: usize = 192;
/// Groups that may be queued before the host waits for the first of them: all of a panel, which is
/// closed while other rows are updated with the panel before.
const QUEUED: usize = 16;

/// Whole rows of a matrix: all, or those of one block of pivots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<'a> {
    /// The rows, a multiple of [`TILE_ROWS`] in number.
    pub(super) rows: Tile<'a>,
    /// The number of the first row in the matrix.
    pub(super) first: usize,
}

/// `Step` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Step {
    matrix: u64,
    stride: u64,
    n_rows: u32,
    first_column: u32,
    pivots_from: u32,
    n_pivot_blocks: u32,
    others_from: u32,
    n_others: u32,
    rows: u64,
    columns: u64,
    begun: u64,
    closed: u64,
}

/// The work space for closing up to a fixed number of rows.
#[derive(Debug)]
pub(super) struct Closer {
    arithmetic: Arithmetic,
    /// The last pivots' rows and columns as they were when closed; the columns are transposed.
    rows: Buffer<u32>,
    columns: Buffer<u32>,
    /// Two counters of the kernels. The second counts closed blocks; it distinguishes the first
    /// block of a new panel, because a panel has two blocks or more.
    state: Buffer<u32>,
    beside: Gpu,
    /// Set when the rows are ready to be closed.
    start: Event,
    /// Set when a group has been closed.
    closed: Event,
    /// Set when the bulk has been updated with each of the last groups.
    done: [Event; QUEUED],
}

impl Closer {
    /// Bytes of a work space for `n_rows` rows of matrices of side `side`.
    pub(super) fn bytes(arithmetic: Arithmetic, n_rows: usize, side: usize) -> u64 {
        let words = KEPT * (arithmetic.stride(side) + arithmetic.turned(n_rows)) + 2;
        (words * size_of::<u32>()) as u64
    }

    pub(super) fn new(
        gpu: &Gpu,
        arithmetic: Arithmetic,
        n_rows: usize,
        side: usize,
    ) -> Result<Self, GpuError> {
        let mut done = Vec::new();
        for _ in 0..QUEUED {
            done.push(gpu.event()?);
        }
        Ok(Self {
            arithmetic,
            rows: gpu.buffer(KEPT * arithmetic.stride(side))?,
            columns: gpu.buffer(KEPT * arithmetic.turned(n_rows))?,
            state: gpu.buffer(2)?,
            beside: gpu.new_stream(Priority::High)?,
            start: gpu.event()?,
            closed: gpu.event()?,
            done: done.try_into().expect("as many events"),
        })
    }

    /// Updates the rows of `panel` with all of their own pivots, in all columns. Returns the number
    /// of launches, which are queued on `gpu`.
    pub(super) fn close(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        panel: Panel<'_>,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let rows = panel.rows;
        let tiles = rows.n_rows / TILE_ROWS * self.arithmetic.tiles_across(rows.n_columns);
        let group = if tiles > MANY_TILES { 2 } else { 1 };
        let n_groups = rows.n_rows / BLOCK / group;
        let Self { beside, start, closed, done, .. } = self;
        start.record(gpu)?;
        beside.wait_for(start)?;
        for turn in 0..n_groups {
            if turn >= QUEUED {
                done[turn % QUEUED].wait()?;
            }
            if let Err(interrupted) = tell(progress, turn as u64, n_groups as u64) {
                gpu.synchronize()?;
                return Err(interrupted.into());
            }
            let (first, end) = (turn * group, (turn + 1) * group);
            if turn >= 2 {
                beside.wait_for(&done[(turn - 2) % QUEUED])?;
            }
            for block in first..end {
                let before = first.saturating_sub(group)..block;
                self.advance(kernels, &self.step(panel, before, block..block + 1))?;
            }
            closed.record(beside)?;
            gpu.wait_for(closed)?;
            // all rows have been updated with the last block; meanwhile the next group is closed
            let next_end = if turn + 1 < n_groups { end + group } else { end };
            self.update(gpu, kernels, rows, &self.step(panel, first..end, end - 1..next_end))?;
            done[turn % QUEUED].record(gpu)?;
        }
        Ok((n_groups * (group + 1)) as u64)
    }

    fn step(&self, panel: Panel<'_>, pivots: Range<usize>, others: Range<usize>) -> Step {
        Step {
            matrix: panel.rows.address(),
            stride: self.arithmetic.words(panel.rows.stride) as u64,
            n_rows: panel.rows.n_rows as u32,
            first_column: (panel.first / BLOCK) as u32,
            pivots_from: pivots.start as u32,
            n_pivot_blocks: pivots.len() as u32,
            others_from: others.start as u32,
            n_others: others.len() as u32,
            rows: self.rows.address(),
            columns: self.columns.address(),
            begun: self.state.address(),
            closed: self.state.address() + size_of::<u32>() as u64,
        }
    }

    fn advance(&self, kernels: &Kernels, step: &Step) -> Result<(), GpuError> {
        let strips =
            step.stride as usize / BLOCK + step.n_rows as usize / (BLOCK * self.arithmetic.lanes());
        let shape = LaunchConfig::new(1 + strips as u32, 256);
        // SAFETY: the step's rows lie in a buffer of their owner, and hold the pivots and
        // their columns. The rest of its pointers are into this work space, which was made for this
        // number of rows. Events order these launches with all others that touch the same memory.
        unsafe { self.beside.launch(&kernels.advance, shape, &[Arg::structure(step)]) }
    }

    fn update(
        &self,
        gpu: &Gpu,
        kernels: &Kernels,
        rows: Tile<'_>,
        step: &Step,
    ) -> Result<(), GpuError> {
        let across = self.arithmetic.tiles_across(rows.n_columns) as u32;
        let grid = (across, (rows.n_rows / TILE_ROWS) as u32, 1);
        let shape = LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
        // SAFETY: as in `advance`; tiles are the rows' own.
        unsafe { gpu.launch(&kernels.update, shape, &[Arg::structure(step)]) }
    }
}

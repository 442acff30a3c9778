//! Blocked Floyd-Warshall on matrices that are larger than the GPU's memory: they stay in
//! the host's, and pass through the GPU in strips of rows.
//!
//! A block of pivots is as many rows as fit on the GPU twice. For each: its rows are closed
//! on the GPU as a matrix of their own is; then every other strip of rows comes, takes the
//! sums of its pivots' columns, as they were, and the closed rows, and goes back. A row of the
//! matrix needs no other columns than its own, so that no panel of columns is kept, and sums
//! with the closed rows close the columns too. Strips take turns on a few streams, each loading, computing and storing in order:
//! copies in both directions run beside the arithmetic. The strips of the next pivots come
//! first and stay, so that closing them runs beside the rest. O(n³), and 8 n³ / b bytes over
//! the bus for numbers of 4 bytes and blocks of b rows.
//!
//! What differs from the published form, which loads panels and blocks by turns and waits for
//! each: everything overlaps, the last block may be shorter, and the pivots' rows are on the
//! GPU already when their turn comes.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use std::ops::Range;

use gpu_runtime::{Arg, Buffer, Event, Gpu, GpuError, LaunchConfig, PinnedBuffer, Priority};
use sssp::{Progress, SsspError};

use super::arithmetic::{Arithmetic, Kernels};
use super::blocked::{BLOCK, Closer, Rows};
use crate::ApspError;

/// Strips under way at once.
const SLOTS: usize = 4;
/// Rows of a strip, and of a block of pivots, that suffice to hide the copies.
const MOST_STRIP_ROWS: usize = 512;
const MOST_BLOCK_ROWS: usize = 2048;

/// How a matrix is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) arithmetic: Arithmetic,
    /// The side of the matrix, padding included.
    pub(super) side: usize,
    /// Rows of a block of pivots,
    pub(super) block_rows: usize,
    /// and of a strip: it divides them.
    pub(super) strip_rows: usize,
}

impl Cut {
    /// The largest blocks and strips for so many vertices that take at most `memory` bytes;
    /// or the bytes that the smallest take.
    pub(super) fn within(
        arithmetic: Arithmetic,
        n_vertices: usize,
        memory: u64,
    ) -> Result<Self, u64> {
        let step = arithmetic.side_step();
        let side = arithmetic.side(n_vertices);
        let least = Self { arithmetic, side, block_rows: step, strip_rows: step };
        let mut best = Err(least.bytes());
        for strip_rows in (step..=MOST_STRIP_ROWS.min(side)).step_by(step) {
            for block_rows in (strip_rows..=MOST_BLOCK_ROWS).step_by(strip_rows) {
                let cut = Self { arithmetic, side, block_rows, strip_rows };
                let better = best.is_ok_and(|best: Self| {
                    (best.block_rows, best.strip_rows) > (block_rows, strip_rows)
                });
                if cut.bytes() <= memory && !better && block_rows < side + step {
                    best = Ok(cut);
                }
            }
        }
        best
    }

    /// Words of a row.
    pub(super) fn stride(&self) -> usize {
        self.side / self.arithmetic.lanes()
    }

    /// Bytes on the GPU.
    pub(super) fn bytes(&self) -> u64 {
        let words = 2 * self.block_rows * self.stride()
            + SLOTS * self.strip_rows * (self.stride() + self.block_rows);
        (words * size_of::<u32>()) as u64 + Closer::bytes(self.block_rows)
    }

    fn n_blocks(&self) -> usize {
        self.side.div_ceil(self.block_rows)
    }

    fn rows_of_block(&self, block: usize) -> Range<usize> {
        block * self.block_rows..((block + 1) * self.block_rows).min(self.side)
    }

    /// The strips of a block, with numbers that are the same each time.
    fn strips_of_block(&self, block: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (rows, step) = (self.rows_of_block(block), self.strip_rows);
        let end = rows.end;
        rows.step_by(step).map(move |first| (first / step, first..(first + step).min(end)))
    }
}

/// A stream, and room for the strip that passes through it.
#[derive(Debug)]
struct Slot {
    gpu: Gpu,
    rows: Buffer<u32>,
    /// The strip's columns at the pivots, turned over.
    turned: Buffer<u32>,
    /// Set when the last strip has been computed,
    computed: Event,
    /// and when it has been stored.
    done: Event,
}

/// Work space for matrices of one cut.
#[derive(Debug)]
pub(super) struct Streamer {
    /// Where pivots are closed.
    gpu: Gpu,
    /// Where it is awaited that a panel is free.
    gate: Gpu,
    free: Event,
    cut: Cut,
    /// The closed rows of this block of pivots and those of the next, by turns.
    panels: [Buffer<u32>; 2],
    closed: [Event; 2],
    stored: [Event; 2],
    slots: Vec<Slot>,
    closer: Closer,
}

impl Streamer {
    pub(super) fn new(gpu: &Gpu, cut: Cut) -> Result<Self, GpuError> {
        let slot = |_| {
            Ok(Slot {
                gpu: gpu.new_stream(Priority::Normal)?,
                rows: gpu.buffer(cut.strip_rows * cut.stride())?,
                turned: gpu.buffer(cut.strip_rows * cut.block_rows)?,
                computed: gpu.event()?,
                done: gpu.event()?,
            })
        };
        let panel = || gpu.buffer(cut.block_rows * cut.stride());
        let streamer = Self {
            gpu: gpu.new_stream(Priority::High)?,
            gate: gpu.new_stream(Priority::Normal)?,
            free: gpu.event()?,
            cut,
            panels: [panel()?, panel()?],
            closed: [gpu.event()?, gpu.event()?],
            stored: [gpu.event()?, gpu.event()?],
            slots: (0..SLOTS).map(slot).collect::<Result<_, GpuError>>()?,
            closer: Closer::new(gpu, cut.arithmetic, cut.block_rows)?,
        };
        // buffers are cleared on the first stream, and used on the others
        gpu.synchronize()?;
        Ok(streamer)
    }

    /// Makes distances of the arcs in `matrix`, rows of the cut's stride, and waits for them.
    /// Returns how many strips have passed through the GPU.
    pub(super) fn close(
        &mut self,
        kernels: &Kernels,
        matrix: &mut PinnedBuffer<u32>,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let found = self.queue_all(kernels, matrix, progress);
        // nothing may go on using the matrix, whatever became of the rest
        let finished = self.finish();
        let streamed = found?;
        finished?;
        Ok(streamed)
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.slots.iter().try_for_each(|slot| slot.gpu.synchronize())?;
        self.gate.synchronize()?;
        self.gpu.synchronize()
    }

    fn queue_all(
        &mut self,
        kernels: &Kernels,
        matrix: &mut PinnedBuffer<u32>,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let (cut, stride) = (self.cut, self.cut.stride());
        let n_blocks = cut.n_blocks();
        let first = cut.rows_of_block(0);
        // SAFETY: the rows lie in both; the stream orders the copy before the closing.
        unsafe { self.gpu.queue_upload(matrix, 0..first.end * stride, &self.panels[0], 0)? };
        let total = (n_blocks * cut.side.div_ceil(cut.strip_rows)) as u64;
        let mut streamed = 0;
        for block in 0..n_blocks {
            let pivots = cut.rows_of_block(block);
            self.close_panel(kernels, matrix, block)?;
            let next = (block + 1 < n_blocks).then_some(block + 1);
            if let Some(next) = next {
                // the next panel was that of the block before
                self.gate.wait_for(&self.stored[next % 2])?;
                for slot in &self.slots {
                    self.gate.wait_for(&slot.computed)?;
                }
                self.free.record(&self.gate)?;
                for (number, rows) in cut.strips_of_block(next) {
                    self.pass(kernels, matrix, &pivots, number, rows, Some(next))?;
                    streamed += 1;
                }
                for slot in &self.slots {
                    self.gpu.wait_for(&slot.computed)?;
                }
            }
            for other in (0..n_blocks).filter(|&other| other != block && Some(other) != next) {
                for (number, rows) in cut.strips_of_block(other) {
                    if progress.is_some_and(|tell| tell(streamed, total).is_break()) {
                        return Err(SsspError::Interrupted.into());
                    }
                    self.pass(kernels, matrix, &pivots, number, rows, None)?;
                    streamed += 1;
                }
            }
        }
        Ok(streamed)
    }

    /// Closes the rows of a block, which its panel holds, and stores them.
    fn close_panel(
        &self,
        kernels: &Kernels,
        matrix: &mut PinnedBuffer<u32>,
        block: usize,
    ) -> Result<(), ApspError> {
        let (cut, panel) = (self.cut, &self.panels[block % 2]);
        let rows = cut.rows_of_block(block);
        let whole = Rows {
            address: panel.address(),
            n_rows: rows.len(),
            side: cut.side,
            first: rows.start,
        };
        self.closer.close(&self.gpu, kernels, whole, None)?;
        self.closed[block % 2].record(&self.gpu)?;
        let stride = cut.stride();
        // SAFETY: the rows lie in both; nobody loads them from the matrix before `stored`, and
        // nobody writes the panel before that.
        unsafe {
            self.gpu.queue_download(panel, 0..rows.len() * stride, matrix, rows.start * stride)?;
        }
        Ok(self.stored[block % 2].record(&self.gpu)?)
    }

    /// Takes a strip of rows through the block of pivots: to the GPU and back, or where its
    /// rows are the next pivots, to their panel to stay there.
    fn pass(
        &mut self,
        kernels: &Kernels,
        matrix: &mut PinnedBuffer<u32>,
        pivots: &Range<usize>,
        number: usize,
        rows: Range<usize>,
        next: Option<usize>,
    ) -> Result<(), GpuError> {
        let stride = self.cut.stride();
        let turn = pivots.start / self.cut.block_rows % 2;
        // a strip has the same slot each time, so that it is loaded after it was stored
        let slot = &self.slots[number % SLOTS];
        slot.done.wait()?;
        let gpu = &slot.gpu;
        // the rows of the block before were stored from its panel
        gpu.wait_for(&self.stored[1 - turn])?;
        let (buffer, at) = match next {
            Some(next) => {
                gpu.wait_for(&self.free)?;
                let offset = rows.start - next * self.cut.block_rows;
                (&self.panels[next % 2], offset * stride)
            }
            None => (&slot.rows, 0),
        };
        let in_matrix = rows.start * stride..rows.end * stride;
        // SAFETY: the rows lie in the matrix and in their place. They are loaded after they
        // were stored last, by this stream or, awaited above, as a panel. Their place is this
        // slot's own, or a panel that is free.
        unsafe { gpu.queue_upload(matrix, in_matrix.clone(), buffer, at)? };
        gpu.wait_for(&self.closed[turn])?;
        let first = buffer.address() + (at * size_of::<u32>()) as u64;
        let to_pivots = pivots.start / self.cut.arithmetic.lanes() * size_of::<u32>();
        let strip = Strip {
            rows: first,
            n_rows: rows.len(),
            side: self.cut.side,
            columns: first + to_pivots as u64,
            columns_stride: self.cut.side,
            turned: slot.turned.address(),
            panel: self.panels[turn].address(),
            n_pivots: pivots.len(),
            lanes: self.cut.arithmetic.lanes(),
        };
        // SAFETY: the strip and its columns lie in `buffer`; the panel is closed, and only
        // read; `turned` is the slot's own.
        unsafe { take_through(gpu, kernels, &strip)? };
        slot.computed.record(gpu)?;
        if next.is_none() {
            // SAFETY: as above; nobody else uses these rows of the matrix in this block's turn.
            unsafe {
                gpu.queue_download(buffer, at..at + in_matrix.len(), matrix, in_matrix.start)?
            };
        }
        slot.done.record(gpu)
    }
}

/// A strip of rows on the GPU, and what it is taken through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// Where its rows lie, `n_rows` of them as long as the side of the matrix.
    pub(super) rows: u64,
    pub(super) n_rows: usize,
    pub(super) side: usize,
    /// Where its columns at the pivots lie, as they were before, with so many elements from
    /// row to row.
    pub(super) columns: u64,
    pub(super) columns_stride: usize,
    /// Room for these columns turned over: a row of `n_rows` words for each pivot.
    pub(super) turned: u64,
    /// The closed rows of the pivots, as long as the strip's.
    pub(super) panel: u64,
    pub(super) n_pivots: usize,
    /// Elements of a word.
    pub(super) lanes: usize,
}

/// Queues the arithmetic of a strip: its rows, or the sums of its columns and the panel.
///
/// # Safety
/// What the strip names lies on the GPU as it says, and nobody writes it meanwhile.
pub(super) unsafe fn take_through(
    gpu: &Gpu,
    kernels: &Kernels,
    strip: &Strip,
) -> Result<(), GpuError> {
    let stride = strip.side / strip.lanes;
    let (n_rows, pivot_words) = (strip.n_rows as u32, (strip.n_pivots / strip.lanes) as u32);
    let turn_over: [Arg<'_>; 4] = [
        strip.columns.into(),
        ((strip.columns_stride / strip.lanes) as u64).into(),
        n_rows.into(),
        strip.turned.into(),
    ];
    let multiply: [Arg<'_>; 7] = [
        strip.rows.into(),
        (stride as u64).into(),
        strip.turned.into(),
        u64::from(n_rows).into(),
        strip.panel.into(),
        (stride as u64).into(),
        (strip.n_pivots as u32).into(),
    ];
    let shape = |grid| LaunchConfig { grid, ..LaunchConfig::new(1, 256) };
    let turning = shape((pivot_words / 32, n_rows / 32, 1));
    let tiles = shape(((stride / BLOCK) as u32, n_rows / BLOCK as u32, 1));
    // SAFETY: by the caller's promise the kernels read and write inside the strip, its
    // columns, its room for them and the panel, whose rows are as long.
    unsafe {
        gpu.launch(&kernels.turn_over, turning, &turn_over)?;
        gpu.launch(&kernels.multiply, tiles, &multiply)
    }
}

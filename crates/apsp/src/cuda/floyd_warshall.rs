//! Blocked Floyd-Warshall by a GPU, wherever the rows of the matrix are kept: in its own memory,
//! or in pinned memory of the host, from where they pass through it in strips.
//!
//! For each block of pivots: its rows are closed as a matrix of their own is ([`Closer`]); then
//! every other strip of rows takes the sums of its pivots' columns, as they were, and the closed
//! rows. A row of the matrix needs no other columns than its own, so that no panel of columns is
//! kept, and sums with the closed rows close the columns too. Strips take turns on a few streams;
//! where they pass through the GPU, each is loaded, computed and stored in order, so that copies
//! in both directions run beside the arithmetic. The strips of the next pivots come first, so
//! that closing them runs beside the rest (look-ahead).
//!
//! Wide blocks pass over the matrix less often, and keep its tiles in registers for longer. A
//! matrix of few vertices is one block. O(n³), and where rows pass through the GPU 8 n³ / b
//! bytes over the bus for numbers of 4 bytes and blocks of b rows.
//!
//! What differs from the published form, which loads panels and blocks by turns and waits for
//! each: everything overlaps, the last block may be shorter, and the pivots' rows are on the
//! GPU already when their turn comes.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use std::ops::Range;

use gpu_runtime::{Buffer, Event, Gpu, GpuError, Priority};
use sssp::{Progress, SsspError};

use super::arithmetic::{Arithmetic, Kernels};
use super::panel::{Closer, Panel};
use super::product::{self, Strip, take_through};
use super::rows::{Rows, Turn};
use crate::ApspError;

/// Strips under way at once.
pub(super) const SLOTS: usize = 4;
/// Rows of a block of pivots, and of a strip, of a matrix that the GPU keeps: with more, closing
/// them takes more of the time; with fewer, tiles are read and written more often.
const BLOCK_ROWS: usize = 1024;
/// Rows of a matrix that is one block.
const MAX_ROWS_OF_ONE: usize = 4096;
/// Rows of a block whose rows pass through the GPU, and of a strip, that suffice to hide the
/// copies.
const MAX_PASSING_BLOCK_ROWS: usize = 2048;
const MAX_PASSING_ROWS: usize = 512;

/// How a matrix is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) arithmetic: Arithmetic,
    /// Whether rows pass through the GPU, which keeps them else.
    passes: bool,
    /// The side of the matrix, padding included.
    pub(super) side: usize,
    /// Rows of a block of pivots,
    pub(super) block_rows: usize,
    /// and of a strip: it divides them.
    pub(super) strip_rows: usize,
}

impl Cut {
    /// For so many vertices, whose matrix the GPU holds.
    pub(super) fn on_gpu(arithmetic: Arithmetic, n_vertices: usize) -> Self {
        let side = arithmetic.side(n_vertices);
        let block_rows = if side <= MAX_ROWS_OF_ONE { side } else { BLOCK_ROWS };
        Self { arithmetic, passes: false, side, block_rows, strip_rows: BLOCK_ROWS.min(side) }
    }

    /// The largest blocks and strips for so many vertices whose rows pass through the GPU that
    /// take at most `memory` bytes of it; or the bytes that the smallest take.
    pub(super) fn passing(
        arithmetic: Arithmetic,
        n_vertices: usize,
        memory: u64,
    ) -> Result<Self, u64> {
        let step = arithmetic.side_step();
        let side = arithmetic.side(n_vertices);
        let cut = |block_rows, strip_rows| Self {
            arithmetic,
            passes: true,
            side,
            block_rows,
            strip_rows,
        };
        let mut best = Err(cut(step, step).bytes());
        for strip_rows in (step..=MAX_PASSING_ROWS.min(side)).step_by(step) {
            for block_rows in (strip_rows..=MAX_PASSING_BLOCK_ROWS).step_by(strip_rows) {
                let cut = cut(block_rows, strip_rows);
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

    /// Bytes on the GPU, a matrix that is kept there not counted.
    pub(super) fn bytes(&self) -> u64 {
        let turned = self.strip_rows * self.block_rows;
        let passing = (2 * self.block_rows + SLOTS * self.strip_rows) * self.stride();
        let words = self.n_slots() * turned + if self.passes { passing } else { 0 };
        (words * size_of::<u32>()) as u64 + Closer::bytes(self.block_rows)
    }

    /// Strips under way at once: none where all rows are pivots together.
    fn n_slots(&self) -> usize {
        if self.n_blocks() == 1 && !self.passes { 0 } else { SLOTS }
    }

    fn n_blocks(&self) -> usize {
        self.side.div_ceil(self.block_rows)
    }

    pub(super) fn rows_of_block(&self, block: usize) -> Range<usize> {
        block * self.block_rows..((block + 1) * self.block_rows).min(self.side)
    }

    /// The strips of a block, with numbers that are the same each time.
    fn strips_of_block(&self, block: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (rows, step) = (self.rows_of_block(block), self.strip_rows);
        let end = rows.end;
        rows.step_by(step).map(move |first| (first / step, first..(first + step).min(end)))
    }
}

/// A stream, and what the strip needs whose turn it is there.
#[derive(Debug)]
struct Slot {
    gpu: Gpu,
    /// The strip's columns at the pivots, turned over.
    turned: Buffer<u32>,
    /// Set when the last strip has been computed,
    computed: Event,
    /// and when it has been stored.
    done: Event,
}

/// Work space for matrices of one cut.
#[derive(Debug)]
pub(super) struct FloydWarshall {
    /// Where pivots are closed.
    gpu: Gpu,
    /// Where it is awaited that nobody needs the pivots before any more.
    gate: Gpu,
    free: Event,
    cut: Cut,
    closed: [Event; 2],
    slots: Vec<Slot>,
    closer: Closer,
}

impl FloydWarshall {
    pub(super) fn new(gpu: &Gpu, cut: Cut) -> Result<Self, GpuError> {
        let slot = |_| {
            Ok(Slot {
                gpu: gpu.new_stream(Priority::Normal)?,
                turned: gpu.buffer(cut.strip_rows * cut.block_rows)?,
                computed: gpu.event()?,
                done: gpu.event()?,
            })
        };
        let schedule = Self {
            gpu: gpu.new_stream(Priority::High)?,
            gate: gpu.new_stream(Priority::Normal)?,
            free: gpu.event()?,
            cut,
            closed: [gpu.event()?, gpu.event()?],
            slots: (0..cut.n_slots()).map(slot).collect::<Result<_, GpuError>>()?,
            closer: Closer::new(gpu, cut.arithmetic, cut.block_rows)?,
        };
        // buffers are cleared on the first stream, and used on the others
        gpu.synchronize()?;
        Ok(schedule)
    }

    /// Makes distances of the arcs in the rows, and waits for them. Returns how many launches
    /// that took, and how many strips.
    pub(super) fn close(
        &self,
        kernels: &Kernels,
        rows: &mut impl Rows,
        progress: Option<Progress<'_>>,
    ) -> Result<(u64, u64), ApspError> {
        let found = self.queue_all(kernels, rows, progress);
        // nothing may go on using the matrix, whatever became of the rest
        let finished = self.finish();
        let counts = found?;
        finished?;
        Ok(counts)
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.slots.iter().try_for_each(|slot| slot.gpu.synchronize())?;
        self.gate.synchronize()?;
        self.gpu.synchronize()
    }

    /// The algorithm: what is queued runs beside the rest as far as events let it.
    fn queue_all(
        &self,
        kernels: &Kernels,
        rows: &mut impl Rows,
        progress: Option<Progress<'_>>,
    ) -> Result<(u64, u64), ApspError> {
        let n_blocks = self.cut.n_blocks();
        rows.load_panel(&self.gpu, 0)?;
        if n_blocks == 1 {
            return Ok((self.close_panel(kernels, rows, 0, progress)?, 0));
        }
        let total = ((n_blocks - 1) * self.cut.side.div_ceil(self.cut.strip_rows)) as u64;
        let (mut launches, mut strips) = (0, 0);
        for block in 0..n_blocks {
            launches += self.close_panel(kernels, rows, block, None)?;
            let next = (block + 1 < n_blocks).then_some(block + 1);
            self.free_rows_before(rows, block)?;
            for (number, strip) in next.into_iter().flat_map(|next| self.cut.strips_of_block(next))
            {
                self.update(kernels, rows, Turn { block, next, free: &self.free }, number, strip)?;
                strips += 1;
            }
            for slot in &self.slots {
                self.gpu.wait_for(&slot.computed)?;
            }
            // the block before comes last: its rows are needed as they are for the longest
            for other in (block + 2..n_blocks).chain(0..block) {
                for (number, strip) in self.cut.strips_of_block(other) {
                    if progress.is_some_and(|tell| tell(strips, total).is_break()) {
                        return Err(SsspError::Interrupted.into());
                    }
                    let turn = Turn { block, next: None, free: &self.free };
                    self.update(kernels, rows, turn, number, strip)?;
                    strips += 1;
                }
            }
        }
        Ok((launches + product::LAUNCHES * strips, strips))
    }

    /// Closes the rows of a block among themselves; returns the number of launches.
    fn close_panel(
        &self,
        kernels: &Kernels,
        rows: &mut impl Rows,
        block: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let pivots = self.cut.rows_of_block(block);
        let panel = Panel {
            address: rows.panel(block),
            n_rows: pivots.len(),
            side: self.cut.side,
            first: pivots.start,
        };
        let launches = self.closer.close(&self.gpu, kernels, panel, progress)?;
        self.closed[block % 2].record(&self.gpu)?;
        rows.store_panel(&self.gpu, block)?;
        Ok(launches)
    }

    /// Sets `free` when nobody needs the rows any more of the block before as pivots.
    fn free_rows_before(&self, rows: &impl Rows, block: usize) -> Result<(), GpuError> {
        rows.wait_for_stored(&self.gate, block + 1)?;
        for slot in &self.slots {
            self.gate.wait_for(&slot.computed)?;
        }
        self.free.record(&self.gate)
    }

    /// Takes a strip of rows through a block of pivots.
    fn update(
        &self,
        kernels: &Kernels,
        rows: &mut impl Rows,
        turn: Turn<'_>,
        number: usize,
        strip: Range<usize>,
    ) -> Result<(), GpuError> {
        let (cut, pivots) = (self.cut, self.cut.rows_of_block(turn.block));
        // a strip has the same slot each time, so that it is loaded after it was stored
        let place = number % SLOTS;
        let slot = &self.slots[place];
        slot.done.wait()?;
        let gpu = &slot.gpu;
        let first = rows.load(gpu, turn, place, &strip)?;
        gpu.wait_for(&self.closed[turn.block % 2])?;
        let to_pivots = pivots.start / cut.arithmetic.lanes() * size_of::<u32>();
        let taken = Strip {
            rows: first,
            n_rows: strip.len(),
            side: cut.side,
            columns: first + to_pivots as u64,
            columns_stride: cut.side,
            turned: slot.turned.address(),
            panel: rows.panel(turn.block),
            n_pivots: pivots.len(),
            lanes: cut.arithmetic.lanes(),
        };
        // SAFETY: the strip and its columns lie where they were loaded; the panel is closed, and
        // only read; `turned` is the slot's own.
        unsafe { take_through(gpu, kernels, &taken)? };
        slot.computed.record(gpu)?;
        rows.store(gpu, turn, place, &strip)?;
        slot.done.record(gpu)
    }
}

#[cfg(test)]
mod tests {
    use bytemuck::{cast_slice, cast_slice_mut};
    use graph_formats::Csr;

    use super::super::arcs::DeviceArcs;
    use super::super::rows::{OnGpu, Passing};
    use super::super::tests::gpu;
    use super::*;
    use crate::element::write_row;
    use crate::host::{self, MinPlus, floyd_warshall};

    /// Blocks and strips of the least height, and of others, end where one block and the CPU do,
    /// wherever the rows are kept.
    #[test]
    fn the_cut_does_not_matter() {
        fn agrees<E: MinPlus + std::fmt::Debug>(gpu: &Gpu, arithmetic: Arithmetic) {
            let n = 1300u32;
            let arcs = |u: u32| [(u * 5 + 1) % n, (u + 7) % n, (u * u + 3) % n].map(|v| (u, v));
            let arcs = (0..n).filter(|u| u % 11 > 0).flat_map(arcs);
            let arcs: Vec<_> = arcs.map(|(u, v)| (u, v, 1 + (u * 31 + v * 17) % 50)).collect();
            let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
            let mut expected = host::Matrix::<E>::of(&graph).unwrap();
            floyd_warshall::blocked(&mut expected, None).unwrap();

            let kernels = Kernels::load(gpu, arithmetic).unwrap();
            let side = arithmetic.side(n as usize);
            let one = Cut::on_gpu(arithmetic, n as usize);
            assert_eq!(one.n_blocks(), 1);
            let check = |words: &[u32], cut: Cut| {
                let rows = cast_slice::<u32, E>(words).chunks_exact(side);
                for (i, row) in rows.take(n as usize).enumerate() {
                    let pairs = row.iter().zip(expected.row(i));
                    for (j, (&found, &expected)) in pairs.enumerate() {
                        // sums with what stands for no path may differ
                        let [found, expected] = [found, expected].map(E::decode::<u64>);
                        assert_eq!(found, expected, "{arithmetic:?} {cut:?} {i} {j}");
                    }
                }
            };
            let step = arithmetic.side_step();
            for (block_rows, strip_rows) in [(side, step), (step, step), (512, step), (512, 512)] {
                let cut = Cut { block_rows, strip_rows, ..one };
                let arcs = DeviceArcs::of::<_, E>(gpu, &graph).unwrap().unwrap();
                let mut matrix = gpu.buffer(side * cut.stride()).unwrap();
                arcs.write_rows(gpu, &kernels, arithmetic, &mut matrix, 0).unwrap();
                gpu.synchronize().unwrap();
                let mut rows = OnGpu { matrix: &matrix, cut };
                FloydWarshall::new(gpu, cut).unwrap().close(&kernels, &mut rows, None).unwrap();
                check(&matrix.download().unwrap(), cut);

                let cut = Cut { passes: true, ..cut };
                let mut matrix = gpu.pinned(side * cut.stride()).unwrap();
                for (u, row) in cast_slice_mut::<u32, E>(&mut matrix).chunks_mut(side).enumerate() {
                    write_row(&graph, u, row);
                }
                let mut rows = Passing::new(gpu, &mut matrix, cut).unwrap();
                FloydWarshall::new(gpu, cut).unwrap().close(&kernels, &mut rows, None).unwrap();
                drop(rows);
                check(&matrix, cut);
            }
        }
        let Some(gpu) = gpu() else { return };
        agrees::<i32>(&gpu, Arithmetic::I32);
        agrees::<f32>(&gpu, Arithmetic::F32);
        agrees::<f32>(&gpu, Arithmetic::F32Signed);
        if super::super::arithmetic::adds_and_compares(&gpu) {
            agrees::<u16>(&gpu, Arithmetic::U16);
        }
    }
}

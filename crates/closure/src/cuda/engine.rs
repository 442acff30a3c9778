//! Closure by blocks of pivots on GPUs, the matrix resident.
//!
//! The lines of one GPU, or of a block where several share them, are closed in blocks of one or
//! more chunks of 256 pivots. For each chunk, its square is closed, its lines are updated with it,
//! and the other lines of the block are updated with these. Then all lines outside the block are
//! updated with all its pivots at once. Two launches a chunk, and two a block. O(n³) bit
//! operations, n² / 8 bytes.
//!
//! Several GPUs close their blocks in the order of [`pivots::close`], on a stream each, for a
//! launch that raises lines fills a GPU. A GPU copies the closed lines of another one on a second
//! stream, and transposes its copy itself.
//!
//! What differs from the paper: WARSHALL-adapt goes through the matrix once for each pivot.
//!
//! Reference: warshall-1962, venkataraman-2003, snytnikova-nepomniaschaya-2016

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Event, Gpu, GpuError, LaunchConfig, Priority};
use graph_formats::{Csr, Interrupted, tell};
use paths::Progress;
use pivots::{Blocks, Part, Share, Strip};

use super::form::{CHUNK, Form, Kernels, LARGE};
use crate::ClosureError;

/// Bits of a device's word.
pub(super) const WORD: usize = u32::BITS as usize;

/// Lines of a block where several GPUs share them: with more, closing a block takes more of the
/// time; with fewer, lines are read and written more often.
const BLOCK_LINES: usize = 1024;
/// The same of a large matrix.
const LARGE_BLOCK_LINES: usize = 2048;

/// Columns of which a block of the panel kernel has one or more groups.
const GROUP: usize = 64;

/// What kernels are told, as `kernels/closure/layout.cuh` has it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Step {
    lines: u64,
    pivots: u64,
    turned: u64,
    stride: u64,
    chunk_bytes: u64,
    first: u32,
    count: u32,
    skip: u32,
    skipped: u32,
    pivot: u32,
    n_chunks: u32,
}

/// Chunks of pivots: the addresses of their lines and of these lines transposed; the column of the
/// first.
#[derive(Clone, Copy, Debug)]
struct Pivots {
    lines: u64,
    turned: u64,
    column: usize,
    n_chunks: usize,
}

/// What a GPU has of a relation, and what closing it takes.
#[derive(Debug)]
pub(super) struct Engine {
    gpu: Gpu,
    form: Form,
    kernels: Kernels,
    /// Its blocks, of lines that are as long as there are lines, padding included.
    share: Share,
    /// The lines of its blocks, one after the other.
    lines: Buffer<u64>,
    /// The pivots' lines transposed, double-buffered by block.
    turned: [Buffer<u64>; 2],
    /// The closed lines of other GPUs' blocks, double-buffered.
    panels: [Buffer<u64>; 2],
    /// The stream on which these lines are copied.
    beside: Gpu,
    /// Set when the lines of a block are closed and on this GPU.
    here: [Event; 2],
    /// Set when the lines of the block before are not needed any more.
    free: Event,
}

/// The lines of `n_vertices` vertices in blocks: one block for one GPU, and equally many for each
/// of several.
pub(super) fn blocks(n_vertices: usize, n_parts: usize) -> Blocks {
    let side = n_vertices.next_multiple_of(CHUNK);
    let most = if side < LARGE { BLOCK_LINES } else { LARGE_BLOCK_LINES };
    let n_blocks = if n_parts == 1 { 1 } else { n_parts * side.div_ceil(n_parts * most) };
    Blocks { n_parts, ..Blocks::one_each(side, CHUNK, n_blocks.max(1)) }
}

impl Engine {
    /// Bytes of GPU memory for a graph, while its arcs are there too.
    pub(super) fn bytes(graph: &Csr<u32>, form: Form, blocks: Blocks) -> u64 {
        let [turned, other] = turned_lines(form, blocks);
        let lines = blocks.most_rows() + turned + other + 2 * panel_lines(blocks);
        let arcs = graph.n_vertices() as u64 + 1 + graph.n_arcs() as u64;
        lines as u64 * blocks.n_rows as u64 / 8 + arcs * 4
    }

    /// The relation of the arcs from those vertices whose lines are this part's.
    pub(super) fn new(
        gpu: &Gpu,
        graph: &Csr<u32>,
        form: Form,
        share: Share,
    ) -> Result<Self, ClosureError> {
        let (n, blocks) = (graph.n_vertices(), share.blocks);
        let Ok(n_arcs) = u32::try_from(graph.n_arcs()) else {
            return Err(ClosureError::TooManyArcs { n_arcs: graph.n_arcs() });
        };
        gpu.check_fits("the bits of all pairs", Self::bytes(graph, form, blocks))?;
        let kernels = Kernels::load(gpu, form)?;
        let buffer = |n_lines: usize| gpu.buffer::<u64>(n_lines * blocks.n_rows / 64);
        let [turned, other] = turned_lines(form, blocks);
        let engine = Self {
            gpu: gpu.clone(),
            form,
            kernels,
            share,
            lines: buffer(blocks.most_rows())?,
            turned: [buffer(turned)?, buffer(other)?],
            panels: [buffer(panel_lines(blocks))?, buffer(panel_lines(blocks))?],
            beside: gpu.new_stream(Priority::Normal)?,
            here: [gpu.event()?, gpu.event()?],
            free: gpu.event()?,
        };
        if n_arcs > 0 {
            let offsets: Vec<u32> = graph.row_offsets().iter().map(|&at| at as u32).collect();
            let (offsets, heads) = (gpu.upload(&offsets)?, gpu.upload(graph.column_indices())?);
            for block in share.own_blocks() {
                let first = blocks.rows(block).start.min(n);
                let vertices = blocks.rows(block).end.min(n) - first;
                let args: [Arg<'_>; 5] = [
                    engine.own(block).into(),
                    ((engine.side() / WORD) as u64).into(),
                    (offsets.address() + (first * size_of::<u32>()) as u64).into(),
                    (&heads).into(),
                    (vertices as u32).into(),
                ];
                let shape = LaunchConfig::covering(vertices as u64 * 32, 256);
                // SAFETY: a warp reads the offsets of a vertex of the block and the heads between
                // them, which are below n. It writes into lines of at least n bits, of which the
                // block has at least one for each vertex.
                unsafe { gpu.launch(&engine.kernels.arcs, shape, &args)? };
            }
        }
        // buffers are cleared on the first stream, and used on the other
        gpu.synchronize()?;
        Ok(engine)
    }

    /// Its lines, one after the other.
    pub(super) fn lines(&self) -> &Buffer<u64> {
        &self.lines
    }

    /// The lines, and the bits of a line.
    pub(super) fn side(&self) -> usize {
        self.share.blocks.n_rows
    }

    /// Lets the stream of `other` wait for all that was asked for.
    pub(super) fn join(&self, other: &Self) -> Result<(), GpuError> {
        self.free.record(&self.gpu)?;
        other.gpu.wait_for(&self.free)
    }

    /// Waits for all that was asked for.
    pub(super) fn finish(&self) -> Result<(), GpuError> {
        self.beside.synchronize()?;
        self.gpu.synchronize()
    }

    /// The first `n_lines` lines of one of its blocks, those of vertices, each as long as the
    /// padded side.
    pub(super) fn download(&self, block: usize, n_lines: usize) -> Result<Vec<u64>, GpuError> {
        let (first, stride) = (self.share.blocks.first_place(block), self.side() / 64);
        self.lines.download_range(first * stride..(first + n_lines) * stride)
    }

    /// Where the lines of a block are, of its own,
    fn own(&self, block: usize) -> u64 {
        self.lines.address() + self.bytes_of(self.share.blocks.first_place(block))
    }

    /// or of any while they are pivots.
    fn pivots(&self, block: usize) -> Pivots {
        let lines = match self.share.owns(block) {
            true => self.own(block),
            false => self.panels[block % 2].address(),
        };
        let rows = self.share.blocks.rows(block);
        let turned = self.turned[block % 2].address();
        Pivots { lines, turned, column: rows.start, n_chunks: rows.len() / CHUNK }
    }

    fn bytes_of(&self, n_lines: usize) -> u64 {
        (n_lines * self.side() / 8) as u64
    }

    /// Some of the pivots: `turned` follows them only where it has them all.
    fn chunks(&self, all: Pivots, first: usize, n_chunks: usize) -> Pivots {
        let column = all.column + first * CHUNK;
        Pivots { lines: all.lines + self.bytes_of(first * CHUNK), column, n_chunks, ..all }
    }

    /// What `pivots` do to `count` lines from there on, but for `skipped` ones after `skip`.
    fn step(&self, lines: u64, count: usize, skip: usize, skipped: usize, by: Pivots) -> Step {
        Step {
            lines,
            pivots: by.lines,
            turned: by.turned,
            stride: (self.side() / WORD) as u64,
            chunk_bytes: self.bytes_of(CHUNK),
            first: 0,
            count: count as u32,
            skip: skip as u32,
            skipped: skipped as u32,
            pivot: by.column as u32,
            n_chunks: by.n_chunks as u32,
        }
    }

    fn close_chunk(&self, step: &Step) -> Result<(), GpuError> {
        let n_groups = self.side() / GROUP;
        let blocks = n_groups.min(self.gpu.properties().multiprocessors as usize) as u32;
        let args = [Arg::structure(step), (n_groups as u32).into()];
        // SAFETY: the step's pivots are lines of the matrix, as wide as all groups together,
        // and `turned` holds a chunk of them where the kernel writes it.
        unsafe { self.gpu.launch(&self.kernels.panel, LaunchConfig::new(blocks, 512), &args) }
    }

    /// Transposes the pivots' lines, if the form needs that.
    fn turn(&self, step: &Step) -> Result<u64, GpuError> {
        let Some(turn) = &self.kernels.turn else { return Ok(0) };
        let grid = ((self.side() / GROUP) as u32, step.n_chunks, 1);
        let shape = LaunchConfig { grid, ..LaunchConfig::new(1, 512) };
        // SAFETY: the step's pivots are lines of the matrix, and `turned` holds `n_chunks` chunks.
        unsafe { self.gpu.launch(turn, shape, &[Arg::structure(step)])? };
        Ok(1)
    }

    /// Raises the lines of the step, if there are any.
    fn raise(&self, step: &Step) -> Result<u64, GpuError> {
        let n_lines = (step.count - step.skipped) as usize;
        if n_lines == 0 {
            return Ok(0);
        }
        let n_words = self.side() / WORD;
        let launch = self.form.launch(n_lines, n_words, step.n_chunks as usize, &self.gpu);
        let shape = LaunchConfig {
            shared_bytes: launch.shared,
            ..LaunchConfig::new(launch.n_blocks, launch.threads)
        };
        let args = [Arg::structure(step), launch.n_column_tiles.into()];
        // SAFETY: the step's lines and pivots lie in the matrix or in a panel, `turned` holds its
        // chunks where the form reads them, and the shared memory is what the form takes for them.
        unsafe { self.gpu.launch(&self.kernels.update, shape, &args)? };
        Ok(1)
    }
}

impl Part for Engine {
    type Error = ClosureError;

    fn share(&self) -> Share {
        self.share
    }

    fn n_strips(&self, _block: usize) -> usize {
        1
    }

    fn close(&self, block: usize, progress: Option<Progress<'_>>) -> Result<u64, ClosureError> {
        let (lines, all) = (self.own(block), self.pivots(block));
        let (n_lines, chunks) = (all.n_chunks * CHUNK, self.form.chunks(self.side()));
        let mut launches = 0;
        for first in (0..all.n_chunks).step_by(chunks.max(1)) {
            tell(progress, (first * CHUNK) as u64, n_lines as u64)?;
            let by = self.chunks(all, first, chunks.min(all.n_chunks - first));
            let n_pivots = by.n_chunks * CHUNK;
            for chunk in 0..by.n_chunks {
                let own = self.chunks(by, chunk, 1);
                let own = self.step(by.lines, n_pivots, chunk * CHUNK, CHUNK, own);
                self.close_chunk(&own)?;
                launches += 1 + self.raise(&own)?;
            }
            let rest = self.step(lines, n_lines, first * CHUNK, n_pivots, by);
            if by.n_chunks > 1 {
                launches += self.turn(&rest)?;
            }
            launches += self.raise(&rest)?;
        }
        self.here[block % 2].record(&self.gpu)?;
        Ok(launches)
    }

    fn receive(&self, block: usize, owner: Option<&Self>) -> Result<u64, ClosureError> {
        let Self { gpu, beside, here, .. } = self;
        if let Some(owner) = owner.filter(|_| !self.share.owns(block)) {
            // the panel before the last was here
            beside.wait_for(&self.free)?;
            beside.wait_for(&owner.here[block % 2])?;
            let (stride, lines) =
                (self.side() / 64, owner.share.places(&self.share.blocks.rows(block)));
            let words = lines.start * stride..lines.end * stride;
            // SAFETY: the lines lie in both buffers. No work writes the owner's lines until they
            // are free. No work uses the panel before `here`, or since it was free.
            unsafe { beside.queue_copy(&owner.lines, words, &self.panels[block % 2], 0)? };
            here[block % 2].record(beside)?;
            gpu.wait_for(&here[block % 2])?;
        }
        let pivots = self.pivots(block);
        Ok(self.turn(&self.step(pivots.lines, 0, 0, 0, pivots))?)
    }

    fn free_before(&self, block: usize, parts: &[Self]) -> Result<(), ClosureError> {
        for other in parts {
            // it has its copy then
            self.gpu.wait_for(&other.here[(block + 1) % 2])?;
        }
        Ok(self.free.record(&self.gpu)?)
    }

    fn update(&self, pivots: usize, strip: Strip) -> Result<u64, ClosureError> {
        let (lines, n_lines) = (self.own(strip.block), self.share.blocks.rows(strip.block).len());
        let (all, chunks) = (self.pivots(pivots), self.form.chunks(self.side()).max(1));
        let mut launches = 0;
        for first in (0..all.n_chunks).step_by(chunks) {
            let by = self.chunks(all, first, chunks.min(all.n_chunks - first));
            let turned = all.turned + self.bytes_of(first * CHUNK);
            launches += self.raise(&self.step(lines, n_lines, 0, 0, Pivots { turned, ..by }))?;
        }
        Ok(launches)
    }

    fn go_on(&self, is_ended: bool) -> Result<(), ClosureError> {
        if is_ended { Err(Interrupted.into()) } else { Ok(()) }
    }
}

/// Lines of which the pivots' images are kept, of a block and of the next.
fn turned_lines(form: Form, blocks: Blocks) -> [usize; 2] {
    match (form.turns(), blocks.n_parts) {
        (false, _) => [0, 0],
        (true, 1) => [form.chunks(blocks.n_rows) * CHUNK, 0],
        (true, _) => [panel_lines(blocks); 2],
    }
}

/// Lines of others that a GPU has room for, twice: those of a block.
fn panel_lines(blocks: Blocks) -> usize {
    if blocks.n_parts > 1 { blocks.block_rows } else { 0 }
}

#[cfg(test)]
mod tests {
    use test_support::layout::number;
    use test_support::{assert_same_layout, kernel_source};

    use super::*;

    #[test]
    fn blocks_are_whole_chunks() {
        for n in [0, 1, 256, 257, 5000, 40_000] {
            for n_parts in [1, 2, 3, 8] {
                let blocks = blocks(n, n_parts);
                assert_eq!((blocks.n_rows, blocks.n_parts), (n.next_multiple_of(CHUNK), n_parts));
                assert!(blocks.block_rows.is_multiple_of(CHUNK), "{blocks:?}");
                assert!(n_parts > 1 || blocks.count() <= 1, "{blocks:?}");
            }
        }
    }

    #[test]
    fn steps_are_laid_out_as_kernels_read_them() {
        assert_same_layout! { Step as "Step" of ["closure/layout.cuh"]:
            lines, pivots, turned, stride, chunk_bytes, first, count, skip, skipped, pivot, n_chunks
        }
        assert_eq!(number(kernel_source!("closure/layout.cuh"), "u32 chunk") as usize, CHUNK);
    }
}

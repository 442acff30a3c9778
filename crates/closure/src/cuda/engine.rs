//! Closure by blocks of pivots on a GPU, the matrix resident.
//!
//! A block has one or more chunks of 256 pivots. For each chunk: its square is closed and its
//! lines are taken through it; the other lines of the block are raised by them. Then all lines
//! outside the block are raised by all its pivots at once. Two launches a chunk, and two a
//! block. O(n³) bit operations, n² / 8 bytes.
//!
//! What differs from the paper: WARSHALL-adapt goes through the matrix once for each pivot.
//!
//! Reference: warshall-1962, venkataraman-2003, snytnikova-nepomniaschaya-2016

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, LaunchConfig};
use graph_formats::{Csr, Weight};
use paths::{BitMatrix, Progress};

use super::form::{CHUNK, Form, Kernels};
use crate::ClosureError;

/// Bits of a device's word.
const WORD: usize = u32::BITS as usize;

/// Columns of which a block of the panel kernel has one or more groups.
const GROUP: usize = 64;

/// What kernels are told, as `kernels/closure/layout.cuh` has it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Step {
    lines: u64,
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

/// A relation in a GPU's memory, and what closing it takes.
#[derive(Debug)]
pub(super) struct Engine {
    gpu: Gpu,
    form: Form,
    kernels: Kernels,
    n: usize,
    side: usize,
    lines: Buffer<u64>,
    turned: Buffer<u64>,
}

impl Engine {
    /// Bytes of GPU memory for a graph, while its arcs are there too.
    pub(super) fn bytes<W: Weight>(graph: &Csr<W>, form: Form) -> u64 {
        let side = side_of(graph.n_vertices()) as u64;
        let turned = if form.turns() { form.chunks(side as usize) * CHUNK } else { 0 } as u64;
        let arcs = graph.n_vertices() as u64 + 1 + graph.n_arcs() as u64;
        (side + turned) * side / 8 + arcs * 4
    }

    /// The relation of the arcs.
    pub(super) fn new<W: Weight>(
        gpu: &Gpu,
        graph: &Csr<W>,
        form: Form,
    ) -> Result<Self, ClosureError> {
        let n = graph.n_vertices();
        let Ok(n_arcs) = u32::try_from(graph.n_arcs()) else {
            return Err(ClosureError::TooManyArcs { n_arcs: graph.n_arcs() });
        };
        gpu.check_fits("the bits of all pairs", Self::bytes(graph, form))?;
        // asked for before all the work, for the host gets as many
        let words = n * (side_of(n) / 64);
        if Vec::<u64>::new().try_reserve_exact(words).is_err() {
            return Err(ClosureError::TooLarge { n_vertices: n });
        }
        let kernels = Kernels::load(gpu, form)?;
        let side = side_of(n);
        let lines = gpu.buffer::<u64>(side * side / 64)?;
        let turned = if form.turns() { form.chunks(side) * CHUNK * side / 64 } else { 0 };
        let turned = gpu.buffer::<u64>(turned)?;
        let engine = Self { gpu: gpu.clone(), form, kernels, n, side, lines, turned };
        if n_arcs > 0 {
            let offsets: Vec<u32> = graph.row_offsets().iter().map(|&at| at as u32).collect();
            let (offsets, heads) = (gpu.upload(&offsets)?, gpu.upload(graph.column_indices())?);
            let args: [Arg<'_>; 5] = [
                (&engine.lines).into(),
                ((side / WORD) as u64).into(),
                (&offsets).into(),
                (&heads).into(),
                (n as u32).into(),
            ];
            let shape = LaunchConfig::covering(n as u64 * 32, 256);
            // SAFETY: a warp reads the offsets of a vertex below n and the heads between them,
            // which are below n too, and writes into lines of at least n bits, of which there
            // are at least n.
            unsafe { gpu.launch(&engine.kernels.arcs, shape, &args)? };
            gpu.synchronize()?;
        }
        Ok(engine)
    }

    /// Closes the relation; how many launches that takes.
    pub(super) fn close(&self, progress: Option<Progress<'_>>) -> Result<u64, ClosureError> {
        let (side, chunks) = (self.side, self.form.chunks(self.side));
        let mut launches = 0;
        for pivot in (0..side).step_by((chunks * CHUNK).max(1)) {
            if progress.is_some_and(|tell| tell(pivot as u64, side as u64).is_break()) {
                self.gpu.synchronize()?;
                return Err(ClosureError::Interrupted);
            }
            let n_chunks = chunks.min((side - pivot) / CHUNK);
            let n_pivots = n_chunks * CHUNK;
            for chunk in (0..n_pivots).step_by(CHUNK) {
                let own = self.step(pivot, n_pivots, chunk, CHUNK, pivot + chunk, 1);
                self.close_chunk(&own)?;
                launches += 1 + u64::from(self.update(&own)?);
            }
            let rest = self.step(0, side, pivot, n_pivots, pivot, n_chunks);
            if n_chunks > 1 {
                launches += u64::from(self.turn(&rest)?);
            }
            launches += u64::from(self.update(&rest)?);
        }
        Ok(launches)
    }

    /// The first n lines, each of so many words as the side has.
    pub(super) fn download(self) -> Result<BitMatrix, GpuError> {
        let stride = self.side / 64;
        let words = self.lines.download_range(0..self.n * stride)?;
        Ok(BitMatrix::from_words(self.n, stride, words).expect("n lines, each of a side"))
    }

    fn step(
        &self,
        first: usize,
        count: usize,
        skip: usize,
        skipped: usize,
        pivot: usize,
        n_chunks: usize,
    ) -> Step {
        Step {
            lines: self.lines.address(),
            turned: self.turned.address(),
            stride: (self.side / WORD) as u64,
            chunk_bytes: (self.side * CHUNK / 8) as u64,
            first: first as u32,
            count: count as u32,
            skip: skip as u32,
            skipped: skipped as u32,
            pivot: pivot as u32,
            n_chunks: n_chunks as u32,
        }
    }

    fn close_chunk(&self, step: &Step) -> Result<(), GpuError> {
        let n_groups = self.side / GROUP;
        let blocks = n_groups.min(self.gpu.properties().multiprocessors as usize) as u32;
        let args = [Arg::structure(step), (n_groups as u32).into()];
        // SAFETY: the step's pivots are lines of the matrix, as wide as all groups together,
        // and `turned` holds a chunk of them where the kernel writes it.
        unsafe { self.gpu.launch(&self.kernels.panel, LaunchConfig::new(blocks, 512), &args) }
    }

    /// Turns the block's lines over, if the form wants that.
    fn turn(&self, step: &Step) -> Result<bool, GpuError> {
        let Some(turn) = &self.kernels.turn else { return Ok(false) };
        let grid = ((self.side / GROUP) as u32, step.n_chunks, 1);
        let shape = LaunchConfig { grid, ..LaunchConfig::new(1, 512) };
        // SAFETY: the step's pivots are lines of the matrix, and `turned` holds so many chunks.
        unsafe { self.gpu.launch(turn, shape, &[Arg::structure(step)])? };
        Ok(true)
    }

    /// Raises the lines of the step, if there are any.
    fn update(&self, step: &Step) -> Result<bool, GpuError> {
        let n_lines = (step.count - step.skipped) as usize;
        if n_lines == 0 {
            return Ok(false);
        }
        let launch = self.form.launch(n_lines, self.side / WORD, step.n_chunks as usize, &self.gpu);
        let shape = LaunchConfig {
            shared_bytes: launch.shared,
            ..LaunchConfig::new(launch.n_blocks, launch.threads)
        };
        let args = [Arg::structure(step), launch.n_column_tiles.into()];
        // SAFETY: the step's lines and pivots lie in the matrix, `turned` holds its chunks where
        // the form reads them, and the shared memory is what the form takes for them.
        unsafe { self.gpu.launch(&self.kernels.update, shape, &args)? };
        Ok(true)
    }
}

fn side_of(n: usize) -> usize {
    n.next_multiple_of(CHUNK)
}

#[cfg(test)]
mod tests {
    use kernels::layout;
    use kernels::layout::{CLOSURE, layout_in, number};

    use super::*;

    #[test]
    fn steps_are_laid_out_as_kernels_read_them() {
        let step = layout!(Step: lines, turned, stride, chunk_bytes, first, count, skip, skipped,
            pivot, n_chunks);
        assert_eq!(step, layout_in(CLOSURE, "Step"));
        assert_eq!(number(CLOSURE, "u32 chunk") as usize, CHUNK);
    }
}

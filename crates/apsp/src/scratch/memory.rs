//! The width of a block of pivots, and the memory that the work on it takes.
//!
//! Wide blocks read and write the matrix less often: once for each. They also take more
//! memory, and more is done again after an interruption.

use gpu_runtime::{Gpu, GpuError};

use super::close::ROWS_SENT;
use super::engine::Bytes;
use super::journal::{ALIGNMENT, side_of};
use super::{cpu, half_lowered, hops};
use crate::cuda::{self, Arithmetic};
use crate::element::with_element;
use crate::job::Job;
use crate::potentials::RaisedWeight;
use crate::{ApspError, Number};

/// Pivots of a block, if there is memory: 16 passes over a matrix of 32,768 vertices.
const MAX_PIVOTS: usize = 2048;
/// Blocks are smaller if that gives at least this number of blocks.
const BLOCKS: usize = 8;

/// What the work on a matrix takes beside the matrix.
pub(super) struct Need {
    n_vertices: usize,
    /// The bytes that the engine takes, by the number of pivots of a block.
    engine: Box<dyn Fn(usize) -> Bytes>,
    /// Bytes of the rows that ranks send each other at one time, and for comparing rows that a run
    /// has left half lowered with the graph.
    beside: u128,
    /// Bytes for the work on next hops, when the matrix is closed.
    hops: u128,
    /// Bytes that each GPU has, where there are any.
    pub(super) on_gpu: u64,
}

impl Need {
    /// That of a rank in these numbers; with `settles` where floats are to be settled, if no hops are
    /// asked for.
    pub(super) fn of<W: RaisedWeight>(
        job: &Job<'_, W>,
        gpus: Option<&[Gpu]>,
        numbers: Number,
        settles: bool,
    ) -> Result<Self, ApspError> {
        let (n, threads) = (job.graph.n_vertices(), job.config.n_threads());
        let side = side_of(n);
        let (row, on_cpu): (_, fn(_, _, _) -> _) =
            with_element!(W, numbers, E => (side * size_of::<E>(), cpu::bytes::<E>));
        let (engine, on_gpu): (Box<dyn Fn(usize) -> Bytes>, _) = match gpus {
            None => {
                let bytes = move |block| Bytes { host: on_cpu(side, threads, block), device: 0 };
                (Box::new(bytes), 0)
            }
            Some(gpus) => {
                let (n_gpus, arithmetic) = (gpus.len(), Arithmetic::of(Some(numbers), job.graph)?);
                let bytes = move |block| cuda::folder::bytes(arithmetic, side, n_gpus, block);
                (Box::new(bytes), cuda::available(gpus)?)
            }
        };
        let sent = if job.ranks.size() > 1 { ROWS_SENT * row } else { 0 };
        let hops = match (job.ranks.is_root(), job.config.next_hops, settles) {
            (true, true, _) => hops::bytes_of_work(job.graph) + hops::bytes_of_rows(n),
            (true, false, true) => hops::bytes_of_work(job.graph),
            _ => 0,
        };
        let beside = sent as u128 + threads as u128 * half_lowered::bytes(n);
        Ok(Self { n_vertices: n, engine, beside, hops, on_gpu })
    }

    /// Bytes of the host's memory with blocks of `block` pivots.
    pub(super) fn bytes(&self, block: usize) -> u128 {
        (self.beside + (self.engine)(block).host).max(self.hops)
    }

    /// An error where that is more than `memory`, or a GPU has less than it would take.
    pub(super) fn check(&self, block: usize, memory: Option<u64>) -> Result<(), ApspError> {
        let least = self.bytes(block);
        if let Some(memory) = memory.filter(|&memory| u128::from(memory) < least) {
            return Err(ApspError::ScratchMemory {
                n_vertices: self.n_vertices,
                least: least.into(),
                memory,
            });
        }
        let required = u64::try_from((self.engine)(block).device).unwrap_or(u64::MAX);
        let available = self.on_gpu;
        if required > available {
            let what = "a block of pivots and the smallest strips of the matrix in the folder";
            return Err(GpuError::OutOfMemory { what, required, available }.into());
        }
        Ok(())
    }

    /// The widest block that the memory allows, or the least memory that would do.
    pub(super) fn block(&self, memory: Option<u64>) -> Result<usize, ApspError> {
        let most = (side_of(self.n_vertices) / BLOCKS)
            .next_multiple_of(ALIGNMENT)
            .clamp(ALIGNMENT, MAX_PIVOTS);
        self.check(ALIGNMENT, memory)?;
        let fits = |&block: &usize| self.check(block, memory).is_ok();
        let widths = (1..=most / ALIGNMENT).map(|width| width * ALIGNMENT);
        Ok(widths.rev().find(fits).unwrap_or(ALIGNMENT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_cpu(n_vertices: usize, threads: usize) -> Need {
        let host = move |block| cpu::bytes::<i32>(side_of(n_vertices), threads, block);
        let engine = move |block| Bytes { host: host(block), device: 0 };
        Need { n_vertices, engine: Box::new(engine), beside: 0, hops: 0, on_gpu: 0 }
    }

    #[test]
    fn blocks_are_as_wide_as_memory_allows() {
        let need = on_cpu(12_529, 2);
        let block = |mebibytes: u64| need.block(Some(mebibytes << 20));
        assert_eq!(need.block(None).unwrap(), 1664);
        assert_eq!(block(512).unwrap(), 1664);
        let narrow = block(16).unwrap();
        assert!((128..512).contains(&narrow) && need.bytes(narrow) <= 16 << 20);
        assert!(need.bytes(narrow + 128) > 16 << 20);
        let Err(ApspError::ScratchMemory { least, .. }) = block(4) else { panic!("4 MiB") };
        let least = u128::from(least);
        assert_eq!(need.block(u64::try_from(least).ok()).unwrap(), 128);
        assert!(need.block(u64::try_from(least - 1).ok()).is_err());
        let need = Need { hops: 17 << 20, ..need };
        assert!(need.block(Some(16 << 20)).is_err());
        assert!(need.block(Some(17 << 20)).unwrap() >= narrow);
    }

    /// The case of 65,000 vertices in 600 MiB: a block that the CPU could work with is
    /// too wide for a GPU, whose need counts before anything is written.
    #[test]
    fn a_block_for_a_gpu_fits_the_gpu() {
        let memory = 600u64 << 20;
        let by_cpu = on_cpu(65_000, 8);
        let by_gpus = |n_gpus| {
            let engine = move |block| cuda::folder::bytes(Arithmetic::I32, 65_024, n_gpus, block);
            Need { engine: Box::new(engine), on_gpu: memory, ..on_cpu(65_000, 8) }
        };
        let wide = by_cpu.block(Some(memory)).unwrap();
        assert_eq!(wide, 2048);
        let refused = by_gpus(1).check(wide, Some(memory)).unwrap_err().to_string();
        let required = cuda::folder::bytes(Arithmetic::I32, 65_024, 1, wide).device;
        assert!(required > memory.into() && refused.contains(&required.to_string()), "{refused}");
        let block = by_gpus(1).block(Some(memory)).unwrap();
        assert!((1024..2048).contains(&block), "{block}");
        by_gpus(1).check(block, Some(memory)).unwrap();
        // and the host's part, which is pinned, is bounded too: for each of them
        let refused = by_gpus(1).block(Some(90 << 20)).unwrap_err();
        assert!(matches!(refused, ApspError::ScratchMemory { .. }), "{refused}");
        by_gpus(1).check(128, Some(110 << 20)).unwrap();
        assert!(by_gpus(2).check(128, Some(110 << 20)).is_err());
    }
}

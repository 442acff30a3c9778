//! How wide a block of pivots is, and what memory the work on it takes.
//!
//! Wide blocks read and write the matrix less often: once for each. They also take more
//! memory, and more is done again after an interruption.

use gpu_runtime::GpuError;

use super::ALIGNMENT;
use crate::ApspError;

/// Pivots of a block, if there is memory: 16 passes over a matrix of 32,768 vertices.
const MOST_PIVOTS: usize = 2048;
/// Fewer where this makes at least so many blocks.
const BLOCKS: usize = 8;

/// Bytes of the host's memory, and of that of each GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) host: u128,
    pub(crate) device: u128,
}

/// What the work on a matrix of this side takes beside the matrix.
pub(crate) struct Need {
    pub(crate) n_vertices: usize,
    pub(crate) side: usize,
    /// What the engine takes that is going to do it, with blocks of so many pivots.
    pub(crate) engine: Box<dyn Fn(usize) -> Bytes>,
    /// Bytes of the rows that ranks send each other at one time.
    pub(crate) sent: u128,
    /// Bytes for comparing rows that a run has left half lowered with the graph.
    pub(crate) halves: u128,
    /// Bytes that each GPU has, where there are any.
    pub(crate) on_gpu: u64,
    /// Bytes for the work on next hops, when the matrix is closed.
    pub(crate) hops: u128,
}

impl Need {
    /// Bytes of the host's memory with blocks of so many pivots.
    pub(crate) fn bytes(&self, block: usize) -> u128 {
        (self.sent + self.halves + (self.engine)(block).host).max(self.hops)
    }

    /// An error where that is more than `memory`, or a GPU has less than it would take.
    pub(crate) fn check(&self, block: usize, memory: Option<u64>) -> Result<(), ApspError> {
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
    pub(crate) fn block(&self, memory: Option<u64>) -> Result<usize, ApspError> {
        let most = (self.side / BLOCKS).next_multiple_of(ALIGNMENT).clamp(ALIGNMENT, MOST_PIVOTS);
        self.check(ALIGNMENT, memory)?;
        let fits = |&block: &usize| self.check(block, memory).is_ok();
        let widths = (1..=most / ALIGNMENT).map(|width| width * ALIGNMENT);
        Ok(widths.rev().find(fits).unwrap_or(ALIGNMENT))
    }
}

#[cfg(test)]
mod tests {
    use super::super::host;
    use super::*;
    use crate::cuda::{self, Arithmetic};

    fn on_cpu(n_vertices: usize, side: usize, threads: usize) -> Need {
        let engine = move |block| host::bytes::<i32>(side, threads, block);
        Need { n_vertices, side, engine: Box::new(engine), sent: 0, halves: 0, on_gpu: 0, hops: 0 }
    }

    #[test]
    fn blocks_are_as_wide_as_memory_allows() {
        let need = on_cpu(12_529, 12_544, 2);
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

    /// The case of 65,000 vertices in 600 MiB: a block that the processor could work with is
    /// too wide for a GPU, whose need counts before anything is written.
    #[test]
    fn a_block_for_a_gpu_fits_the_gpu() {
        let memory = 600u64 << 20;
        let by_cpu = on_cpu(65_000, 65_024, 8);
        let by_gpus = |n_gpus| {
            let engine = move |block| cuda::folder::bytes(Arithmetic::I32, 65_024, n_gpus, block);
            Need { engine: Box::new(engine), on_gpu: memory, ..on_cpu(65_000, 65_024, 8) }
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

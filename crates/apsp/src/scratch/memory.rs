//! How wide a block of pivots is, and what memory the work on it takes.
//!
//! Wide blocks read and write the matrix less often: once for each. They also take more
//! memory, and more is done again after an interruption.

use super::ALIGNMENT;
use crate::ApspError;

/// Pivots of a block, if there is memory: 16 passes over a matrix of 32,768 vertices.
const MOST_PIVOTS: usize = 2048;
/// Fewer where this makes at least so many blocks.
const BLOCKS: usize = 8;

/// What the work on a matrix of this side takes beside the matrix, on threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Need {
    pub(crate) n_vertices: usize,
    pub(crate) side: usize,
    pub(crate) threads: usize,
    /// Bytes that an engine takes with a matrix of a side, on threads, with blocks of pivots.
    pub(crate) engine: fn(usize, usize, usize) -> u128,
    /// Bytes for the work on next hops, when the matrix is closed.
    pub(crate) hops: u128,
}

impl Need {
    /// Bytes with blocks of so many pivots.
    pub(crate) fn bytes(&self, block: usize) -> u128 {
        (self.engine)(self.side, self.threads, block).max(self.hops)
    }

    /// An error where that is more than `memory`.
    pub(crate) fn check(&self, block: usize, memory: Option<u64>) -> Result<(), ApspError> {
        let least = self.bytes(block);
        match memory {
            Some(memory) if u128::from(memory) < least => {
                Err(ApspError::ScratchMemory { n_vertices: self.n_vertices, least, memory })
            }
            _ => Ok(()),
        }
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
    use super::super::engine::bytes;
    use super::*;

    #[test]
    fn blocks_are_as_wide_as_memory_allows() {
        let need =
            Need { n_vertices: 12_529, side: 12_544, threads: 2, engine: bytes::<i32>, hops: 0 };
        let block = |mebibytes: u64| need.block(Some(mebibytes << 20));
        assert_eq!(need.block(None).unwrap(), 1664);
        assert_eq!(block(512).unwrap(), 1664);
        let narrow = block(16).unwrap();
        assert!((128..512).contains(&narrow) && need.bytes(narrow) <= 16 << 20);
        assert!(need.bytes(narrow + 128) > 16 << 20);
        let Err(ApspError::ScratchMemory { least, .. }) = block(4) else { panic!("4 MiB") };
        assert_eq!(need.block(u64::try_from(least).ok()).unwrap(), 128);
        assert!(need.block(u64::try_from(least - 1).ok()).is_err());
        let need = Need { hops: 17 << 20, ..need };
        assert!(need.block(Some(16 << 20)).is_err());
        assert!(need.block(Some(17 << 20)).unwrap() >= narrow);
    }
}

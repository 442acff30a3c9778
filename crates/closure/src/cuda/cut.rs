//! How the lines of a relation are dealt to GPUs: in blocks, by turns.

use std::ops::Range;

use super::form::{CHUNK, LARGE};

/// Lines of a block where several GPUs share them: with more, closing a block takes more of the
/// time; with fewer, lines are read and written more often.
const BLOCK_LINES: usize = 1024;
/// The same of a large matrix.
const LARGE_BLOCK_LINES: usize = 2048;

/// How a relation is cut: for one GPU it is one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The side of the matrix, padding included.
    pub(super) side: usize,
    /// GPUs that share the blocks.
    pub(super) n_parts: usize,
    block_lines: usize,
}

impl Cut {
    /// For so many vertices and GPUs: as many blocks for each.
    pub(super) fn new(n_vertices: usize, n_parts: usize) -> Self {
        let side = n_vertices.next_multiple_of(CHUNK);
        let n_blocks = match n_parts {
            1 => 1,
            _ if side < LARGE => n_parts * side.div_ceil(n_parts * BLOCK_LINES),
            _ => n_parts * side.div_ceil(n_parts * LARGE_BLOCK_LINES),
        };
        let block_lines = side.div_ceil(n_blocks.max(1)).next_multiple_of(CHUNK).max(CHUNK);
        Self { side, n_parts, block_lines }
    }

    pub(super) fn n_blocks(&self) -> usize {
        self.side.div_ceil(self.block_lines).max(1)
    }

    pub(super) fn lines_of_block(&self, block: usize) -> Range<usize> {
        let end = |blocks: usize| (blocks * self.block_lines).min(self.side);
        end(block)..end(block + 1)
    }

    /// The GPU that has a block,
    pub(super) fn owner(&self, block: usize) -> usize {
        block % self.n_parts
    }

    /// and where it has its lines.
    pub(super) fn kept(&self, block: usize) -> Range<usize> {
        let first = block / self.n_parts * self.block_lines;
        first..first + self.lines_of_block(block).len()
    }

    /// Lines of the GPU that has the most.
    pub(super) fn lines_of_part(&self) -> usize {
        (self.n_blocks().div_ceil(self.n_parts) * self.block_lines).min(self.side)
    }

    /// Lines of others that a GPU has room for, twice: those of a block.
    pub(super) fn lines_of_panel(&self) -> usize {
        if self.n_parts > 1 { self.block_lines } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_one_place() {
        for (n, n_parts) in [0, 1, 256, 257, 5000, 40_000]
            .into_iter()
            .flat_map(|n| [1, 2, 3, 8].map(|n_parts| (n, n_parts)))
        {
            let cut = Cut::new(n, n_parts);
            let mut kept = vec![0; n_parts];
            let mut end = 0;
            for block in 0..cut.n_blocks() {
                let lines = cut.lines_of_block(block);
                assert_eq!((lines.start, lines.len() % CHUNK), (end, 0), "{cut:?}");
                let place = cut.kept(block);
                assert_eq!((place.start, place.len()), (kept[cut.owner(block)], lines.len()));
                assert!(place.end <= cut.lines_of_part(), "{cut:?}");
                (end, kept[cut.owner(block)]) = (lines.end, place.end);
            }
            assert_eq!((end, n_parts > 1 || cut.n_blocks() == 1), (cut.side, true), "{cut:?}");
        }
    }
}

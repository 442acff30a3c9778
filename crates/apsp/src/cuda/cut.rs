//! The division of a matrix for GPUs into blocks of pivots and strips of rows.

use std::ops::Range;

use gpu_runtime::Buffer;
use pivots::{Blocks, Strip};

use super::arithmetic::Arithmetic;
use super::panel::Closer;
use super::tile::Tile;

/// Strips in flight at once.
pub(super) const SLOTS: usize = 4;
/// Rows of a block of pivots, and of a strip, of a matrix that the GPU keeps: with more, closing
/// them takes more of the time; with fewer, tiles are read and written more often.
const BLOCK_ROWS: usize = 1024;
/// The fixed cost of a pass over the tiles, in rows of pivots.
const ROWS_OF_A_PASS: f64 = 20.0;
/// Rows of a matrix that is one block.
const MAX_ROWS_OF_ONE: usize = 4096;
/// Rows of a block and of a strip that hide the copies of rows that pass through the GPU.
const MAX_PASSING_BLOCK_ROWS: usize = 2048;
const MAX_PASSING_ROWS: usize = 512;

/// The division of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) arithmetic: Arithmetic,
    /// Whether rows pass through the GPU; otherwise it keeps them.
    pub(super) passes: bool,
    /// The rows in blocks, padding included. A row has as many columns as there are rows.
    pub(super) blocks: Blocks,
    /// Rows of a strip; a divisor of the rows of a block.
    pub(super) strip_rows: usize,
}

impl Cut {
    /// A matrix of one block, whole on one GPU.
    pub(super) fn whole(arithmetic: Arithmetic, n_vertices: usize) -> Self {
        let side = arithmetic.side(n_vertices);
        let blocks = Blocks { n_rows: side, block_rows: side, n_parts: 1 };
        Self { arithmetic, passes: false, blocks, strip_rows: side }
    }

    /// The division for a matrix of `n_vertices` vertices that `n_parts` GPUs hold. Of the block
    /// heights that give each about as many blocks, it is the one that minimises the time of the
    /// GPU with the most rows.
    pub(super) fn on_gpus(arithmetic: Arithmetic, n_vertices: usize, n_parts: usize) -> Self {
        let whole = Self::whole(arithmetic, n_vertices);
        let (side, step) = (whole.side(), arithmetic.side_step());
        if n_parts == 1 && side <= MAX_ROWS_OF_ONE {
            return whole;
        }
        let n_blocks = n_parts * side.div_ceil(n_parts * BLOCK_ROWS);
        let even = side.div_ceil(n_blocks).next_multiple_of(step);
        let heights = (even.min(BLOCK_ROWS / 2)..=even.max(BLOCK_ROWS)).step_by(step);
        let blocks = |block_rows| Blocks { n_rows: side, block_rows, n_parts };
        let time = |&height: &usize| {
            let pass = 1.0 + ROWS_OF_A_PASS / height as f64;
            blocks(height).most_rows() as f64 * pass
        };
        let best = heights.filter(|&height| height <= side);
        let best = best.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(even);
        Self { blocks: blocks(best), strip_rows: best, ..whole }
    }

    /// The largest blocks and strips for rows that pass through GPUs and take at most `memory`
    /// bytes of each; or, as an error, the bytes that the smallest blocks and strips take.
    pub(super) fn passing(
        arithmetic: Arithmetic,
        n_vertices: usize,
        n_parts: usize,
        memory: u64,
    ) -> Result<Self, u64> {
        let step = arithmetic.side_step();
        let side = arithmetic.side(n_vertices);
        let cut = |block_rows, strip_rows| Self {
            arithmetic,
            passes: true,
            blocks: Blocks { n_rows: side, block_rows, n_parts },
            strip_rows,
        };
        let mut best = Err(cut(step, step).bytes());
        for strip_rows in (step..=MAX_PASSING_ROWS.min(side)).step_by(step) {
            for block_rows in (strip_rows..=MAX_PASSING_BLOCK_ROWS).step_by(strip_rows) {
                let cut = cut(block_rows, strip_rows);
                let better = best.is_ok_and(|best: Self| {
                    (best.blocks.block_rows, best.strip_rows) > (block_rows, strip_rows)
                });
                if cut.bytes() <= memory && !better && block_rows < side + step {
                    best = Ok(cut);
                }
            }
        }
        best
    }

    /// The side of the matrix, padding included.
    pub(super) fn side(&self) -> usize {
        self.blocks.n_rows
    }

    /// Words of 32 bits of a row.
    pub(super) fn stride(&self) -> usize {
        self.arithmetic.stride(self.side())
    }

    /// Bytes on a GPU, without the rows that it keeps.
    pub(super) fn bytes(&self) -> u64 {
        let block_rows = self.blocks.block_rows;
        let turned = self.n_slots() * self.arithmetic.turned(self.strip_rows * block_rows);
        let rows = 2 * self.panel_rows() + self.n_slots() * self.passing_rows();
        let words = turned + rows * self.stride();
        let closer = Closer::bytes(self.arithmetic, block_rows, self.side());
        (words * size_of::<u32>()) as u64 + closer
    }

    /// Rows of a panel for closed rows of other GPUs or of the host; 0 if there are none.
    pub(super) fn panel_rows(&self) -> usize {
        if self.passes || self.blocks.n_parts > 1 { self.blocks.block_rows } else { 0 }
    }

    /// Rows of the buffer for a strip that passes through the GPU.
    pub(super) fn passing_rows(&self) -> usize {
        if self.passes { self.strip_rows } else { 0 }
    }

    /// Words of 32 bits of rows, in a matrix that is whole.
    pub(super) fn words(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start * self.stride()..rows.end * self.stride()
    }

    /// Rows of the matrix that lie in a buffer.
    pub(super) fn rows_in<'a>(&self, buffer: &'a Buffer<u32>, rows: Range<usize>) -> Tile<'a> {
        Tile::rows_of(buffer, self.arithmetic, self.side(), rows)
    }

    /// Strips in flight at once; 0 if all rows are one block of pivots.
    pub(super) fn n_slots(&self) -> usize {
        if self.blocks.count() == 1 && !self.passes { 0 } else { SLOTS }
    }

    /// Strips of a block.
    pub(super) fn n_strips(&self, block: usize) -> usize {
        self.blocks.rows(block).len().div_ceil(self.strip_rows)
    }

    /// The rows of a strip, and its number among those of its GPU, which is the same in each pass.
    pub(super) fn strip(&self, strip: Strip) -> (usize, Range<usize>) {
        let rows = self.blocks.rows(strip.block);
        let first = rows.start + strip.number * self.strip_rows;
        let number = self.blocks.first_place(strip.block) / self.strip_rows + strip.number;
        (number, first..(first + self.strip_rows).min(rows.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heights are rounded to tiles, and yet no GPU has many rows more than others.
    #[test]
    fn gpus_have_about_as_many_rows() {
        for arithmetic in [Arithmetic::I32, Arithmetic::U16] {
            for n_parts in [1, 2, 3, 4, 8] {
                for n in [1, 100, 1500, 4200, 9001, 16_384, 32_768, 46_341, 65_536, 92_682] {
                    let cut = Cut::on_gpus(arithmetic, n, n_parts);
                    let (most, even) = (cut.blocks.most_rows(), cut.side().div_ceil(n_parts));
                    assert!(cut.blocks.block_rows <= cut.side());
                    assert!(cut.blocks.block_rows.is_multiple_of(arithmetic.side_step()));
                    // tiles of 16 bits are twice as high
                    let more = if n > 30_000 { even / 16 } else { cut.blocks.block_rows };
                    assert!(most <= even + more, "{n} on {n_parts}: {cut:?} has {most}");
                }
            }
        }
        // powers of two have blocks of 1,024 rows on any number of GPUs
        for n_parts in [1, 2, 4, 8] {
            assert_eq!(
                Cut::on_gpus(Arithmetic::U16, 32_768, n_parts).blocks.block_rows,
                BLOCK_ROWS
            );
        }
    }
}

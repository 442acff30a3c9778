//! Which part has which rows of a matrix.
//!
//! Rows are divided into blocks, and parts take blocks in turn. So the pivots, which move through the
//! matrix, are of one part after another, and all parts have about as much to do.

use std::ops::Range;

/// The rows of a matrix, in blocks that parts take in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Rows of the matrix.
    pub n_rows: usize,
    /// Rows of a block, at least one; the last block may have fewer.
    pub block_rows: usize,
    /// Parts, at least one.
    pub n_parts: usize,
}

impl Blocks {
    /// A block for each part, as equal as multiples of `step` rows are. Parts may have none.
    ///
    /// ```
    /// let blocks = pivots::Blocks::one_each(640, 128, 2);
    /// assert_eq!([blocks.rows(0), blocks.rows(1)], [0..384, 384..640]);
    /// ```
    pub fn one_each(n_rows: usize, step: usize, n_parts: usize) -> Self {
        let block_rows = n_rows.div_ceil(n_parts).next_multiple_of(step).max(step);
        Self { n_rows, block_rows, n_parts }
    }

    /// The number of blocks.
    pub fn count(self) -> usize {
        self.n_rows.div_ceil(self.block_rows)
    }

    /// The rows of a block: none beyond the last block.
    pub fn rows(self, block: usize) -> Range<usize> {
        let end = |blocks: usize| (blocks * self.block_rows).min(self.n_rows);
        end(block)..end(block + 1)
    }

    /// The part that has a block.
    pub fn owner(self, block: usize) -> usize {
        block % self.n_parts
    }

    /// The place of the first row of a block among the rows of its owner.
    pub fn first_place(self, block: usize) -> usize {
        block / self.n_parts * self.block_rows
    }

    /// The rows of a part.
    pub fn share(self, part: usize) -> Share {
        Share { blocks: self, part }
    }

    /// The most rows that a part has.
    pub fn most_rows(self) -> usize {
        // no part has more than the first
        self.share(0).n_rows()
    }
}

/// The rows that a part has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The rows of all parts.
    pub blocks: Blocks,
    /// The number of the part, from 0.
    pub part: usize,
}

impl Share {
    /// Whether the part has this block.
    pub fn owns(self, block: usize) -> bool {
        self.blocks.owner(block) == self.part
    }

    /// The places, among the rows of this part, of those of `rows` that it has.
    pub fn places(self, rows: &Range<usize>) -> Range<usize> {
        let Self { blocks: Blocks { block_rows, n_parts, .. }, part } = self;
        let before = |row: usize| {
            let block = row / block_rows;
            let whole = (block + n_parts - 1 - part) / n_parts * block_rows;
            if self.owns(block) { whole + row % block_rows } else { whole }
        };
        before(rows.start)..before(rows.end)
    }

    /// The number of rows of this part.
    pub fn n_rows(self) -> usize {
        self.places(&(0..self.blocks.n_rows)).len()
    }

    /// The blocks of this part, ascending.
    pub fn own_blocks(self) -> impl Iterator<Item = usize> {
        (self.part..self.blocks.count()).step_by(self.blocks.n_parts)
    }

    /// The rows of this part, ascending.
    pub fn rows(self) -> impl Iterator<Item = usize> {
        self.own_blocks().flat_map(move |block| self.blocks.rows(block))
    }
}

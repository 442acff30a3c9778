//! How the rows of a matrix are dealt to ranks: in blocks, by turns.
//!
//! As the pivots move through the matrix, each rank has its turn, and all have as much to do.

use std::ops::Range;

/// Rows of a block are a multiple of this: of the rows of every kernel's block, so that no
/// kernel relaxes rows of two blocks together.
pub(super) const STEP: usize = 48;
/// Rows of a block at most: with so many pivots, their rows of a strip, and a few rows of other
/// vertices, stay in the cache of a processor.
const MAX_ROWS: usize = 240;
/// Blocks that there are at least: the more, the less of the work is their closing.
const MIN_BLOCKS: usize = 8;

/// The rows of a rank among those of all vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deal {
    pub(crate) n_vertices: usize,
    /// Rows of a block; the last may have fewer.
    rows: usize,
    rank: usize,
    /// How many ranks there are.
    pub(crate) size: usize,
}

impl Deal {
    /// What a rank gets. The blocks do not depend on how many ranks there are.
    pub(crate) fn new(n_vertices: usize, rank: usize, size: usize) -> Self {
        let rows = (n_vertices / MIN_BLOCKS).next_multiple_of(STEP).clamp(STEP, MAX_ROWS);
        Self::in_blocks(n_vertices, rows, rank, size)
    }

    /// The same in blocks of so many rows.
    pub(crate) fn in_blocks(n_vertices: usize, rows: usize, rank: usize, size: usize) -> Self {
        Self { n_vertices, rows, rank, size }
    }

    /// All rows, for the only rank.
    pub(crate) fn whole(n_vertices: usize) -> Self {
        Self::new(n_vertices, 0, 1)
    }

    /// What another rank gets.
    pub(crate) fn of_rank(self, rank: usize) -> Self {
        Self { rank, ..self }
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.n_vertices.div_ceil(self.rows)
    }

    /// The vertices of a block: none beyond the last.
    pub(crate) fn block(&self, block: usize) -> Range<usize> {
        let end = |block: usize| (block * self.rows).min(self.n_vertices);
        end(block)..end(block + 1)
    }

    /// The rank that has a block.
    pub(crate) fn owner(&self, block: usize) -> usize {
        block % self.size
    }

    /// Whether it is this one.
    pub(crate) fn owns(&self, block: usize) -> bool {
        self.owner(block) == self.rank
    }

    /// Where the rows that this rank has of these vertices are among its own.
    pub(crate) fn own(&self, vertices: &Range<usize>) -> Range<usize> {
        let before = |vertex: usize| {
            let block = vertex / self.rows;
            let whole = (block + self.size - 1 - self.rank) / self.size * self.rows;
            if self.owns(block) { whole + vertex % self.rows } else { whole }
        };
        before(vertices.start)..before(vertices.end)
    }

    /// How many rows this rank has.
    pub(crate) fn n_own(&self) -> usize {
        self.own(&(0..self.n_vertices)).len()
    }

    /// The vertices whose rows this rank has, ascending.
    pub(crate) fn vertices(self) -> impl Iterator<Item = usize> {
        let blocks = (self.rank..self.n_blocks()).step_by(self.size);
        blocks.flat_map(move |block| self.block(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_one_rank() {
        for n in [0, 1, 47, 48, 49, 100, 383, 384, 500, 2000, 4096] {
            for size in 1..=5 {
                let mut owners = vec![0; n];
                for rank in 0..size {
                    let deal = Deal::new(n, rank, size);
                    for (place, vertex) in deal.vertices().enumerate() {
                        assert_eq!(deal.own(&(vertex..vertex + 1)), place..place + 1);
                        assert!(deal.owns(vertex / deal.rows));
                        owners[vertex] += 1;
                    }
                    assert_eq!(deal.n_own(), deal.vertices().count());
                    let blocks = (0..deal.n_blocks()).map(|block| deal.block(block).len());
                    assert_eq!(blocks.sum::<usize>(), n);
                    assert!(deal.block(deal.n_blocks()).is_empty());
                }
                assert!(owners.iter().all(|&n| n == 1), "{n} by {size}");
            }
        }
    }
}

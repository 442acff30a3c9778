//! Columns of a table of which each rank has some rows: turned over, so that a rank has all rows
//! of some columns, and back.
//!
//! Ranks take blocks of columns in turn, as they take blocks of rows, and each rank has one of its blocks at a time. Over all
//! turns a rank sends and receives O(n² / p) numbers, and has O(n) of them in hand.

use std::ops::Range;

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use pivots::{Blocks, Share};

/// Columns of a block.
const WIDTH: usize = 256;

/// The columns of a block, of which no rank has more at a time.
pub(crate) fn width(n_vertices: usize, n_ranks: usize) -> usize {
    WIDTH.min(n_vertices.div_ceil(n_ranks)).max(1)
}

/// The rows and columns of ranks.
pub(crate) struct Columns<'a> {
    ranks: &'a dyn Communicator,
    share: Share,
    columns: Blocks,
}

impl<'a> Columns<'a> {
    /// Of the table of which each rank has these rows.
    pub(crate) fn new(ranks: &'a dyn Communicator, share: Share) -> Self {
        let (n, size) = (share.blocks.n_rows, ranks.size());
        let columns = Blocks { n_rows: n, block_rows: width(n, size), n_parts: size };
        Self { ranks, share, columns }
    }

    /// How often ranks take columns.
    pub(crate) fn n_turns(&self) -> usize {
        self.columns.count().div_ceil(self.ranks.size())
    }

    /// The columns that this rank has at a turn; at the last there may be none.
    pub(crate) fn own(&self, turn: usize) -> Range<usize> {
        self.of_rank(turn, self.ranks.rank())
    }

    fn of_rank(&self, turn: usize, rank: usize) -> Range<usize> {
        self.columns.rows(turn * self.ranks.size() + rank)
    }

    /// All rows of this rank's columns, from the rows that ranks have. To be called by all of them.
    pub(crate) fn load<T: Pod>(&self, turn: usize, rows: &[T]) -> Result<Vec<T>, RanksError> {
        let n = self.share.blocks.n_rows;
        let mut pieces = self.ranks.exchange(|rank| {
            let columns = self.of_rank(turn, rank);
            let mut piece = Vec::with_capacity(rows.len() / n.max(1) * columns.len());
            rows.chunks_exact(n.max(1)).for_each(|row| piece.extend(&row[columns.clone()]));
            piece
        })?;
        if let [whole] = &mut pieces[..] {
            return Ok(std::mem::take(whole));
        }
        let width = self.own(turn).len().max(1);
        let mut part = vec![T::zeroed(); n * self.own(turn).len()];
        for (rank, piece) in pieces.iter().enumerate() {
            let rows = self.share.blocks.share(rank).rows();
            for (v, cells) in rows.zip(piece.chunks_exact(width)) {
                part[v * width..][..width].copy_from_slice(cells);
            }
        }
        Ok(part)
    }

    /// Puts all rows of this rank's columns where ranks have the rows. To be called by all of them.
    pub(crate) fn store<T: Pod>(
        &self,
        turn: usize,
        part: &[T],
        rows: &mut [T],
    ) -> Result<(), RanksError> {
        let width = self.own(turn).len();
        let pieces = self.ranks.exchange(|rank| {
            let share = self.share.blocks.share(rank);
            let mut piece = Vec::with_capacity(share.n_rows() * width);
            share.rows().for_each(|v| piece.extend(&part[v * width..][..width]));
            piece
        })?;
        for (rank, piece) in pieces.iter().enumerate() {
            let columns = self.of_rank(turn, rank);
            let cells = piece.chunks_exact(columns.len().max(1));
            for (row, cells) in rows.chunks_exact_mut(self.share.blocks.n_rows.max(1)).zip(cells) {
                row[columns.clone()].copy_from_slice(cells);
            }
        }
        Ok(())
    }
}

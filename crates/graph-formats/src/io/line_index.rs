//! The line of each row of a text that has comments, for errors that are found after it is read.

use super::blocks::Block;
use super::scan::Scanner;
use crate::GraphError;

/// The lines of the rows so far. Only comments between rows take memory.
#[derive(Default)]
pub(super) struct LineIndex {
    n_rows: u64,
    /// The rows that do not follow another row directly, and the line of each. The rows from one of
    /// them to the next are on consecutive lines.
    starts: Vec<(u64, u64)>,
}

impl LineIndex {
    /// The number of rows so far.
    pub(super) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Adds a block whose rows are the lines for which `is_row` holds; returns the number of rows
    /// in it before each of its pieces.
    pub(super) fn add(
        &mut self,
        block: &Block,
        is_row: impl Fn(Scanner<'_>) -> bool + Sync,
    ) -> Result<Vec<u64>, GraphError> {
        let pieces = block.parse(|_, piece| Ok(Self::of_piece(piece, &is_row)))?;
        let (first_row, mut first_line) = (self.n_rows, block.first_line());
        let mut before = Vec::with_capacity(pieces.len());
        for (piece, n_lines) in pieces {
            before.push(self.n_rows - first_row);
            for (row, line) in piece.starts {
                self.start(self.n_rows + row, first_line + line);
            }
            self.n_rows += piece.n_rows;
            first_line += n_lines;
        }
        Ok(before)
    }

    /// Adds a block of which every line is a row.
    pub(super) fn add_rows_only(&mut self, block: &Block, n_rows: u64) {
        if n_rows > 0 {
            self.start(self.n_rows, block.first_line());
        }
        self.n_rows += n_rows;
    }

    /// The line of a row that has been added.
    pub(super) fn line_of(&self, row: u64) -> u64 {
        let before = self.starts.partition_point(|&(start, _)| start <= row);
        let (start, line) = self.starts[before - 1];
        line + (row - start)
    }

    fn start(&mut self, row: u64, line: u64) {
        let follows = |&(start, at): &(u64, u64)| row - start == line - at;
        if !self.starts.last().is_some_and(follows) {
            self.starts.push((row, line));
        }
    }

    /// The index of a piece, with rows and lines counted from 0, and its number of lines.
    fn of_piece(mut piece: Scanner<'_>, is_row: impl Fn(Scanner<'_>) -> bool) -> (Self, u64) {
        let (mut index, mut n_lines, mut follows) = (Self::default(), 0, false);
        while piece.remaining() > 0 {
            let is_row = is_row(piece.clone());
            if is_row {
                if !follows {
                    index.starts.push((index.n_rows, n_lines));
                }
                index.n_rows += 1;
            }
            follows = is_row;
            n_lines += 1;
            piece.skip_line();
        }
        (index, n_lines)
    }
}

//! Dense matrices of any shape, relaxed through others by the kernels.
//!
//! As in [`Matrix`](super::Matrix), a margin lets blocks of a fixed size go beyond the last row and
//! column.

use graph_formats::parallel;
use std::ops::Range;

use super::aligned::{Aligned, line};
use super::min_plus::{Kernel, MinPlus, pack, pack_groups, packed_len, relax_packed, relax_rows};

/// Pivots of a block, in [`Rows::close_through`].
const PIVOTS: usize = 64;
/// Columns of the second operand that are packed at a time.
const COLUMNS: usize = 2048;
/// Sums that are worth a thread's waking up.
const MIN_SUMS_PER_TASK: usize = 1 << 20;

/// A dense matrix, row by row, in which no path is known at first.
pub(crate) struct Rows<E> {
    n_rows: usize,
    n_columns: usize,
    stride: usize,
    numbers: Aligned<E>,
    kernel: Kernel<E>,
}

impl<E: MinPlus> Rows<E> {
    /// `None` where there is no memory.
    pub(crate) fn new(n_rows: usize, n_columns: usize) -> Option<Self> {
        let kernel = E::kernel();
        let (high, stride) = shape(n_rows, n_columns, &kernel);
        let mut numbers = Aligned::zeros(high.checked_mul(stride)?)?;
        numbers.fill(E::INFINITE);
        Some(Self { n_rows, n_columns, stride, numbers, kernel })
    }

    /// Bytes of such a matrix.
    pub(crate) fn bytes(n_rows: usize, n_columns: usize) -> u128 {
        let (high, stride) = shape(n_rows, n_columns, &E::kernel());
        high as u128 * stride as u128 * size_of::<E>() as u128
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    pub(crate) fn row(&self, row: usize) -> &[E] {
        &self.numbers[row * self.stride..][..self.n_columns]
    }

    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [E] {
        &mut self.numbers[row * self.stride..][..self.n_columns]
    }

    /// Whether the rows of this are the columns of the other.
    pub(crate) fn is_turned(&self, other: &Self) -> bool {
        (0..self.n_rows).all(|i| (0..self.n_columns).all(|j| self.row(i)[j] == other.row(j)[i]))
    }

    /// Takes all pairs of a row and a column through the vertices `pivots`, which are rows and
    /// columns of the same number. O(pivots · rows · columns), in parallel.
    ///
    /// As blocked Floyd-Warshall does: a block of pivots is closed, its rows are relaxed through
    /// it, and then all others through these.
    pub(crate) fn close_through(&mut self, pivots: Range<usize>) {
        let mut strips = Vec::new();
        for first in pivots.clone().step_by(PIVOTS) {
            let block = first..(first + PIVOTS).min(pivots.end);
            for k in block.clone() {
                let through = self.row(k)[block.clone()].to_vec();
                for row in block.clone() {
                    relax_row(&mut self.row_mut(row)[block.clone()], k - first, &through);
                }
            }
            self.relax_through(&block, [block.clone()], &mut strips);
            self.relax_through(&block, [0..block.start, block.end..self.n_rows], &mut strips);
        }
    }

    /// Relaxes some rows through others, which are pivots; `strips` is work space.
    fn relax_through<const PARTS: usize>(
        &mut self,
        pivots: &Range<usize>,
        parts: [Range<usize>; PARTS],
        strips: &mut Vec<E>,
    ) {
        let Self { n_columns, stride, kernel, .. } = *self;
        strips.resize(packed_len(&kernel, pivots.len(), n_columns), E::ZERO);
        let rows = &self.numbers[pivots.start * stride..pivots.end * stride];
        pack(&kernel, strips, rows, stride, &(0..n_columns));
        let height = self.height(pivots.len() * n_columns);
        for part in parts {
            let part = self.whole_blocks(&part);
            parallel::for_each_with(
                self.numbers[part].chunks_mut(height * stride),
                &|groups, c| {
                    relax_rows(&kernel, c, stride, 0, pivots, strips, groups);
                },
            );
        }
    }

    /// Takes these columns through all rows of the second operand: each least of what it is, and
    /// of the sums of a row of the first operand and what `second` has there, row by row in these
    /// columns. O(rows · depth · columns), in parallel.
    pub(crate) fn relax<'b>(
        &mut self,
        columns: Range<usize>,
        first: &Rows<E>,
        second: impl Fn(usize) -> &'b [E] + Sync,
    ) where
        E: 'b,
    {
        let (stride, kernel, depth) = (self.stride, self.kernel, first.n_columns);
        if depth == 0 || self.n_rows == 0 {
            return;
        }
        let mut groups = Vec::new();
        let (a, _) = first.numbers.split_at(first.whole_blocks(&(0..first.n_rows)).end);
        pack_groups(&kernel, &mut groups, a, first.stride, &(0..depth));
        let group = groups.len() / self.n_rows.div_ceil(kernel.rows);
        let mut strips = Vec::new();
        for at in columns.clone().step_by(COLUMNS) {
            let part = at..(at + COLUMNS).min(columns.end);
            strips.resize(packed_len(&kernel, depth, part.len()), E::INFINITE);
            let width = kernel.columns;
            let numbered = strips.chunks_mut(width * depth).enumerate();
            parallel::for_each_of(numbered, &|(number, strip)| {
                let from = part.start + number * width - columns.start;
                for (k, to) in strip.chunks_exact_mut(width).enumerate() {
                    let row = &second(k)[from..];
                    let n_there = row.len().min(width);
                    to[..n_there].copy_from_slice(&row[..n_there]);
                    to[n_there..].fill(E::INFINITE);
                }
            });
            let n_blocks = self.height(depth * part.len()) / kernel.rows;
            let rows = self.whole_blocks(&(0..self.n_rows));
            let c = self.numbers[rows].chunks_mut(n_blocks * kernel.rows * stride);
            let c = c.zip(groups.chunks(n_blocks * group));
            parallel::for_each_of(c, &|(c, groups)| {
                relax_packed(&kernel, c, stride, part.start, depth, &strips, groups);
            });
        }
    }

    /// The numbers of these rows, and of so many more as fill the last block.
    fn whole_blocks(&self, rows: &Range<usize>) -> Range<usize> {
        let end = rows.start + rows.len().next_multiple_of(self.kernel.rows);
        rows.start * self.stride..end * self.stride
    }

    /// Rows for a task, each of which takes so many sums: whole blocks.
    fn height(&self, sums_a_row: usize) -> usize {
        let fair = self.n_rows / (4 * rayon::current_num_threads());
        let worth = MIN_SUMS_PER_TASK / sums_a_row.max(1);
        fair.min(80).max(worth).max(1).next_multiple_of(self.kernel.rows)
    }
}

/// Rows, and what a row takes, margins included.
fn shape<E>(n_rows: usize, n_columns: usize, kernel: &Kernel<E>) -> (usize, usize) {
    let lines = (n_columns + kernel.columns).div_ceil(line::<E>()) | 1;
    (n_rows + kernel.rows, lines * line::<E>())
}

/// Relaxes the paths that go through the vertex of column `k`, whose row is given.
fn relax_row<E: MinPlus>(row: &mut [E], k: usize, through: &[E]) {
    let first = row[k];
    for (least, &second) in row.iter_mut().zip(through) {
        *least = least.lesser(first.plus(second));
    }
}

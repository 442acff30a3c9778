//! The matrices that Floyd-Warshall and products of supernodes work on: row-major, with a margin;
//! all rows, or those that a rank has. Rows are named by their vertices.
//!
//! No vertex has a place in the margin, and whatever is relaxed may be relaxed there too, so
//! that blocks of a fixed size need not care for edges. For the same reason any range of
//! rows or columns will do: what lies beyond it is relaxed early, never wrongly.

use std::ops::Range;

use collectives::{Alone, Communicator};
use graph_formats::parallel;
use pivots::{Blocks, Share};

use super::min_plus::{Aligned, Kernel, MinPlus, Panel, line, pack_groups};
use crate::element::with_element;
use crate::{ApspError, Number};

/// Rows of a block are a multiple of this: of the rows of every kernel's block, so that no
/// kernel relaxes rows of two blocks together.
pub(super) const STEP: usize = 48;
/// The most rows of a block: the pivots' rows of a strip, and a few rows of other vertices, stay in
/// the cache of a core.
const MAX_BLOCK_ROWS: usize = 240;
/// The least number of blocks: with more blocks, closing them is a smaller share of the work.
const MIN_BLOCKS: usize = 8;
/// Rows that a thread relaxes at a time, so that what it reads repeatedly stays in its cache.
const MAX_ROWS_PER_TASK: usize = 80;
/// Fewer sums are not worth waking a thread.
const MIN_SUMS_PER_TASK: usize = 1 << 20;
/// Columns of the second operand of a product that are packed at a time.
const COLUMNS: usize = 2048;

/// The rows of this rank. The blocks do not depend on the number of ranks.
pub(crate) fn rows_of_rank(n_vertices: usize, ranks: &dyn Communicator) -> Share {
    let block_rows = (n_vertices / MIN_BLOCKS).next_multiple_of(STEP).clamp(STEP, MAX_BLOCK_ROWS);
    Blocks { n_rows: n_vertices, block_rows, n_parts: ranks.size() }.share(ranks.rank())
}

/// All rows, for the only rank.
pub(crate) fn all_rows(n_vertices: usize) -> Share {
    rows_of_rank(n_vertices, &Alone)
}

/// Lengths of the shortest paths known from the vertices whose rows are here, to those of columns.
pub(crate) struct Matrix<E> {
    pub(super) share: Share,
    n_columns: usize,
    /// From the beginning of a row to that of the next.
    stride: usize,
    numbers: Aligned<E>,
    kernel: Kernel<E>,
}

impl Number {
    /// Bytes of these rows of a matrix in memory.
    pub(crate) fn bytes_of_matrix(self, share: Share) -> u128 {
        with_element!(self, E => Matrix::<E>::bytes(share))
    }
}

impl<E: MinPlus> Matrix<E> {
    /// Bytes for these rows of a square matrix.
    pub(crate) fn bytes(share: Share) -> u128 {
        Self::bytes_of(share.n_rows(), share.blocks.n_rows)
    }

    /// Bytes for a matrix of any shape.
    pub(crate) fn bytes_of(n_rows: usize, n_columns: usize) -> u128 {
        let (n_rows, stride) = dimensions(n_rows, n_columns, &E::kernel());
        n_rows as u128 * stride as u128 * size_of::<E>() as u128
    }

    /// The error for a matrix that memory cannot hold.
    fn too_large(share: Share) -> ApspError {
        ApspError::too_large(share.blocks.n_rows, Self::bytes(share))
    }

    /// A matrix of any shape without paths; `None` where there is no memory.
    pub(crate) fn empty(n_rows: usize, n_columns: usize) -> Option<Self> {
        let blocks = Blocks { n_rows, block_rows: n_rows.max(1), n_parts: 1 };
        let mut matrix = Self::zeros(blocks.share(0), n_columns, E::kernel())?;
        matrix.numbers.fill(E::INFINITE);
        Some(matrix)
    }

    /// A square matrix; `fill` gets each row, in which there is no path yet.
    pub(crate) fn filled(
        share: Share,
        kernel: Kernel<E>,
        fill: impl Fn(usize, &mut [E]) + Sync,
    ) -> Result<Self, ApspError> {
        let n_columns = share.blocks.n_rows;
        let matrix = Self::zeros(share, n_columns, kernel);
        let mut matrix = matrix.ok_or_else(|| Self::too_large(share))?;
        let vertices: Vec<usize> = share.rows().collect();
        let rows = matrix.numbers.chunks_mut(matrix.stride).enumerate();
        parallel::for_each_of(rows, &|(place, row)| {
            row.fill(E::INFINITE);
            if let Some(&v) = vertices.get(place) {
                fill(v, &mut row[..n_columns]);
            }
        });
        Ok(matrix)
    }

    fn zeros(share: Share, n_columns: usize, kernel: Kernel<E>) -> Option<Self> {
        let (n_rows, stride) = dimensions(share.n_rows(), n_columns, &kernel);
        let numbers = Aligned::zeros(n_rows.checked_mul(stride)?)?;
        Some(Self { share, n_columns, stride, numbers, kernel })
    }

    /// The rows, those of all ranks counted.
    pub(crate) fn n_rows(&self) -> usize {
        self.share.blocks.n_rows
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Row `i`, in the order of the vertices.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        &self.rows(&(i..i + 1))[..self.n_columns]
    }

    /// Row `i`, mutable.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [E] {
        let n_columns = self.n_columns;
        &mut self.rows_mut(&(i..i + 1)).0[..n_columns]
    }

    /// Whether the rows of this are the columns of the other.
    pub(crate) fn is_transpose_of(&self, other: &Self) -> bool {
        (0..self.n_rows()).all(|i| (0..self.n_columns).all(|j| self.row(i)[j] == other.row(j)[i]))
    }

    /// The rows from `i` on, and how far apart they begin.
    pub(crate) fn rows_from(&self, i: usize) -> (&[E], usize) {
        (&self.numbers[self.share.places(&(i..i)).start * self.stride..], self.stride)
    }

    /// The rows of these vertices that are here, margins included.
    fn rows(&self, vertices: &Range<usize>) -> &[E] {
        let own = self.share.places(vertices);
        &self.numbers[own.start * self.stride..own.end * self.stride]
    }

    /// The rows of these vertices that are here, margins included, and how far apart they begin.
    pub(super) fn rows_mut(&mut self, vertices: &Range<usize>) -> (&mut [E], usize) {
        let own = self.share.places(vertices);
        (&mut self.numbers[own.start * self.stride..own.end * self.stride], self.stride)
    }

    /// A panel for `n_columns` columns of the rows of `n_pivots` pivots.
    pub(super) fn panel(&self, n_pivots: usize, n_columns: usize) -> Result<Panel<E>, ApspError> {
        let panel = Panel::new(self.kernel, n_pivots, n_columns);
        panel.ok_or_else(|| Self::too_large(self.share))
    }

    /// Copies these columns of the pivots' rows, which are here, to a panel.
    pub(super) fn pack(&self, panel: &mut Panel<E>, pivots: &Range<usize>, columns: &Range<usize>) {
        let rows = self.rows(pivots);
        let row = |k: usize| &rows[k * self.stride..(k + 1) * self.stride][columns.start..];
        panel.reshape(pivots.len(), columns.len()).pack(0..pivots.len(), row);
    }

    /// Relaxes pairs through all `pivots`, whose rows are in the panel, in every part of rows. They
    /// are all pairs of one of the part's rows that is here and one of the panel's columns, of
    /// which `column` is the first. O(rows · pivots · columns).
    pub(super) fn update<const PARTS: usize>(
        &mut self,
        parts: [Range<usize>; PARTS],
        pivots: &Range<usize>,
        column: usize,
        panel: &Panel<E>,
    ) {
        let (share, stride, kernel) = (self.share, self.stride, self.kernel);
        for rows in parts.map(|vertices| share.places(&vertices)) {
            let height = self.height(rows.len(), panel.strips().len());
            let rows = self.whole_blocks(&rows);
            let tasks = self.numbers[rows].chunks_mut(height * stride);
            parallel::for_each_with(tasks, &|groups, c| {
                pack_groups(&kernel, groups, c, stride, pivots);
                panel.relax(c, stride, column, groups);
            });
        }
    }

    /// Relaxes pairs through pivots whose rows are in this matrix, as these rows are at the start.
    /// The panel is work space.
    pub(super) fn relax<const PARTS: usize>(
        &mut self,
        parts: [Range<usize>; PARTS],
        pivots: &Range<usize>,
        columns: &Range<usize>,
        panel: &mut Panel<E>,
    ) {
        self.pack(panel, pivots, columns);
        self.update(parts, pivots, columns.start, panel);
    }

    /// Of these columns j, self\[i\]\[j\] = min(self\[i\]\[j\], first\[i\]\[k\] + second(k)\[j\] over all
    /// k); `second` has only these columns. `None` where there is no memory for a panel.
    /// O(rows · depth · columns), in parallel.
    pub(crate) fn relax_by_product<'b>(
        &mut self,
        columns: Range<usize>,
        first: &Self,
        second: impl Fn(usize) -> &'b [E] + Sync,
    ) -> Option<()>
    where
        E: 'b,
    {
        let (stride, kernel, depth) = (self.stride, self.kernel, first.n_columns);
        let mut panel = Panel::new(kernel, depth, COLUMNS.min(columns.len()))?;
        for at in columns.clone().step_by(COLUMNS) {
            let n_columns = COLUMNS.min(columns.end - at);
            let row = |k| &second(k)[at - columns.start..];
            panel.reshape(depth, n_columns).pack(0..depth, row);
            let height = self.height(self.n_rows(), panel.strips().len());
            let rows = self.whole_blocks(&(0..self.n_rows()));
            let c = self.numbers[rows].chunks_mut(height * stride);
            let a = &first.numbers[..first.whole_blocks(&(0..first.n_rows())).end];
            let tasks = c.zip(a.chunks(height * first.stride));
            parallel::for_each_with(tasks, &|groups, (c, a)| {
                pack_groups(&kernel, groups, a, first.stride, &(0..depth));
                panel.relax(c, stride, at, groups);
            });
        }
        Some(())
    }

    /// The numbers of these rows, and of the rows after them that complete the last block.
    fn whole_blocks(&self, rows: &Range<usize>) -> Range<usize> {
        let end = rows.start + rows.len().next_multiple_of(self.kernel.rows);
        rows.start * self.stride..end * self.stride
    }

    /// Rows of a task, of `n_rows` rows with `sums_a_row` sums each: whole blocks, several tasks
    /// for each thread, and none too small to be worth it.
    fn height(&self, n_rows: usize, sums_a_row: usize) -> usize {
        let fair = n_rows / (4 * rayon::current_num_threads());
        let worth = MIN_SUMS_PER_TASK / sums_a_row.max(1);
        fair.min(MAX_ROWS_PER_TASK).max(worth).max(1).next_multiple_of(self.kernel.rows)
    }
}

/// Rows, and what a row takes. Both have room for a block that begins at the last vertex. A row
/// takes an odd number of cache lines, so that the rows of a block do not meet in one place of a
/// cache.
fn dimensions<E>(n_rows: usize, n_columns: usize, kernel: &Kernel<E>) -> (usize, usize) {
    let lines = (n_columns + kernel.columns).div_ceil(line::<E>()) | 1;
    (n_rows + kernel.rows, lines * line::<E>())
}

//! The matrix that Floyd-Warshall works on: row-major, with a margin; all rows of it, or those
//! that a rank has of it. Rows are named by their vertices.
//!
//! No vertex has a place in the margin, and whatever is relaxed may be relaxed there too, so
//! that blocks of a fixed size need not care for edges. For the same reason any range of
//! rows or columns will do: what lies beyond it is relaxed early, never wrongly.

use std::ops::Range;

use graph_formats::{Csr, Weight, parallel};
use pivots::Share;

use super::aligned::{Aligned, line};
use super::min_plus::{Kernel, MinPlus, pack, packed_len, relax_rows};
use crate::ApspError;
use crate::element::write_row;

/// Rows that a thread relaxes at one time: with many pivots, what it reads of them again and
/// again stays in its cache.
const MAX_ROWS_PER_TASK: usize = 80;
/// Sums that are worth a thread's waking up.
const MIN_SUMS_PER_TASK: usize = 1 << 20;

/// Lengths of the shortest paths known from the vertices whose rows a rank has.
pub(crate) struct Matrix<E> {
    pub(super) share: Share,
    /// From the beginning of a row to that of the next.
    stride: usize,
    numbers: Aligned<E>,
    kernel: Kernel<E>,
}

/// Rows of pivots, in strips as the kernel reads them.
pub(super) struct Panel<E> {
    strips: Aligned<E>,
    kernel: Kernel<E>,
}

impl<E: MinPlus> Panel<E> {
    /// What so many rows of pivots, and columns, take of it.
    pub(super) fn packed(&mut self, n_pivots: usize, n_columns: usize) -> &mut [E] {
        &mut self.strips[..packed_len(&self.kernel, n_pivots, n_columns)]
    }
}

impl<E: MinPlus> Matrix<E> {
    /// Bytes for these rows.
    pub(crate) fn bytes(share: Share) -> u128 {
        let (n_rows, stride) = dimensions(share, &E::kernel());
        n_rows as u128 * stride as u128 * size_of::<E>() as u128
    }

    /// That memory cannot hold it.
    fn too_large(share: Share) -> ApspError {
        ApspError::TooLarge { n_vertices: share.blocks.n_rows, bytes: Self::bytes(share) }
    }

    /// The arcs of `graph`, of parallel ones the shortest.
    pub(crate) fn of<W: Weight>(
        graph: &Csr<W>,
        share: Share,
        kernel: Kernel<E>,
    ) -> Result<Self, ApspError> {
        Self::filled(share, kernel, |v, row| write_row(graph, v, row))
    }

    /// `fill` gets each row, in which there is no path yet.
    pub(crate) fn filled(
        share: Share,
        kernel: Kernel<E>,
        fill: impl Fn(usize, &mut [E]) + Sync,
    ) -> Result<Self, ApspError> {
        let (n_rows, stride) = dimensions(share, &kernel);
        let numbers = n_rows.checked_mul(stride).and_then(Aligned::zeros);
        let mut numbers = numbers.ok_or_else(|| Self::too_large(share))?;
        let vertices: Vec<usize> = share.rows().collect();
        parallel::for_each_of(numbers.chunks_mut(stride).enumerate(), &|(place, row)| {
            row.fill(E::INFINITE);
            if let Some(&v) = vertices.get(place) {
                fill(v, &mut row[..share.blocks.n_rows]);
            }
        });
        Ok(Self { share, stride, numbers, kernel })
    }

    /// The vertices of the graph: columns, and rows of all ranks.
    pub(super) fn n_vertices(&self) -> usize {
        self.share.blocks.n_rows
    }

    /// Row `i`, in the order of the vertices.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        &self.rows(&(i..i + 1))[..self.share.blocks.n_rows]
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

    /// Room for these columns of so many pivots' rows.
    pub(super) fn panel(&self, n_pivots: usize, n_columns: usize) -> Result<Panel<E>, ApspError> {
        let kernel = self.kernel;
        let strips = Aligned::zeros(packed_len(&kernel, n_pivots, n_columns));
        let strips = strips.ok_or_else(|| Self::too_large(self.share))?;
        Ok(Panel { strips, kernel })
    }

    /// Room for the rows of two blocks of pivots.
    pub(super) fn panels(&self) -> Result<[Panel<E>; 2], ApspError> {
        let (n_pivots, n) = (self.share.blocks.rows(0).len(), self.n_vertices());
        Ok([self.panel(n_pivots, n)?, self.panel(n_pivots, n)?])
    }

    /// Copies these columns of the pivots' rows, which are here, to a panel.
    pub(super) fn pack(&self, panel: &mut Panel<E>, pivots: &Range<usize>, columns: &Range<usize>) {
        if pivots.is_empty() || columns.is_empty() {
            return;
        }
        let strips = panel.packed(pivots.len(), columns.len());
        pack(&self.kernel, strips, self.rows(pivots), self.stride, columns);
    }

    /// Relaxes, in every part of rows, all pairs of one of them that is here and one of `columns`
    /// through all `pivots`, whose rows are in the panel. O(rows · pivots · columns).
    pub(super) fn update<const PARTS: usize>(
        &mut self,
        parts: [Range<usize>; PARTS],
        pivots: &Range<usize>,
        columns: &Range<usize>,
        panel: &Panel<E>,
    ) {
        if pivots.is_empty() || columns.is_empty() {
            return;
        }
        let strips = &panel.strips[..packed_len(&self.kernel, pivots.len(), columns.len())];
        let Self { share, stride, kernel, numbers } = self;
        let stride = *stride;
        for rows in parts.map(|vertices| share.places(&vertices)) {
            // several times as many tasks as threads, but none too small to be worth it
            let fair = rows.len() / (4 * rayon::current_num_threads());
            let worth = MIN_SUMS_PER_TASK / (pivots.len() * columns.len());
            let height = fair.min(MAX_ROWS_PER_TASK).max(worth).max(1);
            let height = height.next_multiple_of(kernel.rows);
            let end = rows.start + rows.len().next_multiple_of(kernel.rows);
            let c = numbers[rows.start * stride..end * stride].chunks_mut(height * stride);
            parallel::for_each_with(c, &|groups, c| {
                relax_rows(kernel, c, stride, columns.start, pivots, strips, groups);
            });
        }
    }

    /// The same through pivots whose rows are here and stay as they are at the beginning; the
    /// panel is work space.
    pub(super) fn relax<const PARTS: usize>(
        &mut self,
        parts: [Range<usize>; PARTS],
        pivots: &Range<usize>,
        columns: &Range<usize>,
        panel: &mut Panel<E>,
    ) {
        self.pack(panel, pivots, columns);
        self.update(parts, pivots, columns, panel);
    }
}

/// Rows, and what a row takes: room for a block that begins at the last vertex, and an odd
/// number of cache lines, for the rows of a block not to meet in one place of a cache.
fn dimensions<E>(share: Share, kernel: &Kernel<E>) -> (usize, usize) {
    let lines = (share.blocks.n_rows + kernel.columns).div_ceil(line::<E>()) | 1;
    (share.n_rows() + kernel.rows, lines * line::<E>())
}

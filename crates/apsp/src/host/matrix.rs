//! The matrix that Floyd-Warshall works on: row-major, with a margin.
//!
//! No vertex has a place in the margin, and whatever is relaxed may be relaxed there too, so
//! that blocks of a fixed size need not care for edges. For the same reason any range of
//! rows or columns will do: what lies beyond it is relaxed early, never wrongly.

use std::ops::Range;

use graph_formats::{Csr, Weight};
use rayon::prelude::*;

use super::aligned::{Aligned, line};
use super::min_plus::{Kernel, MinPlus, pack, packed_len, relax_rows};
use crate::ApspError;
use crate::element::write_row;

/// Rows that a thread relaxes at one time: with many pivots, what it reads of them again and
/// again stays in its cache.
const MOST_ROWS: usize = 80;
/// Sums that are worth a thread's waking up.
const LEAST_SUMS: usize = 1 << 20;

/// Lengths of the shortest paths known between `n` vertices.
pub(crate) struct Matrix<E> {
    pub(super) n: usize,
    /// From the beginning of a row to that of the next.
    pub(super) stride: usize,
    pub(super) numbers: Aligned<E>,
    kernel: Kernel<E>,
    /// Work space for the rows of pivots, packed.
    strips: Aligned<E>,
}

impl<E: MinPlus> Matrix<E> {
    /// Bytes for `n` vertices, the work space not counted.
    pub(crate) fn bytes(n: usize) -> u128 {
        let (n_rows, stride) = dimensions(n, &E::kernel());
        n_rows as u128 * stride as u128 * size_of::<E>() as u128
    }

    /// That memory cannot hold it.
    fn too_large(n: usize) -> ApspError {
        ApspError::TooLarge { n_vertices: n, bytes: Self::bytes(n) }
    }

    /// The arcs of `graph`, of parallel ones the shortest.
    pub(crate) fn of<W: Weight>(graph: &Csr<W>) -> Result<Self, ApspError> {
        Self::filled(graph.n_vertices(), |v, row| write_row(graph, v, row))
    }

    /// `fill` gets each row, in which there is no path yet.
    pub(crate) fn filled(
        n: usize,
        fill: impl Fn(usize, &mut [E]) + Sync,
    ) -> Result<Self, ApspError> {
        let kernel = E::kernel();
        let (n_rows, stride) = dimensions(n, &kernel);
        let numbers = n_rows.checked_mul(stride).and_then(Aligned::zeros);
        let mut numbers = numbers.ok_or_else(|| Self::too_large(n))?;
        numbers.par_chunks_mut(stride).enumerate().for_each(|(v, row)| {
            row.fill(E::INFINITE);
            if v < n {
                fill(v, &mut row[..n]);
            }
        });
        let strips = Aligned::zeros(0).ok_or_else(|| Self::too_large(n))?;
        Ok(Self { n, stride, numbers, kernel, strips })
    }

    /// Row `i`, in the order of the vertices.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        &self.numbers[i * self.stride..][..self.n]
    }

    /// The rows from `i` on, and how far apart they begin.
    pub(crate) fn rows_from(&self, i: usize) -> (&[E], usize) {
        (&self.numbers[i * self.stride..], self.stride)
    }

    /// Relaxes, in every part of rows, all pairs of one of them and one of `columns` through
    /// all `pivots`, which have the lengths that they have at the beginning.
    /// O(rows · pivots · columns).
    pub(super) fn relax<const PARTS: usize>(
        &mut self,
        parts: [Range<usize>; PARTS],
        pivots: Range<usize>,
        columns: Range<usize>,
    ) -> Result<(), ApspError> {
        if pivots.is_empty() || columns.is_empty() {
            return Ok(());
        }
        let Self { stride, kernel, numbers, strips, .. } = self;
        let stride = *stride;
        let len = packed_len(kernel, pivots.len(), columns.len());
        if strips.len() < len {
            *strips = Aligned::zeros(len).ok_or_else(|| Self::too_large(self.n))?;
        }
        let strips = &mut strips[..len];
        let through = &numbers[pivots.start * stride..pivots.end * stride];
        pack(kernel, strips, through, stride, &columns);
        for rows in parts {
            // several times as many tasks as threads, but none too small to be worth it
            let fair = rows.len() / (4 * rayon::current_num_threads());
            let worth = LEAST_SUMS / (pivots.len() * columns.len());
            let height = fair.min(MOST_ROWS).max(worth).max(1).next_multiple_of(kernel.rows);
            let end = rows.start + rows.len().next_multiple_of(kernel.rows);
            let c = numbers[rows.start * stride..end * stride].par_chunks_mut(height * stride);
            c.for_each_init(Vec::new, |groups, c| {
                relax_rows(kernel, c, stride, columns.start, &pivots, strips, groups);
            });
        }
        Ok(())
    }
}

/// Rows, and what a row takes: room for a block that begins at the last vertex, and an odd
/// number of cache lines, for the rows of a block not to meet in one place of a cache.
fn dimensions<E>(n: usize, kernel: &Kernel<E>) -> (usize, usize) {
    let lines = (n + kernel.columns).div_ceil(line::<E>()) | 1;
    (n + kernel.rows, lines * line::<E>())
}

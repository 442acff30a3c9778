//! The arithmetic of a matrix in a folder on the processor: block by block of pivots, each as
//! one relaxation of all rows, which threads share.
//!
//! The row panel is kept in memory in strips, as the kernels of the processor read it; of the
//! column panel a thread packs what belongs to a few rows. O(n³); the matrix is read and
//! written once a block. See [`Need`](super::memory::Need) for the memory.
//!
//! Reference: floyd-1962, venkataraman-2003

use graph_formats::parallel;
use std::iter;
use std::ops::Range;

use collectives::Alone;
use rayon::prelude::*;

use super::{Bytes, Engine, Watch};
use crate::ApspError;
use crate::host::{
    Aligned, Kernel, Matrix, MinPlus, all_rows, copies, floyd_warshall, pack_groups, pack_some,
    packed_len, packed_place, relax_packed, unpack_row,
};

/// Rows that a thread relaxes at one time.
const ROWS: usize = 80;

/// Bytes with blocks of so many pivots: the row panel in strips, the closed diagonal with as
/// much again to close it in, and for each thread what it packs of the column panel.
pub(super) fn bytes<E: MinPlus>(side: usize, threads: usize, block: usize) -> Bytes {
    let strips = packed_len(&E::kernel(), block, side) as u128;
    let groups = (ROWS + E::kernel().rows) as u128 * block as u128 * copies::<E>() as u128;
    let packed = (strips + threads as u128 * groups) * size_of::<E>() as u128;
    Bytes { host: 2 * Matrix::<E>::bytes(all_rows(block)) + packed, device: 0 }
}

/// The processor: room for the rows of the pivots in strips, as its kernel reads them.
pub(super) struct Host<E> {
    side: usize,
    kernel: Kernel<E>,
    strips: Aligned<E>,
}

impl<E: MinPlus> Host<E> {
    /// For a matrix of this side, in blocks of so many pivots.
    pub(super) fn new(side: usize, block: usize) -> Result<Self, ApspError> {
        let kernel = E::kernel();
        let len = packed_len(&kernel, block, side);
        let bytes = len as u128 * size_of::<E>() as u128;
        let strips = Aligned::zeros(len);
        let strips = strips.ok_or(ApspError::TooLarge { n_vertices: side, bytes: bytes.into() })?;
        Ok(Self { side, kernel, strips })
    }
}

impl<E: MinPlus> Engine<E> for Host<E> {
    fn take(&mut self, pivots: &Range<usize>, first: usize, rows: &[E]) -> Result<(), ApspError> {
        let Self { side, kernel, strips } = self;
        let strips = &mut strips[..pivots.len() * *side];
        let place = (first - pivots.start, pivots.len());
        pack_some(kernel, strips, place, rows, *side, &(0..*side));
        Ok(())
    }

    fn close(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
    ) -> Result<(), ApspError> {
        let Self { side, kernel, strips } = self;
        let (side, width) = (*side, pivots.len());
        let strips = &mut strips[..width * side];
        let place = |i, j| packed_place(kernel, width, (i, pivots.start + j));
        let mut diagonal = Matrix::filled(all_rows(width), E::kernel(), |i, row| {
            row.iter_mut().enumerate().for_each(|(j, number)| *number = strips[place(i, j)]);
        })?;
        floyd_warshall::blocked(&mut diagonal, &Alone, None, None)?;
        for i in 0..width {
            let row = diagonal.row(i).iter().enumerate();
            row.for_each(|(j, &number)| strips[place(i, j)] = number);
        }
        let first = first - pivots.start;
        let chunks = rows.chunks_mut(ROWS * side).enumerate();
        parallel::for_each_with(chunks, &|groups, (i, rows)| {
            let (from, stride) = diagonal.rows_from(first + i * ROWS);
            for (row, number) in rows.chunks_exact_mut(side).zip(first + i * ROWS..) {
                unpack_row(kernel, strips, width, number, row);
            }
            relax(kernel, rows, side, (from, stride, 0..width), strips, groups);
        });
        Ok(())
    }

    fn lower(
        &mut self,
        pivots: &Range<usize>,
        rows: &mut [E],
        columns: &[E],
        watch: &dyn Watch<E>,
    ) -> Result<(), ApspError> {
        let Self { side, kernel, strips } = self;
        let (side, width) = (*side, pivots.len());
        let strips = &strips[..width * side];
        let chunks = rows.par_chunks_mut(ROWS * side).zip(columns.par_chunks(ROWS * width));
        chunks.enumerate().try_for_each_init(Vec::new, |groups, (chunk, (rows, from))| {
            let numbers = chunk * ROWS..;
            for (number, (row, from)) in
                numbers.clone().zip(rows.chunks(side).zip(from.chunks(width)))
            {
                watch.before(number, row, from)?;
            }
            relax(kernel, rows, side, (from, width, 0..width), strips, groups);
            numbers.zip(rows.chunks(side)).for_each(|(number, row)| watch.after(number, row));
            watch.go_on(rows.len() / side)
        })
    }
}

/// Relaxes rows through pivots: their columns of `from`, in rows that begin so far apart, and
/// their rows in strips. `groups` is a work space.
fn relax<E: MinPlus>(
    kernel: &Kernel<E>,
    rows: &mut [E],
    side: usize,
    (from, stride, columns): (&[E], usize, Range<usize>),
    strips: &[E],
    groups: &mut Vec<E>,
) {
    let n_rows = rows.len() / side;
    let whole = n_rows - n_rows % kernel.rows;
    // where the last rows are fewer than a block, one that ends with them does some twice
    let rest = (whole < n_rows).then(|| n_rows - kernel.rows..n_rows);
    for part in iter::once(0..whole).chain(rest) {
        groups.clear();
        let from = &from[part.start * stride..][..part.len() * stride];
        pack_groups(kernel, groups, from, stride, &columns);
        let rows = &mut rows[part.start * side..part.end * side];
        relax_packed(kernel, rows, side, 0, columns.len(), strips, groups);
    }
}

//! The arithmetic of a matrix in a folder on the processor: block by block of pivots, each as
//! one relaxation of all rows, which threads share.
//!
//! The row panel is kept in memory in strips, as the kernels of the processor read it; of the
//! column panel a thread packs what belongs to a few rows. O(n³); the matrix is read and
//! written once a block. See [`Need`](super::memory::Need) for the memory.
//!
//! Reference: floyd-1962, venkataraman-2003

use std::iter;
use std::ops::Range;

use collectives::Alone;
use rayon::prelude::*;

use super::{Block, Bytes, Engine, GoOn, Parts};
use crate::ApspError;
use crate::host::{
    Aligned, Deal, Kernel, Matrix, MinPlus, copies, floyd_warshall, pack, pack_groups, packed_len,
    relax_packed,
};

/// Rows that a thread relaxes at one time.
const ROWS: usize = 80;

/// Bytes with blocks of so many pivots: the row panel in strips, the closed diagonal with as
/// much again to close it in, and for each thread what it packs of the column panel.
pub(super) fn bytes<E: MinPlus>(side: usize, threads: usize, block: usize) -> Bytes {
    let strips = packed_len(&E::kernel(), block, side) as u128;
    let groups = (ROWS + E::kernel().rows) as u128 * block as u128 * copies::<E>() as u128;
    let packed = (strips + threads as u128 * groups) * size_of::<E>() as u128;
    Bytes { host: 2 * Matrix::<E>::bytes(Deal::whole(block)) + packed, device: 0 }
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
        let strips = strips.ok_or(ApspError::TooLarge { n_vertices: side, bytes })?;
        Ok(Self { side, kernel, strips })
    }
}

impl<E: MinPlus> Engine<E> for Host<E> {
    fn write_panels(&mut self, parts: Parts<'_, E>, block: &Block) -> Result<(), ApspError> {
        let Parts { matrix, row_panel, column_panel } = parts;
        let (pivots, width) = (block.pivots.clone(), block.pivots.len());
        let Self { side, kernel, strips } = self;
        let (side, strips) = (*side, &mut strips[..width * *side]);
        row_panel.copy_from_slice(&matrix[pivots.start * side..pivots.end * side]);
        let mut diagonal = Matrix::filled(Deal::whole(width), E::kernel(), |i, row| {
            row.copy_from_slice(&row_panel[i * side..][pivots.clone()]);
        })?;
        floyd_warshall::blocked(&mut diagonal, &Alone, None, None)?;
        for (i, row) in row_panel.chunks_exact_mut(side).enumerate() {
            row[pivots.clone()].copy_from_slice(diagonal.row(i));
        }
        pack(kernel, strips, row_panel, side, &(0..side));
        let chunks = row_panel.par_chunks_mut(ROWS * side).enumerate();
        chunks.for_each_init(Vec::new, |groups, (i, rows)| {
            let (from, stride) = diagonal.rows_from(i * ROWS);
            relax(kernel, rows, side, (from, stride, 0..width), strips, groups);
        });
        let columns = column_panel.par_chunks_mut(width).zip(matrix.par_chunks(side));
        columns.for_each(|(column, row)| column.copy_from_slice(&row[pivots.clone()]));
        Ok(())
    }

    fn lower(
        &mut self,
        parts: Parts<'_, E>,
        block: &Block,
        go_on: GoOn<'_>,
    ) -> Result<(), ApspError> {
        let Parts { matrix, row_panel, column_panel } = parts;
        let (pivots, width) = (&block.pivots, block.pivots.len());
        let Self { side, kernel, strips } = self;
        let (side, strips) = (*side, &mut strips[..width * *side]);
        pack(kernel, strips, row_panel, side, &(0..side));
        let (above, below) = matrix.split_at_mut(pivots.end * side);
        for (rows, first) in [(&mut above[..pivots.start * side], 0), (below, pivots.end)] {
            let from = column_panel[first * width..].par_chunks(ROWS * width);
            let chunks = rows.par_chunks_mut(ROWS * side).zip(from);
            chunks.try_for_each_init(Vec::new, |groups, (rows, from)| {
                relax(kernel, rows, side, (from, width, 0..width), strips, groups);
                go_on(rows.len() / side)
            })?;
        }
        Ok(())
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

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
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::{Block, Parts, Scratch};
use crate::ApspError;
use crate::host::{
    Aligned, Kernel, Matrix, MinPlus, copies, floyd_warshall, pack, pack_groups, packed_len,
    relax_packed,
};

/// Rows that a thread relaxes at one time.
const ROWS: usize = 80;

/// Bytes with blocks of so many pivots: the row panel in strips, the closed diagonal with as
/// much again to close it in, and for each thread what it packs of the column panel.
pub(super) fn bytes<E: MinPlus>(side: usize, threads: usize, block: usize) -> u128 {
    let strips = packed_len(&E::kernel(), block, side) as u128;
    let groups = (ROWS + E::kernel().rows) as u128 * block as u128 * copies::<E>() as u128;
    2 * Matrix::<E>::bytes(block) + (strips + threads as u128 * groups) * size_of::<E>() as u128
}

/// Distances in place of arcs, from wherever the run is. `progress` hears of rows, those of
/// all blocks together.
pub(super) fn close<E: MinPlus>(
    scratch: &mut Scratch<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let side = scratch.side();
    let (n_blocks, done) = scratch.blocks();
    let total = (n_blocks * side) as u64;
    let done = AtomicU64::new((done * side) as u64);
    let go_on = |rows: usize| {
        let done = done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
        match progress {
            Some(tell) if tell(done, total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        }
    };
    let len = packed_len(&E::kernel(), scratch.journal.block, side);
    let bytes = len as u128 * size_of::<E>() as u128;
    let too_large = || ApspError::TooLarge { n_vertices: scratch.journal.n_vertices, bytes };
    let mut strips = Aligned::zeros(len).ok_or_else(too_large)?;
    while let Some(block) = scratch.next_block() {
        go_on(0)?;
        let strips = &mut strips[..block.pivots.len() * side];
        if !block.panels_ready {
            write_panels(scratch.parts_mut(&block), strips, &block, side)?;
            scratch.panels_ready()?;
        }
        lower(scratch.parts_mut(&block), strips, &block, side, &go_on)?;
        scratch.block_done(&block)?;
    }
    Ok(())
}

/// Step 1 of a block: its panels from the matrix. `strips` is room for the rows of the pivots.
pub(super) fn write_panels<E: MinPlus>(
    parts: Parts<'_, E>,
    strips: &mut [E],
    block: &Block,
    side: usize,
) -> Result<(), ApspError> {
    let Parts { matrix, row_panel, column_panel } = parts;
    let (pivots, width) = (block.pivots.clone(), block.pivots.len());
    row_panel.copy_from_slice(&matrix[pivots.start * side..pivots.end * side]);
    let mut diagonal = Matrix::filled(width, |i, row| {
        row.copy_from_slice(&row_panel[i * side..][pivots.clone()]);
    })?;
    floyd_warshall::blocked(&mut diagonal, None)?;
    for (i, row) in row_panel.chunks_exact_mut(side).enumerate() {
        row[pivots.clone()].copy_from_slice(diagonal.row(i));
    }
    let kernel = E::kernel();
    pack(&kernel, strips, row_panel, side, &(0..side));
    let chunks = row_panel.par_chunks_mut(ROWS * side).enumerate();
    chunks.for_each_init(Vec::new, |groups, (i, rows)| {
        let (from, stride) = diagonal.rows_from(i * ROWS);
        relax(&kernel, rows, side, (from, stride, 0..width), strips, groups);
    });
    let columns = column_panel.par_chunks_mut(width).zip(matrix.par_chunks(side));
    columns.for_each(|(column, row)| column.copy_from_slice(&row[pivots.clone()]));
    Ok(())
}

/// Step 2 of a block: all other rows through its panels. `go_on` hears of rows.
pub(super) fn lower<E: MinPlus>(
    parts: Parts<'_, E>,
    strips: &mut [E],
    block: &Block,
    side: usize,
    go_on: &(impl Fn(usize) -> Result<(), SsspError> + Sync),
) -> Result<(), SsspError> {
    let Parts { matrix, row_panel, column_panel } = parts;
    let Block { pivots, .. } = block;
    let (kernel, width) = (E::kernel(), pivots.len());
    pack(&kernel, strips, row_panel, side, &(0..side));
    let strips = &*strips;
    let (above, below) = matrix.split_at_mut(pivots.end * side);
    for (rows, first) in [(&mut above[..pivots.start * side], 0), (below, pivots.end)] {
        let from = column_panel[first * width..].par_chunks(ROWS * width);
        let chunks = rows.par_chunks_mut(ROWS * side).zip(from);
        chunks.try_for_each_init(Vec::new, |groups, (rows, from)| {
            relax(&kernel, rows, side, (from, width, 0..width), strips, groups);
            go_on(rows.len() / side)
        })?;
    }
    go_on(width)
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

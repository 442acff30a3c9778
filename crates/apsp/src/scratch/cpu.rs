//! The arithmetic of a matrix in a folder on the CPU: block by block of pivots, each as
//! one relaxation of all rows, which threads share.
//!
//! The row panel is kept in memory in strips, as the kernels of the CPU read it; of the
//! column panel a thread packs what belongs to a few rows. O(n³); the matrix is read and
//! written once a block. See [`bytes`] for the memory.
//!
//! Reference: floyd-1962, venkataraman-2003

use std::iter;
use std::ops::Range;

use collectives::Alone;
use graph_formats::parallel;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::engine::{Engine, RowChecks};
use crate::ApspError;
use crate::host::{Matrix, MinPlus, Panel, all_rows, copies, floyd_warshall, pack_groups};

/// Rows that a thread relaxes at one time.
const ROWS: usize = 80;

/// Bytes of memory with blocks of `block` pivots. They are for the row panel in strips, for the
/// closed diagonal with as much again to close it in, and for what each thread packs of the column
/// panel.
pub(super) fn bytes<E: MinPlus>(side: usize, threads: usize, block: usize) -> u128 {
    let strips = Panel::len_of(&E::kernel(), block, side) as u128;
    let groups = (ROWS + E::kernel().rows) as u128 * block as u128 * copies::<E>() as u128;
    let packed = (strips + threads as u128 * groups) * size_of::<E>() as u128;
    2 * Matrix::<E>::bytes(all_rows(block)) + packed
}

/// The CPU, with room for the rows of the pivots as its kernel reads them.
pub(super) struct CpuEngine<'a, E> {
    pool: &'a ThreadPool,
    side: usize,
    panel: Panel<E>,
}

impl<'a, E: MinPlus> CpuEngine<'a, E> {
    /// The engine on the threads of `pool`, for a matrix of side `side`, with blocks of `block`
    /// pivots.
    pub(super) fn new(pool: &'a ThreadPool, side: usize, block: usize) -> Result<Self, ApspError> {
        let kernel = E::kernel();
        let bytes = Panel::len_of(&kernel, block, side) as u128 * size_of::<E>() as u128;
        let panel = Panel::new(kernel, block, side);
        Ok(Self { pool, side, panel: panel.ok_or_else(|| ApspError::too_large(side, bytes))? })
    }
}

impl<E: MinPlus> Engine<E> for CpuEngine<'_, E> {
    fn load_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &[E],
    ) -> Result<(), ApspError> {
        let (side, first) = (self.side, first - pivots.start);
        let row = |k: usize| &rows[(k - first) * side..(k + 1 - first) * side];
        self.panel.reshape(pivots.len(), side).pack(first..first + rows.len() / side, row);
        Ok(())
    }

    fn close_pivots(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
    ) -> Result<(), ApspError> {
        let Self { pool, side, panel } = self;
        let (side, width) = (*side, pivots.len());
        let mut diagonal = Matrix::filled(all_rows(width), E::kernel(), |i, row| {
            panel.unpack(i, pivots.start, row);
        })?;
        floyd_warshall::blocked(&mut diagonal, &Alone, pool, None)?;
        for i in 0..width {
            let row = diagonal.row(i).iter().zip(pivots.clone());
            row.for_each(|(&number, j)| *panel.number_mut(i, j) = number);
        }
        let first = first - pivots.start;
        let chunks = rows.chunks_mut(ROWS * side).enumerate();
        parallel::for_each_with(chunks, &|groups, (i, rows)| {
            let (from, stride) = diagonal.rows_from(first + i * ROWS);
            for (row, number) in rows.chunks_exact_mut(side).zip(first + i * ROWS..) {
                panel.unpack(number, 0, row);
            }
            relax(panel, rows, side, (from, stride), width, groups);
        });
        Ok(())
    }

    fn lower(
        &mut self,
        pivots: &Range<usize>,
        first: usize,
        rows: &mut [E],
        columns: &[E],
        checks: &RowChecks<'_>,
    ) -> Result<(), ApspError> {
        let Self { side, panel, .. } = &*self;
        let (side, width) = (*side, pivots.len());
        let chunks = rows.par_chunks_mut(ROWS * side).zip(columns.par_chunks(ROWS * width));
        chunks.enumerate().try_for_each_init(Vec::new, |groups, (chunk, (rows, from))| {
            let first = first + chunk * ROWS;
            let columns = from.chunks(width);
            for ((vertex, row), columns) in (first..).zip(rows.chunks(side)).zip(columns) {
                checks.before(vertex, row, columns)?;
            }
            relax(panel, rows, side, (from, width), width, groups);
            let lowered = (first..).zip(rows.chunks(side));
            lowered.for_each(|(vertex, row)| checks.after(vertex, row));
            checks.advance(rows.len() / side)
        })
    }
}

/// Relaxes rows through the pivots of the panel. `from` has the rows' columns at the pivots, and
/// the distance between the starts of its rows. `groups` is a work space.
fn relax<E: MinPlus>(
    panel: &Panel<E>,
    rows: &mut [E],
    side: usize,
    (from, stride): (&[E], usize),
    width: usize,
    groups: &mut Vec<E>,
) {
    let (n_rows, kernel) = (rows.len() / side, &panel.kernel);
    let whole = n_rows - n_rows % kernel.rows;
    // where the last rows are fewer than a block, one that ends with them does some twice
    let rest = (whole < n_rows).then(|| n_rows - kernel.rows..n_rows);
    for part in iter::once(0..whole).chain(rest) {
        let from = &from[part.start * stride..][..part.len() * stride];
        pack_groups(kernel, groups, from, stride, &(0..width));
        panel.relax(&mut rows[part.start * side..part.end * side], side, 0, groups);
    }
}

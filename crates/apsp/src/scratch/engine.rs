//! The arithmetic of a matrix in a folder on the processor: block by block of pivots, each as
//! a product of tiles, rows of tiles shared among threads.
//!
//! The row panel is kept in memory in tiles, column of tiles by column, which every row of
//! tiles then runs along; of the column panel a thread has the strip of its row. O(n³); the
//! matrix is read and written once a block. See [`Need`](super::memory::Need) for the memory.
//!
//! Reference: floyd-1962, venkataraman-2003

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::tiles::{load, load_column, load_row, store};
use super::{Block, Parts, Scratch};
use crate::ApspError;
use crate::host::{AREA, Element, Matrix, SIDE};

/// Distances in place of arcs, from wherever the run is. `progress` hears of rows of tiles,
/// those of all blocks together.
pub(super) fn close<E: Element + Pod>(
    scratch: &mut Scratch<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n_rows = (scratch.side() / SIDE) as u64;
    let (n_blocks, done) = scratch.blocks();
    let total = n_blocks as u64 * n_rows;
    let done = AtomicU64::new(done as u64 * n_rows);
    let go_on = |rows| {
        let done = done.fetch_add(rows, Ordering::Relaxed) + rows;
        match progress {
            Some(tell) if tell(done, total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        }
    };
    let side = scratch.side();
    let len = scratch.journal.block * side;
    let bytes = len as u128 * size_of::<E>() as u128;
    let too_large = |_| ApspError::TooLarge { n_vertices: scratch.journal.n_vertices, bytes };
    let mut strips = Vec::new();
    strips.try_reserve_exact(len).map_err(too_large)?;
    strips.resize(len, E::INFINITE);
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

/// Step 1 of a block: its panels from the matrix. `strips` is room for the row panel in tiles.
pub(super) fn write_panels<E: Element>(
    parts: Parts<'_, E>,
    strips: &mut [E],
    block: &Block,
    side: usize,
) -> Result<(), SsspError> {
    let Parts { matrix, row_panel, column_panel } = parts;
    let (first, width) = (block.pivots.start, block.pivots.len());
    let (n_tiles, strip) = (width / SIDE, width * SIDE);
    let mut diagonal = vec![E::INFINITE; width * width];
    let pivot_rows = &matrix[first * side..][..width * side];
    for (tiles, rows) in diagonal.chunks_mut(strip).zip(pivot_rows.chunks(SIDE * side)) {
        load_row(tiles, rows, side, first);
    }
    let diagonal = Matrix::closed(diagonal, n_tiles)?;

    // a column of tiles a task
    strips.par_chunks_mut(strip).enumerate().for_each_init(
        || vec![E::INFINITE; strip],
        |before, (j, tiles)| {
            load_column(before, pivot_rows, side, j * SIDE);
            tiles.copy_from_slice(before);
            for (tile, firsts) in tiles.chunks_exact_mut(AREA).zip(diagonal.chunks_exact(strip)) {
                for (first, second) in firsts.chunks_exact(AREA).zip(before.chunks_exact(AREA)) {
                    E::multiply(tile, first, second);
                }
            }
        },
    );
    row_panel.par_chunks_mut(SIDE * side).enumerate().for_each(|(i, rows)| {
        for (j, tiles) in strips.chunks_exact(strip).enumerate() {
            store(&tiles[i * AREA..][..AREA], &mut rows[j * SIDE..], side);
        }
    });
    let columns = column_panel.par_chunks_mut(width).zip(matrix.par_chunks(side));
    columns.for_each(|(column, row)| column.copy_from_slice(&row[block.pivots.clone()]));
    Ok(())
}

/// Step 2 of a block: all other rows through its panels. `go_on` hears of rows of tiles.
pub(super) fn lower<E: Element>(
    parts: Parts<'_, E>,
    strips: &mut [E],
    block: &Block,
    side: usize,
    go_on: &(impl Fn(u64) -> Result<(), SsspError> + Sync),
) -> Result<(), SsspError> {
    let Parts { matrix, row_panel, column_panel } = parts;
    let width = block.pivots.len();
    let strip = width * SIDE;
    strips.par_chunks_mut(strip).enumerate().for_each(|(j, tiles)| {
        load_column(tiles, row_panel, side, j * SIDE);
    });
    let rows = matrix.par_chunks_mut(SIDE * side).zip(column_panel.par_chunks(strip)).enumerate();
    rows.try_for_each_init(
        || (vec![E::INFINITE; strip], vec![E::INFINITE; AREA]),
        |(column, tile), (i, (rows, from))| {
            if block.pivots.contains(&(i * SIDE)) {
                return go_on(1);
            }
            load_row(column, from, width, 0);
            for (j, row) in strips.chunks_exact(strip).enumerate() {
                load(tile, &rows[j * SIDE..], side);
                for (first, second) in column.chunks_exact(AREA).zip(row.chunks_exact(AREA)) {
                    E::multiply(tile, first, second);
                }
                store(tile, &mut rows[j * SIDE..], side);
            }
            go_on(1)
        },
    )
}

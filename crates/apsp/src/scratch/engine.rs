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

use super::tiles::{load, load_column, load_row, store, store_row};
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

/// Step 1 of a block: its panels from the matrix. `strips` is room for the row panel.
fn write_panels<E: Element>(
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
    let is_pivot = |tile: usize| block.pivots.contains(&(tile * SIDE));

    // the row panel, a column of tiles a task
    strips.par_chunks_mut(strip).enumerate().for_each_init(
        || vec![E::INFINITE; strip],
        |before, (j, tiles)| {
            load_column(before, pivot_rows, side, j * SIDE);
            tiles.copy_from_slice(before);
            for (i, tile) in tiles.chunks_exact_mut(AREA).enumerate() {
                if is_pivot(j) {
                    let k = j - first / SIDE;
                    tile.copy_from_slice(&diagonal[(i * n_tiles + k) * AREA..][..AREA]);
                    continue;
                }
                for (k, second) in before.chunks_exact(AREA).enumerate() {
                    E::multiply(tile, &diagonal[(i * n_tiles + k) * AREA..][..AREA], second);
                }
            }
        },
    );
    row_panel.par_chunks_mut(SIDE * side).enumerate().for_each(|(i, rows)| {
        for (j, tiles) in strips.chunks_exact(strip).enumerate() {
            store(&tiles[i * AREA..][..AREA], &mut rows[j * SIDE..], side);
        }
    });

    // the column panel, a row of tiles a task
    column_panel.par_chunks_mut(strip).enumerate().for_each_init(
        || (vec![E::INFINITE; strip], vec![E::INFINITE; strip]),
        |(before, tiles), (i, rows)| {
            if is_pivot(i) {
                tiles.copy_from_slice(&diagonal[(i - first / SIDE) * strip..][..strip]);
            } else {
                load_row(before, &matrix[i * SIDE * side..][..SIDE * side], side, first);
                tiles.copy_from_slice(before);
                for (j, tile) in tiles.chunks_exact_mut(AREA).enumerate() {
                    for (k, first) in before.chunks_exact(AREA).enumerate() {
                        E::multiply(tile, first, &diagonal[(k * n_tiles + j) * AREA..][..AREA]);
                    }
                }
            }
            store_row(tiles, rows, width, 0);
        },
    );
    Ok(())
}

/// Step 2 of a block: everything else through its panels. `go_on` hears of rows of tiles.
fn lower<E: Element>(
    parts: Parts<'_, E>,
    strips: &mut [E],
    block: &Block,
    side: usize,
    go_on: &(impl Fn(u64) -> Result<(), SsspError> + Sync),
) -> Result<(), SsspError> {
    let Parts { matrix, row_panel, column_panel } = parts;
    let width = block.pivots.len();
    let strip = width * SIDE;
    let is_pivot = |tile: usize| block.pivots.contains(&(tile * SIDE));
    strips.par_chunks_mut(strip).enumerate().for_each(|(j, tiles)| {
        load_column(tiles, row_panel, side, j * SIDE);
    });
    let rows = matrix.par_chunks_mut(SIDE * side).zip(column_panel.par_chunks(strip)).enumerate();
    rows.try_for_each_init(
        || (vec![E::INFINITE; strip], vec![E::INFINITE; AREA]),
        |(column, tile), (i, (rows, from))| {
            if is_pivot(i) {
                return go_on(1);
            }
            load_row(column, from, width, 0);
            for (j, row) in strips.chunks_exact(strip).enumerate() {
                if is_pivot(j) {
                    continue;
                }
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

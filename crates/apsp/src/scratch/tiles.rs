//! Between rows, as a matrix is stored, and square tiles, as they are multiplied.

use crate::host::{AREA, Element, SIDE};

/// Copies the tile whose first number is `from[0]`, in rows `stride` apart.
pub(super) fn load<E: Element>(tile: &mut [E], from: &[E], stride: usize) {
    for (row, from) in tile.chunks_exact_mut(SIDE).zip(from.chunks(stride)) {
        row.copy_from_slice(&from[..SIDE]);
    }
}

/// Copies a tile to where its first number becomes `to[0]`, in rows `stride` apart.
pub(super) fn store<E: Element>(tile: &[E], to: &mut [E], stride: usize) {
    for (row, to) in tile.chunks_exact(SIDE).zip(to.chunks_mut(stride)) {
        to[..SIDE].copy_from_slice(row);
    }
}

/// The tiles of 64 rows, from column `first` on, one after the other.
pub(super) fn load_row<E: Element>(tiles: &mut [E], rows: &[E], stride: usize, first: usize) {
    for (j, tile) in tiles.chunks_exact_mut(AREA).enumerate() {
        load(tile, &rows[first + j * SIDE..], stride);
    }
}

/// The tiles of 64 columns from `first` on, one below the other.
pub(super) fn load_column<E: Element>(tiles: &mut [E], rows: &[E], stride: usize, first: usize) {
    for (i, tile) in tiles.chunks_exact_mut(AREA).enumerate() {
        load(tile, &rows[i * SIDE * stride + first..], stride);
    }
}

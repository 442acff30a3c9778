//! Blocked Floyd-Warshall: the distances of all pairs through growing sets of vertices,
//! tile by tile.
//!
//! The matrix is cut into tiles of 64 × 64. For each tile k of the diagonal: the tile itself
//! is closed by the plain three loops; the tiles of its row, and in the same pass as the
//! others those of its column, are multiplied by it; and every other tile (i, j) takes the
//! product of (i, k) and (k, j) where it is less. Nearly all time is in these products.
//! Rows of tiles are shared among threads. O(n³) time; n² numbers, and as many distances.
//!
//! What differs from the published form: the tiles of the column need no phase of their own,
//! for a row of tiles needs none but its own.
//!
//! Weights may be negative, if there is no negative cycle: the caller has checked. Then no
//! sum is beyond the bound that the plan has checked. Floats are added at the middle vertex,
//! so that they may round otherwise than a search does.
//!
//! Reference: floyd-1962, warshall-1962, venkataraman-2003

use graph_formats::{Csr, Weight};
use rayon::prelude::*;
use sssp::{Progress, SsspError};

use super::min_plus::{AREA, Element, SIDE};

/// A square matrix of tiles, row by row of tiles and in each tile row by row.
pub(crate) struct Matrix<E> {
    n: usize,
    /// Tiles along a side.
    n_tiles: usize,
    numbers: Vec<E>,
}

impl<E: Element> Matrix<E> {
    /// Bytes for `n` vertices.
    pub(crate) fn bytes(n: usize) -> u128 {
        let side = n.next_multiple_of(SIDE) as u128;
        side * side * size_of::<E>() as u128
    }

    /// The arcs of `graph`, of parallel ones the shortest; `None` if there is no memory.
    pub(crate) fn of<W: Weight>(graph: &Csr<W>, number: impl Fn(W) -> E) -> Option<Self> {
        let n = graph.n_vertices();
        let n_tiles = n.div_ceil(SIDE);
        let len = n_tiles.checked_mul(n_tiles)?.checked_mul(AREA)?;
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(len).ok()?;
        numbers.resize(len, E::INFINITE);
        let mut matrix = Self { n, n_tiles, numbers };
        for v in 0..n {
            let place = matrix.place(v, v);
            matrix.numbers[place] = E::ZERO;
        }
        for (u, v, weight) in graph.arcs() {
            let place = matrix.place(u as usize, v as usize);
            let known = &mut matrix.numbers[place];
            let weight = number(weight);
            if weight < *known {
                *known = weight;
            }
        }
        Some(matrix)
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let tile = (i / SIDE) * self.n_tiles + j / SIDE;
        tile * AREA + (i % SIDE) * SIDE + j % SIDE
    }

    /// Row `i` in the order of the vertices.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = E> + '_ {
        let row = (i / SIDE) * self.n_tiles;
        (0..self.n_tiles)
            .flat_map(move |tile| {
                let start = (row + tile) * AREA + (i % SIDE) * SIDE;
                self.numbers[start..start + SIDE].iter().copied()
            })
            .take(self.n)
    }

    /// A square of tiles, row by row of tiles, closed.
    pub(crate) fn closed(tiles: Vec<E>, n_tiles: usize) -> Result<Vec<E>, SsspError> {
        let mut matrix = Self { n: n_tiles * SIDE, n_tiles, numbers: tiles };
        matrix.close(None)?;
        Ok(matrix.numbers)
    }

    /// Distances in place of arcs. `progress` hears of tiles of the diagonal.
    pub(crate) fn close(&mut self, progress: Option<Progress<'_>>) -> Result<(), SsspError> {
        let row_length = self.n_tiles * AREA;
        for k in 0..self.n_tiles {
            if progress.is_some_and(|tell| tell(k as u64, self.n_tiles as u64).is_break()) {
                return Err(SsspError::Interrupted);
            }
            // the pivots' row of tiles, which others read while theirs are written
            let mut pivots = self.numbers[k * row_length..(k + 1) * row_length].to_vec();
            close_tile(&mut pivots[k * AREA..(k + 1) * AREA]);
            let diagonal = pivots[k * AREA..(k + 1) * AREA].to_vec();
            pivots.par_chunks_mut(AREA).enumerate().for_each(|(j, tile)| {
                if j != k {
                    let before = tile.to_vec();
                    E::multiply(tile, &diagonal, &before);
                }
            });
            let rows = self.numbers.par_chunks_mut(row_length).enumerate();
            rows.filter(|(i, _)| *i != k).for_each(|(_, row)| {
                let before = row[k * AREA..(k + 1) * AREA].to_vec();
                E::multiply(&mut row[k * AREA..(k + 1) * AREA], &before, &diagonal);
                let column = row[k * AREA..(k + 1) * AREA].to_vec();
                for (j, tile) in row.chunks_mut(AREA).enumerate() {
                    if j != k {
                        E::multiply(tile, &column, &pivots[j * AREA..(j + 1) * AREA]);
                    }
                }
            });
            self.numbers[k * row_length..(k + 1) * row_length].copy_from_slice(&pivots);
        }
        Ok(())
    }
}

/// Floyd-Warshall within one tile.
fn close_tile<E: Element>(tile: &mut [E]) {
    for k in 0..SIDE {
        let through: [E; SIDE] = std::array::from_fn(|j| tile[k * SIDE + j]);
        for row in tile.chunks_exact_mut(SIDE) {
            let first = row[k];
            for (least, &second) in row.iter_mut().zip(&through) {
                let sum = first.plus(second);
                if sum < *least {
                    *least = sum;
                }
            }
        }
    }
}

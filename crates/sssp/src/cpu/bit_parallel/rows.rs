//! The hops of every source to every target, and the rows of distances that they are.

use graph_formats::{VertexId, Weight, parallel};

use super::bits::Bits;
use super::search::{Found, GoesOn};
use crate::SsspError;
use crate::level_distances::LevelDistances;

/// Rows that are written together: as many as hops lie on a line of a cache.
const ROWS_AT_ONCE: usize = 16;
/// Columns of them at a time.
const COLUMNS_AT_ONCE: usize = 64;
const NONE: u32 = u32::MAX;

/// A source, and the row to be filled for it.
pub(super) type Row<'a, W> = (VertexId, &'a mut [<W as Weight>::Distance]);

/// Which vertices are targets.
pub(super) struct Columns {
    /// The place of each vertex among those that are.
    places: Vec<u32>,
    n_places: usize,
    /// The place of each column.
    columns: Vec<u32>,
}

impl Columns {
    pub(super) fn of(targets: &[VertexId], n_vertices: usize) -> Self {
        let (mut places, mut n_places) = (vec![NONE; n_vertices], 0);
        let mut place = |&target: &VertexId| {
            let place = &mut places[target as usize];
            if *place == NONE {
                *place = n_places;
                n_places += 1;
            }
            *place
        };
        let columns = targets.iter().map(&mut place).collect();
        Self { places, n_places: n_places as usize, columns }
    }
}

/// The hops of the sources of one batch, by target; asks `goes_on` at every level.
pub(super) struct Hops<'a> {
    columns: &'a Columns,
    /// Sources that the batch may have.
    n_sources: usize,
    hops: Vec<u32>,
    n_levels: usize,
    goes_on: GoesOn<'a>,
}

impl<'a> Hops<'a> {
    pub(super) fn new(columns: &'a Columns, goes_on: GoesOn<'a>) -> Self {
        Self { columns, n_sources: 0, hops: Vec::new(), n_levels: 0, goes_on }
    }

    /// For a batch of up to so many sources, who have found nothing yet.
    pub(super) fn clear(&mut self, n_sources: usize) {
        (self.n_sources, self.n_levels) = (n_sources, 0);
        self.hops.clear();
        self.hops.resize(self.columns.n_places * n_sources, NONE);
    }

    /// How many levels the batch had.
    pub(super) fn n_levels(&self) -> usize {
        self.n_levels
    }

    /// Writes the distances of the sources of the batch into their rows.
    pub(super) fn write<W: Weight>(&self, distances: &LevelDistances<W>, rows: &mut [Row<'_, W>]) {
        parallel::fill(rows, ROWS_AT_ONCE, &|first_row, rows| {
            // rows and hops are apart by powers of two, of which a cache holds few at a time
            let mut block = [[NONE; ROWS_AT_ONCE]; COLUMNS_AT_ONCE];
            for (at, places) in self.columns.columns.chunks(COLUMNS_AT_ONCE).enumerate() {
                for (hops, &place) in block.iter_mut().zip(places) {
                    let first = place as usize * self.n_sources + first_row;
                    hops.copy_from_slice(&self.hops[first..first + ROWS_AT_ONCE]);
                }
                for (at_row, (_, row)) in rows.iter_mut().enumerate() {
                    let cells = &mut row[at * COLUMNS_AT_ONCE..][..places.len()];
                    for (cell, hops) in cells.iter_mut().zip(&block) {
                        *cell = distances.get(hops[at_row]);
                    }
                }
            }
        });
    }
}

impl<const N: usize> Found<N> for Hops<'_> {
    fn level(
        &mut self,
        hops: u32,
        vertices: &[VertexId],
        bits: &[Bits<N>],
    ) -> Result<(), SsspError> {
        (self.goes_on)()?;
        for &vertex in vertices {
            let place = self.columns.places[vertex as usize];
            if place == NONE {
                continue;
            }
            let first = place as usize * self.n_sources;
            let of_sources = &mut self.hops[first..first + self.n_sources];
            for (word, &bits) in bits[vertex as usize].iter().enumerate() {
                let mut left = bits;
                while left != 0 {
                    of_sources[64 * word + left.trailing_zeros() as usize] = hops;
                    left &= left - 1;
                }
            }
        }
        if !vertices.is_empty() {
            self.n_levels = hops as usize + 1;
        }
        Ok(())
    }
}

//! The hops from every source to every target.

use graph_formats::{VertexId, parallel};

use super::bits::Bits;
use super::search::Found;

/// Rows transposed together: one cache line of hops.
const ROWS_PER_TASK: usize = 16;
/// Columns transposed together.
const COLUMNS_PER_BLOCK: usize = 64;
const NONE: u32 = u32::MAX;

/// A callback that gets the position of a source, the position of the first of some consecutive
/// targets, and the hops to these; `u32::MAX` where there is no path.
pub type TakeHops<'a> = &'a (dyn Fn(usize, usize, &[u32]) + Sync);

/// The columns of the table: its targets.
pub(super) struct Columns {
    /// The index of each vertex among the distinct targets; `NONE` for other vertices.
    places: Vec<u32>,
    n_places: usize,
    /// The index of each column's target.
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

/// The hops from the sources of one batch, grouped by target.
pub(super) struct Hops<'a> {
    columns: &'a Columns,
    /// Sources of a full batch.
    n_sources: usize,
    hops: Vec<u32>,
    take: TakeHops<'a>,
}

impl<'a> Hops<'a> {
    pub(super) fn new(columns: &'a Columns, n_sources: usize, take: TakeHops<'a>) -> Self {
        Self { columns, n_sources, hops: Vec::new(), take }
    }
}

impl Found for Hops<'_> {
    fn level<const N: usize>(&mut self, hops: u32, vertices: &[VertexId], bits: &[Bits<N>]) {
        if hops == 0 {
            self.hops.clear();
            self.hops.resize(self.columns.n_places * self.n_sources, NONE);
        }
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
    }

    /// Passes the hops of the batch to `take`.
    fn end(&mut self, rows: &[usize]) {
        parallel::for_each(rows.len().div_ceil(ROWS_PER_TASK), &|task| {
            let first_row = task * ROWS_PER_TASK;
            let rows = &rows[first_row..rows.len().min(first_row + ROWS_PER_TASK)];
            // rows of hops lie powers of two apart, of which a cache holds few at a time
            let mut block = [[NONE; ROWS_PER_TASK]; COLUMNS_PER_BLOCK];
            let mut of_row = [NONE; COLUMNS_PER_BLOCK];
            for (at, places) in self.columns.columns.chunks(COLUMNS_PER_BLOCK).enumerate() {
                for (hops, &place) in block.iter_mut().zip(places) {
                    let first = place as usize * self.n_sources + first_row;
                    hops.copy_from_slice(&self.hops[first..first + ROWS_PER_TASK]);
                }
                for (at_row, &row) in rows.iter().enumerate() {
                    for (hops, block) in of_row.iter_mut().zip(&block) {
                        *hops = block[at_row];
                    }
                    (self.take)(row, at * COLUMNS_PER_BLOCK, &of_row[..places.len()]);
                }
            }
        });
    }
}

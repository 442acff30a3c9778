//! The hops of every source to every target.

use graph_formats::{VertexId, parallel};
use search_parts::SearchError;

use super::bits::Bits;
use super::search::{Found, GoesOn};

/// Rows that are handed over together: as many as hops lie on a line of a cache.
const ROWS_AT_ONCE: usize = 16;
/// Columns of them at a time.
const COLUMNS_AT_ONCE: usize = 64;
const NONE: u32 = u32::MAX;

/// What is called with the position of a source, the first of some targets that follow one another,
/// and the hops to these; `u32::MAX` where there is no path.
pub type TakeHops<'a> = &'a (dyn Fn(usize, usize, &[u32]) + Sync);

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
    goes_on: GoesOn<'a>,
}

impl<'a> Hops<'a> {
    pub(super) fn new(columns: &'a Columns, goes_on: GoesOn<'a>) -> Self {
        Self { columns, n_sources: 0, hops: Vec::new(), goes_on }
    }

    /// For a batch of up to so many sources, who have found nothing yet.
    pub(super) fn clear(&mut self, n_sources: usize) {
        self.n_sources = n_sources;
        self.hops.clear();
        self.hops.resize(self.columns.n_places * n_sources, NONE);
    }

    /// Hands over the hops of the sources of the batch, whose positions are `rows`.
    pub(super) fn hand_over(&self, rows: &[usize], take: TakeHops<'_>) {
        parallel::for_each(rows.len().div_ceil(ROWS_AT_ONCE), &|task| {
            let first_row = task * ROWS_AT_ONCE;
            let rows = &rows[first_row..rows.len().min(first_row + ROWS_AT_ONCE)];
            // rows and hops are apart by powers of two, of which a cache holds few at a time
            let mut block = [[NONE; ROWS_AT_ONCE]; COLUMNS_AT_ONCE];
            let mut of_row = [NONE; COLUMNS_AT_ONCE];
            for (at, places) in self.columns.columns.chunks(COLUMNS_AT_ONCE).enumerate() {
                for (hops, &place) in block.iter_mut().zip(places) {
                    let first = place as usize * self.n_sources + first_row;
                    hops.copy_from_slice(&self.hops[first..first + ROWS_AT_ONCE]);
                }
                for (at_row, &row) in rows.iter().enumerate() {
                    for (hops, block) in of_row.iter_mut().zip(&block) {
                        *hops = block[at_row];
                    }
                    take(row, at * COLUMNS_AT_ONCE, &of_row[..places.len()]);
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
    ) -> Result<(), SearchError> {
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
        Ok(())
    }
}

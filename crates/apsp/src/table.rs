//! A table of distances that is filled with rows of a matrix.

use bytemuck::allocation::try_zeroed_vec;
use graph_formats::{Distance, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;
use pivots::Share;

use crate::ApspError;
use crate::element::Element;

/// The distances from all vertices, or some, to all.
pub(crate) struct Table<W: Weight>(Array2<W::Distance>);

impl<W: Weight> Table<W> {
    /// Bytes of the distances of a rank.
    pub(crate) fn bytes(share: Share) -> u128 {
        Self::bytes_of(share.n_rows(), share.blocks.n_rows)
    }

    fn bytes_of(n_sources: usize, n: usize) -> u128 {
        n_sources as u128 * n as u128 * size_of::<W::Distance>() as u128
    }

    /// Zeros, which the system gives out when they are first touched.
    pub(crate) fn new(n_sources: usize, n: usize) -> Result<Self, ApspError> {
        let cells = n_sources.checked_mul(n).and_then(|len| try_zeroed_vec(len).ok());
        let cells = cells.ok_or_else(|| ApspError::too_large(n, Self::bytes_of(n_sources, n)))?;
        Ok(Self(Array2::from_shape_vec((n_sources, n), cells).expect("as many cells")))
    }

    /// Writes each row, which `write` gets with its place, on all threads of the current rayon pool.
    pub(crate) fn fill(&mut self, write: &(dyn Fn(usize, &mut [W::Distance]) + Sync)) {
        let rows = self.rows(1).into_iter().enumerate();
        parallel::for_each_of(rows, &|(place, row)| write(place, row));
    }

    /// Parts of so many rows, one after the other.
    pub(crate) fn rows(&mut self, at_a_time: usize) -> Vec<&mut [W::Distance]> {
        let n = self.0.ncols().max(1);
        self.0.as_slice_mut().expect("row by row").chunks_mut(at_a_time * n).collect()
    }

    pub(crate) fn finish(self) -> DistanceTable<W> {
        DistanceTable::from_storage(self.0)
    }
}

/// Writes the distances of some numbers of a matrix.
pub(crate) fn decode<D: Distance, E: Element>(cells: &mut [D], numbers: &[E]) {
    cells.iter_mut().zip(numbers).for_each(|(cell, &number)| *cell = number.decode());
}

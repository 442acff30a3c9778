//! Distances from many sources to many targets.

use graph_formats::{Distance, Weight};
use ndarray::Array2;

use crate::Total;

/// One row per source, one column per target: the square table of all pairs, or any part of it.
///
/// Rows and columns are positions in the lists of sources and targets that were asked
/// for; where all vertices were, they are the vertices.
///
/// ```
/// use paths::{DistanceTable, Total};
/// use ndarray::array;
///
/// let table = DistanceTable::<u32>::from_storage(array![[0, 5], [u64::MAX, 0]]);
/// assert_eq!((table.get(0, 1), table.get(1, 0)), (Some(5), None));
/// assert_eq!(table.row(0).collect::<Vec<_>>(), [Some(0), Some(5)]);
/// assert_eq!((table.n_reachable_pairs(), table.sum()), (3, Total::Integer(5)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceTable<W: Weight>(Array2<W::Distance>);

impl<W: Weight> DistanceTable<W> {
    /// Distances as solvers store them, where [`Distance::UNREACHED`] stands for none.
    pub fn from_storage(distances: Array2<W::Distance>) -> Self {
        Self(distances)
    }

    /// Distances as solvers store them, where [`Distance::UNREACHED`] stands for none.
    pub fn as_storage(&self) -> &Array2<W::Distance> {
        &self.0
    }

    /// The same, to be changed in place.
    pub fn as_storage_mut(&mut self) -> &mut Array2<W::Distance> {
        &mut self.0
    }

    /// Distances as solvers store them, where [`Distance::UNREACHED`] stands for none.
    pub fn into_storage(self) -> Array2<W::Distance> {
        self.0
    }

    /// How many rows.
    pub fn n_sources(&self) -> usize {
        self.0.nrows()
    }

    /// How many columns.
    pub fn n_targets(&self) -> usize {
        self.0.ncols()
    }

    /// How far target `j` is from source `i`; `None` when no path leads there, or the
    /// table has no such place.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Option<W::Distance> {
        self.0.get((i, j)).copied().filter(|&d| d != W::Distance::UNREACHED)
    }

    /// The distances from source `i` in the order of the targets; empty when the table
    /// has no such row.
    pub fn row(&self, i: usize) -> impl ExactSizeIterator<Item = Option<W::Distance>> + '_ {
        let n_targets = if i < self.n_sources() { self.n_targets() } else { 0 };
        (0..n_targets).map(move |j| self.get(i, j))
    }

    /// How many pairs have a distance; in a square table (v, v) counts. O(size).
    pub fn n_reachable_pairs(&self) -> usize {
        self.reachable().count()
    }

    /// The sum of all distances. O(size).
    pub fn sum(&self) -> Total {
        Total::of(self.reachable())
    }

    fn reachable(&self) -> impl Iterator<Item = W::Distance> + '_ {
        self.0.iter().copied().filter(|&d| d != W::Distance::UNREACHED)
    }
}

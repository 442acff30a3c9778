//! The interface of the CPU's algorithms to a [`Solver`](crate::Solver).

use graph_formats::{VertexId, Weight};
use paths::Predecessors;
use search_parts::{Pool, Query};

use crate::{SsspError, Work};

/// An algorithm with its work space, which keeps the distances of the last search.
pub(crate) trait Search<W: Weight>: Send {
    /// Finds at least the distances within `query`.
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError>;

    /// The distances of the last search, in storage form.
    fn distances(&mut self) -> Vec<W::Distance>;

    /// Writes the distances of `targets` into `row`, which has their number.
    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        let distances = self.distances();
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = distances[target as usize];
        }
    }

    /// The predecessors of the vertices within `limit` of `source`, the source of the last search,
    /// by threads of `pool` or of the search.
    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors;
}

//! What every algorithm of the CPU does for a [`Solver`](crate::Solver).

use graph_formats::{VertexId, Weight};
use paths::Predecessors;
use search_parts::{Pool, Query};

use crate::{SsspError, Work};

/// An algorithm with its work space, which keeps what the last search has left.
pub(crate) trait Search<W: Weight>: Send {
    /// Finds the distances within `query`, at least, and leaves them.
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError>;

    /// The distances that are left, in storage form.
    fn distances(&mut self) -> Vec<W::Distance>;

    /// Writes those of `targets` into `row`, which is as long.
    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        let distances = self.distances();
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = distances[target as usize];
        }
    }

    /// The predecessors of the vertices within `limit` of `source`, which the search was from, by
    /// threads of `pool` or of its own.
    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors;
}

//! The common part of algorithms that compare [keys](crate::key): distances, predecessors and rows
//! of tables are computed from the keys of the last search.

use std::marker::PhantomData;
use std::sync::Arc;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::Predecessors;
use search_parts::device::limit_key;
use search_parts::{Pool, Query};

use crate::arc_split::ArcSplit;
use crate::key::{KeyArithmetic, Keys};
use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// A search by keys.
pub(super) trait KeySearch<K: DistanceKey>: Send + Sync {
    /// Finds the key of every vertex within `query`, and perhaps of some beyond it.
    fn solve(&mut self, query: &Query<'_, K>) -> Result<Work, SsspError>;

    /// The keys of the last search.
    fn keys(&self) -> Keys<'_, K>;
}

/// A search by keys, of a graph whose weights are unsigned, as a search by distances.
pub(super) struct OnKeys<W: Weight, L, S> {
    pub(super) graph: Csr<W>,
    /// A copy of the graph's short arcs, if there is one.
    pub(super) short_arcs: Option<Arc<ArcSplit<W>>>,
    pub(super) search: S,
    pub(super) lengths: PhantomData<L>,
}

impl<W, L, S> Search<W> for OnKeys<W::Unsigned, L, S>
where
    W: Weight,
    L: KeyArithmetic<W::Unsigned>,
    S: KeySearch<L::Key>,
{
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Work, SsspError> {
        self.search.solve(&query.with_limit(L::limit_key(query.limit.to_key())))
    }

    fn distances(&mut self) -> Vec<W::Distance> {
        self.search.keys().distances::<W, L>()
    }

    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        let keys = self.search.keys();
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = W::Distance::from_key(L::full(keys.get(target)));
        }
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        let (graph, short_arcs) = (&self.graph, self.short_arcs.as_deref());
        // no key beyond the greatest distance is one
        let limit = DistanceKey::from_u64(limit_key::<W>(limit));
        let (limit, keys) = (L::limit_key(limit), self.search.keys());
        pool.run(|| predecessors::from_keys::<_, L>(graph, source, limit, short_arcs, keys))
    }
}

//! What the algorithms that compare [keys](crate::key) do alike: distances, predecessors and rows
//! of tables are made of the keys that a search has left.

use std::marker::PhantomData;
use std::sync::Arc;

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::Predecessors;
use search_parts::{Pool, Query};

use crate::arc_split::ArcSplit;
use crate::key::{KeyArithmetic, Labels};
use crate::search::Search;
use crate::{SsspError, Work, predecessors};

/// A search by keys.
pub(super) trait KeySearch<K: DistanceKey>: Send + Sync {
    /// Leaves a key for every vertex within `query`, and perhaps for some beyond it.
    fn solve(&mut self, query: &Query<'_, K>) -> Result<Work, SsspError>;

    /// What the last search has left for each vertex.
    fn labels(&self) -> Labels<'_, K>;
}

/// A search by keys, of a graph whose weights are unsigned, as a search by distances.
pub(super) struct OnKeys<W: Weight, L, S> {
    pub(super) graph: Csr<W>,
    /// A copy of its short arcs, if there is one.
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
        self.search.labels().distances::<W, L>()
    }

    fn row(&mut self, targets: &[VertexId], row: &mut [W::Distance]) {
        let labels = self.search.labels();
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = W::Distance::from_key(L::full(labels.get(target)));
        }
    }

    fn predecessors(&mut self, pool: &Pool, source: VertexId, limit: W::Distance) -> Predecessors {
        let (graph, short_arcs) = (&self.graph, self.short_arcs.as_deref());
        let (limit, labels) = (L::limit_key(limit.to_key()), self.search.labels());
        pool.run(|| predecessors::from_labels::<_, L>(graph, source, limit, short_arcs, labels))
    }
}

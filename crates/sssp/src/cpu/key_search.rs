//! What the algorithms that compare [keys](crate::key) do alike: distances, predecessors and rows
//! of tables are made of the keys that a search has left.

use graph_formats::{Csr, Distance, DistanceKey, VertexId, Weight};
use paths::Predecessors;

use super::delta_stepping::DeltaStepping;
use super::delta_stepping::long_arcs::ArcSplit;
use super::dijkstra::Dijkstra;
use super::queue::MonotoneQueue;
use crate::key::{KeyArithmetic, Labels};
use crate::query::{Query, awaited};
use crate::search::{Answer, Search};
use crate::{SsspError, Work, predecessors};

/// A search by keys.
pub(super) trait KeySearch<W: Weight>: Send {
    type Arithmetic: KeyArithmetic<W, Key = Self::Key>;
    type Key: DistanceKey;

    fn graph(&self) -> &Csr<W>;

    /// Leaves a key for every vertex within `query`, and perhaps for some beyond it.
    fn solve(&mut self, query: &Query<'_, Self::Key>) -> Result<Work, SsspError>;

    /// A copy of the graph's short arcs, if there is one.
    fn short_arcs(&self) -> Option<&ArcSplit<W>> {
        None
    }

    /// What the last search has left for each vertex.
    fn labels(&self) -> Labels<'_, Self::Key>;

    /// The predecessors of the vertices whose key is at most `limit`, after a search.
    fn predecessors(&self, source: VertexId, limit: Self::Key) -> Predecessors {
        predecessors::from_labels::<W, Self::Arithmetic>(
            self.graph(),
            source,
            limit,
            self.short_arcs(),
            self.labels(),
        )
    }
}

impl<W: Weight, L: KeyArithmetic<W>> KeySearch<W> for DeltaStepping<W, L> {
    type Arithmetic = L;
    type Key = L::Key;

    fn graph(&self) -> &Csr<W> {
        self.graph()
    }

    fn solve(&mut self, query: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        self.solve(query)
    }

    fn short_arcs(&self) -> Option<&ArcSplit<W>> {
        self.split()
    }

    fn labels(&self) -> Labels<'_, L::Key> {
        Labels::Shared(self.labels())
    }
}

impl<W: Weight, L: KeyArithmetic<W>, Q: MonotoneQueue<L::Key>> KeySearch<W> for Dijkstra<W, L, Q> {
    type Arithmetic = L;
    type Key = L::Key;

    fn graph(&self) -> &Csr<W> {
        self.graph()
    }

    fn solve(&mut self, query: &Query<'_, L::Key>) -> Result<Work, SsspError> {
        self.solve(query)
    }

    fn labels(&self) -> Labels<'_, L::Key> {
        Labels::Plain(self.keys())
    }
}

/// A search by keys, of a graph whose weights are unsigned, as a search by distances.
pub(super) struct OnKeys<S>(pub(super) S);

impl<W: Weight, S: KeySearch<W::Unsigned> + Sync> Search<W> for OnKeys<S> {
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError> {
        let limit = S::Arithmetic::limit_key(query.limit.to_key());
        let work = self.0.solve(&query.with_limit(limit))?;
        Ok((self.0.labels().distances::<W, S::Arithmetic>(), work))
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        let limit = S::Arithmetic::limit_key(limit.to_key());
        Ok(Some(self.0.predecessors(source, limit)))
    }

    /// Where keys hold all distances, without a list of these in between.
    fn row(
        &mut self,
        source: VertexId,
        targets: &[VertexId],
        row: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        if !S::Arithmetic::HOLDS_ALL {
            return Ok(None);
        }
        let awaited = awaited(targets, self.0.graph().n_vertices());
        let query = Query { source, targets: awaited, limit: S::Key::GREATEST, progress: None };
        let work = self.0.solve(&query)?;
        let labels = self.0.labels();
        for (cell, &target) in row.iter_mut().zip(targets) {
            *cell = W::Distance::from_key(S::Arithmetic::full(labels.get(target)));
        }
        Ok(Some(work))
    }
}

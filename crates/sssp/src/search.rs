//! What every algorithm does for a [`Solver`](crate::Solver), on either device.

use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use crate::query::Query;
use crate::{DeviceTimes, HopSums, Progress, SsspError, Work};

/// An algorithm with its work space.
pub(crate) trait Search<W: Weight>: Send {
    /// At least all distances that are asked for, and perhaps others.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SsspError>;

    /// The predecessors of the vertices within `limit` of `source`, which the last search was
    /// from, where there is a faster way to them than from distances.
    fn predecessors(
        &mut self,
        _source: VertexId,
        _limit: W::Distance,
    ) -> Result<Option<Predecessors>, SsspError> {
        Ok(None)
    }

    /// Whether it finds predecessors by threads of its own, and not by those of the pool that it is
    /// called in.
    fn has_own_threads(&self) -> bool {
        false
    }

    /// Fills `row` with the distances of `targets`, one at least, where there is a faster way than
    /// by all distances.
    fn row(
        &mut self,
        _source: VertexId,
        _targets: &[VertexId],
        _row: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        Ok(None)
    }

    /// Fills `cells` with a row of `targets`, one at least, for each of `sources`, where there
    /// is a faster way than one by one, and the memory; the counts of all searches. Tells
    /// `progress` how many rows are done.
    fn table(
        &mut self,
        _sources: &[VertexId],
        _targets: &[VertexId],
        _progress: Option<Progress<'_>>,
        _cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        Ok(None)
    }

    /// The distances from the nearest of `sources`, which of them that is, and what it
    /// took, where there is a faster way than the CPU's, and the memory.
    fn nearest(
        &mut self,
        _sources: &[VertexId],
        _progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        Ok(None)
    }

    /// The sums over searches from all of `sources` that count arcs, where there is a faster way
    /// than the CPU's, and the memory. Tells `progress` how many sources are done.
    fn hop_sums(
        &mut self,
        _sources: &[VertexId],
        _progress: Option<Progress<'_>>,
    ) -> Result<Option<HopSums>, SsspError> {
        Ok(None)
    }

    /// Where the time of the last search went, where that was on a device.
    fn device_times(&self) -> Option<DeviceTimes> {
        None
    }
}

/// Distances in storage form, and what it took.
pub(crate) type Answer<W> = (Vec<<W as Weight>::Distance>, Work);

/// The nearest of several sources for every vertex, in storage form.
pub(crate) type Owners = Vec<VertexId>;

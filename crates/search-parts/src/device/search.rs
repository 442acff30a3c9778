//! The interface of every algorithm on a GPU, and its error for a search without a result.

use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use crate::{DeviceTimes, Query, SearchError, Work};

/// An algorithm with its graph and work space on a device.
pub trait DeviceSearch<W: Weight>: Send {
    /// Finds at least all distances that `query` asks for.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SearchError>;

    /// The predecessors of the vertices within `limit` of `source`, the source of the last search;
    /// `None` if the CPU finds them faster from the distances.
    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError>;

    /// The times of the last search.
    fn times(&self) -> DeviceTimes;
}

/// Distances in storage form, and the work.
pub type Answer<W> = (Vec<<W as Weight>::Distance>, Work);

/// The nearest of several sources for every vertex, in storage form.
pub type Owners = Vec<VertexId>;

/// The error of a search without a result on a device: a sum overflows the kernels' type and memory
/// for a wider one is missing, or a negative cycle can be reached.
pub fn no_answer() -> SearchError {
    SearchError::NotOnGpu { reason: "it has no answer to this search".to_owned() }
}

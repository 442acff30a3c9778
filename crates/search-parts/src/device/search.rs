//! What every algorithm of a GPU does, and what came of a search that a device has no answer to.

use crate::Query;
use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use crate::{DeviceTimes, SearchError, Work};

/// An algorithm with its graph and work space on a device.
pub trait DeviceSearch<W: Weight>: Send {
    /// At least all distances that are asked for, and perhaps others.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SearchError>;

    /// The predecessors of the vertices within `limit` of `source`, which the last search was from;
    /// `None` where the CPU finds them faster, from distances.
    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError>;

    /// Where the time of the last search went.
    fn times(&self) -> DeviceTimes;
}

/// Distances in storage form, and what it took.
pub type Answer<W> = (Vec<<W as Weight>::Distance>, Work);

/// The nearest of several sources for every vertex, in storage form.
pub type Owners = Vec<VertexId>;

/// The error of a search on a device that has no answer: a sum does not fit what the kernels add
/// in and there is no memory for it, or a negative cycle can be reached.
pub fn no_answer() -> SearchError {
    SearchError::NotOnGpu { reason: "it has no answer to this search".to_owned() }
}

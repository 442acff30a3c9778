//! The interface of every algorithm on a GPU, and its error for a search without a result.

use std::time::Instant;

use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use crate::{DeviceTimes, Query, SearchError, Work, milliseconds};

/// An algorithm with its graph and work space on a device.
pub trait DeviceSearch<W: Weight>: Send {
    /// Finds at least all distances that `query` asks for, and leaves them on the device. `None` if
    /// there is no result: a sum overflows the kernels' type and memory for a wider one is missing,
    /// or a negative cycle can be reached.
    fn run(&mut self, query: &Query<'_, W::Distance>) -> Result<Option<Work>, SearchError>;

    /// The distances of the last search, in storage form.
    fn distances(&mut self) -> Result<Vec<W::Distance>, SearchError>;

    /// The predecessors of the vertices within `limit` of `source`, the source of the last search;
    /// `None` if the CPU finds them faster from the distances.
    fn predecessors(
        &mut self,
        source: VertexId,
        limit: W::Distance,
    ) -> Result<Option<Predecessors>, SearchError>;

    /// The times of the preparation and of the last search.
    fn times(&mut self) -> &mut DeviceTimes;

    /// The distances of a [run](Self::run), and its work.
    ///
    /// # Errors
    /// [`no_answer`] if there is no result, and others when the device fails.
    fn search(&mut self, query: &Query<'_, W::Distance>) -> Result<Answer<W>, SearchError> {
        let work = self.run(query)?.ok_or_else(no_answer)?;
        let start = Instant::now();
        let distances = self.distances()?;
        self.times().download_ms += milliseconds(start);
        Ok((distances, work))
    }
}

/// A search by any algorithm.
pub type BoxedSearch<W> = Box<dyn DeviceSearch<W>>;

/// Distances in storage form, and the work.
pub type Answer<W> = (Vec<<W as Weight>::Distance>, Work);

/// The error of a search without a result on a device.
pub fn no_answer() -> SearchError {
    SearchError::NotOnGpu {
        reason: "a sum does not fit, or there is a negative cycle; solve on the CPU".to_owned(),
    }
}

//! Searches on a device, from one source at a time or from many.

use graph_formats::{VertexId, Weight};
use paths::Progress;
use search_parts::device::{Answer, BoxedSearch, DeviceSearch};

use crate::{SsspError, Work};

/// A search on a device.
pub(super) enum Device<'g, W: Weight> {
    Single(BoxedSearch<'g, W>),
    Many(Box<dyn MultiSource<W> + 'g>),
}

/// A search on a device from many sources at once, too.
pub(super) trait MultiSource<W: Weight>: DeviceSearch<W> {
    /// Fills `cells` with a row of `targets`, of which there is at least one, for each of `sources`;
    /// reports the number of rows that are done. `None` if single searches are faster.
    fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError>;

    /// For every vertex, its distance from the nearest of `sources` and that source, in storage
    /// form, and the work; `None` if the CPU should find them.
    fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError>;
}

/// The nearest of several sources for every vertex, in storage form.
pub(crate) type Owners = Vec<VertexId>;

impl<'g, W: Weight> Device<'g, W> {
    pub(super) fn single(&mut self) -> &mut (dyn DeviceSearch<W> + 'g) {
        match self {
            Self::Single(search) => &mut **search,
            Self::Many(search) => &mut **search,
        }
    }
}

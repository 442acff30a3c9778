//! Searches on a device, from one source at a time or from many.

use graph_formats::{VertexId, Weight};
use paths::Progress;
use search_parts::device::{Answer, BoxedSearch, DeviceSearch};

use crate::table::Table;
use crate::{SsspError, Work};

/// A search on a device.
pub(super) enum GpuSearch<'g, W: Weight> {
    Single(BoxedSearch<W>),
    Many(Box<dyn MultiSource<W> + 'g>),
}

/// A search on a device from many sources at once, too.
pub(super) trait MultiSource<W: Weight>: DeviceSearch<W> {
    /// Fills the table; `None` if single searches are faster.
    fn table(&mut self, table: &mut Table<'_, W::Distance>) -> Result<Option<Work>, SsspError>;

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

impl<'g, W: Weight> GpuSearch<'g, W> {
    pub(super) fn single(&mut self) -> &mut (dyn DeviceSearch<W> + 'g) {
        match self {
            Self::Single(search) => &mut **search,
            Self::Many(search) => &mut **search,
        }
    }
}

//! A search on a device, by any of the algorithms.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::Progress;
use search_parts::device::{Answer, DeviceSearch, Owners};

use super::algorithm::Algorithm;
use super::bellman_ford_queue::QueueOnGpu;
use super::breadth_first::ByLevelsOnGpu;
use super::delta_stepping::DeltaSteppingOnGpu;
use super::table::Table;
use crate::weights::SearchKeys;
use crate::{Delta, DeviceTimes, SsspError, Work, delta, plan};

/// An algorithm on a device. Δ-stepping and breadth-first search also have tables and nearest
/// sources.
pub(super) enum Device<'g, W: Weight> {
    Stepping(Box<DeltaSteppingOnGpu>),
    Levels(Box<ByLevelsOnGpu<'g, W>>),
    Other(Box<dyn DeviceSearch<W> + 'g>),
}

impl<'g, W: Weight> Device<'g, W> {
    pub(super) fn single(&mut self) -> &mut (dyn DeviceSearch<W> + 'g) {
        match self {
            Self::Stepping(stepping) => &mut **stepping,
            Self::Levels(levels) => &mut **levels,
            Self::Other(other) => &mut **other,
        }
    }

    pub(super) fn times(&self) -> DeviceTimes {
        match self {
            Self::Stepping(stepping) => stepping.times,
            Self::Levels(levels) => levels.times(),
            Self::Other(other) => other.times(),
        }
    }

    /// Fills the table and returns the work; `None` if row by row is faster.
    pub(super) fn table(
        &mut self,
        table: &mut Table<'_, W::Distance>,
    ) -> Result<Option<Work>, SsspError> {
        match self {
            Self::Stepping(stepping) => stepping.table::<W>(table),
            Self::Levels(levels) => levels.table(table),
            Self::Other(_) => Ok(None),
        }
    }

    /// For every vertex, its distance from the nearest of `sources` and that source, and the work;
    /// `None` if the CPU should find them.
    pub(super) fn nearest(
        &mut self,
        sources: &[VertexId],
        progress: Option<Progress<'_>>,
    ) -> Result<Option<(Answer<W>, Owners)>, SsspError> {
        match self {
            Self::Stepping(stepping) => stepping.nearest::<W>(sources, progress),
            Self::Levels(levels) => levels.nearest(sources, progress),
            Self::Other(_) => Ok(None),
        }
    }
}

/// The search by `algorithm`, and the width of its buckets if it has any.
pub(super) fn on_device<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    algorithm: Algorithm,
) -> Result<(Device<'g, W>, Option<f64>), SsspError> {
    match algorithm {
        Algorithm::DeltaStepping(delta) => {
            let width = delta::width(graph, delta)?;
            let fixed = delta != Delta::Auto;
            let search = DeltaSteppingOnGpu::new(gpu, graph, width, fixed)?;
            Ok((Device::Stepping(Box::new(search)), Some(width)))
        }
        Algorithm::BreadthFirst => {
            plan::check_weights_equal(graph)?;
            Ok((Device::Levels(Box::new(ByLevelsOnGpu::new(gpu, graph)?)), None))
        }
        Algorithm::BellmanFordQueue(rule) => {
            Ok((Device::Other(Box::new(QueueOnGpu::new(gpu, graph, rule)?)), None))
        }
        Algorithm::Published(form) => {
            let form = form.try_map_width(|delta| delta::width(graph, delta))?;
            Ok((Device::Other(published::search(gpu, graph, form)?), form.width()))
        }
    }
}

//! A search on a device, whichever it is.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::Progress;

use super::algorithm::Algorithm;
use super::bellman_ford::BellmanFordOnGpu;
use super::bellman_ford_queue::QueueOnGpu;
use super::bellman_ford_spmv::SpmvOnGpu;
use super::breadth_first::ByLevelsOnGpu;
use super::delta_stepping::DeltaSteppingOnGpu;
use super::search::{Answer, DeviceSearch, Owners};
use super::{crauser, delta_stepping_buckets, dijkstra};
use crate::{Delta, DeviceTimes, SsspError, Work, delta, plan};

/// An algorithm on a device. Two of them know more than single searches.
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

    /// Fills `cells` with a row of `targets`, one at least, for each of `sources`, where there is a
    /// faster way than one by one; the counts of all searches. Tells `progress` how many rows are
    /// done.
    pub(super) fn table(
        &mut self,
        sources: &[VertexId],
        targets: &[VertexId],
        progress: Option<Progress<'_>>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        match self {
            Self::Stepping(stepping) => stepping.table::<W>(sources, targets, progress, cells),
            Self::Levels(levels) => levels.table(sources, targets, progress, cells),
            Self::Other(_) => Ok(None),
        }
    }

    /// The distances from the nearest of `sources`, which of them that is, and what it took, where
    /// there is a faster way than the CPU's.
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

/// The search by `algorithm`, and the width of its buckets if it has some.
pub(super) fn on_device<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    algorithm: Algorithm,
) -> Result<(Device<'g, W>, Option<f64>), SsspError> {
    let negative = graph.first_negative().is_some();
    let search: Box<dyn DeviceSearch<W> + 'g> = match algorithm {
        Algorithm::DeltaStepping(delta) => {
            let width = delta::width(graph, delta)?;
            let fixed = delta != Delta::Auto;
            let search = DeltaSteppingOnGpu::new(gpu, graph, width, fixed)?;
            return Ok((Device::Stepping(Box::new(search)), Some(width)));
        }
        Algorithm::BreadthFirst => {
            plan::check_weights_equal(graph)?;
            return Ok((Device::Levels(Box::new(ByLevelsOnGpu::new(gpu, graph)?)), None));
        }
        Algorithm::DeltaSteppingBuckets(delta) => {
            let width = delta::width(graph, delta)?;
            let search = delta_stepping_buckets::buckets(gpu, graph, width)?;
            return Ok((Device::Other(Box::new(search)), Some(width)));
        }
        Algorithm::Dijkstra(block) => Box::new(dijkstra::dijkstra(gpu, graph, block)?),
        Algorithm::Crauser => Box::new(crauser::crauser(gpu, graph)?),
        Algorithm::Eager(lookahead) => {
            let lookahead = delta::width(graph, lookahead)?;
            let search = Box::new(crauser::eager(gpu, graph, lookahead)?);
            return Ok((Device::Other(search), Some(lookahead)));
        }
        Algorithm::BellmanFord { edges, loads, stores } => {
            Box::new(BellmanFordOnGpu::new(gpu, graph, negative, edges, (loads, stores))?)
        }
        Algorithm::BellmanFordQueue(rule) => Box::new(QueueOnGpu::new(gpu, graph, negative, rule)?),
        Algorithm::BellmanFordSpmv(layout) => {
            Box::new(SpmvOnGpu::new(gpu, graph, negative, layout)?)
        }
    };
    Ok((Device::Other(search), None))
}

//! The search on a device by any of the algorithms.

use gpu_runtime::Gpu;
use graph_formats::Csr;
use search_parts::device::BellmanFordSearch;

use super::algorithm::Algorithm;
use super::bellman_ford_queue::QueueOnGpu;
use super::breadth_first::ByLevelsOnGpu;
use super::delta_stepping::DeltaSteppingOnGpu;
use super::multi_source::GpuSearch;
use crate::weights::SearchKeys;
use crate::{Delta, SsspError, delta, plan};

/// The search by `algorithm`, and the width of its buckets if it has any.
pub(super) fn on_device<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    algorithm: Algorithm,
) -> Result<(GpuSearch<'g, W>, Option<f64>), SsspError> {
    match algorithm {
        Algorithm::DeltaStepping(delta) => {
            let width = delta::width(graph, delta)?;
            let fixed = delta != Delta::Auto;
            let search = DeltaSteppingOnGpu::new(gpu, graph, width, fixed)?;
            let width = search.delta();
            Ok((GpuSearch::Many(Box::new(search)), Some(width)))
        }
        Algorithm::BreadthFirst => {
            plan::check_weights_equal(graph)?;
            Ok((GpuSearch::Many(Box::new(ByLevelsOnGpu::new(gpu, graph)?)), None))
        }
        Algorithm::BellmanFordQueue(rule) => {
            let search = BellmanFordSearch(QueueOnGpu::new(gpu, graph, rule)?);
            Ok((GpuSearch::Single(Box::new(search)), None))
        }
        Algorithm::Published(form) => {
            let form = form.try_map_width(|delta| delta::width(graph, delta))?;
            Ok((GpuSearch::Single(published::search(gpu, graph, form)?), form.width()))
        }
    }
}

//! The solvers on a GPU as engines: which one a plan asks for.

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::Predecessors;

use super::bellman_ford::BellmanFordOnGpu;
use super::buckets::BucketsOnGpu;
use super::crauser::CrauserOnGpu;
use super::delta_stepping::DeltaSteppingOnGpu;
use super::dijkstra::DijkstraOnGpu;
use super::queue::{QueueOnGpu, Rules};
use super::spmv::SpmvOnGpu;
use super::stepping_engine::DeltaSteppingEngine;
use super::trial;
use super::typed_engine::TypedEngine;
use super::word_engine::WordEngine;
use crate::engine::{Engine, Found, Request};
use crate::host::bellman_ford::rounds::BellmanFord;
use crate::range::WeightRange;
use crate::{Algorithm, Config, Delta, DeviceTimes, Plan, SsspError, cost};

/// The engine that `plan`, made for a GPU, asks for; where it leaves a choice and enough
/// searches are expected to make up for trials, the fastest, of which it tells afterwards.
pub(crate) fn engine<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &mut Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Engine<W> + Send + 'g>, SsspError> {
    let chooses = config.algorithm == Algorithm::Auto && config.delta == Delta::Auto;
    let chooses = chooses && cost::trials_pay(config.n_expected_searches());
    match plan.algorithm {
        Algorithm::DeltaStepping if chooses => trial::fastest(gpu, graph, config, plan, range),
        Algorithm::BellmanFordLll if chooses => {
            trial::fastest_of_any_sign(gpu, graph, config, plan, range)
        }
        _ => one(gpu, graph, config, plan, range),
    }
}

/// The engine of the algorithm in `plan`.
pub(super) fn one<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Engine<W> + Send + 'g>, SsspError> {
    let algorithm = plan.algorithm;
    match algorithm {
        Algorithm::Auto | Algorithm::DeltaStepping => {
            let delta = plan.delta.unwrap_or(1.0);
            let fixed = config.delta != Delta::Auto;
            let device = DeltaSteppingOnGpu::new(gpu, graph, range, delta, fixed)?;
            Ok(Box::new(DeltaSteppingEngine::new(device, graph, config)))
        }
        Algorithm::DeltaSteppingBuckets => {
            let device = BucketsOnGpu::new(gpu, graph, range, plan.delta.unwrap_or(1.0))?;
            Ok(Box::new(WordEngine::new(device, graph, config)))
        }
        Algorithm::Dijkstra => {
            let device = DijkstraOnGpu::new(gpu, graph, range, config.reduction_block)?;
            Ok(Box::new(WordEngine::new(device, graph, config)))
        }
        Algorithm::Crauser => {
            let device = CrauserOnGpu::new(gpu, graph, range)?;
            Ok(Box::new(WordEngine::new(device, graph, config)))
        }
        Algorithm::BellmanFord => {
            Ok(Box::new(BellmanFordOnGpu::new(gpu, graph, range.negative, config)?))
        }
        Algorithm::BellmanFordQueue
        | Algorithm::BellmanFordSlf
        | Algorithm::BellmanFordLll
        | Algorithm::BellmanFordSlfLll => {
            let rules = Rules::of(algorithm);
            let device = QueueOnGpu::new(gpu, graph, range.negative, rules)?;
            Ok(Box::new(TypedEngine::new(device, graph)))
        }
        Algorithm::BellmanFordSpmv => {
            let device = SpmvOnGpu::new(gpu, graph, range.negative, config.product)?;
            Ok(Box::new(TypedEngine::new(device, graph)))
        }
    }
}

/// Where there is a negative cycle or a sum does not fit, the CPU's Bellman-Ford finds the
/// cycle, or adds in wider numbers.
impl<W: Weight> Engine<W> for BellmanFordOnGpu<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        match self.solve(request.source, request.progress)? {
            Some(found) => Ok(found),
            None => {
                let start = Instant::now();
                let found = BellmanFord::new(self.graph).search(request);
                self.add_solve_time(start.elapsed());
                found
            }
        }
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        // it has the distances beyond a limit, too
        if self.searched != Some(source) || limit.is_some() {
            return Ok(None);
        }
        Ok(self.predecessors(source)?.map(Predecessors::from_storage))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        Some(self.times())
    }
}

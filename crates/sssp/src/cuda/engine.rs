//! The solvers on a GPU as engines, and what they do where the device has no answer.

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::Predecessors;

use super::bellman_ford::BellmanFordOnGpu;
use super::delta_stepping::{self, DeltaSteppingOnGpu, Outcome};
use crate::engine::{self, Batch, Engine, Filled, Found, Request};
use crate::host::bellman_ford::rounds::BellmanFord;
use crate::range::WeightRange;
use crate::{Algorithm, Config, Delta, DeviceTimes, Plan, SsspError};

/// The engine that `plan`, made for a GPU, asks for.
pub(crate) fn engine<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Engine<W> + Send + 'g>, SsspError> {
    if plan.algorithm == Algorithm::BellmanFord {
        return Ok(Box::new(BellmanFordOnGpu::new(gpu, graph, range.negative, config)?));
    }
    let delta = plan.delta.unwrap_or(1.0);
    let fixed = config.delta != Delta::Auto;
    let device = DeltaSteppingOnGpu::new(gpu, graph, range, delta, fixed)?;
    Ok(Box::new(DeltaSteppingEngine { device, graph, config: config.clone(), searched: None }))
}

/// Δ-stepping, and what it takes to do without the device where a sum does not fit.
struct DeltaSteppingEngine<'g, W: Weight> {
    device: DeltaSteppingOnGpu,
    graph: &'g Csr<W>,
    config: Config,
    /// The source whose words the device holds.
    searched: Option<VertexId>,
}

impl<W: Weight> Engine<W> for DeltaSteppingEngine<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.searched = None;
        if request.limit.is_some_and(|limit| limit < W::Distance::ZERO) {
            return Ok(engine::nothing::<W>(self.graph.n_vertices()));
        }
        let target = match request.targets {
            &[target] => Some(target),
            _ => None,
        };
        let limit = delta_stepping::limit_word::<W>(request.limit);
        match self.device.solve(request.source, target, limit, request.progress)? {
            Outcome::Found(words, work) => {
                self.searched = Some(request.source);
                Ok((delta_stepping::distances::<W>(&words), work))
            }
            Outcome::Overflow => {
                let config = Config { algorithm: Algorithm::DeltaStepping, ..self.config.clone() };
                let range = WeightRange::of(self.graph);
                let plan = Plan::new(self.graph, &config, &range)?;
                engine::engine(self.graph, &plan, range.greatest).search(request)
            }
        }
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        if self.searched != Some(source) {
            return Ok(None);
        }
        let chosen = self.device.predecessors(source, delta_stepping::limit_word::<W>(limit))?;
        Ok(Some(Predecessors::from_storage(chosen)))
    }

    fn table(
        &mut self,
        batch: &Batch<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Filled>, SsspError> {
        let &Batch { sources, targets, progress } = batch;
        let mut filled = Filled::default();
        self.device.table(sources, targets, |rows, words| {
            let start = rows.start * targets.len();
            let found = delta_stepping::distances::<W>(&words.table);
            cells[start..start + found.len()].copy_from_slice(&found);
            filled.work.add(&words.work);
            let overflowed = rows.clone().zip(words.overflowed).filter(|row| row.1);
            filled.left.extend(overflowed.map(|row| row.0));
            match progress {
                Some(tell) if tell(rows.end as u64, sources.len() as u64).is_break() => {
                    Err(SsspError::Interrupted)
                }
                _ => Ok(()),
            }
        })?;
        Ok(Some(filled))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        Some(self.device.times())
    }
}

/// Where there is a negative cycle or a sum does not fit, the CPU's Bellman-Ford finds the
/// cycle, or adds in wider numbers.
impl<W: Weight> Engine<W> for BellmanFordOnGpu<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        match self.solve(request.source, request.progress)? {
            Some(found) => Ok(found),
            None => BellmanFord::new(self.graph).search(request),
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
        Ok(Some(Predecessors::from_storage(self.predecessors(source)?)))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        Some(self.times())
    }
}

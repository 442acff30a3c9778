//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu). A build without the feature
//! `cuda` has all of this, but no [`Gpu`](gpu_runtime::Gpu) to call it with.

mod bellman_ford;
mod buckets;
mod crauser;
mod delta_stepping;
mod dijkstra;
mod edge_predecessors;
mod edges;
mod extract_min;
mod fallback;
mod graph;
mod key_search;
mod keys;
mod launch;
#[cfg(test)]
mod layout;
mod many_sources;
mod memory;
mod negative_cycle;
mod predecessors;
mod queue;
mod spmv;
mod spmv_matrix;
mod trial;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};

use self::bellman_ford::BellmanFordOnGpu;
use self::delta_stepping::DeltaSteppingOnGpu;
pub use self::extract_min::ExtractMin;
use self::fallback::{DeviceSearch, WithFallback};
use self::queue::QueueOnGpu;
use self::spmv::SpmvOnGpu;
use crate::host::bellman_ford_queue::Rules;
use crate::range::WeightRange;
use crate::search::Search;
use crate::{Algorithm, Config, Delta, Plan, SsspError, cost};

/// An algorithm on a device, whichever it is.
type Boxed<'g, W> = Box<dyn DeviceSearch<W> + 'g>;

/// The search that `plan`, made for a GPU, asks for; where it leaves a choice and enough
/// searches are expected to make up for trials, the fastest, which it tells of afterwards.
pub(crate) fn on_gpu<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &mut Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Search<W> + 'g>, SsspError> {
    let chooses = config.algorithm == Algorithm::Auto && config.delta == Delta::Auto;
    let chooses = chooses && cost::trials_pay(config.n_expected_searches());
    let (device, choice_ms) = match plan.algorithm {
        Algorithm::DeltaStepping if chooses => trial::fastest(gpu, graph, config, plan, range)?,
        Algorithm::BellmanFordLll if chooses => {
            trial::fastest_of_any_sign(gpu, graph, config, plan, range)?
        }
        _ => (search(gpu, graph, config, plan, range)?, 0.0),
    };
    Ok(Box::new(WithFallback::new(device, choice_ms, graph, plan.algorithm, config)))
}

/// The search by the algorithm in `plan`.
fn search<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &Plan,
    range: &WeightRange<W>,
) -> Result<Boxed<'g, W>, SsspError> {
    let (delta, negative) = (plan.delta.unwrap_or(1.0), range.negative);
    Ok(match plan.algorithm {
        Algorithm::Auto | Algorithm::DeltaStepping => {
            let fixed = config.delta != Delta::Auto;
            Box::new(DeltaSteppingOnGpu::new(gpu, graph, range, delta, fixed)?)
        }
        Algorithm::DeltaSteppingBuckets => Box::new(buckets::buckets(gpu, graph, range, delta)?),
        Algorithm::Dijkstra => {
            Box::new(dijkstra::dijkstra(gpu, graph, range, config.reduction_block)?)
        }
        Algorithm::Crauser => Box::new(crauser::crauser(gpu, graph, range)?),
        Algorithm::BellmanFord => Box::new(BellmanFordOnGpu::new(gpu, graph, negative, config)?),
        Algorithm::BellmanFordQueue
        | Algorithm::BellmanFordSlf
        | Algorithm::BellmanFordLll
        | Algorithm::BellmanFordSlfLll => {
            Box::new(QueueOnGpu::new(gpu, graph, negative, Rules::of(plan.algorithm))?)
        }
        Algorithm::BellmanFordSpmv => {
            Box::new(SpmvOnGpu::new(gpu, graph, negative, config.product)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use gpu_runtime::Gpu;

    /// The first GPU, or `None` and a word about it.
    pub(super) fn gpu() -> Option<Gpu> {
        match Gpu::open() {
            Ok(gpu) => Some(gpu),
            Err(reason) => {
                let required = std::env::var_os("STARPATH_REQUIRE_GPU").is_some_and(|v| v == "1");
                assert!(!required, "STARPATH_REQUIRE_GPU=1, but {reason}");
                println!("SKIPPED: {reason}");
                None
            }
        }
    }
}

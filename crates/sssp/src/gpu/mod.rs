//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu). A build without the feature
//! `cuda` has all of this, but no [`Gpu`] to call it with.

mod autotune;
mod bellman_ford;
mod bellman_ford_queue;
mod bellman_ford_spmv;
mod crauser;
mod delta_stepping;
mod delta_stepping_buckets;
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
mod negative_cycle;
mod predecessors;
mod spmv_matrix;
mod work_space;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};

use self::bellman_ford::BellmanFordOnGpu;
use self::bellman_ford_queue::QueueOnGpu;
use self::bellman_ford_spmv::SpmvOnGpu;
use self::delta_stepping::DeltaSteppingOnGpu;
pub use self::extract_min::ExtractMin;
use self::fallback::{DeviceSearch, WithFallback};
use crate::cpu::bellman_ford_queue::Rules;
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
) -> Result<Box<dyn Search<W> + 'g>, SsspError> {
    let chooses = config.algorithm == Algorithm::Auto && config.delta == Delta::Auto;
    let chooses = chooses && cost::trials_pay(config.n_expected_searches());
    let (device, choice_ms) = match plan.algorithm {
        Algorithm::DeltaStepping if chooses => autotune::fastest(gpu, graph, config, plan)?,
        Algorithm::BellmanFordLll if chooses => {
            autotune::fastest_of_any_sign(gpu, graph, config, plan)?
        }
        _ => (search(gpu, graph, config, plan)?, 0.0),
    };
    Ok(Box::new(WithFallback::new(device, choice_ms, graph, plan.algorithm, config)))
}

/// The search by the algorithm in `plan`.
fn search<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &Plan,
) -> Result<Boxed<'g, W>, SsspError> {
    let (delta, negative) = (plan.delta.unwrap_or(1.0), graph.first_negative().is_some());
    Ok(match plan.algorithm {
        Algorithm::Auto | Algorithm::DeltaStepping => {
            let fixed = config.delta != Delta::Auto;
            Box::new(DeltaSteppingOnGpu::new(gpu, graph, delta, fixed)?)
        }
        Algorithm::DeltaSteppingBuckets => {
            Box::new(delta_stepping_buckets::buckets(gpu, graph, delta)?)
        }
        Algorithm::Dijkstra => Box::new(dijkstra::dijkstra(gpu, graph, config.reduction_block)?),
        Algorithm::Crauser => Box::new(crauser::crauser(gpu, graph)?),
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

//! Solvers for a GPU.
//!
//! They are behind [`Solver::on_gpu`](crate::Solver::on_gpu), which takes a [`Config`] that may
//! name one of the [algorithms](Algorithm) here. A build without the feature `cuda` has all of
//! this, but no [`Gpu`] to call it with.

mod algorithm;
mod arrays;
mod autotune;
mod bellman_ford;
mod bellman_ford_queue;
mod bellman_ford_spmv;
mod breadth_first;
mod crauser;
mod delta_stepping;
mod delta_stepping_buckets;
mod device_solver;
mod dijkstra;
mod dijkstra_by_launches;
mod edge_predecessors;
mod edges;
mod extract_min;
mod fallback;
mod graph;
mod hop_sums;
mod key_search;
mod keys;
mod launch;
mod many_sources;
mod nearest;
mod negative_cycle;
mod predecessors;
mod rows;
mod several;
mod spmv_matrix;
mod work_space;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};

pub use self::algorithm::{Algorithm, BlockSize, EdgeOrder, Layout, Loads, Stores};
pub use self::arrays::{Arrays, Indices};
use self::bellman_ford::BellmanFordOnGpu;
use self::bellman_ford_queue::QueueOnGpu;
use self::bellman_ford_spmv::SpmvOnGpu;
use self::breadth_first::BreadthFirstOnGpu;
use self::delta_stepping::DeltaSteppingOnGpu;
pub use self::device_solver::{DeviceSolver, OnDevice};
#[doc(hidden)]
pub use self::dijkstra_by_launches::DijkstraByLaunches;
#[doc(hidden)]
pub use self::extract_min::{ExtractMin, Reduction};
use self::fallback::WithFallback;
pub(crate) use self::several::searches;
use crate::search::Search;
use crate::weights::SearchWeight;
use crate::{Delta, Plan, QueueRule, SsspError, cost, delta, plan};

/// An algorithm on a device, whichever it is.
type Boxed<'g, W> = Box<dyn Search<W> + 'g>;

/// What to solve with on a GPU.
pub type Config = crate::Config<Algorithm>;

/// The search that `config` asks for, and what was chosen: where that is left to the solver and
/// enough searches are expected to make up for trials, the fastest.
fn search<'g, W: SearchWeight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
) -> Result<(Plan, Box<dyn Search<W> + 'g>), SsspError> {
    let of_any_sign = Algorithm::BellmanFordQueue(QueueRule::Lll);
    let (algorithm, reason) = match config.algorithm {
        None if graph.weight_summary().common().is_some() => {
            (Algorithm::BreadthFirst, "all arcs have the same weight")
        }
        None if graph.first_negative().is_some() => (of_any_sign, "some weights are negative"),
        None => (Algorithm::DeltaStepping(Delta::Auto), "it is the solver for GPUs"),
        Some(asked) => (asked, "it was asked for"),
    };
    let admits_negative = algorithm.admits_negative();
    let mut plan = Plan::of(graph, algorithm.name(), admits_negative, reason.to_owned())?;
    plan.device = Some(gpu.properties().name.clone());
    let chooses = config.algorithm.is_none()
        && algorithm != Algorithm::BreadthFirst
        && cost::trials_pay(config.n_expected_searches());
    let (device, choice_ms) = if !chooses {
        let (device, delta) = on_device(gpu, graph, algorithm)?;
        plan.delta = delta;
        (device, 0.0)
    } else if admits_negative {
        autotune::fastest_of_any_sign(gpu, graph, algorithm, &mut plan)?
    } else {
        autotune::fastest(gpu, graph, &mut plan)?
    };
    // of those for any sign, one that tells of rounds as the device's do
    let cpu = config.for_algorithm(admits_negative.then_some(crate::Algorithm::BellmanFord));
    let search = WithFallback::new(device, choice_ms, graph, &plan, cpu).counting_hops_on(gpu);
    Ok((plan, Box::new(search)))
}

/// The search by `algorithm`, and the width of its buckets if it has some.
fn on_device<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    algorithm: Algorithm,
) -> Result<(Boxed<'g, W>, Option<f64>), SsspError> {
    let negative = graph.first_negative().is_some();
    let search: Boxed<'g, W> = match algorithm {
        Algorithm::DeltaStepping(delta) => {
            let width = delta::width(graph, delta)?;
            let fixed = delta != Delta::Auto;
            let search = DeltaSteppingOnGpu::new(gpu, graph, width, fixed)?;
            return Ok((Box::new(search), Some(width)));
        }
        Algorithm::BreadthFirst => {
            plan::check_weights_equal(graph)?;
            Box::new(BreadthFirstOnGpu::new(gpu, graph)?)
        }
        Algorithm::DeltaSteppingBuckets(delta) => {
            let width = delta::width(graph, delta)?;
            let search = delta_stepping_buckets::buckets(gpu, graph, width)?;
            return Ok((Box::new(search), Some(width)));
        }
        Algorithm::Dijkstra(block) => Box::new(dijkstra::dijkstra(gpu, graph, block)?),
        Algorithm::Crauser => Box::new(crauser::crauser(gpu, graph)?),
        Algorithm::Eager(lookahead) => {
            let lookahead = delta::width(graph, lookahead)?;
            return Ok((Box::new(crauser::eager(gpu, graph, lookahead)?), Some(lookahead)));
        }
        Algorithm::BellmanFord { edges, loads, stores } => {
            Box::new(BellmanFordOnGpu::new(gpu, graph, negative, edges, (loads, stores))?)
        }
        Algorithm::BellmanFordQueue(rule) => Box::new(QueueOnGpu::new(gpu, graph, negative, rule)?),
        Algorithm::BellmanFordSpmv(layout) => {
            Box::new(SpmvOnGpu::new(gpu, graph, negative, layout)?)
        }
    };
    Ok((search, None))
}

#[cfg(test)]
mod tests {
    use gpu_runtime::Gpu;

    /// The first GPU, or `None` and a word about it.
    pub(super) fn gpu() -> Option<Gpu> {
        test_support::gpu(Gpu::open())
    }
}

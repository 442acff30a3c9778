//! The choice of the algorithm on a GPU.

use gpu_runtime::Gpu;
use graph_formats::Csr;

use super::algorithm::{Algorithm, Config};
use super::autotune;
use super::device::on_device;
use super::on_gpu::OnGpu;
use crate::weights::SearchKeys;
use crate::{Delta, Plan, QueueRule, SsspError, cost};

/// The search by `config`, with its plan. If `config` names no algorithm and expects enough
/// searches for trials to pay, it is the fastest one tried.
pub(super) fn search<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
) -> Result<(Plan, OnGpu<'g, W>), SsspError> {
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
    // with negative weights, an algorithm that reports rounds as the device's do
    let cpu = config.for_algorithm(admits_negative.then_some(crate::Algorithm::BellmanFord));
    let search = OnGpu::new(device, choice_ms, graph, cpu);
    Ok((plan, search))
}

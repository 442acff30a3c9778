//! One search from one source, with the time of each part; used by `sssp` and `path`.

use std::time::Instant;

use collectives::{Alone, Communicator};
use gpu_runtime::Gpu;
use graph_formats::VertexId;
use paths::{AnyTree, Number};
use serde::Serialize;
use sssp::cost::Searches;
use sssp::{DeviceTimes, Goal, Plan};

use crate::backend;
use crate::cli::{Common, Configs};
use crate::failure::say;
use crate::load::Loaded;
use crate::progress::{check_interrupt, progress};
use crate::ranks::agree;
use crate::report::{Head, Ms, median, milliseconds};

/// The fields that every search reports.
#[derive(Serialize)]
pub(crate) struct Searched {
    #[serde(flatten)]
    pub(crate) head: Head,
    /// Time of what is done once for the graph, before any search.
    pub(crate) prepare_ms: Ms,
    #[serde(flatten)]
    device: Option<Device>,
    /// Time of the second pass, which finds predecessors from the distances.
    pub(crate) predecessors_ms: Ms,
    /// Arcs relaxed.
    pub(crate) relaxations: u64,
}

impl Searched {
    /// A search on CPUs.
    pub(crate) fn on_cpus(
        head: Head,
        prepare_ms: Ms,
        predecessors_ms: Ms,
        relaxations: u64,
    ) -> Self {
        Self { head, prepare_ms, device: None, predecessors_ms, relaxations }
    }

    /// The same search on this GPU, among others perhaps.
    pub(crate) fn on_device(self, gpu: &Gpu, jit_ms: f64, download_ms: Ms) -> Self {
        Self { device: Some(Device::on(gpu, jit_ms, download_ms)), ..self }
    }
}

/// The fields that a run on a GPU adds.
#[derive(Serialize)]
pub(crate) struct Device {
    /// The name of the GPU.
    device: Option<String>,
    /// Time to compile the kernels for it.
    jit_ms: Ms,
    /// Time to copy the graph to it.
    upload_ms: Ms,
    /// Time to copy the distances back.
    download_ms: Ms,
}

impl Device {
    /// On this GPU, among others perhaps, with the graph there already.
    pub(crate) fn on(gpu: &Gpu, jit_ms: f64, download_ms: Ms) -> Self {
        let device = Some(gpu.properties().name.clone());
        Self { device, jit_ms: Ms(jit_ms), upload_ms: Ms(0.0), download_ms }
    }

    pub(crate) fn of(times: &DeviceTimes, plan: &Plan) -> Self {
        Self {
            device: plan.device.clone(),
            jit_ms: Ms(times.jit_ms),
            upload_ms: Ms(times.upload_ms),
            download_ms: Ms(times.download_ms),
        }
    }
}

/// Runs `work` as often as `--repeat` says. Returns its last result, and the time of each run in
/// milliseconds.
pub(crate) fn repeated<T>(
    common: &Common,
    work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Vec<f64>)> {
    repeated_by(&Alone, common, work)
}

/// As [`repeated`], by several ranks: all start each run together.
pub(crate) fn repeated_by<T>(
    ranks: &dyn Communicator,
    common: &Common,
    mut work: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Vec<f64>)> {
    let n = common.repeat.map_or(1, |n| n.get());
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let result = work().and_then(|result| Ok(check_interrupt().map(|()| result)?));
        let result = agree(ranks, result)?;
        times.push(milliseconds(start.elapsed()).0);
        if times.len() == n {
            return Ok((result, times));
        }
    }
}

/// Distances and paths from `source` as far as `goal` says.
pub(crate) fn search(
    loaded: &Loaded,
    command: &'static str,
    source: VertexId,
    goal: Goal<Number>,
    configs: &Configs,
    common: &Common,
) -> anyhow::Result<(AnyTree, Searched)> {
    let step = progress("searching", common);
    let start = Instant::now();
    let searches = Searches::Trees(common.repeat.map_or(1, |n| n.get()));
    let (mut solver, backend) =
        backend::solver(&loaded.csr, configs, searches, None, &step, common)?;
    let prepare_ms = match solver.preparation() {
        Some(times) => Ms(times.prepare_ms),
        None => milliseconds(start.elapsed()),
    };
    let mut device_times = Vec::new();
    let mut second_passes = Vec::new();
    let (found, whole) = repeated(common, || {
        let found = solver.tree(source, goal)?;
        device_times.extend(found.device_times);
        second_passes.push(milliseconds(found.predecessors_time).0);
        Ok(found)
    })?;
    // on a GPU, the search alone: copies are reported apart from it
    let solve: Vec<_> = match device_times.as_slice() {
        [] => whole.iter().zip(&second_passes).map(|(whole, second)| whole - second).collect(),
        on_device => on_device.iter().map(|times| times.solve_ms).collect(),
    };
    let device = device_times.last().map(|times| Device::of(times, &found.plan));
    let (plan, work) = (&found.plan, found.work);
    if common.explain {
        say(format_args!("{plan}"));
        say(format_args!(
            "work: {} arcs relaxed, {} distances improved, {} vertices settled, {} rounds",
            work.relaxations, work.improvements, work.settled, work.rounds
        ));
    }
    if let (true, Some(times)) = (common.explain, device_times.last()) {
        let [near, far, push, pull] = times.phases_ms;
        say(format_args!(
            "on the device: near arcs {near:.3} ms, far lists {far:.3} ms, pushes {push:.3} ms, pulls {pull:.3} ms"
        ));
    }
    let head = loaded.head(command).solved(plan.algorithm, &solve, common);
    let head = Head { backend, threads: plan.threads, ..head };
    let (relaxations, predecessors_ms) = (work.relaxations, median(&second_passes));
    Ok((found.answer, Searched { head, prepare_ms, device, predecessors_ms, relaxations }))
}

//! Which processor solves.

use std::fmt::Display;

use anyhow::{anyhow, bail};
use collectives::Communicator;
use gpu_runtime::{DeviceProperties, Gpu, GpuError};
use graph_formats::AnyCsr;
use sssp::any::{self, AnySolver};
use sssp::cost::{self, Machine, Outline, Searches};
use sssp::{Config, Progress, SsspError};

use crate::cli::{Backend, ClosureAlgorithm, Common, Configs, GpuCount};
use crate::failure::say;

/// A solver, and the name of the backend that it is on.
type Chosen<'g> = (Box<dyn AnySolver + 'g>, &'static str);

/// A solver on the backend of the command line, and the name of that backend in reports. `gpus` is
/// the number of GPUs, if it is on any. It reports to `progress`.
pub(crate) fn solver<'g>(
    graph: &'g AnyCsr,
    configs: &Configs,
    searches: Searches,
    gpus: Option<GpuCount>,
    progress: Progress<'g>,
    common: &Common,
) -> anyhow::Result<Chosen<'g>> {
    if let Some(solver) = on_gpus(graph, configs, searches, gpus, progress, common)? {
        return Ok((solver, "cuda"));
    }
    let config = configs.cpu.clone().unwrap_or_default();
    Ok((any::solver(graph, &config, Some(progress))?, "cpu"))
}

/// A solver on GPUs, if the command line asks for one, or if `auto` estimates that a GPU finishes
/// `searches` sooner, its opening and the copies included. `None` is the CPU.
fn on_gpus<'g>(
    graph: &'g AnyCsr,
    configs: &Configs,
    searches: Searches,
    gpus: Option<GpuCount>,
    progress: Progress<'g>,
    common: &Common,
) -> anyhow::Result<Option<Box<dyn AnySolver + 'g>>> {
    let name = &configs.name;
    let (gpu, config) = match (&configs.cpu, &configs.gpu) {
        (_, None) => {
            let reason = format!("{name} runs on a GPU only with --backend cuda");
            return Ok(stay_on_cpu(&reason, common));
        }
        (None, Some(config)) => {
            let gpu = Gpu::open().map_err(|error| match common.backend {
                Backend::Cuda => no_gpu(error),
                _ => anyhow!("{name} runs on a GPU only, and {error}"),
            })?;
            (gpu, config)
        }
        (Some(_), Some(config)) => match sooner(graph, searches, config.n_threads()) {
            Ok((gpu, reason)) => {
                if common.explain {
                    say(format_args!("backend: cuda, because {reason}"));
                }
                (gpu, config)
            }
            Err(reason) => return Ok(stay_on_cpu(&reason, common)),
        },
    };
    let gpus = with_others(gpu, gpus, None)?;
    match any::solver_on_gpus(&gpus, graph, config, Some(progress)) {
        Err(reason @ (SsspError::NotOnGpu { .. } | SsspError::Gpu(_))) if configs.cpu.is_some() => {
            Ok(stay_on_cpu(&reason, common))
        }
        solver => Ok(Some(solver?)),
    }
}

/// The GPU, if it is estimated to finish `searches` before the CPU, or why not; either with the
/// estimates. Opening a GPU is most of its cost, so it is opened only where the fastest known GPU
/// would finish sooner.
fn sooner(graph: &AnyCsr, searches: Searches, n_threads: usize) -> Result<(Gpu, String), String> {
    let outline = Outline::of(graph);
    let machine = Machine { threads: n_threads, ..Machine::default() };
    let (here, fastest) = cost::seconds(&outline, searches, &machine);
    if here <= fastest {
        return Err(format!("the CPU takes about {here:.3} s, and a GPU at least {fastest:.3} s"));
    }
    if graph.first_negative().is_some() {
        return Err("some weights are negative".to_owned());
    }
    let gpu = Gpu::open().map_err(|reason| reason.to_string())?;
    let &DeviceProperties { multiprocessors, clock_hz, .. } = gpu.properties();
    let machine = Machine { multiprocessors, clock_hz: clock_hz as f64, ..machine };
    let (_, whole) = cost::seconds(&outline, searches, &machine);
    if here <= whole - machine.opening {
        return Err(format!("the CPU takes about {here:.3} s, and this GPU {whole:.3} s"));
    }
    Ok((gpu, format!("this GPU takes about {whole:.3} s, and the CPU {here:.3} s")))
}

/// A GPU for the closure of `n_vertices`, if the command line asks for one, or if `auto` estimates
/// that it finishes sooner. `None` is the CPU.
pub(crate) fn gpu_for_closure(
    n_vertices: usize,
    algorithm: ClosureAlgorithm,
    common: &Common,
) -> anyhow::Result<Option<Gpu>> {
    let algorithm = match algorithm {
        ClosureAlgorithm::Plain(algorithm) => algorithm,
        ClosureAlgorithm::Star(_) => closure::Algorithm::Blocked,
    };
    let config: Config = Config { threads: common.threads, ..Config::default() };
    let seconds = algorithm.seconds_on_cpu(n_vertices, config.n_threads());
    gpu_if_slower(seconds, n_vertices, common)
}

/// `count` GPUs, of which `first` is open already, each limited to `memory` bytes.
pub(crate) fn with_others(
    first: Gpu,
    count: Option<GpuCount>,
    memory: Option<u64>,
) -> anyhow::Result<Vec<Gpu>> {
    let count = match count {
        None => 1,
        Some(GpuCount::Of(count)) => count.get(),
        Some(GpuCount::All) => Gpu::count()?,
    };
    let mut gpus = vec![first];
    for ordinal in 1..count {
        let gpu = Gpu::open_ordinal(ordinal).map_err(|error| anyhow!("--gpus {count}: {error}"))?;
        gpus.push(gpu);
    }
    Ok(match memory {
        Some(bytes) => gpus.iter().map(|gpu| gpu.with_memory_cap(bytes)).collect(),
        None => gpus,
    })
}

fn no_gpu(error: GpuError) -> anyhow::Error {
    anyhow!("backend cuda: {error}; use --backend cpu, or leave the choice to auto")
}

/// The GPU of a rank, limited to `memory` bytes. The ranks of a machine take its GPUs in turn.
pub(crate) fn gpu_of_rank(ranks: &dyn Communicator, memory: Option<u64>) -> anyhow::Result<Gpu> {
    let place = ranks.rank_on_host()?;
    let open = |count: u32| Gpu::open_ordinal(place as u32 % count.max(1));
    let gpu = Gpu::count().and_then(open).map_err(no_gpu)?;
    Ok(memory.map_or(gpu.clone(), |bytes| gpu.with_memory_cap(bytes)))
}

/// A GPU, if the CPU needs more `seconds` than opening and closing a GPU takes.
pub(crate) fn gpu_if_slower(
    seconds: f64,
    n_vertices: usize,
    common: &Common,
) -> anyhow::Result<Option<Gpu>> {
    let Machine { opening, closing, .. } = Machine::default();
    match common.backend {
        Backend::Cuda => gpu_that_is_asked_for(common),
        Backend::Auto if seconds < opening + closing => {
            let reason = format!(
                "the CPU needs less time for {n_vertices} vertices than it takes to open a GPU"
            );
            Ok(stay_on_cpu(&reason, common))
        }
        Backend::Auto => match Gpu::open() {
            Ok(gpu) => Ok(Some(gpu)),
            Err(reason) => Ok(stay_on_cpu(&reason, common)),
        },
        Backend::Cpu => Ok(None),
    }
}

/// `None`; with `--backend auto --explain` it prints the reason.
pub(crate) fn stay_on_cpu<T>(reason: &dyn Display, common: &Common) -> Option<T> {
    if common.backend == Backend::Auto && common.explain {
        say(format_args!("backend: cpu, because {reason}"));
    }
    None
}

/// The GPU, if the command line asks for it.
pub(crate) fn gpu_that_is_asked_for(common: &Common) -> anyhow::Result<Option<Gpu>> {
    let is_asked = common.backend == Backend::Cuda;
    is_asked.then(|| Gpu::open().map_err(no_gpu)).transpose()
}

/// The GPU, if the command line asks for it. `auto` takes the CPU, because there is no estimate for
/// this work on a GPU.
pub(crate) fn gpu_on_request(common: &Common) -> anyhow::Result<Option<Gpu>> {
    match common.backend {
        Backend::Cuda => gpu_that_is_asked_for(common),
        Backend::Auto => {
            Ok(stay_on_cpu(&"auto never takes a GPU for this; --backend cuda does", common))
        }
        Backend::Cpu => Ok(None),
    }
}

/// The name of the backend in reports.
pub(crate) fn name(gpu: Option<&Gpu>) -> &'static str {
    if gpu.is_some() { "cuda" } else { "cpu" }
}

/// The GPUs that the command line asks for, if any, each limited to `memory` bytes. `auto` takes the
/// CPU.
pub(crate) fn gpus_on_request(
    count: Option<GpuCount>,
    memory: Option<u64>,
    common: &Common,
) -> anyhow::Result<Vec<Gpu>> {
    gpu_on_request(common)?.map_or(Ok(Vec::new()), |first| with_others(first, count, memory))
}

/// The same for a rank: with several ranks, each has one GPU.
pub(crate) fn gpus_of_rank(
    ranks: &dyn Communicator,
    count: Option<GpuCount>,
    memory: Option<u64>,
    common: &Common,
) -> anyhow::Result<Vec<Gpu>> {
    if ranks.size() > 1 && common.backend == Backend::Cuda {
        return Ok(vec![gpu_of_rank(ranks, memory)?]);
    }
    gpus_on_request(count, memory, common)
}

/// An error if the command line asks for a GPU, because `what` runs on the CPU only.
pub(crate) fn cpu(what: &str, common: &Common) -> anyhow::Result<()> {
    if common.backend == Backend::Cuda {
        bail!("backend cuda: {what} runs on the CPU; leave the choice to auto");
    }
    Ok(())
}

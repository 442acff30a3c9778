//! Which processor solves.

use anyhow::anyhow;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use sssp::{Algorithm, Config, Solver, SsspError};
use star_machine::ClosureAlgorithm;

use crate::cli::{Backend, Common};
use crate::failure::say;

/// Arcs below which `auto` stays on the CPU: the search would take less time than the way
/// to the GPU and back.
const FEW_ARCS: usize = 1 << 20;

/// Vertices from which `auto` looks for a GPU for all pairs.
const MANY_VERTICES: usize = 1024;

/// A solver where the command line wants it, and the backend's name in reports.
pub(crate) fn solver<'g, W: Weight>(
    graph: &'g Csr<W>,
    config: &Config,
    common: &Common,
) -> anyhow::Result<Result<(Solver<'g, W>, &'static str), SsspError>> {
    Ok(match on_gpu(graph, config, 1, common)? {
        Ok(Some(solver)) => Ok((solver, "cuda")),
        Ok(None) => Solver::new(graph, config).map(|solver| (solver, "cpu")),
        Err(error) => Err(error),
    })
}

/// A solver on a GPU, if the command line wants it there, or leaves the choice and it is
/// the place for `n_searches` searches; `None` is the CPU.
pub(crate) fn on_gpu<'g, W: Weight>(
    graph: &'g Csr<W>,
    config: &Config,
    n_searches: usize,
    common: &Common,
) -> anyhow::Result<Result<Option<Solver<'g, W>>, SsspError>> {
    let stay = |reason: &dyn std::fmt::Display| {
        if common.backend == Backend::Auto && common.explain {
            say(format_args!("backend: cpu, because {reason}"));
        }
        Ok(Ok(None))
    };
    // a GPU runs every algorithm, but only these go there without being asked to
    let suits = matches!(config.algorithm, Algorithm::Auto | Algorithm::DeltaStepping);
    let n_arcs = graph.n_arcs().saturating_mul(n_searches);
    let gpu = match common.backend {
        Backend::Cpu => return stay(&"it was asked for"),
        Backend::Cuda => Gpu::open().map_err(|error| {
            anyhow!("backend cuda: {error}; use --backend cpu, or leave the choice to auto")
        })?,
        Backend::Auto if !config.algorithm.runs_on_cpu() => Gpu::open()
            .map_err(|error| anyhow!("{} runs on a GPU only, and {error}", config.algorithm))?,
        Backend::Auto if n_arcs < FEW_ARCS => {
            return stay(&format_args!("{n_arcs} arcs to look at are few"));
        }
        Backend::Auto if !suits => {
            let algorithm = config.algorithm;
            return stay(&format_args!(
                "{algorithm} on a GPU has to be asked for with --backend cuda"
            ));
        }
        Backend::Auto if graph.first_negative().is_some() => {
            return stay(&"some weights are negative");
        }
        Backend::Auto => match Gpu::open() {
            Ok(gpu) => gpu,
            Err(reason) => return stay(&reason),
        },
    };
    match Solver::on_gpu(&gpu, graph, config) {
        Err(reason @ (SsspError::NotOnGpu { .. } | SsspError::Gpu(_)))
            if common.backend == Backend::Auto && config.algorithm.runs_on_cpu() =>
        {
            stay(&reason)
        }
        solver => Ok(solver.map(Some)),
    }
}

/// Vertices from which `auto` looks for a GPU for a closure: below, the processor has it before
/// a GPU is opened.
const MANY_VERTICES_OF_BITS: usize = 16_384;

/// A GPU for the closure of `n_vertices`, as [`gpu_for_pairs`]; what runs on a GPU only looks
/// for one whatever the graph, and components do not.
pub(crate) fn gpu_for_closure(
    n_vertices: usize,
    algorithm: ClosureAlgorithm,
    common: &Common,
) -> anyhow::Result<Option<Gpu>> {
    let many = match algorithm {
        ClosureAlgorithm::Components => usize::MAX,
        only if only.is_for_gpu() => 0,
        _ => MANY_VERTICES_OF_BITS,
    };
    gpu_from(many, n_vertices, common)
}

/// A GPU for all pairs of `n_vertices`, if the command line wants it there, or leaves the
/// choice and it pays; `None` is the CPU.
pub(crate) fn gpu_for_pairs(n_vertices: usize, common: &Common) -> anyhow::Result<Option<Gpu>> {
    gpu_from(MANY_VERTICES, n_vertices, common)
}

fn gpu_from(many: usize, n_vertices: usize, common: &Common) -> anyhow::Result<Option<Gpu>> {
    match common.backend {
        Backend::Cuda => Gpu::open().map(Some).map_err(|error| {
            anyhow!("backend cuda: {error}; use --backend cpu, or leave the choice to auto")
        }),
        Backend::Auto if n_vertices >= many => match Gpu::open() {
            Ok(gpu) => Ok(Some(gpu)),
            Err(reason) => stay_for_pairs(&reason, common),
        },
        Backend::Auto => stay_for_pairs(&format_args!("{n_vertices} vertices are few"), common),
        Backend::Cpu => Ok(None),
    }
}

/// `None`, and a word about it.
pub(crate) fn stay_for_pairs(
    reason: &dyn std::fmt::Display,
    common: &Common,
) -> anyhow::Result<Option<Gpu>> {
    if common.explain {
        say(format_args!("backend: cpu, because {reason}"));
    }
    Ok(None)
}

/// The backend of what runs on the CPU only, by its name in reports.
pub(crate) fn cpu(what: &str, common: &Common) -> anyhow::Result<&'static str> {
    match common.backend {
        Backend::Cuda => {
            Err(anyhow!("backend cuda: {what} runs on the CPU; leave the choice to auto"))
        }
        Backend::Auto | Backend::Cpu => Ok("cpu"),
    }
}

//! `starpath closure`: which vertices reach which.

use std::fmt;
use std::path::{Path, PathBuf};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, with_csr};
use serde::Serialize;
use star_machine::{
    ClosureAlgorithm, ClosureConfig, ClosureFound, ClosureTimes, StarError, closure, closure_on_gpu,
};

use crate::backend;
use crate::cli::{Backend, ClosureArgs, Common};
use crate::failure::{Interrupted, say};
use crate::load::load;
use crate::output::ResultFile;
use crate::progress::Bar;
use crate::report::{Head, Ms, grouped};
use crate::search::{Times, repeated};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    /// Ordered pairs joined by a path of at least one arc.
    reachable_pairs: usize,
}

/// What a GPU took beside the solving.
#[derive(Serialize)]
struct Device {
    device: String,
    /// By components, on the processor, where that was broken off.
    search_ms: Ms,
    jit_ms: Ms,
    upload_ms: Ms,
    download_ms: Ms,
}

impl Device {
    fn of(gpu: &Gpu, times: &ClosureTimes) -> Self {
        Self {
            device: gpu.properties().name.clone(),
            search_ms: Ms(times.search_ms),
            jit_ms: Ms(times.jit_ms),
            upload_ms: Ms(times.upload_ms),
            download_ms: Ms(times.download_ms),
        }
    }
}

struct Solved {
    found: ClosureFound,
    device: Option<Device>,
    times: Vec<f64>,
}

pub(crate) fn run(args: &ClosureArgs, common: &Common) -> anyhow::Result<()> {
    let inputs: Vec<&Path> = args.graph.inputs().collect();
    let output = |path: &Option<PathBuf>| {
        path.as_deref().map(|path| ResultFile::check(path, &inputs)).transpose()
    };
    let counts = output(&args.counts)?;
    let counts = counts.map(|file| file.needs_columns("the names of vertices")).transpose()?;
    let mut output = output(&args.output)?;
    if args.packed {
        output = output.map(ResultFile::needs_bits).transpose()?;
    }
    if let (Some(output), Some(counts)) = (&output, &counts) {
        output.refuse_same(counts)?;
    }
    let config = ClosureConfig { algorithm: args.algorithm, condense: !args.no_condense };
    let loaded = load(&args.graph, common)?;
    let names = loaded.names();
    let solved = with_csr!(&loaded.csr, |graph| solve(graph, &config, common))?;
    let solve = Times::of(solved.times)?;
    let ClosureFound { closure, plan } = solved.found;
    if common.explain {
        say(format_args!("{plan}"));
    }
    match output {
        Some(output) if args.packed => output.write_packed_closure(&names, &closure)?,
        Some(output) => output.write_closure(&names, &closure)?,
        None => {}
    }
    if let Some(counts) = counts {
        counts.write_counts(&names, &closure)?;
    }
    let report = Report {
        head: Head {
            command: "closure",
            algorithm: Some(plan.algorithm.name()),
            backend: if solved.device.is_some() { "cuda" } else { "cpu" },
            threads: plan.threads,
            vertices: loaded.csr.n_vertices(),
            edges: loaded.csr.n_arcs(),
            load_ms: Some(loaded.load_ms),
            solve_ms: Some(solve.median()),
            solve_min_ms: solve.least(common),
        },
        device: solved.device,
        reachable_pairs: closure.n_pairs(),
    };
    loaded.print(&report, common)
}

fn solve<W: Weight>(
    graph: &Csr<W>,
    config: &ClosureConfig,
    common: &Common,
) -> anyhow::Result<Solved> {
    let bar = Bar::new("solving", common);
    let step = |done, total| bar.step(done, total);
    if let Some(gpu) = backend::gpu_for_closure(graph.n_vertices(), config.algorithm, common)? {
        // what goes back and forth is reported beside the solving
        let mut on_device = Vec::new();
        let tried = repeated(common, || {
            let closed = closure_on_gpu(&gpu, graph, config, Some(&step)).map_err(explain)?;
            on_device.push(closed.times.solve_ms);
            Ok(closed)
        });
        match tried {
            // components, on the processor, were the shorter way
            Ok((closed, times)) if closed.found.plan.algorithm == ClosureAlgorithm::Components => {
                return Ok(Solved { found: closed.found, device: None, times });
            }
            Ok((closed, _)) => {
                let device = Some(Device::of(&gpu, &closed.times));
                return Ok(Solved { found: closed.found, device, times: on_device });
            }
            Err(reason) if common.backend == Backend::Auto && is_of_gpu(&reason) => {
                backend::stay_for_pairs(&reason, common)?;
            }
            Err(reason) => return Err(reason),
        }
    }
    let (found, times) = repeated(common, || closure(graph, config, Some(&step)).map_err(explain))?;
    Ok(Solved { found, device: None, times })
}

/// Whether the CPU may still do it.
fn is_of_gpu(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StarError::Gpu(_) | StarError::TooLarge { .. }))
}

/// The error as the program ends with it.
fn explain(error: StarError) -> anyhow::Error {
    match error {
        StarError::Interrupted => Interrupted.into(),
        other => other.into(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u128))
    }
}

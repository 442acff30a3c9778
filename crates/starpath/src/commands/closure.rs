//! `starpath closure`: which vertices reach which.

mod changes;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::bail;
use closure::{
    Algorithm, ClosureError, Config, Found, OnGpu, Plan, Times as DeviceTimes, closure,
    closure_on_gpus, counts,
};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Progress};
use paths::Closure;
use serde::Serialize;
use star_machine::{StarError, Warshall, WarshallTimes};

use crate::backend;
use crate::cli::{Backend, ClosureAlgorithm, ClosureArgs, Common};
use crate::failure::say;
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::progress;
use crate::report::{Head, Ms, grouped};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    /// Ordered pairs joined by a path of at least one arc.
    reachable_pairs: usize,
}

/// What GPUs did, and the times beside `solve_ms`.
#[derive(Serialize)]
struct Device {
    device: String,
    /// The number of GPUs.
    gpus: usize,
    /// Time on the CPU by components, if that was broken off for the GPU.
    search_ms: Ms,
    jit_ms: Ms,
    upload_ms: Ms,
    download_ms: Ms,
}

impl Device {
    fn of(gpus: &[Gpu], times: &DeviceTimes) -> Self {
        Self {
            device: gpus[0].properties().name.clone(),
            gpus: gpus.len(),
            search_ms: Ms(times.search_ms),
            jit_ms: Ms(times.jit_ms),
            upload_ms: Ms(times.upload_ms),
            download_ms: Ms(times.download_ms),
        }
    }
}

struct Solved {
    found: Found,
    device: Option<Device>,
    times: Vec<f64>,
}

/// Where to write the pairs, and their counts.
struct Outputs {
    pairs: Option<ResultFile>,
    is_packed: bool,
    counts: Option<ResultFile>,
}

impl Outputs {
    fn check(args: &ClosureArgs) -> anyhow::Result<Self> {
        let changes = args.changes.iter().map(PathBuf::as_path);
        let inputs: Vec<&Path> = args.graph.inputs().chain(changes).collect();
        let counts = ResultFile::check_columns(&args.counts, &inputs, "names of vertices")?;
        let mut pairs = ResultFile::check(&args.output, &inputs)?;
        if args.packed {
            pairs = pairs.map(ResultFile::needs_bits).transpose()?;
        }
        if let (Some(pairs), Some(counts)) = (&pairs, &counts) {
            pairs.refuse_same(counts)?;
        }
        Ok(Self { pairs, is_packed: args.packed, counts })
    }

    fn write(&self, names: &Names<'_>, closure: &Closure) -> anyhow::Result<()> {
        match &self.pairs {
            Some(file) if self.is_packed => file.write_packed_closure(names, closure)?,
            Some(file) => file.write_closure(names, closure)?,
            None => {}
        }
        match &self.counts {
            Some(file) => file.write_counts(names, &closure.counts()),
            None => Ok(()),
        }
    }
}

pub(crate) fn run(args: &ClosureArgs, common: &Common) -> anyhow::Result<()> {
    args.check(common)?;
    let outputs = Outputs::check(args)?;
    if !args.changes.is_empty() {
        return changes::run(args, &outputs, common);
    }
    let loaded = load(&args.graph, common)?;
    let is_free = args.algorithm == ClosureAlgorithm::Plain(Algorithm::Auto) && !args.no_condense;
    if let Outputs { pairs: None, counts: Some(file), .. } = &outputs
        && is_free
        && common.backend != Backend::Cuda
    {
        return loaded.print(count(&loaded, file, common), common);
    }
    loaded.print(close(&loaded, args, &outputs, common), common)
}

/// Finds the closure and writes it to the files of the command line.
fn close(
    loaded: &Loaded,
    args: &ClosureArgs,
    outputs: &Outputs,
    common: &Common,
) -> anyhow::Result<Report> {
    let solved = solve(&loaded.csr.unweighted(), args, common)?;
    let Solved { found: Found { closure, plan }, device, times } = solved;
    if common.explain {
        say(format_args!("{plan}"));
    }
    outputs.write(&loaded.names(), &closure)?;
    Ok(Report {
        head: Head {
            backend: if device.is_some() { "cuda" } else { "cpu" },
            threads: plan.threads,
            ..loaded.head("closure").solved(plan.algorithm, &times, common)
        },
        device,
        reachable_pairs: closure.n_pairs(),
    })
}

/// Finds the counts alone, which need no bits of all pairs.
fn count(loaded: &Loaded, file: &ResultFile, common: &Common) -> anyhow::Result<Report> {
    let step = progress("counting", common);
    let arcs = loaded.csr.unweighted();
    let (counts, times) = repeated(common, || Ok(counts(&arcs, Some(&step))?))?;
    drop(step);
    file.write_counts(&loaded.names(), &counts)?;
    if common.explain {
        say(format_args!("components: counts need bits of components only, not of all pairs"));
    }
    let algorithm = Algorithm::Components.name();
    Ok(Report {
        head: loaded.head("closure").solved(algorithm, &times, common),
        device: None,
        reachable_pairs: counts.iter().map(|&(reached, _)| reached as usize).sum(),
    })
}

fn solve(graph: &Csr<u32>, args: &ClosureArgs, common: &Common) -> anyhow::Result<Solved> {
    let step = progress("solving", common);
    if let Some(first) = backend::gpu_for_closure(graph.n_vertices(), args.algorithm, common)? {
        let gpus = backend::with_others(first, args.gpus, None)?;
        // copies to and from the GPU are reported apart from the solving
        let mut on_device = Vec::new();
        let tried = repeated(common, || {
            let closed = on_gpus(&gpus, graph, args, &step)?;
            on_device.push(closed.times.solve_ms);
            Ok(closed)
        });
        match tried {
            // components, on the CPU, were faster
            Ok((closed, times)) if closed.found.plan.algorithm == Algorithm::Components.name() => {
                return Ok(Solved { found: closed.found, device: None, times });
            }
            Ok((closed, _)) => {
                let device = Some(Device::of(&gpus, &closed.times));
                return Ok(Solved { found: closed.found, device, times: on_device });
            }
            Err(reason) if common.backend == Backend::Auto && is_of_gpu(&reason) => {
                backend::stay_on_cpu::<Gpu>(&reason, common);
            }
            Err(reason) => return Err(reason),
        }
    }
    let (found, times) = repeated(common, || on_cpu(graph, args, &step))?;
    Ok(Solved { found, device: None, times })
}

fn on_cpu(graph: &Csr<u32>, args: &ClosureArgs, progress: Progress<'_>) -> anyhow::Result<Found> {
    Ok(match args.algorithm {
        ClosureAlgorithm::Plain(algorithm) => {
            let config = Config { algorithm, condense: !args.no_condense };
            closure(graph, &config, Some(progress))?
        }
        ClosureAlgorithm::Star(form) => found_by(form, form.closure(graph, Some(progress))?),
    })
}

fn on_gpus(
    gpus: &[Gpu],
    graph: &Csr<u32>,
    args: &ClosureArgs,
    progress: Progress<'_>,
) -> anyhow::Result<OnGpu> {
    Ok(match args.algorithm {
        ClosureAlgorithm::Plain(algorithm) => {
            let config = Config { algorithm, condense: !args.no_condense };
            closure_on_gpus(gpus, graph, &config, Some(progress))?
        }
        ClosureAlgorithm::Star(form) => {
            let [gpu] = gpus else {
                bail!(
                    "--algorithm {} is for one GPU; leave --gpus out, or use --backend cpu",
                    form.name()
                );
            };
            let closed = form.closure_on_gpu(gpu, graph, Some(progress))?;
            let WarshallTimes { jit_ms, upload_ms, solve_ms, download_ms } = closed.times;
            let times = DeviceTimes { search_ms: 0.0, jit_ms, upload_ms, solve_ms, download_ms };
            OnGpu { found: found_by(form, closed.closure), times, launches: closed.launches }
        }
    })
}

/// The result of a form of the STAR-machine.
fn found_by(form: Warshall, closure: Closure) -> Found {
    let (reason, threads) = ("chosen by the caller".to_owned(), rayon::current_num_threads());
    Found { closure, plan: Plan { algorithm: form.name(), reason, threads } }
}

/// Whether the error is one of a GPU, so that the CPU may still succeed.
fn is_of_gpu(error: &anyhow::Error) -> bool {
    use ClosureError::{Gpu, TooLarge, TooManyArcs};
    matches!(error.downcast_ref(), Some(Gpu(_) | TooLarge { .. } | TooManyArcs { .. }))
        || matches!(error.downcast_ref(), Some(StarError::Gpu(_) | StarError::TooLarge { .. }))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.head)?;
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u64))
    }
}

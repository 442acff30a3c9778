//! `starpath closure`: which vertices reach which.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use closure::{
    Algorithm, ClosureError, Config, DynamicClosure, Found, OnGpu, Plan, Times as DeviceTimes,
    closure, closure_on_gpus, counts,
};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Progress};
use paths::Closure;
use serde::Serialize;
use star_machine::{StarError, Warshall, WarshallTimes};

use crate::backend;
use crate::changes::Changes;
use crate::cli::{Backend, ClosureAlgorithm, ClosureArgs, Common};
use crate::failure::say;
use crate::load::{Loaded, load};
use crate::output::ResultFile;
use crate::progress::progress;
use crate::report::{Head, Ms, counted, grouped, milliseconds};
use crate::search::repeated;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    device: Option<Device>,
    #[serde(flatten)]
    changed: Option<Changed>,
    /// Ordered pairs joined by a path of at least one arc.
    reachable_pairs: usize,
}

/// What changes of the graph did.
#[derive(Serialize)]
struct Changed {
    /// Changes of the graph.
    changes: usize,
    /// Time to change the graph and the closure.
    update_ms: Ms,
    /// Whether the whole graph was closed again.
    new_closure: bool,
    new_pairs: usize,
    gone_pairs: usize,
    /// Vertices and arcs of the graph after them, and the names of new vertices.
    #[serde(skip)]
    size: (usize, usize),
    #[serde(skip)]
    new_names: Vec<String>,
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
    changed: Option<Changed>,
    times: Vec<f64>,
}

pub(crate) fn run(args: &ClosureArgs, common: &Common) -> anyhow::Result<()> {
    args.check(common)?;
    let inputs: Vec<&Path> = args.graph.inputs().chain(args.changes.as_deref()).collect();
    let counts_file = ResultFile::check_columns(&args.counts, &inputs, "names of vertices")?;
    let mut output = ResultFile::check(&args.output, &inputs)?;
    if args.packed {
        output = output.map(ResultFile::needs_bits).transpose()?;
    }
    if let (Some(output), Some(counts)) = (&output, &counts_file) {
        output.refuse_same(counts)?;
    }
    let loaded = load(&args.graph, common)?;
    let is_free = args.algorithm == ClosureAlgorithm::Plain(Algorithm::Auto) && !args.no_condense;
    if let (None, Some(file), None) = (&output, &counts_file, &args.changes)
        && is_free
        && common.backend != Backend::Cuda
    {
        return loaded.print(count(&loaded, file, common), common);
    }
    loaded.print(close(&loaded, args, output, counts_file, common), common)
}

/// Finds the closure and writes it to the files of the command line.
fn close(
    loaded: &Loaded,
    args: &ClosureArgs,
    output: Option<ResultFile>,
    counts_file: Option<ResultFile>,
    common: &Common,
) -> anyhow::Result<Report> {
    let solved = match &args.changes {
        Some(file) => change(loaded, file, common)?,
        None => solve(&loaded.csr.unweighted(), args, common)?,
    };
    let Solved { found: Found { closure, plan }, device, changed, times } = solved;
    let new = changed.as_ref().map_or(&[][..], |changed| &changed.new_names);
    let names = loaded.names().with(new);
    if common.explain {
        say(format_args!("{plan}"));
    }
    match output {
        Some(output) if args.packed => output.write_packed_closure(&names, &closure)?,
        Some(output) => output.write_closure(&names, &closure)?,
        None => {}
    }
    if let Some(file) = counts_file {
        file.write_counts(&names, &closure.counts())?;
    }
    let head = loaded.head("closure");
    let before = (head.vertices, head.edges);
    let (vertices, edges) = changed.as_ref().map_or(before, |changed| changed.size);
    Ok(Report {
        head: Head {
            backend: if device.is_some() { "cuda" } else { "cpu" },
            threads: plan.threads,
            vertices,
            edges,
            ..head.solved(plan.algorithm, &times, common)
        },
        device,
        changed,
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
        changed: None,
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
                return Ok(Solved { found: closed.found, device: None, changed: None, times });
            }
            Ok((closed, _)) => {
                let device = Some(Device::of(&gpus, &closed.times));
                return Ok(Solved { found: closed.found, device, changed: None, times: on_device });
            }
            Err(reason) if common.backend == Backend::Auto && is_of_gpu(&reason) => {
                backend::stay_on_cpu::<Gpu>(&reason, common);
            }
            Err(reason) => return Err(reason),
        }
    }
    let (found, times) = repeated(common, || on_cpu(graph, args, &step))?;
    Ok(Solved { found, device: None, changed: None, times })
}

/// The closure after the changes of this file.
fn change(loaded: &Loaded, file: &Path, common: &Common) -> anyhow::Result<Solved> {
    backend::cpu("closure --changes", common)?;
    let changes = Changes::read(file, &loaded.names(), loaded.csr.kind())?;
    let step = progress("solving", common);
    let start = Instant::now();
    let graph = loaded.csr.unweighted();
    let mut closure = DynamicClosure::new(&graph, &Config::default(), Some(&step))?;
    let closed = milliseconds(start.elapsed());
    let start = Instant::now();
    let updated = closure.update(changes.list(), Some(&step)).map_err(|error| match &error {
        ClosureError::BadChange(bad) => changes.explain(bad),
        _ => error.into(),
    })?;
    let changed = Changed {
        changes: changes.list().len(),
        update_ms: milliseconds(start.elapsed()),
        new_closure: updated.is_new_closure,
        new_pairs: updated.n_new,
        gone_pairs: updated.n_gone,
        size: (closure.graph().n_vertices(), closure.graph().n_arcs()),
        new_names: changes.new_names().to_vec(),
    };
    let plan = Plan {
        algorithm: "dynamic",
        reason: "a closure that follows changes".to_owned(),
        threads: rayon::current_num_threads(),
    };
    let found = Found { closure: closure.into_closure(), plan };
    Ok(Solved { found, device: None, changed: Some(changed), times: vec![closed.0] })
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
        if let Some(Changed { changes, update_ms, new_closure, new_pairs, gone_pairs, .. }) =
            &self.changed
        {
            let changes = counted(*changes, ("change", "changes"));
            let how = if *new_closure { ", by a new closure" } else { "" };
            let [new, gone] = [new_pairs, gone_pairs].map(|&pairs| grouped(pairs as u64));
            writeln!(
                f,
                "{changes} took {update_ms} ms{how}; {new} pairs are new, {gone} are gone"
            )?;
        }
        writeln!(f, "{} pairs have a path", grouped(self.reachable_pairs as u64))
    }
}

//! `starpath apsp`: the distances of all pairs, and their paths, in memory or in a folder.

mod changes;
mod over_ranks;

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use apsp::any::{AnyPairs, check_rows, spread};
use apsp::{Algorithm, ApspError, Config, Ordered, Plan, ScratchFolder, Solver};
use gpu_runtime::{Gpu, GpuError};
use graph_formats::AnyCsr;
use serde::Serialize;

use crate::backend;
use crate::cli::{ApspArgs, Backend, Common, GpuCount};
use crate::failure::{is_interrupted, say};
use crate::ids::Names;
use crate::load::{Loaded, load};
use crate::output::{Mark, ResultFile, Written};
use crate::progress::{check_interrupt, progress};
use crate::report::{Head, Ms, Sums, by_ranks, grouped};
use crate::search::repeated;

pub(crate) use self::over_ranks::run_over;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    matrix: Option<Matrix>,
    #[serde(flatten)]
    device: Option<Device>,
    /// Time to order the vertices for supernodes, which is done once for all repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_ms: Option<Ms>,
    /// Processes that shared the work, each with `threads` threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    #[serde(flatten)]
    results: Results,
}

/// What was found, and written.
#[derive(Serialize)]
struct Results {
    /// Ordered pairs that have a path, each vertex with itself included.
    reachable_pairs: usize,
    #[serde(flatten)]
    sums: Sums,
    /// Rows that were compared with searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_rows: Option<usize>,
}

/// The numbers of the matrix, if the algorithm has one.
#[derive(Serialize)]
struct Matrix {
    numbers: String,
    /// Why this type of number holds all distances.
    certainty: String,
}

impl Matrix {
    fn of(plan: &Plan) -> Option<Self> {
        let numbers = plan.number.filter(|_| plan.algorithm != Algorithm::Johnson)?;
        Some(Self { numbers: numbers.to_string(), certainty: plan.certainty.to_string() })
    }
}

/// What GPUs did, and the times beside `solve_ms`.
#[derive(Serialize)]
struct Device {
    device: String,
    /// The number of GPUs.
    gpus: usize,
    jit_ms: Ms,
    upload_ms: Ms,
    prepare_ms: Ms,
    #[serde(flatten)]
    phases: Option<Phases>,
    next_hops_ms: Ms,
    download_ms: Ms,
    /// Strips of rows that were copied to the GPU and back, if it could not hold the matrix.
    strips: u64,
}

/// Times of the phases on a GPU, in the mean of all GPUs, if the matrix is closed by blocks of
/// pivots.
#[derive(Serialize)]
struct Phases {
    closing_ms: Ms,
    sending_ms: Ms,
    updating_ms: Ms,
    waiting_ms: Ms,
}

impl Phases {
    fn of(phases: apsp::Phases) -> Option<Self> {
        (phases != apsp::Phases::default()).then_some(Self {
            closing_ms: Ms(phases.closing_ms),
            sending_ms: Ms(phases.sending_ms),
            updating_ms: Ms(phases.updating_ms),
            waiting_ms: Ms(phases.waiting_ms),
        })
    }
}

impl Device {
    fn of(gpus: &[Gpu], report: &apsp::Report) -> Self {
        Self {
            device: gpus[0].properties().name.clone(),
            gpus: gpus.len(),
            jit_ms: Ms(report.jit_ms),
            upload_ms: Ms(report.upload_ms),
            prepare_ms: Ms(report.prepare_ms),
            phases: Phases::of(report.phases),
            next_hops_ms: Ms(report.next_hops_ms),
            download_ms: Ms(report.download_ms),
            strips: report.strips,
        }
    }
}

/// What to find, on which backend, and where to write the results.
struct Request {
    config: Config,
    gpus: Option<GpuCount>,
    scratch: Option<ScratchFolder>,
    outputs: Outputs,
}

/// Where to write the results, and how many rows to compare with searches before.
struct Outputs {
    check: Option<NonZeroUsize>,
    distances: Option<ResultFile>,
    next_hops: Option<ResultFile>,
}

impl Outputs {
    fn check(args: &ApspArgs) -> anyhow::Result<Self> {
        let changes = args.changes.iter().map(PathBuf::as_path);
        let inputs: Vec<&Path> = args.graph.inputs().chain(changes).collect();
        let distances = ResultFile::check(&args.distances, &inputs)?;
        let next_hops = ResultFile::check(&args.next_hops, &inputs)?;
        let next_hops = next_hops.map(|file| file.needs_array("next hops")).transpose()?;
        if let (Some(distances), Some(next_hops)) = (&distances, &next_hops) {
            distances.refuse_same(next_hops)?;
        }
        Ok(Self { check: args.check, distances, next_hops })
    }

    /// The graph of the results, which is that of this file, if any are written.
    fn mark(&self, graph: &AnyCsr, path: &Path) -> anyhow::Result<Option<Mark>> {
        let is_written = self.distances.is_some() || self.next_hops.is_some();
        is_written.then(|| Mark::of(graph, path)).transpose()
    }

    /// Checks rows, and writes the results row by row. Nothing is put in place before all of it has
    /// been written.
    fn write(
        &self,
        graph: &AnyCsr,
        names: &Names<'_>,
        pairs: &dyn AnyPairs,
        common: &Common,
    ) -> anyhow::Result<Results> {
        let checked_rows = self.check.map(|n_rows| {
            let sources = spread(names.n_vertices, n_rows);
            check_rows(graph, common.threads, sources, |source| pairs.row(source))
        });
        let checked_rows = checked_rows.transpose()?;
        let mark = self.mark(graph, names.path)?;
        let step = progress("writing", common);
        let write = |output: &Option<ResultFile>, write: &dyn Fn(&ResultFile, &Mark) -> _| {
            output.as_ref().zip(mark.as_ref()).map(|(file, mark)| write(file, mark)).transpose()
        };
        let distances =
            write(&self.distances, &|file, mark| file.pairs(names, mark, pairs, &step))?;
        let hops = write(&self.next_hops, &|file, mark| file.next_hops(names, mark, pairs, &step))?;
        let summary = pairs.summary(Some(&step))?;
        drop(step);
        check_interrupt()?;
        match (distances, hops) {
            (Some(distances), Some(hops)) => Written::put_both_in_place(distances, hops)?,
            (one, other) => {
                one.into_iter().chain(other).try_for_each(Written::put_in_place)?;
            }
        }
        Ok(Results {
            reachable_pairs: summary.n_reachable_pairs,
            sums: Sums::of(summary.sum, summary.max),
            checked_rows,
        })
    }
}

pub(crate) fn run(args: &ApspArgs, common: &Common) -> anyhow::Result<()> {
    args.check(common)?;
    if !args.changes.is_empty() {
        return changes::run(args, common);
    }
    let outputs = Outputs::check(args)?;
    let (config, scratch) = (config(args, common), scratch_folder(args));
    let request = Request { config, gpus: args.gpus, scratch, outputs };
    let loaded = load(&args.graph, common)?;
    loaded.print(solve(&loaded, &request, common), common)
}

fn config(args: &ApspArgs, common: &Common) -> Config {
    Config {
        algorithm: args.algorithm,
        threads: common.threads,
        next_hops: args.next_hops.is_some(),
        memory: args.memory,
        tile: args.tile,
    }
}

fn scratch_folder(args: &ApspArgs) -> Option<ScratchFolder> {
    args.scratch.clone().map(|path| ScratchFolder { path, resume: args.resume })
}

/// Solves, and writes the results row by row.
fn solve(loaded: &Loaded, request: &Request, common: &Common) -> anyhow::Result<Report> {
    find(&loaded.csr, request, common)
        .inspect_err(|error| say_kept(error, request.scratch.as_ref()))?
        .write(loaded, &request.outputs, common)
}

/// Says that the folder keeps the work of a run that was interrupted, or whose GPU failed.
fn say_kept(error: &anyhow::Error, scratch: Option<&ScratchFolder>) {
    let is_cut_short = is_interrupted(error) || is_failure_of_gpu(error);
    if let (true, Some(scratch)) = (is_cut_short, scratch) {
        let shown = scratch.path.display();
        say(format_args!(
            "starpath: {shown} keeps the work done so far; run the same command with \
                          --resume to continue"
        ));
    }
}

/// The pairs, and the device that found them.
struct Found {
    pairs: Box<dyn AnyPairs>,
    gpus: Option<Vec<Gpu>>,
    /// The number of ranks, if there are several.
    ranks: Option<usize>,
    in_memory: bool,
    /// Of each run, in milliseconds.
    times: Vec<f64>,
}

impl Found {
    /// Writes the results row by row.
    fn write(self, loaded: &Loaded, outputs: &Outputs, common: &Common) -> anyhow::Result<Report> {
        let Self { pairs, gpus, ranks, in_memory, times } = self;
        let plan = pairs.plan();
        let names = loaded.names();
        if common.explain {
            say(format_args!("{}", by_ranks(plan, ranks)));
        }
        let results = outputs.write(&loaded.csr, &names, &*pairs, common)?;
        Ok(Report {
            head: Head {
                backend: if gpus.is_some() { "cuda" } else { "cpu" },
                threads: plan.threads,
                ..loaded.head("apsp").solved(plan.algorithm.name(), &times, common)
            },
            matrix: Matrix::of(plan),
            device: gpus.filter(|_| in_memory).map(|gpus| Device::of(&gpus, pairs.report())),
            order_ms: (plan.algorithm == Algorithm::Supernodes)
                .then(|| Ms(pairs.report().order_ms)),
            ranks,
            results,
        })
    }
}

/// Solves on GPUs if the user wants them or they pay. Solves on the CPU otherwise, and if GPUs fail
/// that the user did not ask for.
fn find(graph: &AnyCsr, request: &Request, common: &Common) -> anyhow::Result<Found> {
    let step = progress("solving", common);
    let Request { config, scratch, .. } = request;
    let in_memory = scratch.is_none();
    let had_run = scratch.as_ref().is_some_and(ScratchFolder::holds_run);
    let open = |first| backend::with_others(first, request.gpus, config.memory);
    let asked = backend::gpu_that_is_asked_for(common)?.map(open).transpose()?;
    let solver = Solver::new(graph, config);
    let solve = |solver: Solver<'_, AnyCsr>, folder: Option<&ScratchFolder>| match folder {
        Some(folder) => solver.in_folder(folder).solve(Some(&step)),
        None => solver.solve(Some(&step)),
    };
    let ordered = match scratch {
        Some(_) => Ordered::default(),
        None => asked.as_deref().map_or(solver, |gpus| solver.on(gpus)).order(Some(&step))?,
    };
    let solver = solver.in_order(&ordered);
    let gpus = match (asked, config.algorithm) {
        (None, Algorithm::Johnson) => None,
        (None, _) => {
            let (seconds, n) = (solver.seconds_on_cpu(), graph.n_vertices());
            backend::gpu_if_slower(seconds, n, common)?.map(open).transpose()?
        }
        (asked, _) => asked,
    };
    if let Some(gpus) = gpus {
        let mut solve_ms = Vec::new();
        let found = repeated(common, || {
            let pairs = solve(solver.on(&gpus), scratch.as_ref())?;
            solve_ms.push(pairs.report().solve_ms);
            Ok(pairs)
        });
        match found {
            Ok((pairs, whole_ms)) => {
                // copies to and from the GPU are reported apart from the solving
                let times = if in_memory { solve_ms } else { whole_ms };
                return Ok(Found { pairs, gpus: Some(gpus), ranks: None, in_memory, times });
            }
            Err(reason) => match reason.downcast::<ApspError>()? {
                reason if common.backend == Backend::Auto && may_do_on_cpu(&reason) => {
                    backend::stay_on_cpu::<Gpu>(&reason, common);
                }
                reason => return Err(reason.into()),
            },
        }
    }
    // the CPU continues what GPUs began in a folder
    let scratch = scratch.clone();
    let scratch =
        scratch.map(|folder| ScratchFolder { resume: folder.resume || !had_run, ..folder });
    let (pairs, times) = repeated(common, || Ok(solve(solver, scratch.as_ref())?))?;
    Ok(Found { pairs, gpus: None, ranks: None, in_memory, times })
}

/// Whether the error is one of a GPU.
fn is_failure_of_gpu(error: &anyhow::Error) -> bool {
    match error.downcast_ref() {
        Some(ApspError::Gpu(error)) => matches!(**error, GpuError::OnGpu { .. }),
        _ => false,
    }
}

/// Whether the CPU may still solve it: it needs other amounts of memory.
fn may_do_on_cpu(error: &ApspError) -> bool {
    matches!(
        error,
        ApspError::NotOnGpu { .. }
            | ApspError::Gpu(_)
            | ApspError::TooLarge { .. }
            | ApspError::OverMemory { .. }
            | ApspError::ScratchMemory { .. }
    )
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", by_ranks(&self.head, self.ranks))?;
        self.results.fmt(f)
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = grouped(self.reachable_pairs as u64);
        writeln!(f, "{pairs} pairs have a path; {}", self.sums)?;
        match self.checked_rows {
            Some(1) => writeln!(f, "1 row agrees with a search"),
            Some(n_rows) => writeln!(f, "{n_rows} rows agree with searches"),
            None => Ok(()),
        }
    }
}

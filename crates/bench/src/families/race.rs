//! The clock: solvers take turns on one graph, and no answer is timed that is not checked.
//!
//! One answer is certified by its graph; every other one, timed or not, must be the same.
//! What is short is solved several times in one turn, each time by itself on the clock. On a
//! GPU the time is the device's own; on the host it is that of the call.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};
use paths::{Distances, certificate};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sssp::{Algorithm, Config, Goal, Plan, QueueRule, Solver, SsspError, Work, gpu};

use crate::measure::check;
use crate::roster::many_times;
use crate::table::median;

/// Most solves in one turn.
const MOST_SOLVES: f64 = 1000.0;
/// What is slower than the quickest by the factor of [`Terms::hopeless`] is timed all the
/// same when it takes no longer than this.
const ALWAYS_TIMED_MS: f64 = 2.0;
/// Vertices tried as a source until one reaches a tenth of the graph.
const TRIED_SOURCES: usize = 16;

/// How long, and how often.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Turns that are timed.
    pub(super) runs: usize,
    /// A solve that takes longer is ended, and turns when they have taken as long together.
    pub(super) patience: Duration,
    /// A turn solves again and again until about so long has passed.
    pub(super) turn: Duration,
    /// Who takes so many times as long as the quickest is not timed any further.
    pub(super) hopeless: Option<f64>,
}

/// Who takes part.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) asked: Asked,
}

/// Where it runs, and with what.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    OnCpu(Config),
    OnGpu(gpu::Config),
}

/// A graph, where searches start, and the answer.
pub(super) struct Task<'g, W: Weight> {
    pub(super) graph: &'g Csr<W>,
    pub(super) source: VertexId,
    pub(super) certified: Distances<W::Distance>,
}

/// A turn of one solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Milliseconds a solve, the mean of the turn.
    pub(super) ms: f64,
    /// Counts of the last solve, where there are some.
    pub(super) work: Option<Work>,
}

/// What became of one solver on one graph.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) solver: String,
    pub(super) on_gpu: bool,
    /// What was done once for the graph.
    pub(super) prepare_ms: f64,
    /// What it chose.
    pub(super) plan: Option<Plan>,
    /// The timed turns; none if it was skipped.
    pub(super) samples: Vec<Sample>,
    /// Why it was not timed.
    pub(super) skipped: Option<String>,
}

impl Line {
    pub(super) fn least_ms(&self) -> Option<f64> {
        self.samples.iter().map(|sample| sample.ms).min_by(f64::total_cmp)
    }

    pub(super) fn median_ms(&self) -> Option<f64> {
        median(&self.samples.iter().map(|sample| sample.ms).collect::<Vec<_>>())
    }
}

/// When the solve that is under way has to end.
struct Deadline {
    base: Instant,
    at_ns: AtomicU64,
}

impl Deadline {
    fn new() -> Self {
        Self { base: Instant::now(), at_ns: AtomicU64::new(u64::MAX) }
    }

    fn set(&self, patience: Duration) {
        let at = (self.base.elapsed() + patience).as_nanos() as u64;
        self.at_ns.store(at, Ordering::Relaxed);
    }

    fn ask(&self) -> ControlFlow<()> {
        let is_over = self.base.elapsed().as_nanos() as u64 > self.at_ns.load(Ordering::Relaxed);
        if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The threads of a race: one, and all.
pub(super) struct Pools {
    alone: ThreadPool,
    all: ThreadPool,
}

impl Pools {
    pub(super) fn new(threads: usize) -> Result<Self> {
        let pool = |n| ThreadPoolBuilder::new().num_threads(n).build();
        Ok(Self { alone: pool(1)?, all: pool(threads)? })
    }

    /// Many vertices of the graph are reached from the source, and the answer is proved.
    pub(super) fn task<'g, W: Weight>(&self, graph: &'g Csr<W>) -> Result<Task<'g, W>> {
        let algorithm = match graph.first_negative() {
            None => Algorithm::Dijkstra(None),
            Some(_) => Algorithm::BellmanFordQueue(QueueRule::Fifo),
        };
        let mut solver = Solver::new(graph, &Config::with(algorithm))?;
        let with_arcs = || graph.vertices().filter(|&vertex| graph.out_degree(vertex) > 0);
        let mut found = None;
        for source in with_arcs().take(TRIED_SOURCES) {
            let distances = solver.distances(source, Goal::All)?;
            let is_large = distances.n_reached() >= graph.n_vertices() / 10;
            if is_large || found.is_none() {
                found = Some((source, distances));
            }
            if is_large {
                break;
            }
        }
        let (source, certified) = found.context("the graph has no arcs")?;
        self.all
            .install(|| certificate::check_distances(graph, source, None, &certified))
            .context("the answer that all others are to be compared with is wrong")?;
        Ok(Task { graph, source, certified })
    }
}

/// A solver on its way.
struct Runner<'g, W: Weight> {
    line: Line,
    solver: Solver<'g, W>,
    solves: usize,
}

impl<W: Weight> Runner<'_, W> {
    /// So many solves, each on the clock and each checked.
    fn turn(&mut self, task: &Task<'_, W>, pools: &Pools, solves: usize) -> Result<Sample> {
        let pool = if self.line.plan.as_ref().is_some_and(|plan| plan.threads > 1) {
            &pools.all
        } else {
            &pools.alone
        };
        let (name, solver) = (&self.line.solver, &mut self.solver);
        let on_gpu = self.line.on_gpu;
        pool.install(|| {
            let mut ms = 0.0;
            for _ in 0..solves {
                let start = Instant::now();
                let found = solver.distances(task.source, Goal::All)?;
                let elapsed = start.elapsed().as_secs_f64() * 1e3;
                let device = solver.device_times().filter(|_| on_gpu);
                ms += device.map_or(elapsed, |times| times.solve_ms);
                check(name, &task.certified, &found)?;
            }
            Ok(Sample { ms: ms / solves as f64, work: Some(solver.work()) })
        })
    }
}

/// Lets the solvers take turns: each once untimed, then `terms.runs` times. Who refuses the
/// graph or takes too long is named with the reason; without a GPU its solvers are left out.
///
/// # Errors
/// When a solver fails or finds other distances than the certified ones.
pub(super) fn race<W: Weight>(
    task: &Task<'_, W>,
    entries: &[Entry],
    gpu: Option<&Gpu>,
    pools: &Pools,
    terms: &Terms,
) -> Result<Vec<Line>> {
    let deadline = Deadline::new();
    let ask = |_: u64, _: u64| deadline.ask();
    let mut runners = Vec::new();
    let mut skipped = Vec::new();
    let mut quickest = f64::INFINITY;
    let turn_ms = terms.turn.as_secs_f64() * 1e3;
    for (place, Entry { name, asked }) in entries.iter().enumerate() {
        let mut line = Line {
            solver: name.clone(),
            on_gpu: matches!(asked, Asked::OnGpu(_)),
            prepare_ms: 0.0,
            plan: None,
            samples: Vec::new(),
            skipped: None,
        };
        let start = Instant::now();
        let solver = match (asked, gpu) {
            (Asked::OnGpu(config), Some(gpu)) => {
                Solver::on_gpu(gpu, task.graph, &many_times(config))
            }
            (Asked::OnGpu(_), None) => continue,
            (Asked::OnCpu(config), _) => Solver::new(task.graph, &many_times(config)),
        };
        let solver = match solver {
            Ok(solver) => solver.with_progress(&ask),
            Err(error) if is_refusal(&error) => {
                line.skipped = Some(error.to_string());
                skipped.push((place, line));
                continue;
            }
            Err(error) => return Err(error).with_context(|| name.clone()),
        };
        line.prepare_ms = start.elapsed().as_secs_f64() * 1e3;
        line.plan = Some(solver.plan().clone());
        let mut runner = Runner { line, solver, solves: 1 };
        // the first solve pays for memory that nobody has touched yet
        let hopeless_ms = terms.hopeless.map(|factor| 2.0 * factor * quickest + 50.0);
        let patience = hopeless_ms
            .filter(|ms| ms.is_finite())
            .map_or(terms.patience, |ms| Duration::from_secs_f64(ms / 1e3).min(terms.patience));
        deadline.set(patience);
        match runner.turn(task, pools, 1) {
            Ok(sample) => {
                quickest = quickest.min(sample.ms);
                runner.solves = (turn_ms / sample.ms).clamp(1.0, MOST_SOLVES) as usize;
                let is_hopeless = terms.hopeless.is_some_and(|factor| {
                    sample.ms > factor * quickest && sample.ms > ALWAYS_TIMED_MS
                });
                if is_hopeless {
                    runner.line.skipped = Some(format!("clearly slower: {:.3} ms", sample.ms));
                    skipped.push((place, runner.line));
                } else {
                    runners.push((place, runner));
                }
            }
            Err(error) => {
                let mut line = runner.line;
                line.skipped = Some(excuse(error, patience).with_context(|| name.clone())?);
                skipped.push((place, line));
            }
        }
    }
    for _ in 0..terms.runs {
        for (_, runner) in &mut runners {
            let spent: f64 = runner.line.samples.iter().map(|sample| sample.ms).sum();
            let spent = spent * runner.solves as f64 / 1e3;
            if runner.line.skipped.is_some() || spent > terms.patience.as_secs_f64() {
                continue;
            }
            deadline.set(2 * terms.patience.max(terms.turn));
            let solves = runner.solves;
            match runner.turn(task, pools, solves) {
                Ok(sample) => runner.line.samples.push(sample),
                Err(error) => {
                    let name = runner.line.solver.clone();
                    let excuse = excuse(error, 2 * terms.patience).context(name)?;
                    if runner.line.samples.is_empty() {
                        runner.line.skipped = Some(excuse);
                    }
                }
            }
        }
    }
    let ran = runners.into_iter().map(|(place, runner)| (place, runner.line));
    let mut lines: Vec<(usize, Line)> = ran.chain(skipped).collect();
    lines.sort_by_key(|line| line.0);
    Ok(lines.into_iter().map(|line| line.1).collect())
}

/// What is to be said of a solve that did not come to its end; the error if there is none.
fn excuse(error: anyhow::Error, patience: Duration) -> Result<String> {
    match error.downcast_ref::<SsspError>() {
        Some(SsspError::Interrupted) => Ok(format!("more than {} s", patience.as_secs_f64())),
        Some(refusal) if is_refusal(refusal) => Ok(refusal.to_string()),
        _ => Err(error),
    }
}

/// Whether a solver says that it does not take the graph, or that memory is short.
fn is_refusal(error: &SsspError) -> bool {
    matches!(
        error,
        SsspError::NotOnGpu { .. }
            | SsspError::NegativeWeight { .. }
            | SsspError::BadDelta { .. }
            | SsspError::BadQueue { .. }
    ) || matches!(error, SsspError::Gpu(gpu) if matches!(**gpu, GpuError::OutOfMemory { .. }))
}

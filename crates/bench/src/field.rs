//! A graph on which searches race: this project's, as contenders, and what is said of the graph.

use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::{Context, Result};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use rayon::ThreadPool;
use sssp::{Algorithm, Config, Goal, Progress, Queue, Solver, Work, gpu};

use crate::clock::Contender;
use crate::records::{Record, Records, Run};
use crate::study::Bench;
use crate::table::number;
use crate::verify::Task;

const WHAT: (&str, &str) = ("what", "the graph");

/// Where all race.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a, W: Weight> {
    /// Threads, and the GPU.
    pub(crate) bench: &'a Bench,
    /// The graph and the right answer.
    pub(crate) task: &'a Task<'a, W>,
    /// Ends a run when patience does.
    pub(crate) ask: Progress<'a>,
}

/// Where a solver runs, and with what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    OnCpu(Config),
    OnGpu(gpu::Config),
}

/// Calls `race` with the field of a graph, made in so many milliseconds, which is told under its
/// name.
///
/// # Errors
/// When the graph cannot be solved, and those of `race`.
pub(crate) fn on_field<W: Weight>(
    bench: &Bench,
    name: &dyn std::fmt::Display,
    (load_ms, graph): (f64, &Csr<W>),
    race: impl FnOnce(&Field<'_, W>) -> Result<()>,
) -> Result<()> {
    let (n, m) = (graph.n_vertices() as f64, graph.n_arcs() as f64);
    eprintln!("{name}: {n} vertices, {m} arcs");
    let task = Task::new(graph).with_context(|| format!("on {name}"))?;
    let heaviest = graph.weights().iter().map(|weight| weight.to_f64()).fold(0.0, f64::max);
    let mut record = Record::of(&[("graph", name), (WHAT.0, &WHAT.1)]);
    record.push(vec![
        ("load_ms", load_ms),
        ("vertices", n),
        ("arcs", m),
        ("heaviest", heaviest),
        ("source", task.source.into()),
        ("reached", task.certified.n_reached() as f64),
        ("farthest", task.certified.max().map_or(0.0, |distance| distance.to_f64())),
    ]);
    bench.records().push(record);
    let progress = bench.progress();
    let field = Field { bench, task: &task, ask: &progress };
    race(&field).with_context(|| format!("on {name}"))
}

/// A figure of the graph of which all records are.
pub(crate) fn of_graph(records: &Records, figure: &str) -> Option<f64> {
    records.find(&[WHAT])?.least(figure)
}

/// What is said of the graph of which all records are.
pub(crate) fn described(records: &Records) -> String {
    let names = ["load_ms", "vertices", "arcs", "heaviest", "source", "reached", "farthest"];
    let [load, n, arcs, heaviest, source, reached, farthest] =
        names.map(|name| of_graph(records, name).unwrap_or(f64::NAN));
    format!(
        "{n} vertices, {arcs} arcs, weights up to {heaviest}; made or read in {} ms. From vertex \
         {source}: {reached} reached, the farthest at {farthest}.",
        number(Some(load))
    )
}

/// Every algorithm of the CPU at its defaults, auto first, dijkstra by each queue, and
/// delta-stepping on one thread and on all.
pub(crate) fn on_cpu(threads: NonZeroUsize) -> Vec<(String, Asked)> {
    let mut choices = Vec::new();
    let mut enter = |name: &str, algorithm, threads| {
        let config = Config { algorithm, threads: Some(threads), ..Config::default() };
        choices.push((name.to_owned(), Asked::OnCpu(config)));
    };
    enter("auto", None, threads);
    for algorithm in Algorithm::ALL {
        let name = algorithm.name();
        match algorithm {
            Algorithm::Dijkstra(_) => Queue::ALL.into_iter().for_each(|(queue_name, queue)| {
                let with_queue = Algorithm::Dijkstra(Some(queue));
                enter(&format!("{name}/{queue_name}"), Some(with_queue), NonZeroUsize::MIN);
            }),
            Algorithm::DeltaStepping(_) => {
                enter(&format!("{name}/1-thread"), Some(algorithm), NonZeroUsize::MIN);
                if threads > NonZeroUsize::MIN {
                    enter(&format!("{name}/{threads}-threads"), Some(algorithm), threads);
                }
            }
            _ => enter(name, Some(algorithm), NonZeroUsize::MIN),
        }
    }
    choices
}

/// The same for so many searches that all that makes one faster pays: what is timed is a search
/// of a graph that was prepared.
pub(crate) fn many_times<A: Copy>(config: &Config<A>) -> Config<A> {
    Config { expected_searches: NonZeroUsize::new(1000), ..config.clone() }
}

impl<'a, W: Weight> Field<'a, W> {
    /// Where solvers of one thread run, and of several.
    pub(crate) fn pool(&self, threads: usize) -> &'a ThreadPool {
        if threads > 1 { &self.bench.all } else { &self.bench.one }
    }

    /// A solver of this project, prepared; none on a GPU where there is none.
    pub(crate) fn solver(
        &self,
        gpu: Option<&Gpu>,
        record: Record,
        asked: &Asked,
    ) -> Option<Contender<'a>> {
        let (task, start) = (self.task, Instant::now());
        let on_gpu = matches!(asked, Asked::OnGpu(_));
        let made = match asked {
            Asked::OnCpu(config) => Solver::new(task.graph, &many_times(config)),
            Asked::OnGpu(config) => Solver::on_gpu(gpu?, task.graph, &many_times(config)),
        };
        let mut prepare_ms = start.elapsed().as_secs_f64() * 1e3;
        let (mut record, mut pool) = (record, self.pool(1));
        if let Ok(solver) = &made {
            prepare_ms =
                solver.device_times().filter(|_| on_gpu).map_or(prepare_ms, |t| t.prepare_ms);
            record = record.with(&[("chose", solver.plan())]);
            pool = self.pool(solver.plan().threads);
        }
        let mut made = made.map(|solver| solver.with_progress(self.ask)).map_err(Some);
        Some(Contender::new(record, move || {
            let solver = match &mut made {
                Ok(solver) => solver,
                Err(refusal) => return Err(refusal.take().context("it refused already")?.into()),
            };
            pool.install(|| -> Result<Run> {
                let start = Instant::now();
                let found = solver.distances(task.source, Goal::All)?;
                let elapsed_ms = start.elapsed().as_secs_f64() * 1e3;
                let device = solver.device_times().filter(|_| on_gpu);
                task.check(&found)?;
                let ms = device.map_or(elapsed_ms, |times| times.solve_ms);
                let mut run = vec![("ms", ms), ("prepare_ms", prepare_ms)];
                run.extend(solver.plan().delta.map(|delta| ("delta", delta)));
                run.extend(counts(solver.work()));
                Ok(run)
            })
        }))
    }
}

fn counts(work: Work) -> impl Iterator<Item = (&'static str, f64)> {
    let again = work.again;
    let counts = [
        ("rounds", Some(work.rounds)),
        ("relaxations", Some(work.relaxations)),
        ("improvements", Some(work.improvements)),
        ("settled", Some(work.settled)),
        ("again_insertions", again.map(|again| again.insertions)),
        ("again_relaxations", again.map(|again| again.relaxations)),
    ];
    counts.into_iter().filter_map(|(name, count)| Some((name, count? as f64)))
}

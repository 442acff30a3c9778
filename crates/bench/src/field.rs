//! A graph on which searches race: this project's, as contenders, and what is said of the graph.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::{Context, Result};
use graph_formats::{Csr, Weight};
use sssp::{Algorithm, Config, Goal, Progress, Queue, SearchWeight, Solver, Work, gpu};

use crate::clock::{Contender, timed};
use crate::page::{Figure, Page};
use crate::plot::Whose;
use crate::records::{Record, Records};
use crate::study::Bench;
use crate::verify::Task;

const WHAT: (&str, &str) = ("what", "the graph");
const ONE: NonZeroUsize = NonZeroUsize::MIN;
/// Enough searches that every preparation pays: searches of a prepared graph are timed.
const MANY: Option<NonZeroUsize> = NonZeroUsize::new(1000);

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

impl Asked {
    /// An algorithm on `threads` threads, or the solver's own choice.
    pub(crate) fn on_cpu(algorithm: Option<Algorithm>, threads: NonZeroUsize) -> Self {
        let threads = Some(threads);
        Self::OnCpu(Config { algorithm, threads, expected_searches: MANY, ..Config::default() })
    }

    /// The same on the GPU.
    pub(crate) fn on_gpu(algorithm: Option<gpu::Algorithm>) -> Self {
        Self::OnGpu(gpu::Config { algorithm, expected_searches: MANY, ..gpu::Config::default() })
    }
}

/// Calls `race` with the field of a graph, and prints its name. `load_ms` is the time that the
/// graph took to make.
pub(crate) fn on_field<W: SearchWeight>(
    bench: &Bench,
    name: &dyn Display,
    (load_ms, graph): (f64, &Csr<W>),
    race: impl FnOnce(&Field<'_, W>) -> Result<()>,
) -> Result<()> {
    let (n, m) = (graph.n_vertices() as f64, graph.n_arcs() as f64);
    eprintln!("{name}: {n} vertices, {m} arcs");
    let task = Task::new(graph).with_context(|| format!("on {name}"))?;
    let sizes = vec![
        ("load_ms", load_ms),
        ("vertices", n),
        ("arcs", m),
        ("heaviest", graph.weights().iter().map(|weight| weight.to_f64()).fold(0.0, f64::max)),
        ("source", task.source.into()),
        ("reached", task.certified.n_reached() as f64),
        ("farthest", task.certified.max().map_or(0.0, |distance| distance.to_f64())),
    ];
    bench.records().push(Record::of(&[("graph", name), (WHAT.0, &WHAT.1)]).ran(sizes));
    let field = Field { bench, task: &task, ask: &bench.progress() };
    race(&field).with_context(|| format!("on {name}"))
}

/// A figure of the graph that a record is of.
pub(crate) fn of_graph(records: &Records, record: &Record, figure: &str) -> Option<f64> {
    records.find(&[("graph", record.label("graph")), WHAT])?.least(figure)
}

/// A section on a graph, whose solvers these are: its sizes, what else is to be said, a table of
/// the solvers, and bars.
pub(crate) fn section(
    page: &mut Page,
    records: &Records,
    (graph, solvers): (&str, &Records),
    say: &[String],
    (labels, figures): (&[&str], &[(&str, Figure<'_>)]),
) {
    page.heading(graph);
    page.records(&records.of(&[("graph", graph), WHAT]));
    say.iter().for_each(|text| page.text(text));
    page.list(solvers, labels, figures);
    page.bars(graph, solvers, |solver| match solver.split(['/', '-']).next() {
        Some("gpu") => Whose::Gpu,
        Some("auto" | "host" | "dijkstra" | "delta" | "bellman") => Whose::Cpu,
        _ => Whose::Other,
    });
}

/// Every algorithm of the CPU at its defaults, auto first, dijkstra by each queue, and
/// delta-stepping on one thread and on all.
pub(crate) fn on_cpu(threads: NonZeroUsize) -> Vec<(String, Asked)> {
    let mut choices = vec![("auto".to_owned(), Asked::on_cpu(None, threads))];
    for algorithm in Algorithm::ALL {
        let mut ask = |variant: &str, algorithm: Algorithm, threads| {
            let asked = Asked::on_cpu(Some(algorithm), threads);
            choices.push((format!("{}{variant}", algorithm.name()), asked));
        };
        match algorithm {
            Algorithm::Dijkstra(_) => Queue::ALL.into_iter().for_each(|(name, queue)| {
                ask(&format!("/{name}"), Algorithm::Dijkstra(Some(queue)), ONE);
            }),
            Algorithm::DeltaStepping(_) => {
                ask("/1-thread", algorithm, ONE);
                if threads > ONE {
                    ask(&format!("/{threads}-threads"), algorithm, threads);
                }
            }
            _ => ask("", algorithm, ONE),
        }
    }
    choices
}

impl<'a, W: SearchWeight> Field<'a, W> {
    /// Solvers of this project, prepared, as `record` names them or leaves them out; none on a GPU
    /// where there is none.
    pub(crate) fn contenders(
        &self,
        all: &[(String, Asked)],
        record: &dyn Fn(&str) -> Option<Record>,
    ) -> Vec<Contender<'a>> {
        all.iter().filter_map(|(name, asked)| self.solver(record(name)?, asked)).collect()
    }

    fn solver(&self, mut record: Record, asked: &Asked) -> Option<Contender<'a>> {
        let (task, bench) = (self.task, self.bench);
        let on_gpu = matches!(asked, Asked::OnGpu(_));
        if let Asked::OnCpu(Config { algorithm: Some(Algorithm::BreadthFirst), .. }) = asked
            && !Algorithm::BreadthFirst.admits(task.graph)
        {
            return None;
        }
        let start = Instant::now();
        let made = match asked {
            Asked::OnCpu(config) => Solver::new(task.graph, config),
            Asked::OnGpu(config) => Solver::on_gpu(bench.gpu_if_any()?, task.graph, config),
        };
        let mut prepare_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut pool = &bench.one;
        if let Ok(solver) = &made {
            let device = solver.preparation().filter(|_| on_gpu);
            prepare_ms = device.map_or(prepare_ms, |times| times.prepare_ms);
            record = record.with(&[("chose", solver.plan())]);
            if solver.plan().threads > 1 {
                pool = &bench.all;
            }
        }
        let mut made = made.map(|solver| solver.with_progress(self.ask)).map_err(Some);
        Some(Contender::new(record, move || {
            let solver = match &mut made {
                Ok(solver) => solver,
                Err(refusal) => return Err(refusal.take().context("it refused already")?.into()),
            };
            pool.install(|| {
                let (elapsed_ms, found) = timed(|| solver.distances(task.source, Goal::All));
                let found = found?;
                task.check(&found)?;
                let device = found.device_times.filter(|_| on_gpu);
                let ms = device.map_or(elapsed_ms, |times| times.solve_ms);
                let mut run = vec![("ms", ms), ("prepare_ms", prepare_ms)];
                run.extend(solver.plan().delta.map(|delta| ("delta", delta)));
                run.extend(counts(found.work));
                Ok(run)
            })
        }))
    }
}

fn counts(work: Work) -> impl Iterator<Item = (&'static str, f64)> {
    let counts = [
        ("rounds", Some(work.rounds)),
        ("relaxations", Some(work.relaxations)),
        ("improvements", Some(work.improvements)),
        ("settled", Some(work.settled)),
        ("again_insertions", work.again.map(|again| again.insertions)),
        ("again_relaxations", work.again.map(|again| again.relaxations)),
    ];
    counts.into_iter().filter_map(|(name, count)| Some((name, count? as f64)))
}

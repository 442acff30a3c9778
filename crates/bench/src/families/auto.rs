//! How far `auto` is from the best single choice: on each graph it takes turns with every
//! algorithm at its defaults, and the quickest of those is what it could have chosen.
//!
//! Who takes four times as long as the quickest in its first solve cannot be the best, and is
//! not timed any further.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::{Context, Result};
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use sssp::{Algorithm, Config, Plan, Queue, gpu};

use super::graphs::{Made, Named};
use super::race::{Asked, Entry, Line, Pools, Terms, race};
use super::sets::is_at_hand;
use super::{Backend, Options, Raw};
use crate::table::{number, table};

/// Who is so many times slower than the quickest cannot be the best.
const HOPELESS: f64 = 4.0;
/// How long a turn of a short solve lasts.
const TURN: Duration = Duration::from_millis(10);

/// Arcs of the largest graph, where nothing is said: it is to be over in a few minutes.
const MOST_ARCS: u64 = 10_000_000;

/// `auto` beside the best on one graph.
#[derive(Debug)]
pub(super) struct Comparison {
    backend: Backend,
    set: &'static str,
    graph: String,
    n_arcs: usize,
    auto: Line,
    best: Line,
}

impl Comparison {
    /// Auto's time over that of the best, by `time`.
    fn ratio(&self, time: impl Fn(&Line) -> Option<f64>) -> f64 {
        time(&self.auto).zip(time(&self.best)).map_or(f64::NAN, |(auto, best)| auto / best)
    }

    fn by_least(&self) -> f64 {
        self.ratio(Line::least_ms)
    }

    fn by_median(&self) -> f64 {
        self.ratio(Line::median_ms)
    }

    /// Whether the best is what auto chose, so that the ratio is the clock's.
    fn is_the_same(&self) -> bool {
        let choice = |line: &Line| {
            let Plan { algorithm, delta, queue, threads, .. } = line.plan.clone()?;
            Some((algorithm, delta.map(f64::to_bits), queue, threads))
        };
        choice(&self.auto) == choice(&self.best)
    }
}

/// Every single choice, `auto` first.
fn entries(backend: Backend, threads: NonZeroUsize) -> Vec<Entry> {
    match backend {
        Backend::Cpu => on_cpu(threads),
        Backend::Gpu => {
            [None].into_iter().chain(gpu::Algorithm::ALL.map(Some)).map(on_gpu).collect()
        }
    }
}

fn on_gpu(algorithm: Option<gpu::Algorithm>) -> Entry {
    let name = algorithm.map_or("auto", gpu::Algorithm::name).to_owned();
    let asked = Asked::OnGpu(gpu::Config { algorithm, ..gpu::Config::default() });
    Entry { name, asked }
}

fn on_cpu(threads: NonZeroUsize) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut enter = |name: String, algorithm, threads| {
        let config = Config { algorithm, threads: Some(threads), ..Config::default() };
        entries.push(Entry { name, asked: Asked::OnCpu(config) });
    };
    enter("auto".to_owned(), None, threads);
    for algorithm in Algorithm::ALL {
        let name = algorithm.name();
        match algorithm {
            Algorithm::Dijkstra(_) => {
                for (queue_name, queue) in Queue::ALL {
                    let with_queue = Algorithm::Dijkstra(Some(queue));
                    enter(format!("{name}/{queue_name}"), Some(with_queue), threads);
                }
            }
            Algorithm::DeltaStepping(_) => {
                enter(format!("{name}/1-thread"), Some(algorithm), NonZeroUsize::MIN);
                if threads > NonZeroUsize::MIN {
                    enter(format!("{name}/{threads}-threads"), Some(algorithm), threads);
                }
            }
            _ => enter(name.to_owned(), Some(algorithm), threads),
        }
    }
    entries
}

/// Measures the sets, or the graphs that were named, on the host and the GPU.
pub(super) fn measure(
    options: &Options,
    gpu: Option<&Gpu>,
    pools: &Pools,
    raw: &mut Raw,
) -> Result<Vec<Comparison>> {
    let mut graphs: Vec<(&str, Named)> = Vec::new();
    if options.graphs.is_empty() {
        for set in &options.sets {
            graphs.extend(set.graphs(options.seed)?.into_iter().map(|graph| (set.name(), graph)));
        }
    } else {
        graphs.extend(options.graphs.iter().map(|&graph| ("named", graph)));
    }
    let most_arcs = options.most_arcs.unwrap_or(MOST_ARCS);
    let mut comparisons = Vec::new();
    for (set, graph) in graphs.into_iter().filter(|(_, graph)| is_at_hand(graph, most_arcs)) {
        let found = match graph.make()? {
            Made::U32(csr) => on_graph(set, &graph, &csr, options, gpu, pools, raw),
            Made::I32(csr) => on_graph(set, &graph, &csr, options, gpu, pools, raw),
            Made::F32(csr) => on_graph(set, &graph, &csr, options, gpu, pools, raw),
        };
        comparisons.extend(found.with_context(|| format!("on {graph}"))?);
    }
    Ok(comparisons)
}

fn on_graph<W: Weight>(
    set: &'static str,
    named: &Named,
    graph: &Csr<W>,
    options: &Options,
    gpu: Option<&Gpu>,
    pools: &Pools,
    raw: &mut Raw,
) -> Result<Vec<Comparison>> {
    let task = pools.task(graph)?;
    let terms = Terms {
        runs: options.runs.get(),
        patience: options.patience()?,
        turn: TURN,
        hopeless: Some(HOPELESS),
    };
    let n_arcs = graph.n_arcs();
    let mut comparisons = Vec::new();
    for &backend in &options.backend {
        if backend == Backend::Gpu && gpu.is_none() {
            continue;
        }
        let lines = race(&task, &entries(backend, options.threads()), gpu, pools, &terms)?;
        raw.push("auto", named, graph.n_vertices(), n_arcs, &lines);
        let (auto, singles) = lines.split_first().context("nobody ran")?;
        let timed = singles.iter().filter_map(|line| Some((line, line.least_ms()?)));
        let Some((best, _)) = timed.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            eprintln!("{named}: on the {backend} nobody was done in time");
            continue;
        };
        eprintln!(
            "{named}: on the {backend} {} ms by auto, {} ms by {}; auto chose {}",
            milliseconds(auto.least_ms()),
            milliseconds(best.least_ms()),
            best.solver,
            auto.plan.as_ref().map(Plan::to_string).unwrap_or_default()
        );
        let (graph, auto, best) = (named.to_string(), auto.clone(), best.clone());
        comparisons.push(Comparison { backend, set, graph, n_arcs, auto, best });
    }
    Ok(comparisons)
}

/// The part in words: a table for each backend, worst first.
pub(super) fn section(comparisons: &mut [Comparison]) -> String {
    comparisons.sort_by(|a, b| b.by_least().total_cmp(&a.by_least()));
    let mut text = String::new();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let of: Vec<&Comparison> = comparisons.iter().filter(|c| c.backend == backend).collect();
        if of.is_empty() {
            continue;
        }
        let rows: Vec<Vec<String>> = of.iter().map(|comparison| row(comparison)).collect();
        let headings = [
            "graph",
            "set",
            "best",
            "auto chose",
            "arcs",
            "auto ms",
            "best ms",
            "auto / best",
            "by medians",
        ];
        let beyond = |limit: f64| of.iter().filter(|c| c.by_least() > limit).count();
        text += &format!(
            "\n## Auto beside the best single choice, on the {backend}\n\nA single choice is an \
             algorithm at its defaults{}. Worst first. Times are the least of all turns; the last column has the ratio of the medians. Where the \
             best is what auto chose, the ratio is the clock's. Of {} graphs, auto is more than \
             10 % slower than the best on {}, more than 30 % on {}.\n\n",
            variants(backend),
            of.len(),
            beyond(1.1),
            beyond(1.3),
        );
        text += &table(4, &headings, &rows);
    }
    text
}

/// What else than the defaults takes part as a choice of its own.
fn variants(backend: Backend) -> &'static str {
    match backend {
        Backend::Cpu => {
            ", of dijkstra each queue, and delta-stepping both on one thread and on all of them"
        }
        Backend::Gpu => "",
    }
}

fn row(comparison: &Comparison) -> Vec<String> {
    let Comparison { set, graph, n_arcs, auto, best, .. } = comparison;
    let same = if comparison.is_the_same() { " (auto's own)" } else { "" };
    vec![
        graph.clone(),
        (*set).to_owned(),
        format!("{}{same}", best.solver),
        auto.plan.as_ref().map(Plan::to_string).unwrap_or_default(),
        n_arcs.to_string(),
        milliseconds(auto.least_ms()),
        milliseconds(best.least_ms()),
        number(Some(comparison.by_least())),
        number(Some(comparison.by_median())),
    ]
}

/// Three digits at least.
pub(super) fn milliseconds(value: Option<f64>) -> String {
    match value {
        Some(value) if value < 1.0 => format!("{value:.4}"),
        value => number(value),
    }
}

//! The edge-parallel Bellman-Ford on a GPU: do segments of vertices pay, and loads through the
//! read-only cache?
//!
//! This repeats the study of the article with its four variants, {segments, order as stored} ×
//! {read-only, plain loads}, and with stores that race as the article's do. The graphs are R-MAT,
//! each twice the size of the one before, and the sources are spread over each graph. The figure is
//! the article's: arcs of the graph a second, each counted once however often it was relaxed.
//! Beside them run Δ-stepping on the same GPU and, on the host, the fastest sequential Dijkstra and
//! the parallel Δ-stepping. The article has weights of f64 only; here they are u32 too. Also, the
//! size of segments is swept, several runs from one source show how much times vary by races, and
//! every answer is checked. Weights are small integers whatever their type, so that sums of floats
//! are exact.
//!
//! Reference: origin-segments

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use ::published::{EdgeOrder, Form, Loads, Stores};
use clap::value_parser;
use graph_formats::generate::{Duplicates, GraphOptions, RmatConfig, rmat};
use paths::{Distances, certificate};

use super::*;

/// Up to this scale every source is given to the host's Dijkstra too; above it, a few,
const MOST_HOST_SCALE: u32 = 21;
/// and to its Δ-stepping, which is no matter of the study, at any.
const FEW_SOURCES: usize = 4;
/// What is less is noise.
const PAYING: f64 = 1.05;

const HOST: &str = "host Dijkstra";
const SEGMENTS: &str = "segments, plain";
const STORED: &str = "stored, plain";
/// Other sizes of segments, and runs from one source, which are not in the main tables.
const SWEPT: &str = "other sizes";
const RACES: &str = "races";
const A_DAY: Duration = Duration::from_secs(86_400);

/// Edge-parallel Bellman-Ford on a GPU: its four variants on R-MAT graphs from many sources
///
/// Every solver has one timed run a source, however long it takes; --runs says how many more its
/// variants have from the first source alone, to tell races from sources. Scale 26 takes some 70
/// GB of the host's memory. `bench report DIR...` makes one report of several runs.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench segments --scales 14,18,22,24\n\n\
                        In a bundle:\n  sh bench.sh segments --scales 26 --types u32 --certify 2")]
pub(super) struct Segments {
    /// R-MAT graphs of 2^S vertices, edge factor 16
    #[arg(long, value_name = "S", default_value = "14,15,16,17,18")]
    #[arg(value_parser = value_parser!(u32).range(1..=31))]
    scales: Vec<u32>,
    /// Types of the weights
    #[arg(long, default_value = "u32,f64", value_parser = ["u32", "f64"])]
    types: Vec<String>,
    /// Vertices to start from, spread evenly over the large component
    #[arg(long, value_name = "N", default_value = "32")]
    sources: NonZeroUsize,
    /// Other sizes of segments to be tried; of those above the graph's, only the least
    #[arg(long, value_name = "P")]
    #[arg(default_value = "4096,16384,65536,262144,1048576,4194304")]
    sweep: Vec<NonZeroU32>,
    /// How many of the sources they are tried with; 0 for no sweep
    #[arg(long, value_name = "N", default_value = "4")]
    sweep_sources: usize,
    /// Reference answers to certify; the others are only compared [default: all]
    #[arg(long, value_name = "N")]
    certify: Option<usize>,
    /// Above this scale the host is not measured
    #[arg(long, value_name = "S", default_value = "24")]
    host_up_to: u32,
    /// The host solves in the place of the GPU, which tests all but the GPU's solvers
    #[arg(long, hide = true)]
    without_gpu: bool,
}

impl Study for Segments {
    const NAME: &'static str = "segments";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let gpu = if self.without_gpu { None } else { Some(bench.gpu()?) };
        for &scale in &self.scales {
            self.at(bench, gpu, scale).with_context(|| format!("on rmat-{scale}"))?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Edge-parallel Bellman-Ford on a GPU");
        page.text(
            "Undirected R-MAT, 16 edges drawn a vertex, weights 1 to 255; one untimed solve, and \
             then one from each source. Times are of the solve alone, distances only, on a GPU by \
             its own clock. Every solve of every solver, timed or not, found the same distances; \
             those from the first sources were certified. A figure is the arcs of the graph, each \
             counted once, by the time of a solve; Dijkstra's has its queue, and delta-stepping on \
             a GPU takes weights of 32 bits only.",
        );
        page.heading("Graphs");
        page.text("Vertices of a segment; distances, and edges with their weights, in MiB.");
        // an edge is two ends of 4 bytes and a weight, and has two arcs
        let mib =
            |figure, bytes: f64| move |r: &Record| Some(r.median(figure)? * bytes / 1_048_576.0);
        page.list(
            &records.of(&[("what", "graph")]),
            &["scale"],
            &[
                ("vertices", &median("vertices")),
                ("arcs", &median("arcs")),
                ("sources", &median("sources")),
                ("certified", &median("certified")),
                ("segment", &median("segment vertices")),
                ("distances u32", &mib("vertices", 4.0)),
                ("f64", &mib("vertices", 8.0)),
                ("edges u32", &mib("arcs", 6.0)),
                ("f64", &mib("arcs", 8.0)),
            ],
        );
        for (kind, all) in records.by("type") {
            let main = all.of(&[("what", "")]);
            let rates = |record: &Record| range(&record.all("rate"));
            let text_of_rates = |record: &Record| {
                let ([least, mean, most], queue) = (rates(record)?, record.label("queue"));
                Some(format!("{least:.0} / {mean:.0} / {most:.0} {queue}").trim_end().to_owned())
            };
            let speed_ups = |record: &Record| {
                let host = main.find(&[("scale", record.label("scale")), ("solver", HOST)])?;
                let [_, host, _] = rates(host).filter(|_| record.label("solver") != HOST)?;
                Some(rates(record)?.map(|rate| rate / host))
            };
            let iterations = |record: &Record| {
                let [least, mean, most] = range(&record.all("rounds"))?;
                let is_variant = !record.label("segment").is_empty();
                is_variant.then(|| format!("{} ({least} to {most})", number(Some(mean))))
            };
            page.heading(&format!("{kind}: M arcs/s"));
            page.text("Least / mean / greatest over the sources:");
            page.pivot(&main, &["scale"], "solver", &text_of_rates);
            page.text("The same over runs from one source, which only races spread:");
            page.pivot(&all.of(&[("what", RACES)]), &["scale"], "solver", &text_of_rates);
            page.text("Times as fast as host Dijkstra, mean figure by mean figure:");
            page.across(&main, &["scale"], "solver", &|record| Some(speed_ups(record)?[1]));
            page.text("Iterations of Bellman-Ford, mean over the sources (least to greatest):");
            page.pivot(&main, &["scale"], "solver", &iterations);
            sweep(&mut page, &all);
            let plots: [(_, _, Value<'_>); 2] = [
                ("arcs", "M arcs/s", &rates),
                ("speed-up", "times as fast as host Dijkstra", &speed_ups),
            ];
            for (file, what, value) in plots {
                let (file, scale) = (format!("{kind}-{file}"), Axis { name: "scale", log: false });
                let title = format!("R-MAT by scale, {kind}: {what}, mean and range");
                let point = |record: &Record| Some((record.number("scale"), value(record)?));
                let axes = [scale, Axis { name: what, log: true }];
                page.lines((&file, &title), axes, &main, "solver", &point);
            }
        }
        page
    }
}

/// What is measured on one graph.
struct Scale<'b> {
    bench: &'b Bench,
    gpu: Option<&'b Gpu>,
    scale: u32,
    arcs: f64,
    references: Vec<(VertexId, Distances<u64>)>,
}

impl Segments {
    /// All contenders on R-MAT of 2^`scale` vertices. A graph may fill half of the memory, so each
    /// solver is dropped before the next is made.
    fn at(&self, bench: &Bench, gpu: Option<&Gpu>, scale: u32) -> Result<()> {
        // parallel edges stay, so that sizes are nearly the article's
        let options = GraphOptions { duplicates: Duplicates::Keep, ..Default::default() };
        let graph = rmat(&RmatConfig { scale, options, ..Default::default() })?;
        let mut solver = on_gpu(gpu, &graph, gpu::Algorithm::DeltaStepping(Delta::Auto))?;
        // of an R-MAT graph, nearly all vertices that have arcs are joined with this one
        let hub = graph.vertices().max_by_key(|&vertex| graph.out_degree(vertex)).unwrap_or(0);
        let distances = solver.distances(hub, Goal::All)?;
        let reached: Vec<_> = distances.reached().map(|(vertex, _)| vertex).collect();
        drop(distances);
        let n = self.sources.get().min(reached.len());
        let n_certified = self.certify.unwrap_or(n).min(n);
        let mut references = Vec::new();
        for i in 0..n {
            let source = reached[i * reached.len() / n];
            let distances = solver.distances(source, Goal::All)?.answer;
            if i < n_certified {
                certificate::check_distances(&graph, source, None, &distances)
                    .context("the answer that all others are to be compared with is wrong")?;
            }
            references.push((source, distances));
        }
        let (n_vertices, arcs) = (graph.n_vertices() as f64, graph.n_arcs() as f64);
        let segment = EdgeOrder::Auto.segment(graph.n_vertices()).map_or(0.0, |p| p.get().into());
        let sizes = vec![
            ("vertices", n_vertices),
            ("arcs", arcs),
            ("sources", n as f64),
            ("certified", n_certified as f64),
            ("segment vertices", segment),
        ];
        bench.records().push(Record::of(&[("scale", &scale), ("what", &"graph")]).ran(sizes));
        let at = Scale { bench, gpu, scale, arcs, references };
        let labels = Record::of(&[("scale", &scale), ("type", &"u32")]);
        let labels = labels.with(&[("solver", &"GPU delta-stepping")]);
        at.race(solver, &labels, &[("", n, n)])?;
        if self.types.iter().any(|name| name == "u32") {
            self.solvers(&at, &graph)?;
        }
        if self.types.iter().any(|name| name == "f64") {
            self.solvers(&at, &graph.convert_weights::<f64>()?)?;
        }
        Ok(())
    }

    /// All solvers that take any type of weights.
    fn solvers<W: SearchWeight>(&self, at: &Scale<'_>, graph: &Csr<W>) -> Result<()> {
        let (n, n_sources) = (graph.n_vertices(), at.references.len());
        let labels = |solver: &str| {
            Record::of(&[("scale", &at.scale), ("type", &W::KIND), ("solver", &solver)])
        };
        // one size that covers all vertices is like any larger one
        let sizes: BTreeSet<_> = self.sweep.iter().copied().collect();
        let n_sizes = sizes.iter().filter(|size| (size.get() as usize) < n).count() + 1;
        let default = EdgeOrder::Auto.segment(n);
        let sizes: BTreeSet<_> = sizes.into_iter().take(n_sizes).chain(default).collect();
        let sizes = sizes.into_iter().map(|vertices| {
            let name = if Some(vertices) == default { SEGMENTS } else { SWEPT };
            (name, EdgeOrder::Segments { vertices }, Loads::Plain, Stores::Atomic)
        });
        let others = [
            ("segments, read-only", EdgeOrder::Auto, Loads::ReadOnly, Stores::Atomic),
            ("stored, read-only", EdgeOrder::AsStored, Loads::ReadOnly, Stores::Atomic),
            ("segments, racing", EdgeOrder::Auto, Loads::Plain, Stores::Racing),
            ("stored, racing", EdgeOrder::AsStored, Loads::Plain, Stores::Racing),
            (STORED, EdgeOrder::AsStored, Loads::Plain, Stores::Atomic),
        ];
        let n_swept = self.sweep_sources.min(n_sources);
        for (name, edges, loads, stores) in others.into_iter().chain(sizes) {
            let parts = match name {
                SWEPT if n_swept == 0 => continue,
                SWEPT => vec![(SWEPT, n_swept, n_swept)],
                _ => vec![("", n_sources, n_sources), (RACES, 1, at.bench.terms().runs)],
            };
            let form = Form::BellmanFord { edges, loads, stores };
            let algorithm = gpu::Algorithm::Published(form);
            let size = edges.segment(n).map_or_else(|| "stored".to_owned(), |p| p.to_string());
            let labels = labels(name).with(&[("segment", &size)]);
            at.race(on_gpu(at.gpu, graph, algorithm)?, &labels, &parts)?;
        }
        if !at.bench.on_cpu() || n > 1 << self.host_up_to {
            return Ok(());
        }
        let n_few = n_sources.min(FEW_SOURCES);
        let n_host = if n <= 1 << MOST_HOST_SCALE { n_sources } else { n_few };
        let dijkstra = |queue| Solver::new(graph, &Config::with(Algorithm::Dijkstra(Some(queue))));
        let mut tried = Vec::new();
        for (name, queue) in Queue::ALL {
            // not every queue takes all weights
            if let Ok(solver) = dijkstra(queue) {
                let labels = labels("").with(&[("queue", &name)]);
                tried.push((at.race(solver, &labels, &[("trial", 1, 1)])?, name, queue));
            }
        }
        let fastest = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let (_, name, queue) = fastest.context("no queue takes the weights")?;
        let by_queue = labels(HOST).with(&[("queue", &name)]);
        at.race(dijkstra(queue)?, &by_queue, &[("", n_host, n_host)])?;
        let config = Config {
            threads: Some(at.bench.threads()),
            expected_searches: NonZeroUsize::new(1000),
            ..Config::with(Algorithm::DeltaStepping(Delta::Auto))
        };
        let solver = Solver::new(graph, &config)?;
        at.race(solver, &labels("host delta-stepping"), &[("", n_few, n_few)]).map(drop)
    }
}

impl Scale<'_> {
    /// For each part one untimed solve, and then timed ones from its first sources in turns.
    /// Returns the median of the milliseconds of the last part.
    fn race<W: SearchWeight>(
        &self,
        mut solver: Solver<'_, W>,
        labels: &Record,
        parts: &[(&str, usize, usize)],
    ) -> Result<f64> {
        let mut ms = None;
        for &(what, n, runs) in parts {
            let mut sources =
                self.references[..1].iter().chain(self.references[..n].iter().cycle());
            let run = || -> Result<Run> {
                let (source, right) = sources.next().context("no vertex has arcs")?;
                let (elapsed_ms, found) = timed(|| solver.distances(*source, Goal::All));
                let found = found?;
                check(right, &found).with_context(|| format!("from {source}"))?;
                let ms = found.device_times.map_or(elapsed_ms, |times| times.solve_ms);
                // arcs a millisecond are thousands a second
                let (rate, rounds) = (self.arcs / ms / 1e3, found.work.rounds as f64);
                Ok(vec![
                    ("ms", ms),
                    ("rate", rate),
                    ("rounds", rounds),
                    ("source", (*source).into()),
                ])
            };
            let terms = Terms { runs, patience: A_DAY, ..self.bench.terms() };
            let record = labels.clone().with(&[("what", &what)]);
            ms = self.bench.race_by(&terms, vec![Contender::new(record, run)])?[0].median("ms");
        }
        ms.context("it was not timed")
    }
}

fn on_gpu<'g, W: SearchWeight>(
    gpu: Option<&Gpu>,
    graph: &'g Csr<W>,
    algorithm: gpu::Algorithm,
) -> Result<Solver<'g, W>> {
    Ok(match gpu {
        Some(gpu) => Solver::on_gpu(gpu, graph, &gpu::Config::with(algorithm))?,
        None => Solver::new(graph, &Config::with(algorithm.name().parse()?))?,
    })
}

/// What a plot shows of a record: the least, the mean and the greatest.
type Value<'a> = &'a dyn Fn(&Record) -> Option<[f64; 3]>;

fn range(values: &[f64]) -> Option<[f64; 3]> {
    let least = values.iter().copied().reduce(f64::min)?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Some([least, mean, values.iter().copied().fold(least, f64::max)])
}

/// Times by the size of segments, and where the best of them beats the order as stored.
fn sweep(page: &mut Page, all: &Records) {
    let Some(n) = all.of(&[("what", SWEPT)]).iter().map(Record::n_runs).max() else { return };
    let is_plain = |record: &Record| {
        let is_one = [STORED, SEGMENTS, SWEPT].contains(&record.label("solver"));
        is_one && record.label("what") != RACES
    };
    let mut of_plain: Vec<_> = all.filtered(is_plain).iter().cloned().collect();
    // edges as stored have no number
    of_plain.sort_by_key(|record| record.label("segment").parse().unwrap_or(0_u32));
    let plain: Records = of_plain.into_iter().collect();
    let mean = |record: &Record| {
        let ms = record.all("ms");
        Some(range(&ms[..n.min(ms.len())])?[1])
    };
    page.text(&format!(
        "Milliseconds with plain loads by vertices of a segment, over the first {n} sources:"
    ));
    page.across(&plain, &["scale"], "segment", &mean);
    let gain = |(scale, all): (&str, Records)| {
        let gain = mean(all.find(&[("solver", STORED)])?)? / all.best(mean).and_then(mean)?;
        (gain >= PAYING).then(|| format!("{scale} ({gain:.2} times)"))
    };
    let gains: Vec<String> = plain.by("scale").into_iter().filter_map(gain).collect();
    if !gains.is_empty() {
        page.text(&format!("The best size pays, by 5 % or more, at scale {}.", gains.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::said;

    #[test]
    fn figures_are_of_the_article() {
        let mut records = Records::default();
        for (solver, segment, what, ms) in [
            (STORED, "stored", "", [0.5, 0.25]),
            (SWEPT, "16", SWEPT, [0.125, 0.125]),
            (SEGMENTS, "64", "", [0.25, 1.0]),
            (HOST, "", "", [2.0, 2.0]),
        ] {
            let record = Record::of(&[("scale", &8), ("type", &"u32"), ("solver", &solver)]);
            let record = record.with(&[("segment", &segment), ("what", &what)]);
            let [a, b] = ms.map(|ms| vec![("ms", ms), ("rate", 1.0 / ms)]);
            records.push(record.ran(a).ran(b));
        }
        let summary = said(&Segments::page(&records));
        for says in [
            "| 8 | 2 / 3 / 4 | 1 / 2 / 4 | 0 / 0 / 0 |",
            "| 8 | 6 | 5 |",
            "| scale | stored | 16 | 64 |",
            "| 8 | 0.375 | 0.125 | 0.625 |",
            "at scale 8 (3.00 times).",
        ] {
            assert!(summary.contains(says), "{says}: {summary}");
        }
    }
}

//! Shortest paths from one source: every solver of the project on the same graphs, beside a plain
//! Dial queue (the yardstick), other people's libraries, and their programs where there are some.
//!
//! One answer for each graph is certified; every search of everybody, timed or not, must find the
//! same distances.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, delta_stepping,
};
use anyhow::{Result, ensure};
use clap::Args;
use graph_formats::{Csr, VertexId};
use paths::Distances;
use petgraph::Directed;
use rayon::ThreadPool;
use sssp::{Algorithm, Config, Delta, Queue, gpu};

use crate::clock::{Contender, Excuse, timed};
use crate::field::{Asked, Field, described, of_graph, on_field};
use crate::graphs::{Graph, at_hand};
use crate::page::Page;
use crate::peers;
use crate::plot::{Marks, Plot, Whose};
use crate::records::{Record, Records};
use crate::study::{Bench, Study};
use crate::table::{number, ratio};

const YARDSTICK: &str = "yardstick/dial";
/// Greatest distance that `f32` holds exactly, and the crate `graph` has no other type.
const MAX_GRAPH_DISTANCE: u64 = 1 << 24;
/// Greatest weight for which the yardstick has a bucket.
const MAX_DIAL_WEIGHT: u32 = 1 << 24;
/// The queue rules of the second paper, and how much better than first in, first out it says they
/// are.
const CLAIMS: [(&str, &str); 3] = [
    ("bellman-ford-slf", "15-20 % better"),
    ("bellman-ford-lll", "-"),
    ("bellman-ford-slf-lll", "50 % better"),
];
const FIFO: &str = "bellman-ford-queue";

/// Shortest paths from one source: all solvers beside a yardstick, libraries and programs
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench\n  \
                        cargo xtask bench --graphs rmat-16,my/roads.gr.gz --runs 9\n  \
                        cargo xtask bench --graphs rmat-20 --solvers auto,yardstick,graph --sweep\n  \
                        cargo xtask bench --solvers auto,gapbs,wasp --peers my/peers")]
pub struct Sssp {
    /// Graphs by name or file (a wrong name lists all names)
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "GRAPH",
        default_value = "rmat-18,rmat-20,grid-1024,geometric-18,new-york"
    )]
    graphs: Vec<Graph>,
    /// Solvers, by the beginnings of their names: auto, gpu, dijkstra, delta-stepping,
    /// bellman-ford, yardstick, petgraph, graph, or those of peers [default: all]
    #[arg(long, value_delimiter = ',', value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Try every width of delta, for the crate graph and for our own delta-stepping
    #[arg(long)]
    sweep: bool,
    /// A folder with descriptions of other programs, which run beside ours (src/peers.rs says how)
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
}

impl Study for Sssp {
    const NAME: &'static str = "sssp";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let peers = self.peers.as_deref().map_or(Ok(Vec::new()), peers::found)?;
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX)? {
            let csr = graph.load_u32()?;
            let scratch = tempfile::tempdir()?;
            on_field(bench, &graph, &csr, |field| {
                let record = |solver: &str| self.record(&graph, solver);
                let mut contenders = roster(field, self.sweep, &record);
                for peer in &peers {
                    contenders.extend(peer.contenders(field, scratch.path(), record));
                }
                let solvers = &self.solvers;
                ensure!(!contenders.is_empty(), "no solver is called {}", solvers.join(" or "));
                bench.race(contenders).map(drop)
            })?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Shortest paths from one source");
        page.text(
            "Solvers run in turns, fewer times where they have used up the patience (column \
             \"runs\"). One answer is certified against the graph; every search of every solver, \
             timed or not, found the same distances. Times are of the search alone; what is done \
             once for a graph is under \"prepare\". These machines drift: compare within a table.",
        );
        let (mut claims, mut rules) = (Vec::new(), Vec::new());
        for (graph, of) in records.by("graph") {
            page.heading(graph);
            section(&mut page, graph, &of);
            claims.extend(claims_of(graph, &of));
            rules.extend(rules_of(graph, &of));
        }
        if !claims.is_empty() {
            page.heading("Claims: queue rules of Bellman-Ford");
            page.text(
                "Smallest label first (SLF) and large label last (LLL) against first in, first \
                 out (FIFO), beside what the paper has.",
            );
            let headings = ["graph", "queue", "time / FIFO", "relaxations / FIFO", "claimed"];
            page.table(2, &headings, &claims);
        }
        if !rules.is_empty() {
            page.heading("Rules for the bucket width of delta-stepping");
            page.text(
                "The rule named after the threads is this project's own; the others are published.",
            );
            let headings = ["graph", "rule", "delta", "median ms", "/ least", "relaxations / arc"];
            page.table(2, &headings, &rules);
        }
        page
    }
}

impl Sssp {
    /// The labels of a solver, if it takes part.
    fn record(&self, graph: &Graph, solver: &str) -> Option<Record> {
        let is_wanted = |wanted: &String| {
            let rest = solver.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '-']))
        };
        let takes_part = self.solvers.is_empty() || self.solvers.iter().any(is_wanted);
        takes_part.then(|| Record::of(&[("graph", graph), ("solver", &solver)]))
    }
}

/// Timed solvers of a graph.
fn medians(of: &Records) -> Vec<(&Record, &str, f64)> {
    let all = of.iter().map(|record| (record, record.label("solver"), record.median("ms")));
    all.filter_map(|(record, solver, ms)| Some((record, solver, ms?))).collect()
}

/// Arcs relaxed for each of the graph's.
fn relaxations_an_arc(record: &Record, of: &Records) -> String {
    ratio(record.all("relaxations").first().copied(), of_graph(of, "arcs"))
}

fn section(page: &mut Page, graph: &str, of: &Records) {
    let timed = medians(of);
    let yardstick = timed.iter().find(|solver| solver.1 == YARDSTICK).map(|solver| solver.2);
    let theirs = timed.iter().filter(|solver| solver.1.starts_with("graph/"));
    let best = theirs.min_by(|a, b| a.2.total_cmp(&b.2));
    page.text(&described(of));
    if let Some(auto) = of.find(&[("solver", "auto")]) {
        page.text(&format!("Auto chose {}.", auto.label("chose")));
    }
    if let Some((_, name, _)) = best {
        page.text(&format!("The best of the crate graph is {name}."));
    }
    let row = |&(record, solver, ms): &(&Record, &str, f64)| {
        let most = record.all("ms").into_iter().reduce(f64::max);
        vec![
            solver.to_owned(),
            record.n_runs().to_string(),
            number(record.median("prepare_ms")),
            number(Some(ms)),
            number(record.least("ms")),
            number(most),
            ratio(Some(ms), yardstick),
            ratio(Some(ms), best.map(|best| best.2)),
            relaxations_an_arc(record, of),
        ]
    };
    let headings = [
        "solver",
        "runs",
        "prepare ms",
        "median ms",
        "min ms",
        "max ms",
        "/ dial",
        "/ graph",
        "relaxations / arc",
    ];
    page.table(1, &headings, &timed.iter().map(row).collect::<Vec<_>>());
    for (record, name, _) in timed.iter().filter(|solver| !solver.0.label("verified").is_empty()) {
        page.text(&format!("Verified of {name}: {}.", record.label("verified")));
    }
    let ours = ["auto", "dijkstra", "delta-stepping", "bellman-ford"];
    let whose = |solver: &str| match solver {
        solver if solver.starts_with("gpu/") => Whose::Gpu,
        solver if ours.iter().any(|name| solver.starts_with(name)) => Whose::Cpu,
        _ => Whose::Other,
    };
    let bars = timed.iter().map(|&(_, name, ms)| (name.to_owned(), ms, whose(name))).collect();
    let title = format!("{graph}: milliseconds, median");
    page.plot(graph, Plot { title, marks: Marks::Bars(bars) });
}

/// The queue rules against first in, first out.
fn claims_of(graph: &str, of: &Records) -> Vec<Vec<String>> {
    let Some(fifo) = of.find(&[("solver", FIFO)]) else { return Vec::new() };
    let row = |(name, claim): (&str, &str)| {
        let rule = of.find(&[("solver", name)])?;
        let over = |figure| ratio(rule.median(figure), fifo.median(figure));
        let [time, relaxations] = ["ms", "relaxations"].map(over);
        Some([graph, name, &time, &relaxations, claim].map(str::to_owned).to_vec())
    };
    CLAIMS.into_iter().filter_map(row).collect()
}

/// The rules for Δ side by side, on all threads.
fn rules_of(graph: &str, of: &Records) -> Vec<Vec<String>> {
    let mut rules = medians(of);
    rules.retain(|rule| rule.1.starts_with("delta-stepping/") && !rule.1.ends_with("/1-thread"));
    let least = rules.iter().map(|rule| rule.2).min_by(f64::total_cmp);
    let row = |(record, name, ms): (&Record, &str, f64)| {
        let delta = number(record.median("delta"));
        let (ms, over) = (number(Some(ms)), ratio(Some(ms), least));
        let relaxations = relaxations_an_arc(record, of);
        [graph, name, &delta, &ms, &over, &relaxations].map(str::to_owned).to_vec()
    };
    rules.into_iter().map(row).collect()
}

/// Everybody but the programs, as `record` names them or leaves them out.
pub fn roster<'a>(
    field: &Field<'a, u32>,
    sweep: bool,
    record: &dyn Fn(&str) -> Option<Record>,
) -> Vec<Contender<'a>> {
    let (bench, graph) = (field.bench, field.task.graph);
    let threads = bench.threads();
    let max_weight = graph.weights().iter().copied().max().unwrap_or(0);
    let mut contenders = Vec::new();
    let gpu = bench.gpu_if_any();
    let mut ours = |name: String, asked| {
        let made = record(&name).and_then(|record| field.solver(gpu, record, &asked));
        contenders.extend(made);
    };
    let on_cpu = |algorithm, threads| {
        Asked::OnCpu(Config { algorithm, threads: Some(threads), ..Config::default() })
    };
    if bench.on_cpu() {
        ours("auto".to_owned(), on_cpu(None, threads));
    }
    if gpu.is_some() {
        ours("gpu/auto".to_owned(), Asked::OnGpu(gpu::Config::default()));
    }
    if !bench.on_cpu() {
        return contenders;
    }
    for (name, queue) in Queue::ALL {
        let algorithm = Algorithm::Dijkstra(Some(queue));
        ours(format!("dijkstra/{name}"), on_cpu(Some(algorithm), NonZeroUsize::MIN));
    }
    let mut stepping = |name: String, delta, threads| {
        let algorithm = Algorithm::DeltaStepping(delta);
        ours(format!("delta-stepping/{name}"), on_cpu(Some(algorithm), threads));
    };
    stepping("1-thread".to_owned(), Delta::Auto, NonZeroUsize::MIN);
    if threads > NonZeroUsize::MIN {
        stepping(format!("{threads}-threads"), Delta::Auto, threads);
    }
    for (name, rule) in Delta::RULES.into_iter().filter(|rule| rule.1 != Delta::Auto) {
        stepping(name.to_owned(), rule, threads);
    }
    for width in widths(max_weight, sweep).filter(|_| sweep) {
        stepping(width.to_string(), Delta::Fixed(width), threads);
    }
    for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.admits_negative()) {
        ours(algorithm.name().to_owned(), on_cpu(Some(algorithm), NonZeroUsize::MIN));
    }

    let farthest = field.task.certified.max().unwrap_or(0);
    if let Some(record) = record(YARDSTICK) {
        let n_buckets = (max_weight as usize + 1).next_power_of_two();
        contenders.push(if max_weight > MAX_DIAL_WEIGHT || farthest >= NONE.into() {
            refusing(record, "weights or distances are too large for its buckets".to_owned())
        } else {
            other(field, record, &bench.one, 0.0, move |source| {
                let (ms, found) = timed(|| dial(graph, source, n_buckets));
                let distance = |d: u32| (d != NONE).then_some(u64::from(d));
                (ms, found.into_iter().map(distance).collect())
            })
        });
    }
    if let Some(record) = record("petgraph/dijkstra") {
        let (prepare_ms, theirs) = timed(|| for_petgraph(graph));
        let vertices = graph.vertices();
        contenders.push(other(field, record, &bench.one, prepare_ms, move |source| {
            let weight = |arc: petgraph::csr::EdgeReference<'_, u32, Directed, u32>| {
                u64::from(*arc.weight())
            };
            let (ms, found) = timed(|| petgraph::algo::dijkstra(&theirs, source, None, weight));
            (ms, vertices.clone().map(|vertex| found.get(&vertex).copied()).collect())
        }));
    }
    let named = |width: f64| Some((width as f32, record(&format!("graph/{width}"))?));
    let wanted: Vec<(f32, Record)> = widths(max_weight, sweep).filter_map(named).collect();
    if farthest > MAX_GRAPH_DISTANCE {
        let reason = || format!("f32 does not hold distances up to {farthest} exactly");
        contenders.extend(wanted.into_iter().map(|(_, record)| refusing(record, reason())));
    } else if !wanted.is_empty() {
        let (prepare_ms, theirs) = timed(|| bench.all.install(|| Arc::new(for_graph(graph))));
        contenders.extend(wanted.into_iter().map(|(delta, record)| {
            let theirs = Arc::clone(&theirs);
            other(field, record, &bench.all, prepare_ms, move |source| {
                let config = DeltaSteppingConfig::new(source as usize, delta);
                let (ms, found) = timed(|| delta_stepping(&*theirs, config));
                let distance = |d: f32| (d != f32::MAX).then_some(d as u64);
                (ms, found.iter().map(|d| distance(d.load(Ordering::Relaxed))).collect())
            })
        }));
    }
    contenders
}

/// Powers of two around the weights: 1, 2, …, 512 for weights up to 255; or only those among which
/// the best of the crate graph has been found.
fn widths(max_weight: u32, sweep: bool) -> impl Iterator<Item = f64> {
    let exponents: &[i32] = match sweep {
        false => &[-8, -7, -4, -3, -2, -1, 0],
        true => &[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1],
    };
    let above = (u64::from(max_weight) + 1).next_power_of_two() as f64;
    let width = move |exponent: &i32| above * 2f64.powi(*exponent);
    exponents.iter().map(width).filter(|width| *width >= 1.0)
}

/// A solver of others: from the source, milliseconds of the search alone and what was found.
fn other<'a>(
    field: &Field<'a, u32>,
    record: Record,
    pool: &'a ThreadPool,
    prepare_ms: f64,
    mut solve: impl FnMut(VertexId) -> (f64, Distances<u64>) + Send + 'a,
) -> Contender<'a> {
    let task = field.task;
    Contender::new(record, move || {
        let (ms, distances) = pool.install(|| solve(task.source));
        task.check(&distances)?;
        Ok(vec![("ms", ms), ("prepare_ms", prepare_ms)])
    })
}

/// Somebody who does not take the graph.
fn refusing<'a>(record: Record, reason: String) -> Contender<'a> {
    Contender::new(record, move || Err(Excuse(reason.clone()).into()))
}

/// For the crate `graph`: both directions, rows sorted, as its documentation has it.
fn for_graph(graph: &Csr<u32>) -> DirectedCsrGraph<u32, (), f32> {
    let arcs = graph.arcs().map(|(from, to, weight)| (from, to, weight as f32));
    GraphBuilder::new()
        .csr_layout(CsrLayout::Sorted)
        .edges_with_values(arcs.collect::<Vec<_>>())
        .node_values(vec![(); graph.n_vertices()])
        .build()
}

/// For petgraph: its compressed rows, which take one arc a pair, so that only the lightest of
/// parallel arcs is there. Its adjacency lists would be slower.
fn for_petgraph(graph: &Csr<u32>) -> petgraph::csr::Csr<(), u32, Directed, u32> {
    let mut arcs: Vec<_> = graph.arcs().collect();
    if !arcs.is_sorted() {
        arcs.sort_unstable();
    }
    arcs.dedup_by_key(|arc| (arc.0, arc.1));
    petgraph::csr::Csr::from_sorted_edges(&arcs).expect("sorted, and no pair twice")
}

/// Unreached.
const NONE: u32 = u32::MAX;

/// Dial's queue as anyone would write it in an afternoon: the yardstick, on one thread, O(m + d)
/// for distances up to d. It is not meant to become faster: a solver that needs two threads, or
/// thought, has to beat it. One bucket a distance, in a circular array of more than the greatest
/// weight, a power of two; overtaken entries stay in place and are passed over.
fn dial(graph: &Csr<u32>, source: VertexId, n_buckets: usize) -> Vec<u32> {
    let bucket_of = |distance: u32| distance as usize & (n_buckets - 1);
    let mut distances = vec![NONE; graph.n_vertices()];
    let mut buckets: Vec<Vec<VertexId>> = vec![Vec::new(); n_buckets];
    distances[source as usize] = 0;
    buckets[0].push(source);
    let (mut distance, mut n_queued) = (0, 1_usize);
    while n_queued > 0 {
        while let Some(from) = buckets[bucket_of(distance)].pop() {
            n_queued -= 1;
            if distances[from as usize] != distance {
                continue;
            }
            for (to, weight) in graph.arcs_from(from) {
                let through = distance.saturating_add(weight);
                if through < distances[to as usize] {
                    distances[to as usize] = through;
                    buckets[bucket_of(through)].push(to);
                    n_queued += 1;
                }
            }
        }
        distance += 1;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::measured_by;

    #[test]
    fn everybody_solves_every_graph() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.gr");
        let text = "p sp 4 4\na 1 2 3\na 2 3 1\na 3 4 9\na 1 3 7\n";
        std::fs::write(&own, text).unwrap();
        let line = "--sweep --runs 2 --threads 2 --backend cpu";
        let graphs = format!("rmat-8,{}", own.display());
        let (records, summary) = measured_by(&format!("{line} --graphs {graphs}")).unwrap();
        for solver in [
            "auto",
            "dijkstra/radix",
            "delta-stepping/1-thread",
            "delta-stepping/2-threads",
            "delta-stepping/median",
            "delta-stepping/512",
            "bellman-ford",
            "bellman-ford-slf-lll",
            "yardstick/dial",
            "petgraph/dijkstra",
            "graph/512",
        ] {
            let found = records.find(&[("graph", "rmat-8"), ("solver", solver)]);
            assert_eq!(found.map(Record::n_runs), Some(2), "{solver}");
        }
        for expected in ["## rmat-8", "own.gr", "relaxations / FIFO", "The best of the crate graph"]
        {
            assert!(summary.contains(expected), "{expected} in {summary}");
        }
        let line = "sssp --graphs geometric-7 --solvers yardstick --backend cpu";
        let (records, _) = measured_by(line).unwrap();
        assert_eq!(records.values("solver"), ["yardstick/dial"]);
        assert!(measured_by("sssp --graphs grid-9 --solvers nobody").is_err());
        assert!(measured_by("sssp --graphs grid-9 --patience 0").is_err());
    }

    #[test]
    fn widths_follow_the_weights() {
        let full: Vec<f64> = widths(255, true).collect();
        assert_eq!(full, [1., 2., 4., 8., 16., 32., 64., 128., 256., 512.]);
        assert!(widths(255, false).all(|width| full.contains(&width)));
        assert_eq!(widths(1, false).collect::<Vec<_>>(), [1., 2.]);
    }
}

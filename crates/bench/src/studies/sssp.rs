//! Shortest paths from one source: every solver of the project on the same graphs, beside a plain
//! Dial queue (the yardstick), other people's libraries, and their programs where there are some.
//!
//! One answer for each graph is certified; every search of everybody, timed or not, must find the
//! same distances.

use std::ops::ControlFlow;
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
use sssp::{Algorithm, Config, Delta, gpu};

use crate::clock::{Contender, Excuse, timed};
use crate::field::{Asked, Field, described, of_graph, on_cpu, on_field};
use crate::graphs::{Graph, at_hand};
use crate::page::{Figure, Page, least, median};
use crate::peers;
use crate::plot::Whose;
use crate::records::{Record, Records};
use crate::study::{Bench, Study};
use crate::verify::Task;

const GRAPHS: &str = "rmat-18,rmat-20,grid-1024,geometric-18,new-york";
const YARDSTICK: &str = "yardstick/dial";
/// Greatest distance that `f32` holds exactly, and the crate `graph` has no other type.
const MAX_GRAPH_DISTANCE: u64 = 1 << 24;
/// Greatest weight for which the yardstick has a bucket.
const MAX_DIAL_WEIGHT: u32 = 1 << 24;
/// The queue rules of the second paper,
const RULES: &[&str] = &["bellman-ford-slf", "bellman-ford-lll"];
/// beside what they are compared with.
const FIFO: &str = "bellman-ford-queue";

/// Shortest paths from one source: all solvers beside a yardstick, libraries and programs
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench\n  \
                        cargo xtask bench --graphs rmat-16,my/roads.gr.gz --runs 9\n  \
                        cargo xtask bench --graphs rmat-20 --solvers auto,yardstick,graph --sweep\n  \
                        cargo xtask bench --solvers auto,gapbs,wasp --peers my/peers")]
pub(super) struct Sssp {
    /// Graphs by name or file (a wrong name lists all names)
    #[arg(long, value_delimiter = ',', value_name = "GRAPH", default_value = GRAPHS)]
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
            let (load_ms, csr) = timed(|| graph.load_u32());
            let scratch = tempfile::tempdir()?;
            on_field(bench, &graph, (load_ms, &csr?), |field| {
                let record = |solver: &str| self.record(&graph, solver);
                let mut contenders = roster(field, self.sweep, &record);
                if !peers.is_empty() {
                    contenders = contenders.into_iter().map(Contender::twice).collect();
                }
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
            "Solvers run in turns, fewer times where they have used up the patience. One answer is \
             certified against the graph; every search of every solver, timed or not, found the \
             same distances. Times are of the search alone; what is done once for a graph is under \
             \"prepare\". These machines drift: compare within a table.",
        );
        for (graph, of) in records.having("solver").by("graph") {
            section(&mut page, graph, &records.of(&[("graph", graph)]), &of);
        }
        let per_arc = |record: &Record| {
            let of = records.of(&[("graph", record.label("graph"))]);
            Some(record.median("relaxations")? / of_graph(&of, "arcs")?)
        };
        let fifo = |record: &Record, figure: &str| {
            let fifo = records.find(&[("graph", record.label("graph")), ("solver", FIFO)])?;
            Some(record.median(figure)? / fifo.median(figure)?)
        };
        page.heading("Claims: queue rules of Bellman-Ford");
        page.text(
            "Smallest label first (SLF) and large label last (LLL) against first in, first out \
             (FIFO). The paper claims 15-20 % less for SLF, and 50 % less for both.",
        );
        let columns: [(&str, Figure<'_>); 2] = [
            ("time / FIFO", &|record| fifo(record, "ms")),
            ("relaxations / FIFO", &|record| fifo(record, "relaxations")),
        ];
        let rules = records
            .filtered(|record| RULES.iter().any(|rule| record.label("solver").starts_with(rule)));
        page.list(&rules, &["graph", "solver"], &columns);
        page.heading("Rules for the bucket width of delta-stepping");
        page.text(
            "The rule named after the threads is this project's own; the others are published.",
        );
        let widths = records.filtered(|record| {
            let solver = record.label("solver");
            solver.starts_with("delta-stepping/") && !solver.ends_with("/1-thread")
        });
        let over_least = |record: &Record| {
            let of = widths.of(&[("graph", record.label("graph"))]);
            let least = of.iter().filter_map(|other| other.median("ms")).reduce(f64::min);
            Some(record.median("ms")? / least?)
        };
        let columns: [(&str, Figure<'_>); 4] = [
            ("delta", &median("delta")),
            ("median ms", &median("ms")),
            ("/ least", &over_least),
            ("relaxations / arc", &per_arc),
        ];
        page.list(&widths, &["graph", "solver"], &columns);
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

fn section(page: &mut Page, graph: &str, all: &Records, of: &Records) {
    page.heading(graph);
    page.text(&described(all));
    let ms = |name: &str| of.find(&[("solver", name)])?.median("ms");
    let theirs = of.iter().filter(|record| record.label("solver").starts_with("graph/"));
    let theirs = theirs.filter_map(|record| Some((record.label("solver"), record.median("ms")?)));
    let best = theirs.min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some(auto) = of.find(&[("solver", "auto")]) {
        page.text(&format!("Auto chose {}.", auto.label("chose")));
    }
    if let Some((name, _)) = best {
        page.text(&format!("The best of the crate graph is {name}."));
    }
    let columns: [(&str, Figure<'_>); 8] = [
        ("runs", &|record| Some(record.n_runs() as f64)),
        ("prepare ms", &median("prepare_ms")),
        ("median ms", &median("ms")),
        ("min ms", &least("ms")),
        ("max ms", &|record| record.all("ms").into_iter().reduce(f64::max)),
        ("/ dial", &|record| Some(record.median("ms")? / ms(YARDSTICK)?)),
        ("/ graph", &|record| Some(record.median("ms")? / best?.1)),
        ("relaxations / arc", &|r| Some(r.median("relaxations")? / of_graph(all, "arcs")?)),
    ];
    page.list(of, &["solver", "verified"], &columns);
    let whose = |solver: &str| match solver.split(['/', '-']).next() {
        Some("gpu") => Whose::Gpu,
        Some("auto" | "dijkstra" | "delta" | "bellman") => Whose::Cpu,
        _ => Whose::Other,
    };
    page.bars(graph, of, whose);
}

/// Everybody but the programs, as `record` names them or leaves them out.
fn roster<'a>(
    field: &Field<'a, u32>,
    sweep: bool,
    record: &dyn Fn(&str) -> Option<Record>,
) -> Vec<Contender<'a>> {
    let (bench, graph) = (field.bench, field.task.graph);
    let threads = bench.threads();
    let max_weight = graph.weights().iter().copied().max().unwrap_or(0);
    let gpu = bench.gpu_if_any();
    let mut ours = if bench.on_cpu() { on_cpu(threads) } else { Vec::new() };
    if gpu.is_some() {
        ours.push(("gpu/auto".to_owned(), Asked::OnGpu(gpu::Config::default())));
    }
    if bench.on_cpu() {
        let rules = Delta::RULES.into_iter().filter(|rule| rule.1 != Delta::Auto);
        let fixed = widths(max_weight, sweep).filter(|_| sweep);
        let fixed = fixed.map(|width| (width.to_string(), Delta::Fixed(width)));
        ours.extend(rules.map(|(name, rule)| (name.to_owned(), rule)).chain(fixed).map(
            |(name, delta)| {
                let config = Config::with(Algorithm::DeltaStepping(delta));
                let asked = Asked::OnCpu(Config { threads: Some(threads), ..config });
                (format!("delta-stepping/{name}"), asked)
            },
        ));
    }
    let ours = ours.iter().filter_map(|(name, asked)| field.solver(gpu, record(name)?, asked));
    let mut contenders: Vec<_> = ours.collect();
    if !bench.on_cpu() {
        return contenders;
    }
    let farthest = field.task.certified.max().unwrap_or(0);
    if let Some(record) = record(YARDSTICK) {
        let n_buckets = (max_weight as usize + 1).next_power_of_two();
        contenders.push(if max_weight > MAX_DIAL_WEIGHT || farthest >= NONE.into() {
            refusing(record, "weights or distances are too large for its buckets")
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
        let reason = format!("f32 does not hold distances up to {farthest} exactly");
        contenders.extend(wanted.into_iter().map(|(_, record)| refusing(record, &reason)));
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

/// Calls `time` with the name of every solver on a graph, and a search of it, checked, that tells
/// its milliseconds.
///
/// # Errors
/// When the graph cannot be made or has no arcs.
pub fn each_search(
    graph: &Graph,
    mut time: impl FnMut(&str, &mut dyn FnMut() -> Result<f64>),
) -> Result<()> {
    let (bench, csr) = (Bench::with_defaults()?, graph.load_u32()?);
    let (task, ask) = (Task::new(&csr)?, |_, _| ControlFlow::Continue(()));
    let field = Field { bench: &bench, task: &task, ask: &ask };
    let record = |solver: &str| Some(Record::of(&[("solver", &solver)]));
    for mut contender in roster(&field, false, &record) {
        time(contender.record.label("solver"), &mut || Ok((contender.run)()?[0].1));
    }
    Ok(())
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
fn refusing<'a>(record: Record, reason: &str) -> Contender<'a> {
    let reason = reason.to_owned();
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

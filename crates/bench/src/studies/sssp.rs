//! Shortest paths from one source: every solver of the project on the same graphs, beside a plain
//! Dial queue (the yardstick), other people's libraries, and their programs where there are some.
//!
//! One answer for each graph is certified; every search of every solver, timed or not, must find
//! the same distances.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, delta_stepping,
};
use paths::Distances;
use petgraph::Directed;
use rayon::ThreadPool;

use super::*;
use crate::first::First;
use crate::peers;

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
const WIDTHS: &str = "delta-stepping/";

/// Shortest paths from one source: all solvers beside a yardstick, libraries and programs
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  cargo xtask bench\n  \
                        cargo xtask bench --graphs rmat-16,my/roads.gr.gz --runs 9\n  \
                        cargo xtask bench --graphs rmat-20 --solvers auto,yardstick,graph --sweep\n  \
                        cargo xtask bench --solvers auto,gapbs,wasp --peers my/peers --first")]
pub(super) struct Sssp {
    /// Graphs by name or file (a wrong name lists all names)
    #[arg(long, value_name = "GRAPH", default_value = GRAPHS)]
    graphs: Vec<Graph>,
    /// Solvers, by the beginnings of their names: auto, gpu, dijkstra, delta-stepping,
    /// bellman-ford, yardstick, petgraph, graph, or those of peers [default: all]
    #[arg(long, value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Try every width of delta, for the crate graph and for our own delta-stepping
    #[arg(long)]
    sweep: bool,
    /// Also measure first searches, in processes of their own, beside those of other programs
    #[arg(long)]
    first: bool,
    /// A folder with descriptions of other programs, which run beside ours (src/peers.rs says how)
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
}

impl Study for Sssp {
    const NAME: &'static str = "sssp";

    fn measure(&self, bench: &Bench) -> Result<()> {
        let mut peers = self.peers.as_deref().map_or(Ok(Vec::new()), peers::found)?;
        if self.first && bench.on_cpu() {
            peers.push(First::peer()?);
        }
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX)? {
            let (load_ms, csr) = timed(|| graph.load_u32());
            let scratch = tempfile::tempdir()?;
            let record = |solver: &str| {
                let record = || Record::of(&[("graph", &graph), ("solver", &solver)]);
                self.takes_part(solver).then(record)
            };
            on_field(bench, &graph, (load_ms, &csr?), |field| {
                let mut all = roster(field, self.sweep, &record);
                if !peers.is_empty() {
                    all = all.into_iter().map(Contender::twice).collect();
                }
                let theirs = peers.iter().map(|p| p.contenders(field, scratch.path(), record));
                all.extend(theirs.flatten());
                ensure!(!all.is_empty(), "no solver is called {}", self.solvers.join(" or "));
                bench.race(all).map(drop)
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
             \"prepare\". \"First\" is the first search of a process, where one was measured. These \
             machines drift: compare within a table.",
        );
        let over = |record: &Record, figure: &str, solver: &str| {
            records.over(record, figure, &[("graph", record.label("graph")), ("solver", solver)])
        };
        // the quickest solver of the same graph whose name begins so
        let quickest = |graph: &str, start: &str| {
            let is_one = |r: &Record| r.label("graph") == graph && is_of(r, start);
            records.filtered(is_one).best(median("ms")).cloned()
        };
        let over_quickest = |record: &Record, start: &str| {
            let quickest = quickest(record.label("graph"), start)?;
            Some(record.median("ms")? / quickest.median("ms")?)
        };
        let per_arc = |r: &Record| Some(r.median("relaxations")? / of_graph(records, r, "arcs")?);
        let figures: [(&str, Figure<'_>); 9] = [
            ("runs", &|record| Some(record.n_runs() as f64)),
            ("prepare ms", &median("prepare_ms")),
            ("first ms", &median("first_ms")),
            ("median ms", &median("ms")),
            ("min ms", &least("ms")),
            ("max ms", &|record| record.all("ms").into_iter().reduce(f64::max)),
            ("/ dial", &|record| over(record, "ms", YARDSTICK)),
            ("/ graph", &|record| over_quickest(record, "graph/")),
            ("relaxations / arc", &per_arc),
        ];
        for (graph, of) in records.having("solver").by("graph") {
            let auto = of.find(&[("solver", "auto")]).map(|auto| auto.label("chose"));
            let best = quickest(graph, "graph/");
            let best =
                best.map(|it| format!("The best of the crate graph is {}.", it.label("solver")));
            let say: Vec<_> =
                auto.map(|it| format!("Auto chose {it}.")).into_iter().chain(best).collect();
            let columns = (&["solver", "verified"][..], &figures[..]);
            section(&mut page, records, (graph, &of), &say, columns);
        }
        page.heading("Claims: queue rules of Bellman-Ford");
        page.text(
            "Smallest label first (SLF) and large label last (LLL) against first in, first out \
             (FIFO). The paper claims 15-20 % less for SLF, and 50 % less for both.",
        );
        page.list(
            &records.filtered(|record| RULES.iter().any(|rule| is_of(record, rule))),
            &["graph", "solver"],
            &[
                ("time / FIFO", &|record| over(record, "ms", FIFO)),
                ("relaxations / FIFO", &|record| over(record, "relaxations", FIFO)),
            ],
        );
        page.heading("Rules for the bucket width of delta-stepping");
        page.text(
            "The rule named after the threads is this project's own; the others are published.",
        );
        let figures: [(&str, Figure<'_>); 4] = [
            ("delta", &median("delta")),
            ("median ms", &median("ms")),
            ("/ least", &|record| over_quickest(record, WIDTHS)),
            ("relaxations / arc", &per_arc),
        ];
        page.list(&records.filtered(|r| is_of(r, WIDTHS)), &["graph", "solver"], &figures);
        page
    }
}

/// Whether the name of its solver begins so; delta-stepping on one thread is not of the widths.
fn is_of(record: &Record, start: &str) -> bool {
    let solver = record.label("solver");
    solver.starts_with(start) && !solver.ends_with("/1-thread")
}

impl Sssp {
    fn takes_part(&self, solver: &str) -> bool {
        let is_wanted = |wanted: &String| {
            let rest = solver.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '-']))
        };
        self.solvers.is_empty() || self.solvers.iter().any(is_wanted)
    }
}

/// All solvers but the programs, as `record` names them or leaves them out.
fn roster<'a>(
    field: &Field<'a, u32>,
    sweep: bool,
    record: &dyn Fn(&str) -> Option<Record>,
) -> Vec<Contender<'a>> {
    let (bench, graph) = (field.bench, field.task.graph);
    let threads = bench.threads();
    let max_weight = graph.weights().iter().copied().max().unwrap_or(0);
    let on_gpu = ("gpu/auto".to_owned(), Asked::on_gpu(None));
    if !bench.on_cpu() {
        return field.contenders(&[on_gpu], record);
    }
    let rules = Delta::RULES.into_iter().filter(|rule| rule.1 != Delta::Auto);
    let rules = rules.map(|(name, rule)| (name.to_owned(), rule));
    let fixed = widths(max_weight, sweep).filter(|_| sweep);
    let fixed = fixed.map(|width| (width.to_string(), Delta::Fixed(width)));
    let by_delta = rules.chain(fixed).map(|(name, delta)| {
        let algorithm = Algorithm::DeltaStepping(delta);
        (format!("{WIDTHS}{name}"), Asked::on_cpu(Some(algorithm), threads))
    });
    let ours: Vec<_> = on_cpu(threads).into_iter().chain([on_gpu]).chain(by_delta).collect();
    let mut contenders = field.contenders(&ours, record);
    let farthest = field.task.certified.max().unwrap_or(0);
    if let Some(record) = record(YARDSTICK) {
        let n_buckets = (max_weight as usize + 1).next_power_of_two();
        contenders.push(other(field, record, &bench.one, 0.0, move |source| {
            let is_small = max_weight <= MAX_DIAL_WEIGHT && farthest < NONE.into();
            let reason = "weights or distances are too large for its buckets";
            ensure!(is_small, Excuse(reason.to_owned()));
            let (ms, found) = timed(|| dial(graph, source, n_buckets));
            let distance = |d: u32| (d != NONE).then_some(u64::from(d));
            Ok((ms, found.into_iter().map(distance).collect()))
        }));
    }
    if let Some(record) = record("petgraph/dijkstra") {
        let (prepare_ms, theirs) = timed(|| for_petgraph(graph));
        contenders.push(other(field, record, &bench.one, prepare_ms, move |source| {
            let weight = |arc: petgraph::csr::EdgeReference<'_, u32, Directed, u32>| {
                u64::from(*arc.weight())
            };
            let (ms, found) = timed(|| petgraph::algo::dijkstra(&theirs, source, None, weight));
            Ok((ms, graph.vertices().map(|vertex| found.get(&vertex).copied()).collect()))
        }));
    }
    let named = |width: f64| Some((width as f32, record(&format!("graph/{width}"))?));
    let wanted: Vec<(f32, Record)> = widths(max_weight, sweep).filter_map(named).collect();
    let is_exact = farthest <= MAX_GRAPH_DISTANCE;
    let (prepare_ms, theirs) = timed(|| {
        let is_needed = is_exact && !wanted.is_empty();
        is_needed.then(|| bench.all.install(|| Arc::new(for_graph(graph))))
    });
    contenders.extend(wanted.into_iter().map(|(delta, record)| {
        let theirs = theirs.clone();
        other(field, record, &bench.all, prepare_ms, move |source| {
            let inexact =
                || Excuse(format!("f32 does not hold distances up to {farthest} exactly"));
            let theirs = theirs.as_deref().ok_or_else(inexact)?;
            let config = DeltaSteppingConfig::new(source as usize, delta);
            let (ms, found) = timed(|| delta_stepping(theirs, config));
            let distance = |d: f32| (d != f32::MAX).then_some(d as u64);
            Ok((ms, found.iter().map(|d| distance(d.load(Ordering::Relaxed))).collect()))
        })
    }));
    contenders
}

/// Calls `time` with the name of every solver on a graph, and a checked search of it that returns
/// its milliseconds.
///
/// # Errors
/// When the graph cannot be made or has no arcs.
pub fn each_search(
    graph: &Graph,
    mut time: impl FnMut(&str, &mut dyn FnMut() -> Result<f64>),
) -> Result<()> {
    let (bench, csr) = (Bench::with_defaults()?, graph.load_u32()?);
    let record = |solver: &str| Some(Record::of(&[("solver", &solver)]));
    on_field(&bench, graph, (0.0, &csr), |field| {
        for mut contender in roster(field, false, &record) {
            time(contender.record.label("solver"), &mut || Ok((contender.run)()?[0].1));
        }
        Ok(())
    })
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
    mut solve: impl FnMut(VertexId) -> Result<(f64, Distances<u64>)> + Send + 'a,
) -> Contender<'a> {
    let task = field.task;
    Contender::new(record, move || {
        let (ms, distances) = pool.install(|| solve(task.source))?;
        task.check(&distances)?;
        Ok(vec![("ms", ms), ("prepare_ms", prepare_ms)])
    })
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

/// Dial's queue in its simplest form: the yardstick, on one thread, O(m + d) for distances up to d.
/// It is not meant to become faster: more complex solvers have to beat it. One bucket a distance,
/// in a circular array of more than the greatest weight, a power of two; overtaken entries stay in
/// place and are passed over.
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
    #[test]
    fn widths_follow_the_weights() {
        let widths = |heaviest, sweep| super::widths(heaviest, sweep).collect::<Vec<_>>();
        let full = widths(255, true);
        assert_eq!(full, [1., 2., 4., 8., 16., 32., 64., 128., 256., 512.]);
        assert!(widths(255, false).iter().all(|width| full.contains(width)));
        assert_eq!(widths(1, false), [1., 2.]);
    }
}

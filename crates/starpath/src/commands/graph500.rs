//! `starpath graph500`: the Graph500 benchmark, by its rules.

mod over_ranks;

use std::fmt;
use std::time::Instant;

use anyhow::anyhow;
use graph_formats::generate::{Duplicates, Graph500Config};
use graph_formats::{AnyCsr, Csr, GraphError, VertexId, ensure_granted};
use paths::certificate::check_edge_list;
use paths::{AnyDistances, AnyTree, Tree};
use serde::Serialize;
use sssp::Goal;
use sssp::cost::Searches;

use crate::backend;
use crate::cli::{Common, Configs, Graph500Args, Kernels};
use crate::failure::WrongUse;
use crate::progress::{check_interrupt, progress};
use crate::report::{self, Head, Ms, SEARCHES, by_ranks, counted, grouped, median, milliseconds};

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    head: Head,
    scale: u32,
    edge_factor: u32,
    /// Edges drawn, loops and parallel ones included.
    drawn_edges: u64,
    /// Time of drawing them, which the benchmark does not count.
    generate_ms: Ms,
    /// Time of making the graph of them: kernel 1.
    construction_ms: Ms,
    roots: usize,
    /// How many shared the work, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bfs: Option<Searched>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sssp: Option<Searched>,
}

/// All searches of a kernel, each of which was checked.
#[derive(Serialize)]
struct Searched {
    algorithm: &'static str,
    backend: &'static str,
    threads: usize,
    /// Time of what was done once for the graph, besides kernel 1.
    prepare_ms: Ms,
    time_ms: Spread<Ms>,
    /// Edges drawn in the component of the root.
    traversed_edges: Spread<f64>,
    /// Of these, how many a second.
    teps: Rates,
    /// Arcs stored in the component of the root, how many a second: the harmonic mean.
    arcs_per_second: f64,
    /// The median time of a check.
    validate_ms: Ms,
}

/// The statistics that the benchmark asks for.
#[derive(Serialize)]
struct Spread<T> {
    min: T,
    first_quartile: T,
    median: T,
    third_quartile: T,
    max: T,
    mean: T,
    stddev: T,
}

impl<T> Spread<T> {
    /// Those of at least one value.
    fn of(values: &[f64], unit: impl Fn(f64) -> T) -> Self {
        let n = values.len();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = |a: usize, b: usize| unit((sorted[a] + sorted[b]) / 2.0);
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let last = n - 1;
        Self {
            min: unit(sorted[0]),
            first_quartile: middle(last / 4, n / 4),
            median: middle(last / 2, n / 2),
            third_quartile: middle(last - last / 4, last - n / 4),
            max: unit(sorted[last]),
            mean: unit(mean),
            stddev: unit((squares / last.max(1) as f64).sqrt()),
        }
    }
}

/// The statistics of rates, whose mean is the harmonic one.
#[derive(Serialize)]
struct Rates {
    min: f64,
    first_quartile: f64,
    median: f64,
    third_quartile: f64,
    max: f64,
    harmonic_mean: f64,
    harmonic_stddev: f64,
}

impl Rates {
    /// Those of counts in times in milliseconds.
    fn of(counts: &[f64], times: &[f64]) -> Self {
        let seconds: Vec<_> =
            times.iter().zip(counts).map(|(ms, count)| ms / 1e3 / count).collect();
        let each = Spread::of(&seconds, |seconds| seconds);
        let free = (counts.len() - 1).max(1) as f64;
        let rate = |seconds: f64| seconds.recip().round();
        Self {
            min: rate(each.max),
            first_quartile: rate(each.third_quartile),
            median: rate(each.median),
            third_quartile: rate(each.first_quartile),
            max: rate(each.min),
            harmonic_mean: rate(each.mean),
            harmonic_stddev: (each.stddev / (each.mean.powi(2) * free.sqrt())).round(),
        }
    }
}

type Edge = (VertexId, VertexId, f32);

pub(crate) use over_ranks::run as run_over;

/// The benchmark has its own number of searches.
fn refuse_repeat(common: &Common) -> Result<(), WrongUse> {
    if common.repeat.is_none() {
        return Ok(());
    }
    let text = "--repeat is for other commands; --roots says how many searches to make";
    Err(WrongUse(text.to_owned()))
}

/// An error if no vertex is a root.
fn check_roots(roots: &[VertexId]) -> Result<(), WrongUse> {
    if !roots.is_empty() {
        return Ok(());
    }
    let text = "no edge joins two vertices; raise --scale or --edge-factor";
    Err(WrongUse(text.to_owned()))
}

pub(crate) fn run(args: &Graph500Args, common: &Common) -> anyhow::Result<()> {
    refuse_repeat(common)?;
    let &Graph500Args { scale, edge_factor, kernel, .. } = args;
    // the generator refuses only parameters of the command line
    let refused = |error: GraphError| WrongUse(error.to_string());
    let config = Graph500Config { scale, edge_factor, ..Default::default() };
    let start = Instant::now();
    let draws = config.draws().map_err(refused)?;
    let edges = draws.edges().map_err(refused)?;
    let generate_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let start = Instant::now();
    let graph = draws.graph(&edges, Duplicates::Drop)?;
    let construction_ms = milliseconds(start.elapsed());
    check_interrupt()?;
    let roots = draws.roots(&graph, args.roots.get());
    check_roots(&roots)?;
    // each arc weighs 1; only the weights are not shared
    let levels: Csr<f32> = graph.clone().unweighted();
    let bfs = (kernel != Kernels::Sssp)
        .then(|| search("breadth-first search", levels, &edges, |_| 1.0, &roots, common));
    let bfs = bfs.transpose()?;
    let head = Head::of("graph500", &graph.clone().into());
    let sssp = (kernel != Kernels::Bfs)
        .then(|| search("shortest paths", graph, &edges, |weight| weight, &roots, common));
    let report = Report {
        head,
        scale,
        edge_factor,
        drawn_edges: draws.n_edges(),
        generate_ms,
        construction_ms,
        roots: roots.len(),
        ranks: None,
        bfs,
        sssp: sssp.transpose()?,
    };
    report::print(&report, common)
}

/// Searches from all roots, one after the other, and checks each result by the edges drawn, which
/// have these weights.
fn search(
    what: &str,
    graph: Csr<f32>,
    edges: &[Edge],
    weight: fn(f32) -> f32,
    roots: &[VertexId],
    common: &Common,
) -> anyhow::Result<Searched> {
    let degrees = graph.clone();
    let graph = AnyCsr::from(graph);
    let configs = Configs::auto(common).expecting(roots.len());
    let step = progress("searching", common);
    let start = Instant::now();
    let searches = Searches::Trees(roots.len());
    let (mut solver, backend) = backend::solver(&graph, &configs, searches, None, &step, common)?;
    let prepare_ms = milliseconds(start.elapsed());
    // what a check takes
    ensure_granted(5 * graph.n_vertices())?;
    let found = solver.tree(roots[0], Goal::All)?;
    let (algorithm, threads) = (found.plan.algorithm, found.plan.threads);
    drop(found);

    let Measured { mut times, mut checks, mut traversed, mut stored } = Measured::default();
    for &root in roots {
        let start = Instant::now();
        let found = solver.tree(root, Goal::All)?;
        times.push(milliseconds(start.elapsed()).0);
        let start = Instant::now();
        let tree = typed(found.answer)?;
        let edge = |i: usize| (edges[i].0, edges[i].1, weight(edges[i].2));
        let n_traversed = check_edge_list(edges.len(), &edge, &tree)
            .map_err(|wrong| anyhow!("{what} from vertex {root} is wrong: {wrong}"))?;
        checks.push(milliseconds(start.elapsed()).0);
        let reached = degrees.vertices().filter(|&v| tree.distance(v).is_some());
        stored.push(reached.map(|v| degrees.out_degree(v)).sum::<usize>() as f64);
        traversed.push(n_traversed as f64);
        check_interrupt()?;
    }
    let measured = Measured { times, checks, traversed, stored };
    Ok(measured.searched(algorithm, (backend, threads), prepare_ms))
}

/// What is measured of each search: milliseconds, and counts.
#[derive(Default)]
struct Measured {
    times: Vec<f64>,
    checks: Vec<f64>,
    /// Edges drawn in the component of the root.
    traversed: Vec<f64>,
    /// Arcs stored there.
    stored: Vec<f64>,
}

impl Measured {
    fn searched(
        &self,
        algorithm: &'static str,
        (backend, threads): (&'static str, usize),
        prepare_ms: Ms,
    ) -> Searched {
        let Self { times, checks, traversed, stored } = self;
        Searched {
            algorithm,
            backend,
            threads,
            prepare_ms,
            time_ms: Spread::of(times, Ms),
            traversed_edges: Spread::of(traversed, |count| count),
            teps: Rates::of(traversed, times),
            arcs_per_second: Rates::of(stored, times).harmonic_mean,
            validate_ms: median(checks),
        }
    }
}

/// A tree of a graph with weights `f32`.
fn typed(tree: AnyTree) -> anyhow::Result<Tree<f32>> {
    let AnyTree { source, predecessors, distances: AnyDistances::F32(distances), .. } = tree else {
        return Err(anyhow!("distances of a graph with weights f32 have another type"));
    };
    Ok(Tree { source, limit: None, distances, predecessors })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scale, edge_factor, generate_ms, construction_ms, .. } = self;
        let head = by_ranks(&self.head, self.ranks);
        writeln!(f, "{head}; scale {scale}, edge factor {edge_factor}")?;
        let drawn = grouped(self.drawn_edges);
        writeln!(f, "{drawn} edges drawn in {generate_ms} ms")?;
        writeln!(f, "kernel 1, the graph of these: {construction_ms} ms")?;
        let searches = counted(self.roots, SEARCHES);
        let kernels = [("2, breadth-first search", &self.bfs), ("3, shortest paths", &self.sssp)];
        for (name, searched) in kernels {
            let Some(searched) = searched else { continue };
            writeln!(f, "kernel {name}: {searches}, all valid, by {searched}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, backend, threads, prepare_ms, validate_ms, time_ms: ms, .. } = self;
        let threads = counted(*threads, ("thread", "threads"));
        writeln!(f, "{algorithm} on {backend}, {threads}")?;
        writeln!(f, "  prepared in {prepare_ms} ms; the median check took {validate_ms} ms")?;
        writeln!(
            f,
            "  ms: min {}, quartiles {} {} {}, max {}, mean {}, deviation {}",
            ms.min, ms.first_quartile, ms.median, ms.third_quartile, ms.max, ms.mean, ms.stddev
        )?;
        let teps = &self.teps;
        let million = |rate: f64| format!("{:.3}", rate / 1e6);
        writeln!(
            f,
            "  million TEPS: min {}, quartiles {} {} {}, max {}, harmonic mean {}, deviation {}",
            million(teps.min),
            million(teps.first_quartile),
            million(teps.median),
            million(teps.third_quartile),
            million(teps.max),
            million(teps.harmonic_mean),
            million(teps.harmonic_stddev)
        )?;
        let edges = grouped(self.traversed_edges.median as u64);
        let arcs = million(self.arcs_per_second);
        write!(f, "  {edges} edges traversed in the median; {arcs} million stored arcs a second")
    }
}

//! Closeness by hops of graphs that GPUs draw for themselves, of which the host never has the arcs.
//!
//! The sums are of some batches in the middle of equal parts of all that the exact answer takes, in
//! the order in which it takes them. What the whole would take is an estimate by their number. As
//! many sources are also drawn at random, as a sample is.
//!
//! Before the clock starts, rows at even distances are compared with the edges that the host draws,
//! and the sums of some sources with those of its own searches. In the timed runs sums over vertices
//! have to agree with those over hops.

use std::thread;
use std::time::Instant;

use centrality::gpu::{HopSearches, hop_sums};
use clap::ValueEnum;
use graph_formats::generate::{EdgeDraws, RmatConfig, UniformConfig};
use paths::HopSums;
use rayon::prelude::*;

use super::*;

/// Sources of a batch.
const BATCH: usize = 1024;
/// Rows that are compared with the host's draws.
const ROWS: usize = 64;
/// Edges that a task of the host draws.
const EDGES: u64 = 1 << 20;
/// How sources are chosen.
const WHOLE: &str = "of the whole";
const RANDOM: &str = "random";

/// The kind of a drawn graph.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Drawn {
    Rmat,
    Uniform,
}

/// Closeness of graphs that GPUs draw, by one GPU and several
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench closeness --scale 20 --vertices 1000000")]
pub(super) struct Closeness {
    /// Kinds of graphs
    #[arg(long, value_name = "KIND", default_value = "rmat,uniform")]
    kinds: Vec<Drawn>,
    /// An R-MAT graph has 2^S vertices; each graph has K * 2^S edges before equal ones are dropped
    #[arg(long, value_name = "S", default_value = "26")]
    scale: u32,
    /// Edges for each of 2^S vertices
    #[arg(long, value_name = "K", default_value = "27")]
    edge_factor: u32,
    /// Vertices of a uniform graph
    #[arg(long, value_name = "N", default_value = "65600000")]
    vertices: usize,
    /// Batches of 1,024 sources on each GPU
    #[arg(long, value_name = "B", default_value = "10")]
    batches: NonZeroUsize,
    /// Sources whose sums are compared with searches of the host, which copies the graph for that
    #[arg(long, value_name = "N", default_value = "3")]
    searches: usize,
    /// Numbers of GPUs, of which one is the first [default: 1, and all]
    #[arg(long, value_name = "P")]
    gpus: Vec<NonZeroUsize>,
}

impl Study for Closeness {
    const NAME: &'static str = "closeness";

    fn measure(&self, bench: &Bench) -> Result<()> {
        bench.gpu()?;
        let most = Gpu::count()? as usize;
        let mut counts: Vec<_> = self.gpus.iter().map(|count| count.get()).collect();
        if counts.is_empty() {
            counts = vec![1, most];
            counts.dedup();
        }
        let n_gpus = counts.iter().copied().max().unwrap_or(1);
        let gpus = (0..n_gpus as u32).map(Gpu::open_ordinal).collect::<Result<Vec<_>, _>>()?;
        for &kind in &self.kinds {
            self.close(bench, kind, &gpus, &counts)?;
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Closeness of drawn graphs");
        page.text(&format!(
            "Medians, by the clock of the slowest GPU. Sources {WHOLE} are batches of {BATCH} in \
             the middle of equal parts of the exact answer, in its order; the hours of the whole \
             are an estimate by their number. {ROWS} rows were compared with the host's draws, \
             and sums from the number of sources that is checked with those of its searches. In \
             each run the sums over vertices are those over hops."
        ));
        let measured = records.having("sources");
        let rate =
            |r: &Record| Some(r.number("arcs") * r.number("sources") / r.median("ms")? / 1e6);
        let times = |r: &Record| {
            let same = [("graph", r.label("graph")), ("chosen", r.label("chosen")), ("gpus", "1")];
            let one = measured.find(&same)?;
            Some(rate(r)? / rate(one)?)
        };
        let whole = |r: &Record| {
            let share = r.number("sources") / r.number("with arcs");
            Some(r.median("ms")? / share / 3.6e6).filter(|_| r.label("chosen") == WHOLE)
        };
        page.list(
            &measured,
            &["graph", "vertices", "with arcs", "arcs", "chosen", "gpus", "sources", "checked"],
            &[
                ("ms", &median("ms")),
                ("G arcs × sources/s", &rate),
                ("times one", &times),
                ("estimated hours of the whole", &whole),
                ("making the graph, ms", &median("made_ms")),
            ],
        );
        page.skipped(records);
        page
    }
}

impl Closeness {
    fn draws(&self, kind: Drawn) -> Result<EdgeDraws> {
        let (scale, edge_factor) = (self.scale, self.edge_factor);
        Ok(match kind {
            Drawn::Rmat => RmatConfig { scale, edge_factor, ..RmatConfig::default() }.draws()?,
            Drawn::Uniform => {
                let n_edges = u64::from(edge_factor) << scale;
                UniformConfig { n_vertices: self.vertices, n_edges, ..UniformConfig::default() }
                    .draws()?
            }
        })
    }

    /// Times one kind of graph on these numbers of GPUs.
    fn close(&self, bench: &Bench, kind: Drawn, gpus: &[Gpu], counts: &[usize]) -> Result<()> {
        let draws = self.draws(kind)?;
        let start = Instant::now();
        let mut searches: Vec<HopSearches> = thread::scope(|scope| {
            let draws = &draws;
            let make = |gpu| scope.spawn(move || HopSearches::drawn(gpu, draws));
            let made: Vec<_> = gpus.iter().map(make).collect();
            made.into_iter()
                .map(|made| Ok(made.join().expect("no thread panics")?))
                .collect::<Result<_>>()
        })?;
        let made_ms = start.elapsed().as_secs_f64() * 1e3;
        check_rows(&draws, &searches[0])?;
        let all = searches[0].in_turn(searches[0].order())?;
        if self.searches > 0 {
            let checked = self.searches.min(all.len());
            let checked: Vec<_> = (0..checked).map(|i| all[i * all.len() / checked]).collect();
            check_sums(&mut searches, &checked)?;
        }
        let n_arcs = searches[0].n_arcs();
        let name = kind.to_possible_value().expect("no kind is skipped").get_name().to_owned();
        let mut draws_of = Draws::new(1);
        for (chosen, &count) in
            [WHOLE, RANDOM].iter().flat_map(|way| counts.iter().map(move |n| (*way, n)))
        {
            let n_batches = self.batches.get() * count;
            let sources = match chosen {
                WHOLE => batches(&all, n_batches),
                _ => (0..n_batches * BATCH).map(|_| all[draws_of.below(all.len())]).collect(),
            };
            let record =
                Record::of(&[("graph", &name), ("vertices", &draws.n_vertices())]).with(&[
                    ("with arcs", &all.len()),
                    ("arcs", &n_arcs),
                    ("chosen", &chosen),
                    ("gpus", &count),
                    ("sources", &sources.len()),
                    ("checked", &self.searches),
                ]);
            let searches = &mut searches[..count];
            let run = || {
                let (sums, times) = hop_sums(searches, &sources, Some(&bench.progress()))?;
                check_totals(&sums, sources.len())?;
                Ok(vec![("ms", times.solve_ms), ("made_ms", made_ms)])
            };
            let terms = Terms { warm_up: false, ..bench.terms() };
            bench.race_by(&terms, vec![Contender::new(record, run)])?;
        }
        Ok(())
    }
}

/// `n_batches` batches of these sources, in the middle of equal parts.
fn batches(all: &[VertexId], n_batches: usize) -> Vec<VertexId> {
    let size = BATCH.min(all.len());
    let first = |batch: usize| (2 * batch + 1) * (all.len() - size) / (2 * n_batches);
    (0..n_batches).flat_map(|batch| &all[first(batch)..][..size]).copied().collect()
}

/// Compares rows with the edges that the host draws.
fn check_rows(draws: &EdgeDraws, searches: &HopSearches) -> Result<()> {
    let order = searches.order();
    let mut chosen = vec![false; draws.n_vertices()];
    let ranks = (0..ROWS.min(order.len())).map(|i| i * order.len() / ROWS.min(order.len()));
    let ranks: Vec<_> = ranks.collect();
    ranks.iter().for_each(|&rank| chosen[order[rank] as usize] = true);
    let tasks = (0..draws.n_edges().div_ceil(EDGES)).into_par_iter();
    let mut arcs: Vec<_> = tasks
        .flat_map_iter(|task| {
            let edges = task * EDGES..draws.n_edges().min((task + 1) * EDGES);
            let both = edges.map(|edge| draws.edge(edge)).filter(|(u, v)| u != v);
            both.flat_map(|(u, v)| [(u, v), (v, u)]).filter(|&(u, _)| chosen[u as usize])
        })
        .collect();
    arcs.par_sort_unstable();
    arcs.dedup();
    for &rank in &ranks {
        let vertex = order[rank];
        let mut row: Vec<_> = searches.row(rank)?.iter().map(|&end| order[end as usize]).collect();
        row.sort_unstable();
        let first = arcs.partition_point(|&(u, _)| u < vertex);
        let expected = arcs[first..].iter().take_while(|(u, _)| *u == vertex).map(|arc| arc.1);
        ensure!(expected.eq(row), "the row of {vertex} is wrong");
    }
    Ok(())
}

/// Compares the sums of these sources with those of the host's searches.
fn check_sums(searches: &mut [HopSearches], sources: &[VertexId]) -> Result<()> {
    let order = searches[0].order().to_vec();
    let (offsets, ends) = searches[0].all_rows()?;
    let by_rank = Csr::with_equal_weights(offsets, ends, 1u32)?;
    let mut solver = Solver::new(&by_rank, &Config::with(Algorithm::BreadthFirst))?;
    let mut expected = vec![(0, 0); order.len()];
    for rank in sources.iter().filter_map(|v| order.iter().position(|ranked| ranked == v)) {
        let distances = solver.distances(rank as VertexId, Goal::All)?.answer;
        expected.par_iter_mut().enumerate().for_each(|(rank, (reached, sum))| {
            if let Some(hops) = distances.get(rank as VertexId) {
                *reached += 1;
                *sum += hops;
            }
        });
    }
    let (found, _) = hop_sums(searches, sources, None)?;
    check_totals(&found, sources.len())?;
    let own = |v: VertexId| (found.n_sources[v as usize], found.sums[v as usize]);
    let wrong = expected.iter().zip(&order).find(|&(&expected, &v)| expected != own(v));
    ensure!(wrong.is_none(), "the sums of {wrong:?} are wrong");
    Ok(())
}

/// That sums over vertices are those over hops.
fn check_totals(sums: &HopSums, n_sources: usize) -> Result<()> {
    let pairs: u64 = sums.n_sources.par_iter().map(|&n| u64::from(n)).sum();
    let total: u64 = sums.sums.par_iter().sum();
    let of_hops = |(hops, &pairs): (u64, &u64)| hops * pairs;
    let hops: u64 = (0..).zip(&sums.by_hop).map(of_hops).sum();
    ensure!(sums.by_hop.first() == Some(&(n_sources as u64)), "not all sources are counted");
    ensure!(pairs == sums.by_hop.iter().sum::<u64>(), "{pairs} pairs by vertices, others by hops");
    ensure!(total == hops, "{total} hops by vertices, {hops} by hops");
    Ok(())
}

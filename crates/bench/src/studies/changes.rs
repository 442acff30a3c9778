//! Results that follow batches of changes of a graph, beside finding them anew.
//!
//! All pairs: random digraphs, by a matrix of 32 bits, of which arcs become lighter or heavier, go
//! or come. Each run makes a batch, timed, and takes it back, timed by itself. The first result of
//! every batch is compared with that of the solver, distance by distance and hop by hop, and later
//! ones by the sum of some rows. Where there is a GPU, also of a matrix in its memory.
//!
//! Closures, trees of one source and road networks have files of their own.
//!
//! Reference: ramalingam-reps-1996

mod closures;
mod hierarchies;
mod trees;

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use apsp::{DynamicDevicePairs, DynamicPairs, Updated};
use graph_formats::{Change, DynamicGraph};

use super::all_pairs::in_32_bits;
use super::*;

/// Weights of a matrix of 32 bits that follows changes.
const WEIGHTS_ON_GPU: RangeInclusive<u32> = 1..=1000;
/// Rows that are added up to compare results of the same batch.
const SAMPLED_ROWS: usize = 64;
/// What the whole is called among the kinds of changes.
const WHOLE: &str = "all anew";

/// Results that follow batches of changes, beside finding them anew
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench changes --changes 16,64 --degrees 216")]
pub(super) struct Changes {
    /// Vertices of the graphs whose pairs are followed
    #[arg(long, value_name = "N", default_value = "4096")]
    sizes: Vec<NonZeroUsize>,
    /// The same on a GPU
    #[arg(long, value_name = "N", default_value = "16384")]
    sizes_on_gpu: Vec<NonZeroUsize>,
    /// Arcs a vertex
    #[arg(long, value_name = "D", default_value = "216,8")]
    degrees: Vec<NonZeroUsize>,
    /// Changes of a batch
    #[arg(long, value_name = "K", default_value = "16,64,256,1024")]
    changes: Vec<NonZeroUsize>,
    /// GPUs that share a matrix there
    #[arg(long, value_name = "N", default_value = "1")]
    gpus: Vec<NonZeroUsize>,
    /// Vertices of the digraphs whose closures are followed
    #[arg(long, value_name = "N", default_value = "65536")]
    closures: Vec<NonZeroUsize>,
    /// Arcs a vertex there
    #[arg(long, value_name = "D", default_value = "5,1.5")]
    degrees_of_closures: Vec<f64>,
    /// Arcs that come or go in a batch for a closure
    #[arg(long, value_name = "K", default_value = "64")]
    changes_of_closure: Vec<NonZeroUsize>,
    /// Graphs whose trees and hierarchies are followed, with whole weights of 32 bits
    #[arg(long, value_name = "G", default_value = "new-york")]
    graphs: Vec<Graph>,
    /// The same on a GPU
    #[arg(long, value_name = "G", default_value = "rmat-22")]
    graphs_on_gpu: Vec<Graph>,
    /// Changes of a batch for a tree
    #[arg(long, value_name = "K", default_value = "1,10,100,200,400,1000,10000")]
    changes_of_tree: Vec<NonZeroUsize>,
    /// Changes of a batch for a hierarchy
    #[arg(long, value_name = "K", default_value = "1,10,100,300,1000,3000")]
    changes_of_hierarchy: Vec<NonZeroUsize>,
}

/// What changes.
#[derive(Clone, Copy)]
enum Kind {
    /// Arcs weigh half, at least 1.
    Lowered,
    /// Arcs weigh twice as much.
    Raised,
    Deleted,
    /// Arcs between vertices that have none, with the weights of others.
    New,
}

/// The kinds, and whether only arcs on shortest paths are drawn.
const KINDS: [(&str, Kind, bool); 6] = [
    ("lowered", Kind::Lowered, false),
    ("raised", Kind::Raised, false),
    ("deleted", Kind::Deleted, false),
    ("new", Kind::New, false),
    ("lowered, on shortest paths", Kind::Lowered, true),
    ("raised, on shortest paths", Kind::Raised, true),
];

impl Study for Changes {
    const NAME: &'static str = "changes";

    fn measure(&self, bench: &Bench) -> Result<()> {
        for graph in at_hand(bench, self.graphs.clone(), u64::MAX)? {
            let arcs_both_ways = graph.load_u32()?;
            let changes = &self.changes_of_hierarchy;
            hierarchies::hierarchies(bench, &graph, changes, &arcs_both_ways)?;
            trees::trees(bench, &graph, ("edges", &self.changes_of_tree), &arcs_both_ways)?;
            let (offsets, ends) = (arcs_both_ways.row_offsets(), arcs_both_ways.column_indices());
            let weights = arcs_both_ways.weights().to_vec();
            let directed = Csr::new(offsets.to_vec(), ends.to_vec(), weights)?;
            trees::trees(bench, &graph, ("arcs", &self.changes_of_tree), &directed)?;
        }
        if let Some(gpu) = bench.gpu_if_any() {
            for graph in at_hand(bench, self.graphs_on_gpu.clone(), u64::MAX)? {
                let arcs_both_ways = graph.load_u32()?;
                trees::on_gpu(bench, gpu, &graph, &self.changes_of_tree, &arcs_both_ways)?;
            }
        }
        let matrix = |n: usize, gpus: &[Gpu], next_hops| {
            self.degrees.iter().try_for_each(|degree| {
                let graph = match gpus {
                    [] => in_32_bits(n, degree.get())?,
                    _ => connected(n, degree.get(), WEIGHTS_ON_GPU)?,
                };
                let graph = graph.convert_weights::<i32>()?;
                self.all_pairs(bench, &graph, gpus, next_hops)
            })
        };
        for n in self.sizes.iter().map(|size| size.get()) {
            matrix(n, &[], false)?;
            matrix(n, &[], true)?;
        }
        for n in self.closures.iter().map(|n| n.get()) {
            self.degrees_of_closures
                .iter()
                .try_for_each(|&d| closures::closures(bench, n, d, &self.changes_of_closure))?;
        }
        for count in self.gpus.iter().filter(|_| bench.gpu_if_any().is_some()) {
            let gpus = (0..count.get() as u32).map(Gpu::open_ordinal);
            let gpus = gpus.collect::<Result<Vec<_>, _>>()?;
            for n in self.sizes_on_gpu.iter().map(|size| size.get()) {
                matrix(n, &gpus, false)?;
                // these stay on one
                if gpus.len() == 1 {
                    matrix(n, &gpus, true)?;
                }
            }
        }
        Ok(())
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("Results that follow changes");
        page.text(
            "All pairs of random digraphs: medians after an untimed run, in milliseconds. The whole \
             is what the solver takes for the graph before. Every first result was equal to that \
             of the solver for the changed graph. Taken back are the same changes in the other \
             direction. Solved 1: the update left the pairs to the solver.",
        );
        let of = |names: &[&str]| {
            records.filtered(|record| names.contains(&record.label("result")) || names.is_empty())
        };
        let (trees, closures) = (of(&[TREE, TREE_ON_GPU]), of(&[CLOSURE, CLOSURE_ON_GPU]));
        let records = of(&[PAIRS, PAIRS_ON_GPU]);
        let updates = records.filtered(|record| record.label("what") != WHOLE);
        let whole = |record: &Record| {
            let labels =
                ["result", "gpus", "n", "arcs", "next hops"].map(|name| (name, record.label(name)));
            records.of(&labels).find(&[("what", WHOLE)])?.median("ms")
        };
        let ratio = |record: &Record| Some(whole(record)? / record.median("ms")?);
        let labels = ["result", "gpus", "n", "arcs", "next hops", "what"];
        page.heading("Whole / update, by the number of changes");
        page.across(&updates, &labels, "changes", &ratio);
        page.heading("Break-even");
        page.text(
            "The least number of changes, of those measured, whose update was no faster than the whole.",
        );
        let of_kind: Vec<_> = updates.by("what");
        for (what, updates) in of_kind {
            let slower = updates.filtered(|record| ratio(record).is_some_and(|ratio| ratio <= 1.0));
            for (arcs, slower) in slower.by("arcs") {
                for (hops, slower) in slower.by("next hops") {
                    let least = slower.best(|record| Some(record.number("changes")));
                    let least = least.map_or("", |record| record.label("changes"));
                    page.text(&format!("{what}, {arcs} arcs, next hops {hops}: {least}."));
                }
            }
        }
        page.heading("All figures");
        page.list(
            &updates,
            &["result", "gpus", "n", "arcs", "next hops", "what", "changes"],
            &[
                ("ms", &median("ms")),
                ("best", &least("ms")),
                ("whole ms", &whole),
                ("whole / update", &ratio),
                ("taken back ms", &median("back_ms")),
                ("pairs searched for", &median("searched")),
                ("pairs nearer", &median("nearer")),
                ("solved", &median("solved")),
            ],
        );
        page.heading("Closures of random digraphs");
        page.text(
            "Medians of batches of new or deleted arcs: the time, and how many pairs they join or part. \
             Closed: the share of batches after which all was closed again.",
        );
        page.list(
            &closures,
            &["result", "n", "arcs", "changed", "changes"],
            &[
                ("ms", &median("ms")),
                ("pairs", &median("pairs")),
                ("closed", &median("closed")),
                ("whole ms", &median("whole_ms")),
                ("whole / update", &|record| {
                    Some(record.median("whole_ms")? / record.median("ms")?)
                }),
            ],
        );
        page.heading("Road networks, all threads");
        page.text("Medians of batches. Renewed: of how many vertices labels were made again.");
        page.list(
            &of(&[METRIC]),
            &["graph", "n", "changes"],
            &[
                ("ms", &median("ms")),
                ("whole ms", &median("whole_ms")),
                ("whole / update", &|record| {
                    Some(record.median("whole_ms")? / record.median("ms")?)
                }),
                ("labels ms", &median("labels_ms")),
                ("all labels ms", &median("all_labels_ms")),
                ("renewed", &median("renewed")),
            ],
        );
        page.heading("Trees of one source, on one thread or a GPU");
        page.text(
            "Medians of batches: the time, and how many vertices have another distance. Searched: \
             the share of batches that were left to a whole search. The whole is a search of the \
             changed graph where it is, with its tree.",
        );
        page.list(
            &trees,
            &["result", "graph", "n", "changed", "changes"],
            &[
                ("ms", &median("ms")),
                ("vertices", &median("vertices")),
                ("searched", &median("searched")),
                ("whole ms", &median("whole_ms")),
                ("whole / update", &|record| {
                    Some(record.median("whole_ms")? / record.median("ms")?)
                }),
            ],
        );
        page
    }
}

/// What the results are called.
const TREE: &str = "tree";
const TREE_ON_GPU: &str = "tree on a GPU";
const METRIC: &str = "metric";
const PAIRS: &str = "all pairs";
const PAIRS_ON_GPU: &str = "all pairs on a GPU";
const CLOSURE: &str = "closure";
const CLOSURE_ON_GPU: &str = "closure on a GPU";

impl Changes {
    /// Every kind and number of changes, and the whole, in turns.
    fn all_pairs(
        &self,
        bench: &Bench,
        graph: &Csr<i32>,
        gpus: &[Gpu],
        next_hops: bool,
    ) -> Result<()> {
        let (threads, algorithm) = (Some(bench.threads()), apsp::Algorithm::Blocked);
        let config = apsp::Config { threads, next_hops, ..apsp::Config::with(algorithm) };
        let all = RefCell::new(Followed::new(graph, &config, gpus)?);
        let record = |what: &str| {
            Record::of(&[
                ("result", &if gpus.is_empty() { PAIRS } else { PAIRS_ON_GPU }),
                ("gpus", &gpus.len()),
                ("n", &graph.n_vertices()),
                ("arcs", &graph.n_arcs()),
                ("next hops", &if next_hops { "yes" } else { "no" }),
                ("what", &what),
            ])
        };
        let whole = || Ok(vec![("ms", all.borrow().anew(&config, gpus)?)]);
        let mut contenders = vec![Contender::new(record(WHOLE), whole)];
        for (what, kind, on_paths) in KINDS {
            for k in self.changes.iter().map(|k| k.get()) {
                let (changes, back) = batch(graph, &all.borrow(), (kind, on_paths), k)?;
                let (all, config) = (&all, &config);
                let mut sum = None;
                let run = move || -> Result<Run> {
                    let mut all = all.borrow_mut();
                    let (ms, update) = timed(|| all.update(&changes));
                    let (update, found) = (update?, all.sum()?);
                    if sum.is_none() {
                        all.anew(config, gpus).context(what)?;
                    }
                    ensure!(*sum.get_or_insert(found) == found, "{what}: another sum");
                    let (back_ms, taken_back) = timed(|| all.update(&back));
                    taken_back?;
                    Ok(vec![
                        ("ms", ms),
                        ("back_ms", back_ms),
                        ("searched", update.n_searched as f64),
                        ("nearer", update.n_nearer as f64),
                        ("solved", f64::from(u8::from(update.solved.is_some()))),
                    ])
                };
                contenders.push(Contender::new(record(what).with(&[("changes", &k)]), run));
            }
        }
        bench.race(contenders).map(drop)
    }
}

/// Pairs that follow changes, in the host's memory or in a GPU's.
enum Followed {
    Here(Box<DynamicPairs<i32>>),
    OnGpu(Box<DynamicDevicePairs<i32>>),
}

impl Followed {
    fn new(graph: &Csr<i32>, config: &apsp::Config, gpus: &[Gpu]) -> Result<Self> {
        Ok(match gpus {
            [] => Self::Here(Box::new(DynamicPairs::new(graph, config, None)?)),
            _ => Self::OnGpu(Box::new(DynamicDevicePairs::new(gpus, graph, config, None)?)),
        })
    }

    fn graph(&self) -> &DynamicGraph<i32> {
        match self {
            Self::Here(all) => all.graph(),
            Self::OnGpu(all) => all.graph(),
        }
    }

    fn update(&mut self, changes: &Batch) -> Result<Updated> {
        Ok(match self {
            Self::Here(all) => all.update(changes, None)?,
            Self::OnGpu(all) => all.update(changes, None)?,
        })
    }

    fn row(&self, from: VertexId) -> Result<Vec<Option<i64>>> {
        Ok(match self {
            Self::Here(all) => all.pairs().row(from).collect(),
            Self::OnGpu(all) => all.pairs().row(from)?,
        })
    }

    /// The sum of the distances from some vertices.
    fn sum(&self) -> Result<i64> {
        let n = self.graph().n_vertices();
        let sum = |from| Ok(self.row(from as VertexId)?.into_iter().flatten().sum::<i64>());
        (0..n).step_by(n.div_ceil(SAMPLED_ROWS)).map(sum).sum()
    }

    /// The time to find all pairs anew, which are to be the same.
    fn anew(&self, config: &apsp::Config, gpus: &[Gpu]) -> Result<f64> {
        let graph = self.graph().to_csr()?;
        let (ms, are_same) = match self {
            Self::Here(all) => {
                let solver = apsp::Solver::new(&graph, config);
                let ((ms, found), all) = (timed(|| solver.solve(None)), all.pairs());
                let found = found?;
                let are_same = found.distances() == all.distances();
                (ms, are_same && found.next_hops() == all.next_hops())
            }
            Self::OnGpu(all) => {
                let (found, mut are_same) =
                    (DynamicDevicePairs::new(gpus, &graph, config, None)?, true);
                let (found, pairs) = (found.pairs(), all.pairs());
                for from in 0..graph.n_vertices() as VertexId {
                    are_same &= found.row(from)? == pairs.row(from)?;
                    are_same &= found.next_hops(from)? == pairs.next_hops(from)?;
                }
                // without the arcs' way to the GPU for the matrix
                (found.report.solve_ms + found.report.next_hops_ms, are_same)
            }
        };
        ensure!(are_same, "the pairs are others");
        Ok(ms)
    }
}

type Batch = Vec<Change<i32>>;

/// `k` changes, and those that take them back.
fn batch(
    graph: &Csr<i32>,
    pairs: &Followed,
    (kind, on_paths): (Kind, bool),
    k: usize,
) -> Result<(Batch, Batch)> {
    let (mut draws, n) = (Draws::new(k as u64), graph.n_vertices());
    let arcs: Vec<_> = graph.arcs().collect();
    let mut pairs_of_arcs = HashSet::new();
    let parallel: HashSet<_> =
        arcs.iter().map(|arc| (arc.0, arc.1)).filter(|&pair| !pairs_of_arcs.insert(pair)).collect();
    let is_on_path = |(from, to, weight): (VertexId, VertexId, i32)| {
        let row = pairs.row(from)?;
        anyhow::Ok(row[to as usize] == Some(weight.into()))
    };
    let (mut changes, mut back, mut seen) = (Batch::new(), Batch::new(), HashSet::new());
    for _ in 0..1000 * k {
        let (mut from, mut to, weight) = arcs[draws.below(arcs.len())];
        if let Kind::New = kind {
            (from, to) = (draws.below(n) as VertexId, draws.below(n) as VertexId);
        }
        let is_arc = pairs_of_arcs.contains(&(from, to));
        let is_fit = match kind {
            Kind::New => from != to && !is_arc,
            _ => !parallel.contains(&(from, to)),
        };
        if changes.len() == k || !is_fit || seen.contains(&(from, to)) {
            continue;
        }
        if on_paths && !is_on_path((from, to, weight))? {
            continue;
        }
        seen.insert((from, to));
        let reweight = |weight| Change::Reweight { from, to, weight };
        let insert = Change::Insert { from, to, weight };
        let delete = Change::Delete { from, to, weight: None };
        let (change, reverse) = match kind {
            Kind::Lowered => (reweight((weight / 2).max(1)), reweight(weight)),
            Kind::Raised => (reweight(2 * weight), reweight(weight)),
            Kind::Deleted => (delete, insert),
            Kind::New => (insert, delete),
        };
        changes.push(change);
        back.push(reverse);
    }
    ensure!(changes.len() == k, "there are no {k} such arcs; draw fewer");
    Ok((changes, back))
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

//! Results that follow batches of changes of a graph, beside finding them anew.
//!
//! All pairs: random digraphs, by a matrix of 32 bits, of which arcs become lighter or heavier, go
//! or come. Each run makes a batch, timed, and takes it back, timed by itself. The first result of
//! every batch is compared with that of the solver, distance by distance and hop by hop, and later
//! ones by their sum.
//!
//! Trees of one source, on one thread: arcs drawn at random, of which every other becomes up to half
//! heavier, the rest up to half lighter. Batches follow one another, and each tree is compared with
//! that of a search.
//!
//! Reference: ramalingam-reps-1996

use std::cell::RefCell;
use std::collections::HashSet;

use ::sssp::DynamicTrees;
use apsp::{DynamicPairs, Pairs};
use graph_formats::Change;

use super::all_pairs::in_32_bits;
use super::*;

/// Batches of each number of changes of a tree in a run.
const BATCHES: usize = 25;
/// What the whole is called among the kinds of changes.
const WHOLE: &str = "all anew";

/// Results that follow batches of changes, beside finding them anew
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench changes --changes 16,64 --degrees 216")]
pub(super) struct Changes {
    /// Vertices of the graphs whose pairs are followed
    #[arg(long, value_name = "N", default_value = "4096")]
    sizes: Vec<NonZeroUsize>,
    /// Arcs a vertex
    #[arg(long, value_name = "D", default_value = "216,8")]
    degrees: Vec<NonZeroUsize>,
    /// Changes of a batch
    #[arg(long, value_name = "K", default_value = "16,64,256,1024")]
    changes: Vec<NonZeroUsize>,
    /// Graphs whose trees are followed, with whole weights of 32 bits
    #[arg(long, value_name = "G", default_value = "new-york")]
    graphs: Vec<Graph>,
    /// Changes of a batch for a tree
    #[arg(long, value_name = "K", default_value = "1,10,100,200,400,1000,10000")]
    changes_of_tree: Vec<NonZeroUsize>,
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
            self.trees(bench, &graph, "edges", &arcs_both_ways)?;
            let (offsets, ends) = (arcs_both_ways.row_offsets(), arcs_both_ways.column_indices());
            let weights = arcs_both_ways.weights().to_vec();
            let directed = Csr::new(offsets.to_vec(), ends.to_vec(), weights)?;
            self.trees(bench, &graph, "arcs", &directed)?;
        }
        for n in self.sizes.iter().map(|size| size.get()) {
            for degree in self.degrees.iter().map(|degree| degree.get()) {
                let graph = in_32_bits(n, degree)?.convert_weights::<i32>()?;
                for next_hops in [false, true] {
                    self.all_pairs(bench, &graph, next_hops)?;
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
        let (trees, records) = (
            records.filtered(|record| record.label("result") == TREE),
            records.filtered(|record| record.label("result") != TREE),
        );
        let updates = records.filtered(|record| record.label("what") != WHOLE);
        let whole = |record: &Record| {
            let labels =
                ["result", "n", "arcs", "next hops"].map(|name| (name, record.label(name)));
            records.of(&labels).find(&[("what", WHOLE)])?.median("ms")
        };
        let ratio = |record: &Record| Some(whole(record)? / record.median("ms")?);
        let labels = ["result", "n", "arcs", "next hops", "what"];
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
            &["result", "n", "arcs", "next hops", "what", "changes"],
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
        page.heading("Trees of one source, one thread");
        page.text(
            "Medians of batches: the time, and how many vertices have another distance. Searched: \
             the share of batches that were left to a whole search.",
        );
        page.list(
            &trees,
            &["graph", "n", "changed", "changes"],
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

/// What a tree is called among the results.
const TREE: &str = "tree";

impl Changes {
    /// Batches of each number of changes of a graph, for one source in each run.
    fn trees(&self, bench: &Bench, name: &Graph, changed: &str, graph: &Csr<u32>) -> Result<()> {
        let arcs: Vec<_> = graph.arcs().filter(|(from, to, _)| from < to).collect();
        let n = graph.n_vertices();
        let contenders = self.changes_of_tree.iter().map(|k| {
            let labels: [(&str, &dyn std::fmt::Display); 5] = [
                ("result", &TREE),
                ("graph", name),
                ("n", &n),
                ("changed", &changed),
                ("changes", k),
            ];
            let (mut draws, arcs) = (Draws::new(k.get() as u64), &arcs);
            Contender::new(Record::of(&labels), move || tree(graph, arcs, k.get(), &mut draws))
        });
        bench.race(contenders.collect()).map(drop)
    }
    /// Every kind and number of changes, and the whole, in turns.
    fn all_pairs(&self, bench: &Bench, graph: &Csr<i32>, next_hops: bool) -> Result<()> {
        let threads = Some(bench.threads());
        let algorithm = apsp::Algorithm::Blocked;
        let config = apsp::Config { threads, next_hops, ..apsp::Config::with(algorithm) };
        let all = RefCell::new(DynamicPairs::new(graph, &config, None)?);
        let record = |what: &str| {
            Record::of(&[
                ("result", &"all pairs"),
                ("n", &graph.n_vertices()),
                ("arcs", &graph.n_arcs()),
                ("next hops", &if next_hops { "yes" } else { "no" }),
                ("what", &what),
            ])
        };
        let solve = |graph: &Csr<i32>| apsp::Solver::new(graph, &config).solve(None);
        let whole = || -> Result<Run> {
            let (ms, pairs) = timed(|| solve(graph));
            ensure!(same(&pairs?, all.borrow().pairs()), "the pairs before are others");
            Ok(vec![("ms", ms)])
        };
        let mut contenders = vec![Contender::new(record(WHOLE), whole)];
        for (what, kind, on_paths) in KINDS {
            for k in self.changes.iter().map(|k| k.get()) {
                let (changes, back) = batch(graph, all.borrow().pairs(), (kind, on_paths), k)?;
                let (all, solve) = (&all, &solve);
                let mut sum = None;
                let run = move || -> Result<Run> {
                    let mut all = all.borrow_mut();
                    let (ms, update) = timed(|| all.update(&changes, None));
                    let update = update?;
                    let found = all.pairs().distances().context("pairs in memory")?.sum();
                    if sum.is_none() {
                        let expected = solve(&all.graph().to_csr()?)?;
                        ensure!(same(&expected, all.pairs()), "{what}: the pairs are others");
                    }
                    ensure!(*sum.get_or_insert(found) == found, "{what}: another sum");
                    let (back_ms, taken_back) = timed(|| all.update(&back, None));
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

fn same(a: &Pairs<i32>, b: &Pairs<i32>) -> bool {
    a.distances() == b.distances() && a.next_hops() == b.next_hops()
}

type Batch = Vec<Change<i32>>;

/// `k` changes, and those that take them back.
fn batch(
    graph: &Csr<i32>,
    pairs: &Pairs<i32>,
    (kind, on_paths): (Kind, bool),
    k: usize,
) -> Result<(Batch, Batch)> {
    let (mut draws, n) = (Draws::new(k as u64), graph.n_vertices());
    let arcs: Vec<_> = graph.arcs().collect();
    let mut pairs_of_arcs = HashSet::new();
    let parallel: HashSet<_> =
        arcs.iter().map(|arc| (arc.0, arc.1)).filter(|&pair| !pairs_of_arcs.insert(pair)).collect();
    let distances = pairs.distances().context("pairs in memory")?;
    let is_on_path = |(from, to, weight): (VertexId, VertexId, i32)| {
        distances.get(from as usize, to as usize) == Some(weight.into())
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
            _ => !parallel.contains(&(from, to)) && (!on_paths || is_on_path((from, to, weight))),
        };
        if changes.len() == k || !is_fit || !seen.insert((from, to)) {
            continue;
        }
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

/// The medians of batches of `k` changes, one after another.
fn tree(
    graph: &Csr<u32>,
    arcs: &[(VertexId, VertexId, u32)],
    k: usize,
    draws: &mut Draws,
) -> Result<Run> {
    let config = Config { threads: Some(NonZeroUsize::MIN), ..Config::default() };
    let source = arcs[draws.below(arcs.len())].0;
    let mut trees = DynamicTrees::new(graph, &[source], &config)?;
    let [mut ms, mut vertices, mut whole_ms, mut searched] = [(); 4].map(|()| Vec::new());
    for _ in 0..BATCHES {
        let mut seen = HashSet::new();
        let mut changes = Vec::new();
        for at in 0..k {
            let (from, to, _) = arcs[draws.below(arcs.len())];
            let weight = trees.graph().weight(from, to).context("no arc is deleted")?;
            let by = draws.below(weight as usize / 2 + 1) as u32;
            let weight = if at % 2 == 0 { weight.saturating_add(by) } else { weight - by };
            if seen.insert((from, to)) {
                changes.push(Change::Reweight { from, to, weight });
            }
        }
        let (time, updated) = timed(|| trees.update(&changes, None));
        let updated = updated?;
        ms.push(time);
        vertices.push(updated[0].changed.len() as f64);
        searched.push(f64::from(u8::from(updated[0].is_new_search)));
        let now = trees.graph().to_csr()?;
        let mut solver = Solver::new(&now, &config)?;
        let (time, expected) = timed(|| solver.tree(source, Goal::All));
        whole_ms.push(time);
        ensure!(expected?.answer == *trees.tree(0), "the tree is another");
    }
    let searched = searched.iter().sum::<f64>() / BATCHES as f64;
    Ok(vec![
        ("ms", middle(ms)),
        ("vertices", middle(vertices)),
        ("whole_ms", middle(whole_ms)),
        ("searched", searched),
    ])
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

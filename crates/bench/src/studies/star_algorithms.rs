//! The graph algorithms as recorded programs, beside their usual sequential forms on the same
//! graphs: where working on columns of bits pays.
//!
//! A program runs on the machine of the host, on one thread, and on a GPU in one launch, all
//! tables resident. Every answer is certified in the run that made it.
//!
//! Reference: snytnikova-nepomniaschaya-2016

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use ::sssp::Algorithm::Dijkstra;
use graph_formats::Coo;
use paths::{Tree, certificate, spanning};
use petgraph::unionfind::UnionFind;
use star_machine::algorithms::{
    self, Change, EdgeList, Room, Runner, Task, WeightMatrix, dynamic_mst, kruskal, prim,
};
use star_machine::{Host, Slice, Table};

use super::*;

/// Arcs out of a vertex, in the mean.
const DEGREE: usize = 16;
/// The greatest weight of edges of forests.
const HEAVIEST: usize = (1 << 16) - 1;
/// The longest path that distances from a vertex may have, and those between all.
const LONGEST: usize = (1 << 32) - 2;
const LONGEST_OF_PAIRS: usize = (1 << 16) - 2;
/// Where Prim's tree starts.
const ROOT: VertexId = 0;
/// The solvers: the usual method, and the STAR-machine in the memory of the host and on a GPU.
const USUAL: &str = "1 thread";
const ON_HOST: &str = "STAR-machine, 1 thread";
const ON_GPU: &str = "STAR-machine, GPU";
/// What a change did.
const KINDS: [&str; 3] =
    ["an edge comes into the forest", "an edge of the forest goes", "the forest stays"];

type Edge = (VertexId, VertexId, i64);

/// The STAR-machine's graph algorithms: recorded programs beside the usual sequential forms
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  cargo xtask bench star-algorithms --forest-edges 100000")]
pub(super) struct StarAlgorithms {
    /// Dijkstra: vertices, with 16 arcs each and distances of 32 bits
    #[arg(long, value_name = "N", default_value = "8192")]
    search_vertices: usize,
    /// Kruskal and Prim: edges
    #[arg(long, value_name = "M", default_value = "1000000")]
    forest_edges: usize,
    /// Kruskal and Prim: vertices, with weights of 16 bits
    #[arg(long, value_name = "N", default_value = "16384")]
    forest_vertices: usize,
    /// Floyd: vertices, with 16 arcs each and distances of 16 bits
    #[arg(long, value_name = "N", default_value = "1024")]
    pairs_vertices: usize,
    /// The changing forest: edges
    #[arg(long, value_name = "M", default_value = "100000")]
    changing_edges: usize,
    /// The changing forest: vertices
    #[arg(long, value_name = "N", default_value = "10000")]
    changing_vertices: usize,
    /// The changing forest: edges that come or go
    #[arg(long, value_name = "K", default_value = "1000")]
    changes: usize,
}

impl Study for StarAlgorithms {
    const NAME: &'static str = "star-algorithms";

    fn measure(&self, bench: &Bench) -> Result<()> {
        dijkstra(bench, self.search_vertices)?;
        forests(bench, self.forest_vertices, self.forest_edges)?;
        changing_forest(bench, self.changing_vertices, self.changing_edges, self.changes)?;
        floyd(bench, self.pairs_vertices)
    }

    fn page(records: &Records) -> Page {
        let mut page = Page::new("The STAR-machine's graph algorithms");
        page.text(
            "Recorded programs, all tables resident: on the machine of the host, and in one launch \
             on a GPU, beside what is usual on the same graphs; bits are those of weights or \
             distances. Every answer was certified. Bit-serial work pays where the last column is \
             above 1.",
        );
        for (algorithm, records) in records.by("algorithm") {
            page.heading(algorithm);
            let usual = records.iter().next().and_then(|record| record.median("ms"));
            page.list(
                &records,
                &["n", "arcs", "bits", "form", "on", "units", "unit"],
                &[
                    ("ms", &median("ms")),
                    ("best", &least("ms")),
                    ("µs a unit", &|r| Some(r.median("ms")? * 1e3 / r.number("units"))),
                    ("usual / this", &|record| Some(usual? / record.median("ms")?)),
                ],
            );
        }
        page
    }
}

/// The labels of an algorithm on a graph; `units` are what its time is divided by.
fn problem(name: &str, (n, m, bits): (usize, usize, usize), units: (usize, &str)) -> Record {
    let graph = Record::of(&[("algorithm", &name), ("n", &n), ("arcs", &m), ("bits", &bits)]);
    graph.with(&[("units", &units.0), ("unit", &units.1)])
}

/// A contender that solves it in some form: a run returns its milliseconds, and has checked its
/// answer.
fn contender<'a>(
    (problem, form, on): (&Record, &str, &str),
    mut run: impl FnMut() -> Result<f64> + 'a,
) -> Contender<'a> {
    let record = problem.clone().with(&[("form", &form), ("on", &on)]);
    Contender::new(record, move || Ok(vec![("ms", run()?)]))
}

/// The usual forms, beside a program on the machine of the host and on a GPU.
fn race<'a>(
    bench: &'a Bench,
    problem: &Record,
    usual: Vec<Contender<'a>>,
    (form, task): (&str, &Task),
    check: &dyn Fn(&mut dyn Runner) -> Result<()>,
) -> Result<()> {
    let (mut host, mut contenders): (_, Vec<Contender<'_>>) = (Host::new(), usual);
    if bench.on_cpu() {
        let mut on_host = task.on(&mut host)?;
        contenders.push(contender((problem, form, ON_HOST), move || {
            let (ms, ran) = timed(|| bench.one.install(|| on_host.run()));
            ran?;
            check(&mut on_host).map(|()| ms)
        }));
    }
    if let Some(gpu) = bench.gpu_if_any() {
        let mut on_gpu = task.load(gpu)?;
        contenders.push(contender((problem, form, ON_GPU), move || {
            let (ms, ran) = timed(|| on_gpu.run());
            ran?;
            check(&mut on_gpu).map(|()| ms)
        }));
    }
    bench.race(contenders).map(drop)
}

/// From vertex 0, beside the algorithm of the crate sssp.
fn dijkstra(bench: &Bench, n: usize) -> Result<()> {
    let arcs = random(n, DEGREE * n, LONGEST)?;
    let graph = graph(n, &arcs)?;
    let matrix = WeightMatrix::leaving(n, &arcs)?;
    let config = Config { threads: Some(NonZeroUsize::MIN), ..Config::with(Dijkstra(None)) };
    let mut solver = Solver::new(&graph, &config)?;
    let settled = solver.distances(0, Goal::All)?.n_reached();
    let problem = problem("Dijkstra", (n, arcs.len(), matrix.bits()), (settled, "settled vertex"));
    let task = algorithms::dijkstra(&matrix, 0)?;
    drop(matrix);
    let is_right = |tree: Tree<u32>| Ok(certificate::check_tree(&graph, &tree)?);
    let usual = contender((&problem, "sssp dijkstra", USUAL), || {
        let (ms, tree) = timed(|| solver.tree(0, Goal::All));
        is_right(tree?.answer).map(|()| ms)
    });
    race(bench, &problem, vec![usual], ("DIJKSTRA", &task), &|run| {
        let is_reached = run.slice("Z")?;
        let distances = is_reached.iter().zip(run.table("D")?.to_values()?);
        let distances = distances.map(|(is_reached, d)| is_reached.then_some(d)).collect();
        is_right(tree(0, distances, run.table("P")?.to_values()?))
    })
}

/// Between all vertices with next hops, beside the blocked form of the crate apsp.
fn floyd(bench: &Bench, n: usize) -> Result<()> {
    let arcs = random(n, DEGREE * n, LONGEST_OF_PAIRS)?;
    let graph = graph(n, &arcs)?;
    let reversed = graph.transposed();
    let matrix = WeightMatrix::entering(n, &arcs)?;
    let problem = problem("Floyd", (n, arcs.len(), matrix.bits()), (n * n, "field relaxed"));
    let blocked = apsp::Config::with(apsp::Algorithm::Blocked);
    let config = apsp::Config { threads: Some(NonZeroUsize::MIN), next_hops: true, ..blocked };
    let mut contenders = Vec::new();
    for gpu in [None].into_iter().chain(bench.gpu_if_any().map(Some)) {
        let on = if gpu.is_some() { "GPU" } else { USUAL };
        let (graph, solver) = (&graph, apsp::Solver::new(&graph, &config));
        let solver = gpu.map(slice::from_ref).into_iter().fold(solver, apsp::Solver::on);
        contenders.push(contender((&problem, "apsp blocked", on), move || {
            let pairs = solver.solve(None)?;
            let answer = pairs.distances().zip(pairs.next_hops());
            let (distances, hops) = answer.context("it has no next hops")?;
            certificate::check_next_hops(graph, distances, hops)?;
            Ok(pairs.report.solve_ms + pairs.report.next_hops_ms)
        }));
    }
    let (task, start) = (algorithms::floyd(&matrix)?, matrix.value());
    race(bench, &problem, contenders, ("FLOYD", &task), &|run| {
        let (distances, hops) = (run.table("D")?, run.table("N")?);
        // with every arc reversed, hops to a vertex are predecessors from it
        for to in graph.vertices() {
            let field = |table: &Table| {
                let (at, bits) = (to as usize, table.columns() / n);
                table.field(at * bits..(at + 1) * bits)?.to_values()
            };
            let is_path = |d: u64| (d != (1 << matrix.bits()) - 1).then_some(d);
            let distances = field(&distances)?.into_iter().map(is_path).collect();
            certificate::check_tree(&reversed, &tree(to, distances, field(&hops)?))?;
        }
        // it lies where the distances are now
        Ok(run.set("D", &start)?)
    })
}

/// What a program has left: the codes of vertices that are not reached say nothing.
fn tree(source: VertexId, distances: Vec<Option<u64>>, before: Vec<u64>) -> Tree<u32> {
    let is_below = |v: VertexId, d: Option<u64>| d.is_some() && v != source;
    let all = (0..).zip(&distances).zip(before);
    let predecessors = all.map(|((v, d), u)| is_below(v, *d).then_some(u as VertexId)).collect();
    Tree { source, limit: None, predecessors, distances: distances.into_iter().collect() }
}

/// A minimum spanning forest and a tree, beside the usual forms with a sorted list and a heap.
fn forests(bench: &Bench, n: usize, m: usize) -> Result<()> {
    let arcs = random(n, m, n * HEAVIEST)?;
    let (edges, list) = (coo(n, &arcs)?, EdgeList::new(n, &arcs)?);
    // the weight of an arc is the number of its edge
    let numbered: Vec<_> = (0..).zip(&arcs).map(|(e, &(u, v, _))| (u, v, e)).collect();
    let graph = Csr::from_edges(n, &numbered)?;
    let is_forest = |found: &[usize]| Ok(spanning::check_spanning_forest(&edges, found)?);
    let is_tree = |found: &[usize]| Ok(spanning::check_spanning_tree(&edges, ROOT, found)?);
    let (sort, heap) = (|| by_sorting(&edges), || by_heap(&graph, edges.weights()));
    let size = (n, m, list.weight_bits());
    let kruskals = problem("Kruskal", size, (sort().len(), "tree edge"));
    let prims = problem("Prim", size, (heap().len(), "tree edge"));
    forest(bench, &kruskals, ("sorted edges", &sort), ("KRUSKAL", &kruskal(&list)?), &is_forest)?;
    forest(bench, &prims, ("binary heap", &heap), ("PRIM", &prim(&list, ROOT)?), &is_tree)
}

/// A usual form beside a program whose `T` marks edges.
fn forest(
    bench: &Bench,
    problem: &Record,
    (usual, solve): (&str, &dyn Fn() -> Vec<usize>),
    program: (&str, &Task),
    check: &dyn Fn(&[usize]) -> Result<()>,
) -> Result<()> {
    let usual = contender((problem, usual, USUAL), || {
        let (ms, found) = timed(solve);
        check(&found).map(|()| ms)
    });
    race(bench, problem, vec![usual], program, &|run| {
        check(&run.slice("T")?.positions().collect::<Vec<_>>())
    })
}

/// The lightest edge first, unless its ends are joined already.
fn by_sorting(edges: &Coo<i64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.n_arcs()).collect();
    order.sort_unstable_by_key(|&e| edges.weights()[e]);
    let mut trees = UnionFind::new(edges.n_vertices());
    order.retain(|&e| trees.union(edges.sources()[e], edges.destinations()[e]));
    order
}

/// The lightest edge out of the tree first; an edge stays in the heap until it is taken.
fn by_heap(graph: &Csr<u32>, weights: &[i64]) -> Vec<usize> {
    let mut is_in = vec![false; graph.n_vertices()];
    let (mut tree, mut heap) = (Vec::new(), BinaryHeap::new());
    let mut next = Some((ROOT, None));
    while let Some((u, by)) = next {
        if !mem::replace(&mut is_in[u as usize], true) {
            tree.extend(by);
            let row = graph.row(u);
            let arcs = graph.column_indices()[row.clone()].iter().zip(&graph.weights()[row]);
            let out = arcs.filter(|&(&v, _)| !is_in[v as usize]);
            heap.extend(out.map(|(&v, &e)| Reverse((weights[e as usize] as u32, e, v))));
        }
        next = heap.pop().map(|Reverse((_, e, v))| (v, Some(e as usize)));
    }
    tree
}

/// A minimum spanning forest while edges come and go in turn, beside making it from scratch.
fn changing_forest(bench: &Bench, n: usize, m: usize, n_changes: usize) -> Result<()> {
    let arcs = random(n, m, n * HEAVIEST)?;
    let (edges, list) = (coo(n, &arcs)?, EdgeList::new(n, &arcs)?);
    let problem = problem("Changing forest", (n, m, list.weight_bits()), (1, "change"));
    let usual = || by_sorting(&edges);
    let program = ("KRUSKAL, from scratch", &kruskal(&list)?);
    let is_forest = |found: &[usize]| Ok(spanning::check_spanning_forest(&edges, found)?);
    forest(bench, &problem, ("sorted edges, from scratch", &usual), program, &is_forest)?;

    let changes = changes(n, &arcs, n_changes)?;
    let room = Room::for_changes(n, &arcs, &changes);
    let dynamic = dynamic_mst(n, &arcs, &room)?;
    // that the machine is told of a change, and asked for its row, is in the time
    let changed = |on: &str, run: &mut dyn Runner| -> Result<[Record; 3]> {
        let mut records = KINDS.map(|kind| problem.clone().with(&[("form", &kind), ("on", &on)]));
        let mut rows: Vec<Option<Edge>> = arcs.iter().copied().map(Some).collect();
        rows.resize(room.n_edges, None);
        dynamic.build(run)?;
        let mut forest = run.slice("T")?;
        for &change in &changes {
            let (ms, row) = timed(|| dynamic.apply(run, change));
            let (edge, kind) = match change {
                Change::Insert { u, v, w } => (Some((u, v, w)), 0),
                _ => (None, 1),
            };
            rows[row?] = edge;
            let before = mem::replace(&mut forest, run.slice("T")?);
            certify(n, &rows, &forest).with_context(|| format!("after {change}"))?;
            records[if before == forest { 2 } else { kind }].push(vec![("ms", ms)]);
        }
        Ok(records)
    };
    if bench.on_cpu() {
        let mut host = Host::new();
        let mut run = dynamic.task().on(&mut host)?;
        bench.records().extend(bench.one.install(|| changed(ON_HOST, &mut run))?);
    }
    if let Some(gpu) = bench.gpu_if_any() {
        bench.records().extend(changed(ON_GPU, &mut dynamic.task().load(gpu)?)?);
    }
    Ok(())
}

/// Edges come and go in turn, those that go drawn from all.
fn changes(n: usize, edges: &[Edge], n_changes: usize) -> Result<Vec<Change>> {
    let mut draws = Draws::new(n_changes as u64);
    let mut there = edges.to_vec();
    let come = random(n, n_changes, n * HEAVIEST)?;
    let change = |(turn, (u, v, w))| {
        if turn % 2 == 1 && !there.is_empty() {
            let (u, v, w) = there.swap_remove(draws.below(there.len()));
            return Change::Delete { u, v, w: Some(w) };
        }
        there.push((u, v, w));
        Change::Insert { u, v, w }
    };
    Ok(come.into_iter().enumerate().map(change).collect())
}

/// That these rows are a minimum spanning forest of the edges that there are.
fn certify(n: usize, rows: &[Option<Edge>], forest: &Slice) -> Result<()> {
    let there = rows.iter().zip(forest.iter()).filter_map(|(edge, bit)| Some(((*edge)?, bit)));
    let (edges, marks): (Vec<_>, Vec<_>) = there.unzip();
    let found: Vec<usize> = (0..edges.len()).filter(|&at| marks[at]).collect();
    ensure!(found.len() == forest.positions().count(), "the forest has a row without an edge");
    Ok(spanning::check_spanning_forest(&coo(n, &edges)?, &found)?)
}

/// Arcs between vertices in no order, none of them a loop, with the greatest weights that allow no
/// longer path.
fn random(n: usize, m: usize, longest: usize) -> Result<Vec<Edge>> {
    ensure!(n > 1, "a graph needs two vertices to have arcs");
    let heaviest = longest / n;
    ensure!(heaviest > 0, "{n} vertices have longer paths");
    let mut draws = Draws::new(m as u64);
    let mut arc = |_| {
        let u = draws.below(n);
        let v = (u + 1 + draws.below(n - 1)) % n;
        (u as VertexId, v as VertexId, 1 + draws.below(heaviest) as i64)
    };
    Ok((0..m).map(&mut arc).collect())
}

fn graph(n: usize, arcs: &[Edge]) -> Result<Csr<u32>> {
    let arcs: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, w as u32)).collect();
    Ok(Csr::from_arcs(n, &arcs)?)
}

fn coo(n: usize, edges: &[Edge]) -> Result<Coo<i64>> {
    let (tails, heads) = edges.iter().map(|edge| (edge.0, edge.1)).unzip();
    Ok(Coo::new(n, tails, heads, edges.iter().map(|edge| edge.2).collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_forest_is_noticed() {
        let rows = [Some((0, 1, 3)), None, Some((1, 2, 4)), Some((0, 2, 5))];
        let is_right = |marks| certify(3, &rows, &Slice::from_bits(marks).unwrap()).is_ok();
        assert!(is_right(&[true, false, true, false]));
        assert!(!is_right(&[true, false, false, true]) && !is_right(&[true, true, false, false]));
    }
}

//! Trees of one source, on one thread: arcs drawn at random, of which every other becomes up to half
//! heavier, the rest up to half lighter. Batches follow one another, and each tree is compared with
//! that of a search.
//!
//! On a GPU a quarter of the arcs become heavier, a quarter lighter, a quarter go, and as many come, with
//! ends drawn at random. Beside them stand searches of the graph after the last batch, whose arrays are
//! on the GPU; the last trees are compared.

use ::sssp::DynamicTrees;
use ::sssp::gpu::{Arrays, DeviceSolver, DynamicDeviceTrees, Indices};

use super::*;

/// Batches of each number of changes of a tree in a run.
const BATCHES: usize = 25;

/// The same on a GPU.
const BATCHES_ON_GPU: usize = 9;

/// Batches of each number of changes of a graph, for one source in each run.
pub(super) fn trees(
    bench: &Bench,
    name: &Graph,
    (changed, changes): (&str, &[NonZeroUsize]),
    graph: &Csr<u32>,
) -> Result<()> {
    let arcs: Vec<_> = graph.arcs().filter(|(from, to, _)| from < to).collect();
    let n = graph.n_vertices();
    let contenders = changes.iter().map(|k| {
        let labels: [(&str, &dyn std::fmt::Display); 5] =
            [("result", &TREE), ("graph", name), ("n", &n), ("changed", &changed), ("changes", k)];
        let (mut draws, arcs) = (Draws::new(k.get() as u64), &arcs);
        Contender::new(Record::of(&labels), move || tree(graph, arcs, k.get(), &mut draws))
    });
    bench.race(contenders.collect()).map(drop)
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

/// Batches of each number of changes of a graph on a GPU, for one source in each run.
pub(super) fn on_gpu(
    bench: &Bench,
    gpu: &Gpu,
    name: &Graph,
    changes: &[NonZeroUsize],
    graph: &Csr<u32>,
) -> Result<()> {
    let arcs: Vec<_> = graph.arcs().filter(|(from, to, _)| from < to).collect();
    let n = graph.n_vertices();
    let contenders = changes.iter().map(|k| {
        let labels: [(&str, &dyn std::fmt::Display); 5] = [
            ("result", &TREE_ON_GPU),
            ("graph", name),
            ("n", &n),
            ("changed", &"mixed"),
            ("changes", k),
        ];
        let (mut draws, arcs) = (Draws::new(k.get() as u64), &arcs);
        let run = move || tree_on_gpu(gpu, graph, arcs, k.get(), &mut draws);
        Contender::new(Record::of(&labels), run)
    });
    bench.race(contenders.collect()).map(drop)
}

fn tree_on_gpu(
    gpu: &Gpu,
    graph: &Csr<u32>,
    arcs: &[(VertexId, VertexId, u32)],
    k: usize,
    draws: &mut Draws,
) -> Result<Run> {
    let source = arcs[draws.below(arcs.len())].0;
    let mut trees = DynamicDeviceTrees::new(gpu, graph, &[source])?;
    let [mut ms, mut vertices, mut whole_ms, mut searched] = [(); 4].map(|()| Vec::new());
    for _ in 0..BATCHES_ON_GPU {
        let changes = mixed(trees.graph(), arcs, k, draws);
        let (time, updated) = timed(|| trees.update(&changes));
        let updated = updated?;
        ms.push(time);
        vertices.push(updated[0].changed.len() as f64);
        searched.push(f64::from(u8::from(updated[0].is_new_search)));
    }
    let now = trees.graph().to_csr()?;
    let (offsets, ends) = (gpu.upload(now.row_offsets())?, gpu.upload(now.column_indices())?);
    let weights = gpu.upload(now.weights())?;
    let (offsets, ends) = (Indices::U64(&offsets), Indices::U32(&ends));
    let mut solver = DeviceSolver::new(gpu, &Arrays { offsets, ends, weights: &weights })?;
    let found = trees.tree(0)?;
    for _ in 0..BATCHES_ON_GPU {
        let (time, expected) = timed(|| {
            let distances = solver.distances::<u32>(source, Goal::All, None)?;
            anyhow::Ok((distances, solver.predecessors()?))
        });
        whole_ms.push(time);
        let (distances, predecessors) = expected?;
        let lengths = distances.download()?.into_iter().map(|length| match length {
            u32::MAX => None,
            length => Some(length.into()),
        });
        ensure!(lengths.eq(now.vertices().map(|v| found.distance(v))), "distances are others");
        let same = predecessors.download()? == found.predecessors.as_storage();
        ensure!(same, "predecessors are others");
    }
    let searched = searched.iter().sum::<f64>() / BATCHES_ON_GPU as f64;
    Ok(vec![
        ("ms", middle(ms)),
        ("vertices", middle(vertices)),
        ("whole_ms", middle(whole_ms)),
        ("searched", searched),
    ])
}

/// Changes of about `k` edges: heavier, lighter, gone and new ones in turn.
fn mixed(
    graph: &DynamicGraph<u32>,
    arcs: &[(VertexId, VertexId, u32)],
    k: usize,
    draws: &mut Draws,
) -> Vec<Change<u32>> {
    let mut seen = HashSet::new();
    let mut changes = Vec::new();
    for at in 0..k {
        let (mut from, mut to, weight) = arcs[draws.below(arcs.len())];
        if at % 4 == 3 {
            let ends = [(); 2].map(|()| draws.below(graph.n_vertices()) as VertexId);
            (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        if !seen.insert((from, to)) {
            continue;
        }
        // an earlier batch may have deleted it
        let own = graph.weight(from, to);
        changes.push(match (at % 4, own) {
            (0, Some(own)) => Change::Reweight { from, to, weight: own.saturating_add(own / 2) },
            (1, Some(own)) => Change::Reweight { from, to, weight: own / 2 + 1 },
            (2, Some(_)) => Change::Delete { from, to, weight: None },
            _ => Change::Insert { from, to, weight },
        });
    }
    changes
}

//! Trees of one source, on one thread: arcs drawn at random, of which every other becomes up to half
//! heavier, the rest up to half lighter. Batches follow one another, and each tree is compared with
//! that of a search.

use ::sssp::DynamicTrees;

use super::*;

/// Batches of each number of changes of a tree in a run.
const BATCHES: usize = 25;

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

//! Road metrics and their labels, on all threads: arcs drawn at random, of which every other becomes
//! up to half heavier, the rest up to half lighter. Batches follow one another. Each metric is
//! compared with one customized from nothing, and labels with labels of that, by random pairs.

use hierarchy::{Hierarchy, Metric, Order};

use super::*;

/// Batches of each number of changes in a run.
const BATCHES: usize = 25;
/// Pairs by which results are compared.
const PAIRS: usize = 1000;

/// Batches of each number of changes of a graph.
pub(super) fn hierarchies(
    bench: &Bench,
    name: &Graph,
    changes: &[NonZeroUsize],
    graph: &Csr<u32>,
) -> Result<()> {
    let prepare = || Hierarchy::new(graph, &Order::by_landmarks(graph)?);
    let hierarchy = &bench.all.install(prepare)?;
    let contenders = changes.iter().map(|k| {
        let labels: [(&str, &dyn std::fmt::Display); 4] =
            [("result", &METRIC), ("graph", name), ("n", &graph.n_vertices()), ("changes", k)];
        let mut draws = Draws::new(k.get() as u64);
        let run = move || bench.all.install(|| follow(hierarchy, graph, k.get(), &mut draws));
        Contender::new(Record::of(&labels), run)
    });
    bench.race(contenders.collect()).map(drop)
}

/// The medians of batches of `k` changes, one after another.
fn follow(hierarchy: &Hierarchy, graph: &Csr<u32>, k: usize, draws: &mut Draws) -> Result<Run> {
    let mut metric = hierarchy.customize(graph)?;
    let [mut ms, mut whole_ms] = [(); 2].map(|()| Vec::new());
    let [mut labels_ms, mut all_labels_ms, mut renewed] = [(); 3].map(|()| Vec::new());
    let mut labels = metric.labels()?;
    for _ in 0..BATCHES {
        let changes: Vec<_> = (0..k).map(|at| changed(&metric, at, draws)).collect();
        // there and back: the memory that the labels share is copied before
        let weight = metric.graph().weight(0);
        metric.update(&[(0, weight + 1)])?;
        metric.update(&[(0, weight)])?;
        let (time, updated) = timed(|| metric.update(&changes));
        updated?;
        ms.push(time);
        let now = metric.graph().clone();
        let (time, whole) = timed(|| hierarchy.customize(&now));
        let whole = whole?;
        whole_ms.push(time);
        let (time, n_renewed) = timed(|| labels.renew(&metric));
        labels_ms.push(time);
        renewed.push(n_renewed? as f64);
        let (time, made) = timed(|| whole.labels());
        all_labels_ms.push(time);
        let mut vertex = || draws.below(graph.n_vertices()) as VertexId;
        let pairs: Vec<_> = (0..PAIRS).map(|_| (vertex(), vertex())).collect();
        let expected = made?.pairs(&pairs)?;
        ensure!(labels.pairs(&pairs)? == expected, "the labels are others");
        ensure!(metric.pairs(&pairs)?.into_iter().eq(expected.iter()), "the metric is another");
    }
    Ok(vec![
        ("ms", middle(ms)),
        ("whole_ms", middle(whole_ms)),
        ("labels_ms", middle(labels_ms)),
        ("all_labels_ms", middle(all_labels_ms)),
        ("renewed", middle(renewed)),
    ])
}

/// A random arc with another weight.
fn changed(metric: &Metric<u32>, at: usize, draws: &mut Draws) -> (usize, u32) {
    let arc = draws.below(metric.graph().n_arcs());
    let weight = metric.graph().weight(arc);
    let by = draws.below(weight as usize / 2 + 1) as u32;
    (arc, if at.is_multiple_of(2) { weight.saturating_add(by) } else { weight - by })
}

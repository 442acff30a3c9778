//! Closures of random digraphs whose arcs come or go, in batches that follow one another. Each is
//! compared with that of the graph, found anew.

use ::closure::{DynamicClosure, DynamicDeviceClosure};
use rayon::ThreadPoolBuilder;

use super::*;

/// Batches in a run.
const BATCHES_OF_CLOSURE: usize = 5;

/// Batches of changes of a digraph, on all threads, and on a GPU where there is one.
pub(super) fn closures(
    bench: &Bench,
    n: usize,
    degree: f64,
    changes: &[NonZeroUsize],
) -> Result<()> {
    let mut draws = Draws::new(1);
    let mut draw = || (draws.below(n) as VertexId, draws.below(n) as VertexId, 1u32);
    let n_arcs = (n as f64 * degree) as usize;
    let graph = &Csr::from_arcs(n, &(0..n_arcs).map(|_| draw()).collect::<Vec<_>>())?;
    let threads = ThreadPoolBuilder::new().num_threads(bench.threads().get()).build()?;
    let threads = &threads;
    let mut contenders = Vec::new();
    for (k, are_new) in changes.iter().flat_map(|k| [(k.get(), true), (k.get(), false)]) {
        let changed = if are_new { "new" } else { "deleted" };
        let record = |result: &str| {
            let labels: [(&str, &dyn std::fmt::Display); 5] = [
                ("result", &result),
                ("n", &n),
                ("arcs", &n_arcs),
                ("changed", &changed),
                ("changes", &k),
            ];
            Record::of(&labels)
        };
        let mut draws = Draws::new(2);
        let run = move || threads.install(|| batches(graph, k, are_new, None, &mut draws));
        contenders.push(Contender::new(record(CLOSURE), run));
        if let Some(gpu) = bench.gpu_if_any() {
            let mut draws = Draws::new(2);
            let run = move || batches(graph, k, are_new, Some(gpu), &mut draws);
            contenders.push(Contender::new(record(CLOSURE_ON_GPU), run));
        }
    }
    bench.race(contenders).map(drop)
}

/// The medians of batches of `k` new or deleted arcs, one after another.
fn batches(
    graph: &Csr<u32>,
    k: usize,
    are_new: bool,
    gpu: Option<&Gpu>,
    draws: &mut Draws,
) -> Result<Run> {
    let arcs: Vec<_> = graph.arcs().collect();
    let (config, n) = (::closure::Config::default(), graph.n_vertices());
    let mut here = DynamicClosure::new(graph, &config, None)?;
    let on_gpu = gpu.map(|gpu| DynamicDeviceClosure::new(gpu, graph, &config, None));
    let mut on_gpu = on_gpu.transpose()?;
    let [mut ms, mut pairs, mut closed, mut whole_ms] = [(); 4].map(|()| Vec::new());
    for _ in 0..BATCHES_OF_CLOSURE {
        let (mut seen, mut changes) = (HashSet::new(), Vec::new());
        // there may be no more arcs
        for _ in 0..100 * k {
            if changes.len() == k {
                break;
            }
            let (from, to) = match are_new {
                true => (draws.below(n) as VertexId, draws.below(n) as VertexId),
                false => {
                    let (from, to, _) = arcs[draws.below(arcs.len())];
                    (from, to)
                }
            };
            if (are_new || here.graph().weight(from, to).is_some()) && seen.insert((from, to)) {
                changes.push(match are_new {
                    true => Change::Insert { from, to, weight: 1u32 },
                    false => Change::Delete { from, to, weight: None },
                });
            }
        }
        let (mut time, updated) = timed(|| here.update(&changes, None));
        let mut updated = updated?;
        let whole = |graph: &Csr<u32>| match gpu {
            None => Ok(timed(|| ::closure::closure(graph, &config, None).map(|all| all.closure))),
            // without the search by components, and without the copy to the host
            Some(gpu) => {
                let config = ::closure::Config::with(::closure::Algorithm::Blocked);
                let all = ::closure::closure_on_gpus(slice::from_ref(gpu), graph, &config, None)?;
                anyhow::Ok((all.times.solve_ms, Ok(all.found.closure)))
            }
        };
        let (whole_time, expected) = whole(&here.graph().to_csr()?)?;
        let mut is_same = expected? == *here.closure();
        if let Some(all) = &mut on_gpu {
            let (time_there, updated_there) = timed(|| all.update(&changes, None));
            (time, updated) = (time_there, updated_there?);
            is_same &= all.closure()? == *here.closure();
        }
        ensure!(is_same, "the closure is another");
        ms.push(time);
        pairs.push((updated.n_new + updated.n_gone) as f64);
        closed.push(f64::from(u8::from(updated.is_new_closure)));
        whole_ms.push(whole_time);
    }
    let closed = closed.iter().sum::<f64>() / BATCHES_OF_CLOSURE as f64;
    Ok(vec![
        ("ms", middle(ms)),
        ("pairs", middle(pairs)),
        ("closed", closed),
        ("whole_ms", middle(whole_ms)),
    ])
}

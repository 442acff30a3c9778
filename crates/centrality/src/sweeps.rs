//! The distances that totals are of, by sweeps of a hierarchy: for road networks.
//!
//! A sweep goes down the hierarchy once for sixteen sources on the CPU, or for thousands on a GPU,
//! and what it finds is added up where it lies. So the totals of all vertices take no search.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use hierarchy::gpu::{SOURCES_PER_PART, metrics_on, shared_totals};
use hierarchy::{Hierarchy, HierarchyError, MetricWeight, Totals as Sums};
use paths::Progress;

use crate::checkpoint::Checkpoint;
use crate::parts::{Shared, State, Steps, Workers, add_up};
use crate::search::{MeasureKeys, Run, check_held, find, unsigned};
use crate::{CentralityError, Config, Lengths, Totals};

/// Sources of a round times vertices, about. Floats are added up round by round, and in a round part
/// by part, so that sums are the same however many GPUs and ranks share them.
const PAIRS_PER_ROUND: usize = 1 << 35;
/// Bytes that sums and reciprocals of all parts take on a GPU, at most.
const BYTES_OF_PARTS: u64 = 256 << 20;

pub(crate) fn find_by_hierarchy<W: MeasureKeys>(
    hierarchy: &Hierarchy,
    workers: Workers<'_>,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    if config.lengths == Lengths::Hops {
        return find(workers, graph, config, progress);
    }
    let unsigned = unsigned(graph)?;
    // a GPU adds up in another order
    let measure = if workers.gpus.is_empty() { "hierarchy, " } else { "hierarchy on GPUs, " };
    let checkpoint = Checkpoint::new(workers, graph, measure, config);
    let totals = Shared::run(workers.ranks, checkpoint, progress, |shared| {
        sweep_graph(hierarchy, workers.gpus, &unsigned, config, shared)
    })?;
    check_held::<W>(&totals)?;
    Ok(totals)
}

fn sweep_graph<U: MetricWeight>(
    hierarchy: &Hierarchy,
    gpus: &[Gpu],
    graph: &Csr<U>,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Totals, CentralityError> {
    let Run { graph: turned, sources, mut totals } = Run::new(graph, config)?;
    // the reversed arcs have the same order, and a hierarchy of their own
    let own = match &turned {
        Some(turned) => Some(Hierarchy::new(turned, &hierarchy.order())?),
        None => None,
    };
    let (hierarchy, graph) = (own.as_ref().unwrap_or(hierarchy), turned.as_ref().unwrap_or(graph));
    let n = graph.n_vertices();
    let (at_a_time, mut sweep): (_, AddSources) = match gpus {
        [] => {
            let metric = hierarchy.customize(graph)?;
            let sweep = move |sums: &mut Sums, sources: &[VertexId], step: Progress<'_>| {
                sums.add(&metric.totals(sources, Some(step))?);
                Ok(())
            };
            (SOURCES_PER_PART, Box::new(sweep))
        }
        gpus => {
            let mut metrics = metrics_on(hierarchy, graph, gpus)?;
            let sweep = move |sums: &mut Sums, sources: &[VertexId], step: Progress<'_>| {
                shared_totals(&mut metrics, sums, sources, Some(step))
            };
            (at_a_time(gpus, n)?, Box::new(sweep))
        }
    };
    let n_parts = (PAIRS_PER_ROUND / SOURCES_PER_PART / n.max(1)).max(1);
    let steps = Steps { of_part: n_parts * SOURCES_PER_PART, n_parts: 1 };
    let told = shared.told(sources.len());
    add_up(&mut totals.found, &sources, steps, shared, &told, &mut |round, give| {
        let mut sums = Sums::new::<U>(n);
        let mut before = 0;
        for sources in round.chunks(at_a_time) {
            sweep(&mut sums, sources, &|done, _| told.step(before + done))?;
            before += sources.len() as u64;
        }
        give(&sums)
    })?;
    Ok(totals)
}

/// Adds the distances from some sources.
type AddSources =
    Box<dyn FnMut(&mut Sums, &[VertexId], Progress<'_>) -> Result<(), HierarchyError>>;

/// How many sources GPUs sweep from at a time: those of as many parts as there is room for in an
/// eighth of what is free.
fn at_a_time(gpus: &[Gpu], n_vertices: usize) -> Result<usize, HierarchyError> {
    let mut bytes = BYTES_OF_PARTS;
    for gpu in gpus {
        bytes = bytes.min(gpu.available_bytes()? / 8);
    }
    let bytes_of_part = (2 * n_vertices * size_of::<f64>()).max(1) as u64;
    Ok(gpus.len() * (bytes / bytes_of_part).max(1) as usize * SOURCES_PER_PART)
}

//! The distances that totals are of, by sweeps of a hierarchy: for road networks.
//!
//! A sweep goes down the hierarchy once for sixteen sources on the CPU, or for thousands on a GPU,
//! and what it finds is added up where it lies. So the totals of all vertices take no search.

use std::ops::ControlFlow;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use hierarchy::gpu::{SOURCES_PER_PART, metrics_on, shared_totals};
use hierarchy::{Hierarchy, HierarchyError, MetricWeight};
use paths::Progress;

use crate::checkpoint::{Checkpoint, add_up};
use crate::search::{MeasureKeys, Run, check_held, find, unsigned};
use crate::{CentralityError, Config, Lengths, Totals};

/// Bytes that the sums of floats of all parts take on a GPU, at most.
const BYTES_OF_PARTS: u64 = 256 << 20;

pub(crate) fn find_by_hierarchy<W: MeasureKeys>(
    hierarchy: &Hierarchy,
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    if config.lengths == Lengths::Hops {
        return find(gpus, graph, config, progress);
    }
    let unsigned = unsigned(graph)?;
    let checkpoint = config.checkpoint.as_deref();
    let checkpoint = checkpoint.map(|path| Checkpoint::new(path, graph, "hierarchy, ", config));
    let totals = sweep_graph(hierarchy, gpus, &unsigned, config, checkpoint, progress)?;
    check_held::<W>(&totals)?;
    Ok(totals)
}

fn sweep_graph<U: MetricWeight>(
    hierarchy: &Hierarchy,
    gpus: &[Gpu],
    graph: &Csr<U>,
    config: &Config,
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    let Run { graph: turned, sources, mut totals } = Run::new(graph, config)?;
    // the reversed arcs have the same order, and a hierarchy of their own
    let own = match &turned {
        Some(turned) => Some(Hierarchy::new(turned, &hierarchy.order())?),
        None => None,
    };
    let (hierarchy, graph) = (own.as_ref().unwrap_or(hierarchy), turned.as_ref().unwrap_or(graph));
    let total = sources.len() as u64;
    let (at_a_time, mut sweep): (_, AddSources) = match gpus {
        [] => {
            let metric = hierarchy.customize(graph)?;
            let sweep = move |totals: &mut Totals, sources: &[VertexId], step: Progress<'_>| {
                totals.add_swept(&metric.totals(sources, Some(step))?);
                Ok(())
            };
            (SOURCES_PER_PART, Box::new(sweep))
        }
        gpus => {
            let mut metrics = metrics_on(hierarchy, graph, gpus)?;
            let sweep = move |totals: &mut Totals, sources: &[VertexId], step: Progress<'_>| {
                shared_totals(&mut metrics, &mut totals.found, sources, Some(step))
            };
            (at_a_time(gpus, graph.n_vertices())?, Box::new(sweep))
        }
    };
    add_up(&mut totals, &sources, at_a_time, checkpoint, &mut |totals, sources, before| {
        let step = |done, _| match progress {
            Some(progress) => progress(before as u64 + done, total),
            None => ControlFlow::Continue(()),
        };
        Ok(sweep(totals, sources, &step)?)
    })?;
    Ok(totals)
}

/// Adds the distances from some sources.
type AddSources =
    Box<dyn FnMut(&mut Totals, &[VertexId], Progress<'_>) -> Result<(), HierarchyError>>;

/// How many sources GPUs sweep from at a time: those of as many parts as there is room for in an
/// eighth of what is free.
fn at_a_time(gpus: &[Gpu], n_vertices: usize) -> Result<usize, HierarchyError> {
    let mut bytes = BYTES_OF_PARTS;
    for gpu in gpus {
        bytes = bytes.min(gpu.available_bytes()? / 8);
    }
    let bytes_of_part = (n_vertices * size_of::<f64>()).max(1) as u64;
    Ok(gpus.len() * (bytes / bytes_of_part).max(1) as usize * SOURCES_PER_PART)
}

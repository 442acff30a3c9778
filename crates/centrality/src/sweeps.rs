//! The distances that totals are of, by sweeps of a hierarchy: for road networks.
//!
//! A sweep goes down the hierarchy once for sixteen sources on the CPU, or for hundreds on a GPU,
//! and what it finds is added up where it lies. So the totals of all vertices take no search.

use std::ops::ControlFlow;
use std::thread;

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId};
use hierarchy::gpu::{DeviceHierarchy, DeviceMetric};
use hierarchy::{Hierarchy, HierarchyError, Metric, MetricWeight, Totals as Swept};
use paths::Progress;

use crate::checkpoint::{Checkpoint, add_up};
use crate::search::{MeasureKeys, Run, check_held, find, unsigned};
use crate::{CentralityError, Config, Lengths, Totals};

/// Sources of a part. Floats are added up part by part, so that sums are the same however many GPUs
/// share the parts.
const SOURCES_PER_PART: usize = 1 << 12;
/// Parts between two states that may be kept.
const PARTS_AT_A_TIME: usize = 4;

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
    match gpus {
        [] => {
            let metric = hierarchy.customize(graph)?;
            let mut sweep =
                |parts: &[&[VertexId]], step: Progress<'_>| on_cpu(&metric, parts, step);
            sweep_all(&mut totals, &sources, checkpoint, progress, &mut sweep)?;
        }
        gpus => {
            let devices: Result<Vec<_>, _> =
                gpus.iter().map(|gpu| DeviceHierarchy::new(hierarchy, graph, gpu)).collect();
            let devices = devices?;
            let metrics: Result<Vec<_>, _> =
                devices.iter().map(|device| device.customize(graph)).collect();
            let mut metrics = metrics?;
            let mut sweep =
                |parts: &[&[VertexId]], step: Progress<'_>| on_gpus(&mut metrics, parts, step);
            sweep_all(&mut totals, &sources, checkpoint, progress, &mut sweep)?;
        }
    }
    Ok(totals)
}

/// Sweeps from the sources of each part.
type SweepParts<'a> =
    &'a mut dyn FnMut(&[&[VertexId]], Progress<'_>) -> Result<Vec<Swept>, HierarchyError>;

/// Adds what `sweep` finds from all sources, some parts at a time.
fn sweep_all(
    totals: &mut Totals,
    sources: &[VertexId],
    checkpoint: Option<Checkpoint>,
    progress: Option<Progress<'_>>,
    sweep: SweepParts<'_>,
) -> Result<(), CentralityError> {
    let total = sources.len() as u64;
    let at_a_time = SOURCES_PER_PART * PARTS_AT_A_TIME;
    add_up(totals, sources, at_a_time, checkpoint, &mut |totals, sources, before| {
        let step = |done, _| match progress {
            Some(progress) => progress(before as u64 + done, total),
            None => ControlFlow::Continue(()),
        };
        let parts: Vec<_> = sources.chunks(SOURCES_PER_PART).collect();
        let found = sweep(&parts, &step)?;
        found.iter().for_each(|found| totals.add_swept(found));
        Ok(())
    })
}

/// The totals of each part, on the threads of the CPU.
fn on_cpu<U: MetricWeight>(
    metric: &Metric<U>,
    parts: &[&[VertexId]],
    progress: Progress<'_>,
) -> Result<Vec<Swept>, HierarchyError> {
    let part = |(part, sources): (usize, &&[VertexId])| {
        let before = (part * SOURCES_PER_PART) as u64;
        metric.totals(sources, Some(&|done, total| progress(before + done, total)))
    };
    parts.iter().enumerate().map(part).collect()
}

/// The totals of each part, each on one of the GPUs, by turns.
fn on_gpus<U: MetricWeight>(
    metrics: &mut [DeviceMetric<U>],
    parts: &[&[VertexId]],
    progress: Progress<'_>,
) -> Result<Vec<Swept>, HierarchyError> {
    let n_gpus = metrics.len();
    let found = thread::scope(|scope| {
        let mut threads = Vec::new();
        for (first, metric) in metrics.iter_mut().enumerate() {
            let own = parts.iter().enumerate().skip(first).step_by(n_gpus);
            let part = move |(part, sources): (usize, &&[VertexId])| {
                let before = (part * SOURCES_PER_PART) as u64;
                let step = |done, total| progress(before + done, total);
                Ok((part, metric.totals(sources, Some(&step))?))
            };
            threads.push(scope.spawn(|| own.map(part).collect::<Result<Vec<_>, _>>()));
        }
        let ended = threads.into_iter().map(|thread| thread.join().expect("no thread panics"));
        ended.collect::<Result<Vec<_>, HierarchyError>>()
    });
    let mut found = found?.concat();
    found.sort_by_key(|(part, _)| *part);
    Ok(found.into_iter().map(|(_, found)| found).collect())
}

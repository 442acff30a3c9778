//! Autotune: trials of which solver is fastest on a graph on this GPU.
//!
//! The time of a search depends on the breadth and depth of the graph around its source. They
//! decide the size and number of steps, and whether settling by distance pays at all. Degrees and
//! weights do not predict them: a model of these was wrong by a factor of two and more on new
//! graphs. A trial search measures them, and takes a fraction of the time of the upload. So `auto`
//! searches from one vertex with each [variant](Variant) of Δ-stepping. If the
//! graph has few hops, it also tries the candidates that it is given, each of which needs its own
//! upload. It keeps the fastest. A trial ends when it is slower than the best so far.
//!
//! Reference: meyer-sanders-2003

use std::ops::ControlFlow;
use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight};
use search_parts::device::{DeviceSearch, no_answer};
use search_parts::{Query, milliseconds, unless_out_of_memory};

use super::algorithm::Algorithm;
use super::delta_stepping::{DeltaSteppingOnGpu, Variant};
use super::device::on_device;
use super::multi_source::GpuSearch;
use crate::weights::SearchKeys;
use crate::{Delta, Plan, SsspError, Work, delta};

/// The longest time of a trial, in milliseconds.
const MAX_TRIAL_MS: f64 = 100.0;
/// The most hops, estimated from the mean degree at the end of an arc, with which other algorithms
/// are tried.
const MAX_HOPS: f64 = 8.0;
/// The most arcs with which other algorithms are tried. With more, Δ-stepping was always the
/// fastest, and each other algorithm takes an upload.
const MAX_ARCS_TRIED: usize = 1 << 24;
/// The greatest ratio of a candidate's time to the best one at which it replaces the best: a
/// smaller difference may be noise.
const MAX_RATIO: f64 = 0.97;
/// The most searches in a trial, of which the fastest counts.
const MAX_SEARCHES: usize = 6;
/// Milliseconds of searches after which a trial ends, but not before the second search, since the
/// first one also fills caches.
const ENOUGH_MS: f64 = 1.0;
/// Vertices that are considered as sources.
const SAMPLES: usize = 256;
/// The most sources that are tried.
const MAX_SOURCES: usize = 4;
/// A search is representative if it visits at least one in this many vertices.
const VERTICES_PER_VISIT: u64 = 10;

/// The search that is fastest on `graph`, whose weights are not negative: by Δ-stepping or one of
/// the `candidates`. Its preparation includes the trials. Sets the choice and its reason in `plan`.
pub(super) fn fastest<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    candidates: &[Algorithm],
    plan: &mut Plan,
) -> Result<GpuSearch<'g, W>, SsspError> {
    let width = delta::width(graph, Delta::Auto)?;
    plan.delta = Some(width);
    let mut stepping = DeltaSteppingOnGpu::new(gpu, graph, width, false)?;
    let began = Instant::now();
    let source = representative(&mut stepping, graph)?;
    let found = match source {
        Some(source) => fastest_variant::<W>(&mut stepping, source)?,
        None => None,
    };
    let Some((source, (ms, variant))) = source.zip(found) else {
        plan.reason += "; all trials took too long";
        stepping.times.prepare_ms += milliseconds(began);
        return Ok(GpuSearch::Many(Box::new(stepping)));
    };
    stepping.set_variant(variant);
    plan.delta = Some(stepping.delta());
    let all_arcs = if variant.defers_long_arcs { "" } else { ", no arcs deferred" };
    plan.reason = format!("the fastest in trials, with {ms:.3} ms{all_arcs}");
    let search = Some(GpuSearch::Many(Box::new(stepping)));
    let mut best = Best { search, ms, source, loading_ms: 0.0 };
    if has_few_hops(graph)
        && let Some(algorithm) = best.or_one_of(gpu, graph, candidates)?
    {
        (plan.algorithm, plan.delta) = (algorithm.name(), None);
        plan.reason = format!(
            "the fastest in trials, with {:.3} ms; delta-stepping took {ms:.3} ms",
            best.ms
        );
    }
    Ok(best.take(began).expect("there is one from the start on"))
}

/// The same for weights of any sign: the fastest of the `candidates`, which admit them, or the first
/// if no trial succeeds.
pub(super) fn fastest_of_any_sign<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    candidates: &[Algorithm],
    plan: &mut Plan,
) -> Result<GpuSearch<'g, W>, SsspError> {
    let began = Instant::now();
    if let Some(&source) = samples(graph).first()
        && graph.n_arcs() <= MAX_ARCS_TRIED
    {
        let mut best = Best { search: None, ms: MAX_TRIAL_MS, source, loading_ms: 0.0 };
        if let Some(algorithm) = best.or_one_of(gpu, graph, candidates)?
            && let Some(search) = best.take(began)
        {
            plan.algorithm = algorithm.name();
            plan.reason += &format!("; the fastest form in trials, with {:.3} ms", best.ms);
            return Ok(search);
        }
    }
    Ok(on_device(gpu, graph, candidates[0])?.0)
}

/// The fastest search so far, and its milliseconds from `source`.
struct Best<'g, W: Weight> {
    search: Option<GpuSearch<'g, W>>,
    ms: f64,
    source: VertexId,
    /// The milliseconds in which the search was loaded, if that was a part of the trials.
    loading_ms: f64,
}

impl<'g, W: SearchKeys> Best<'g, W> {
    /// Tries `algorithms`. Returns the fastest, if one is faster than the best before.
    fn or_one_of(
        &mut self,
        gpu: &Gpu,
        graph: &'g Csr<W>,
        algorithms: &[Algorithm],
    ) -> Result<Option<Algorithm>, SsspError> {
        let mut fastest = None;
        for &algorithm in algorithms {
            let Some((mut search, _)) = if_possible(on_device(gpu, graph, algorithm))? else {
                continue;
            };
            match time(search.single(), self.source, self.ms) {
                Ok(Some(ms)) if ms < MAX_RATIO * self.ms => {
                    self.replace(search, ms);
                    fastest = Some(algorithm);
                }
                // the other algorithms have no answer either
                Err(SsspError::NotOnGpu { .. }) if self.search.is_none() => break,
                ms => drop(if_possible(ms)?),
            }
        }
        Ok(fastest)
    }

    /// Replaces the best by a search that the trials loaded.
    fn replace(&mut self, mut search: GpuSearch<'g, W>, ms: f64) {
        let times = search.single().times();
        self.loading_ms = times.jit_ms + times.upload_ms + times.prepare_ms;
        (self.search, self.ms) = (Some(search), ms);
    }

    /// Takes the search. The trials since `began` count as its preparation, but not its own loading,
    /// which its times have already.
    fn take(&mut self, began: Instant) -> Option<GpuSearch<'g, W>> {
        let mut search = self.search.take()?;
        search.single().times().prepare_ms += milliseconds(began) - self.loading_ms;
        Some(search)
    }
}

/// The search; `None` if the device lacks the memory or the algorithm does not admit the weights.
fn if_possible<S>(search: Result<S, SsspError>) -> Result<Option<S>, SsspError> {
    match search {
        Err(SsspError::NotOnGpu { .. }) => Ok(None),
        search => unless_out_of_memory(search),
    }
}

/// Vertices with arcs at a fixed stride, by descending out-degree.
fn samples<W: Weight>(graph: &Csr<W>) -> Vec<VertexId> {
    let n = graph.n_vertices();
    let strided = (0..n).step_by(n.div_ceil(SAMPLES).max(1)).map(|vertex| vertex as VertexId);
    let mut samples: Vec<VertexId> = strided.filter(|&v| graph.out_degree(v) > 0).collect();
    samples.sort_by_key(|&vertex| std::cmp::Reverse(graph.out_degree(vertex)));
    samples
}

/// The first sample whose search is representative, or else the first sample; `None` if there is
/// none or a search takes too long.
fn representative<W: Weight>(
    stepping: &mut dyn DeviceSearch<W>,
    graph: &Csr<W>,
) -> Result<Option<VertexId>, SsspError> {
    let samples = samples(graph);
    let least = graph.n_vertices() as u64 / VERTICES_PER_VISIT;
    for &source in samples.iter().take(MAX_SOURCES) {
        match if_possible(trial(stepping, source, MAX_TRIAL_MS))?.flatten() {
            None => return Ok(None),
            Some(work) if work.settled >= least => return Ok(Some(source)),
            Some(_) => {}
        }
    }
    Ok(samples.first().copied())
}

/// The variant that is fastest from `source`, and its milliseconds; `None` if all take too long. Ends
/// after two trials or more, when they have taken as long as the preparation.
fn fastest_variant<W: Weight>(
    stepping: &mut DeltaSteppingOnGpu,
    source: VertexId,
) -> Result<Option<(f64, Variant)>, SsspError> {
    let budget = stepping.times.upload_ms + stepping.times.prepare_ms;
    let began = Instant::now();
    let mut best = None;
    for (n, variant) in stepping.variants().into_iter().enumerate() {
        if n > 1 && milliseconds(began) > budget {
            break;
        }
        stepping.set_variant(variant);
        let most = best.map_or(MAX_TRIAL_MS, |(ms, _)| ms);
        if let Some(ms) = if_possible(time::<W>(stepping, source, most))?.flatten()
            && (best.is_none() || ms < MAX_RATIO * most)
        {
            best = Some((ms, variant));
        }
    }
    Ok(best)
}

/// Whether the graph is small enough for other algorithms than Δ-stepping, and a frontier that
/// grows by the mean degree at the ends of arcs reaches all vertices in at most [`MAX_HOPS`].
fn has_few_hops<W: Weight>(graph: &Csr<W>) -> bool {
    let growth = delta::degree_at_arc_end(graph);
    graph.n_arcs() <= MAX_ARCS_TRIED
        && growth > 2.0
        && (graph.n_vertices() as f64).ln() <= MAX_HOPS * growth.ln()
}

/// The least milliseconds of several searches from `source`; `None` if one takes much longer than
/// `most`.
fn time<W: Weight>(
    search: &mut dyn DeviceSearch<W>,
    source: VertexId,
    most: f64,
) -> Result<Option<f64>, SsspError> {
    let (mut least, mut total) = (f64::INFINITY, 0.0);
    for n in 1..=MAX_SEARCHES {
        // launches and polling take time too
        if trial(search, source, 2.0 * most + 1.0)?.is_none() {
            return Ok(None);
        }
        let ms = search.times().solve_ms;
        (least, total) = (least.min(ms), total + ms);
        if n > 1 && total > ENOUGH_MS {
            break;
        }
    }
    Ok(Some(least))
}

/// The work of a full search from `source`; `None` if it takes more than `most` milliseconds by the
/// clock on the wall.
fn trial<W: Weight>(
    search: &mut dyn DeviceSearch<W>,
    source: VertexId,
    most: f64,
) -> Result<Option<Work>, SsspError> {
    let began = Instant::now();
    let tell = |_, _| match milliseconds(began) > most {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let limit = W::Distance::UNREACHED;
    match search.run(&Query { source, targets: &[], limit, progress: Some(&tell) }) {
        Err(SsspError::Interrupted(_)) => Ok(None),
        work => work?.map(Some).ok_or_else(no_answer),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::DeviceTimes;
    use crate::gpu::on_gpu::tests::EvenSources;

    #[test]
    fn the_loading_of_the_fastest_counts_once() {
        let mut best = Best::<u32> { search: None, ms: 9.0, source: 0, loading_ms: 0.0 };
        let (jit_ms, upload_ms, prepare_ms) = (1e3, 2e3, 4e3);
        let times = DeviceTimes { jit_ms, upload_ms, prepare_ms, ..DeviceTimes::default() };
        let search = EvenSources { distances: Vec::new(), times };
        best.replace(GpuSearch::Single(Box::new(search)), 1.0);
        let began = Instant::now() - Duration::from_secs(10);
        let times = *best.take(began).unwrap().single().times();
        let all = times.jit_ms + times.upload_ms + times.prepare_ms;
        assert!((1e4..2e4).contains(&all), "{times:?}");
    }
}

//! Autotune: trials of which solver is fastest on a graph on this GPU.
//!
//! The time of a search depends on the breadth and depth of the graph around its source. They
//! decide the size and number of steps, and whether settling by distance pays at all. Degrees and
//! weights do not predict them: a model of these was wrong by a factor of two and more on new
//! graphs. A trial search measures them, and takes a fraction of the time of the upload. So `auto`
//! searches from one vertex with each [form](super::delta_stepping::Form) of Δ-stepping. If the
//! graph has few hops, it also tries other algorithms, each of which needs its own upload. It keeps
//! the fastest. A trial ends when it is slower than the best so far.
//!
//! Reference: meyer-sanders-2003

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight};
use published::{Form, Layout};
use search_parts::device::DeviceSearch;
use search_parts::{Query, milliseconds, unless_out_of_memory};

use super::algorithm::Algorithm;
use super::delta_stepping::{self, DeltaSteppingOnGpu};
use super::device::{Device, on_device};
use crate::weights::SearchKeys;
use crate::{Delta, Plan, QueueRule, SsspError, delta};

/// Algorithms that are tried beside Δ-stepping if the graph has few hops.
const FOR_FEW_HOPS: [Algorithm; 4] = [
    Algorithm::Published(Form::BellmanFordSpmv(Layout::CsrBalanced)),
    Algorithm::Published(Form::BELLMAN_FORD),
    Algorithm::Published(Form::Crauser),
    Algorithm::BellmanFordQueue(QueueRule::Slf),
];
/// Algorithms that are tried with negative weights, which Δ-stepping does not admit.
const FOR_ANY_SIGN: [Algorithm; 4] = [
    Algorithm::BellmanFordQueue(QueueRule::Lll),
    Algorithm::BellmanFordQueue(QueueRule::Fifo),
    Algorithm::Published(Form::BellmanFordSpmv(Layout::CsrBalanced)),
    Algorithm::Published(Form::BELLMAN_FORD),
];
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

/// The search that is fastest on `graph`, whose weights are not negative, and the milliseconds of
/// the trials. Sets the choice and its reason in `plan`.
pub(super) fn fastest<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    plan: &mut Plan,
) -> Result<(Device<'g, W>, f64), SsspError> {
    let width = delta::width(graph, Delta::Auto)?;
    plan.delta = Some(width);
    let mut stepping = DeltaSteppingOnGpu::new(gpu, graph, width, false)?;
    let began = Instant::now();
    let source = representative(&mut stepping, &samples(graph))?;
    let found = match source {
        Some(source) => fastest_form(&mut stepping, source)?,
        None => None,
    };
    let Some((source, (ms, form))) = source.zip(found) else {
        plan.reason += "; all trials took too long";
        return Ok((Device::Stepping(Box::new(stepping)), milliseconds(began)));
    };
    stepping.set_form(form);
    plan.delta = Some(stepping.delta());
    let all_arcs = if form.defers_long_arcs { "" } else { ", no arcs deferred" };
    plan.reason = format!("the fastest in trials, with {ms:.3} ms{all_arcs}");
    let mut best = Device::Stepping(Box::new(stepping));
    let mut least = ms;
    if has_few_hops(graph) {
        for algorithm in FOR_FEW_HOPS {
            let Some((mut device, _)) = if_possible(on_device(gpu, graph, algorithm))? else {
                continue;
            };
            if let Trial::Took(trial) = time(device.single(), source, least)?
                && trial < MAX_RATIO * least
            {
                (best, least) = (device, trial);
                (plan.algorithm, plan.delta) = (algorithm.name(), None);
                plan.reason = format!(
                    "the fastest in trials, with {least:.3} ms; delta-stepping took {ms:.3} ms"
                );
            }
        }
    }
    Ok((best, milliseconds(began)))
}

/// The same for weights of any sign: the fastest form of Bellman-Ford, or `fallback` if no trial
/// succeeds.
pub(super) fn fastest_of_any_sign<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    fallback: Algorithm,
    plan: &mut Plan,
) -> Result<(Device<'g, W>, f64), SsspError> {
    let began = Instant::now();
    let (mut best, mut least) = (None, MAX_TRIAL_MS);
    let source = samples(graph).first().copied();
    for algorithm in FOR_ANY_SIGN {
        let Some(source) = source.filter(|_| graph.n_arcs() <= MAX_ARCS_TRIED) else { break };
        let Some((mut device, _)) = if_possible(on_device(gpu, graph, algorithm))? else {
            continue;
        };
        match time(device.single(), source, least)? {
            Trial::Took(ms) if ms < MAX_RATIO * least => {
                (best, least, plan.algorithm) = (Some(device), ms, algorithm.name());
            }
            // the other algorithms have none either
            Trial::NoAnswer => break,
            _ => {}
        }
    }
    match best {
        Some(device) => {
            plan.reason += &format!("; the fastest form in trials, with {least:.3} ms");
            Ok((device, milliseconds(began)))
        }
        None => Ok((on_device(gpu, graph, fallback)?.0, 0.0)),
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
fn representative(
    device: &mut DeltaSteppingOnGpu,
    samples: &[VertexId],
) -> Result<Option<VertexId>, SsspError> {
    let Some(&first) = samples.first() else { return Ok(None) };
    for &source in samples.iter().take(MAX_SOURCES) {
        match device.visits(source, MAX_TRIAL_MS)? {
            None => return Ok(None),
            Some(visits) if visits >= device.n_vertices() / VERTICES_PER_VISIT => {
                return Ok(Some(source));
            }
            Some(_) => {}
        }
    }
    Ok(Some(first))
}

/// The form that is fastest from `source`, and its milliseconds; `None` if all take too long. Ends
/// after two trials or more, when they have taken as long as the preparation.
fn fastest_form(
    device: &mut DeltaSteppingOnGpu,
    source: VertexId,
) -> Result<Option<(f64, delta_stepping::Form)>, SsspError> {
    let times = device.times;
    let budget = Duration::from_secs_f64((times.upload_ms + times.prepare_ms) / 1e3);
    let began = Instant::now();
    let mut best = None;
    for (n, form) in device.forms().into_iter().enumerate() {
        if n > 1 && began.elapsed() > budget {
            break;
        }
        device.set_form(form);
        let most = best.map_or(MAX_TRIAL_MS, |(ms, _)| ms);
        let tried = fastest_of(|| {
            let visits = device.visits(source, max_wall_ms(most))?;
            Ok(visits.map_or(Trial::TooLong, |_| Trial::Took(device.times.solve_ms)))
        })?;
        if let Trial::Took(ms) = tried
            && (best.is_none() || ms < MAX_RATIO * most)
        {
            best = Some((ms, form));
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

/// The result of a trial.
enum Trial {
    /// Milliseconds on the device.
    Took(f64),
    TooLong,
    /// The device has no answer.
    NoAnswer,
}

/// A trial from `source`; it ends as too long if it takes much longer than `most` milliseconds.
fn time<W: Weight>(
    device: &mut dyn DeviceSearch<W>,
    source: VertexId,
    most: f64,
) -> Result<Trial, SsspError> {
    fastest_of(|| {
        let began = Instant::now();
        let tell = |_, _| match milliseconds(began) > max_wall_ms(most) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let limit = W::Distance::UNREACHED;
        let query = Query { source, targets: &[], limit, progress: Some(&tell) };
        match device.search(&query) {
            Err(SsspError::Interrupted) => Ok(Trial::TooLong),
            Err(SsspError::NotOnGpu { .. }) => Ok(Trial::NoAnswer),
            found => found.map(|_| Trial::Took(device.times().solve_ms)),
        }
    })
}

/// Wall-clock milliseconds after which a search ends that should take at most `most` on the device.
/// Launches and polling take time too.
fn max_wall_ms(most: f64) -> f64 {
    2.0 * most + 1.0
}

/// The least time of several calls of `search`; ends at the first call without a time.
fn fastest_of(mut search: impl FnMut() -> Result<Trial, SsspError>) -> Result<Trial, SsspError> {
    let (mut least, mut total) = (f64::INFINITY, 0.0);
    for n in 1..=MAX_SEARCHES {
        let ms = match search()? {
            Trial::Took(ms) => ms,
            other => return Ok(other),
        };
        (least, total) = (least.min(ms), total + ms);
        if n > 1 && total > ENOUGH_MS {
            break;
        }
    }
    Ok(Trial::Took(least))
}

//! Which solver is fastest on a graph on this GPU, found by trying.
//!
//! What a search takes hangs on how wide and how deep a graph lies around its sources: that
//! decides how full a step is, how many there are, and whether it pays to go by distance at
//! all. Degrees and weights do not tell it, and a model of them was off by a factor of two
//! and more on graphs it had not seen. A search does tell, and takes a fraction of what the
//! upload of the graph has taken. So `auto` searches from one vertex in each
//! [form](super::delta_stepping::Form) of Δ-stepping and, where hops are few, with other
//! algorithms, each of which takes an upload of its own, and keeps the fastest. A trial ends
//! when it is slower than the best so far.
//!
//! Reference: meyer-sanders-2003

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight};
use published::Layout;
use search_parts::device::DeviceSearch;
use search_parts::{Query, milliseconds, unless_out_of_memory};

use super::algorithm::Algorithm;
use super::delta_stepping::{DeltaSteppingOnGpu, Form};
use super::device::{Device, on_device};
use crate::weights::SearchKeys;
use crate::{Delta, Plan, QueueRule, SsspError, delta};

/// What is tried beside Δ-stepping where hops are few.
const WHERE_HOPS_ARE_FEW: [Algorithm; 4] = [
    Algorithm::BellmanFordSpmv(Layout::CsrBalanced),
    Algorithm::BELLMAN_FORD,
    Algorithm::Crauser,
    Algorithm::BellmanFordQueue(QueueRule::Slf),
];
/// What is tried where weights are negative, which Δ-stepping does not take.
const OF_ANY_SIGN: [Algorithm; 4] = [
    Algorithm::BellmanFordQueue(QueueRule::Lll),
    Algorithm::BellmanFordQueue(QueueRule::Fifo),
    Algorithm::BellmanFordSpmv(Layout::CsrBalanced),
    Algorithm::BELLMAN_FORD,
];
/// The longest that a trial may take, in milliseconds.
const LONGEST_MS: f64 = 100.0;
/// Hops that a front of average growth takes to all vertices, up to which they are few;
const FEW_HOPS: f64 = 8.0;
/// and most arcs with which algorithms are tried: with more, Δ-stepping has always been the
/// fastest, and each of the others takes an upload.
const MAX_ARCS_TRIED: usize = 1 << 24;
/// How much faster another must be to be taken: less may be chance.
const CLEARLY: f64 = 0.97;
/// A trial is so many searches at most, of which the quickest counts, and fewer if they have
/// taken as long as this; but two, for the first of all also fills caches.
const MAX_SEARCHES: usize = 6;
const LONG_ENOUGH_MS: f64 = 1.0;
/// Vertices that are looked at for one to search from, and of them those that are tried.
const SAMPLES: usize = 256;
const SOURCES: usize = 4;
/// A search that visits one vertex in so many tells of the graph.
const PART_REACHED: u64 = 10;

/// The search that is fastest on `graph`, whose weights are not negative, and milliseconds that
/// finding it took; `plan` says which and why afterwards.
pub(super) fn fastest<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    plan: &mut Plan,
) -> Result<(Device<'g, W>, f64), SsspError> {
    let width = delta::width(graph, Delta::Auto)?;
    plan.delta = Some(width);
    let mut stepping = DeltaSteppingOnGpu::new(gpu, graph, width, false)?;
    let began = Instant::now();
    let source = far_reaching(&mut stepping, &samples(graph))?;
    let found = match source {
        Some(source) => fastest_form(&mut stepping, source)?,
        None => None,
    };
    let Some((source, (ms, form))) = source.zip(found) else {
        plan.reason += "; no trial was done in time";
        return Ok((Device::Stepping(Box::new(stepping)), milliseconds(began)));
    };
    stepping.set_form(form);
    plan.delta = Some(stepping.delta());
    let all_arcs = if form.defers_long_arcs { "" } else { ", no arcs deferred" };
    plan.reason = format!("the fastest where it was tried, with {ms:.3} ms{all_arcs}");
    let mut best = Device::Stepping(Box::new(stepping));
    let mut least = ms;
    if hops_are_few(graph) {
        for algorithm in WHERE_HOPS_ARE_FEW {
            let Some((mut device, _)) = if_possible(on_device(gpu, graph, algorithm))? else {
                continue;
            };
            if let Trial::Took(trial) = time(device.single(), source, least)?
                && trial < CLEARLY * least
            {
                (best, least) = (device, trial);
                (plan.algorithm, plan.delta) = (algorithm.name(), None);
                plan.reason = format!(
                    "the fastest where it was tried, with {least:.3} ms where delta-stepping \
                     took {ms:.3}"
                );
            }
        }
    }
    Ok((best, milliseconds(began)))
}

/// The same for weights of any sign: the fastest form of Bellman-Ford, or `otherwise` where none
/// could be tried.
pub(super) fn fastest_of_any_sign<'g, W: SearchKeys>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    otherwise: Algorithm,
    plan: &mut Plan,
) -> Result<(Device<'g, W>, f64), SsspError> {
    let began = Instant::now();
    let (mut best, mut least) = (None, LONGEST_MS);
    let source = samples(graph).first().copied();
    for algorithm in OF_ANY_SIGN {
        let Some(source) = source.filter(|_| graph.n_arcs() <= MAX_ARCS_TRIED) else { break };
        let Some((mut device, _)) = if_possible(on_device(gpu, graph, algorithm))? else {
            continue;
        };
        match time(device.single(), source, least)? {
            Trial::Took(ms) if ms < CLEARLY * least => {
                (best, least, plan.algorithm) = (Some(device), ms, algorithm.name());
            }
            // nor have the others one
            Trial::NoAnswer => break,
            _ => {}
        }
    }
    match best {
        Some(device) => {
            plan.reason += &format!("; the fastest form where it was tried, with {least:.3} ms");
            Ok((device, milliseconds(began)))
        }
        None => Ok((on_device(gpu, graph, otherwise)?.0, 0.0)),
    }
}

/// The search, unless the device has no memory for it, or it does not take such weights.
fn if_possible<S>(search: Result<S, SsspError>) -> Result<Option<S>, SsspError> {
    match search {
        Err(SsspError::NotOnGpu { .. }) => Ok(None),
        search => unless_out_of_memory(search),
    }
}

/// Some vertices that have arcs, evenly spread in the graph, most arcs first.
fn samples<W: Weight>(graph: &Csr<W>) -> Vec<VertexId> {
    let n = graph.n_vertices();
    let spread = (0..n).step_by(n.div_ceil(SAMPLES).max(1)).map(|vertex| vertex as VertexId);
    let mut samples: Vec<VertexId> = spread.filter(|&v| graph.out_degree(v) > 0).collect();
    samples.sort_by_key(|&vertex| std::cmp::Reverse(graph.out_degree(vertex)));
    samples
}

/// The first of the vertices from which a good part of the graph is visited, or else the
/// first; `None` where there is none, or searches take too long.
fn far_reaching(
    device: &mut DeltaSteppingOnGpu,
    samples: &[VertexId],
) -> Result<Option<VertexId>, SsspError> {
    let Some(&first) = samples.first() else { return Ok(None) };
    for &source in samples.iter().take(SOURCES) {
        match device.visits(source, LONGEST_MS)? {
            None => return Ok(None),
            Some(visits) if visits >= device.n_vertices() / PART_REACHED => {
                return Ok(Some(source));
            }
            Some(_) => {}
        }
    }
    Ok(Some(first))
}

/// The form that is fastest from `source`, and its milliseconds; `None` where that takes too
/// long. Stops trying when it has taken as long as the preparation, but not before the second.
fn fastest_form(
    device: &mut DeltaSteppingOnGpu,
    source: VertexId,
) -> Result<Option<(f64, Form)>, SsspError> {
    let times = device.times;
    let patience = Duration::from_secs_f64((times.upload_ms + times.prepare_ms) / 1e3);
    let began = Instant::now();
    let mut best = None;
    for (n, form) in device.forms().into_iter().enumerate() {
        if n > 1 && began.elapsed() > patience {
            break;
        }
        device.set_form(form);
        let most = best.map_or(LONGEST_MS, |(ms, _)| ms);
        let tried = quickest(|| {
            let visits = device.visits(source, patience_for(most))?;
            Ok(visits.map_or(Trial::TooLong, |_| Trial::Took(device.times.solve_ms)))
        })?;
        if let Trial::Took(ms) = tried
            && (best.is_none() || ms < CLEARLY * most)
        {
            best = Some((ms, form));
        }
    }
    Ok(best)
}

/// Whether a front that grows as the degrees at the ends of arcs say reaches all vertices in
/// a few hops, and the graph is small enough for others than Δ-stepping.
fn hops_are_few<W: Weight>(graph: &Csr<W>) -> bool {
    let growth = delta::degree_at_arc_end(graph);
    graph.n_arcs() <= MAX_ARCS_TRIED
        && growth > 2.0
        && (graph.n_vertices() as f64).ln() <= FEW_HOPS * growth.ln()
}

/// What came of a trial.
enum Trial {
    /// Milliseconds on the device.
    Took(f64),
    TooLong,
    /// The device has no answer.
    NoAnswer,
}

/// A trial from `source`; too long is what takes much longer than `most`.
fn time<W: Weight>(
    device: &mut dyn DeviceSearch<W>,
    source: VertexId,
    most: f64,
) -> Result<Trial, SsspError> {
    quickest(|| {
        let began = Instant::now();
        let tell = |_, _| match milliseconds(began) > patience_for(most) {
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

/// Milliseconds after which a search is given up that is to take no more than `most` on the
/// device: launches and looks at it take some, too.
fn patience_for(most: f64) -> f64 {
    2.0 * most + 1.0
}

/// The least that `search` took, called some times, unless one of them came to nothing.
fn quickest(mut search: impl FnMut() -> Result<Trial, SsspError>) -> Result<Trial, SsspError> {
    let (mut least, mut total) = (f64::INFINITY, 0.0);
    for n in 1..=MAX_SEARCHES {
        let ms = match search()? {
            Trial::Took(ms) => ms,
            other => return Ok(other),
        };
        (least, total) = (least.min(ms), total + ms);
        if n > 1 && total > LONG_ENOUGH_MS {
            break;
        }
    }
    Ok(Trial::Took(least))
}

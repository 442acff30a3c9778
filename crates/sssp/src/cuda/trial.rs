//! Which solver is fastest on a graph on this GPU, found by trying.
//!
//! What a search takes hangs on how wide and how deep a graph lies around its sources: that
//! decides how full a step is, how many there are, and whether it pays to go by distance at
//! all. Degrees and weights do not tell it, and a model of them was off by a factor of two
//! and more on graphs it had not seen. A search does tell, and takes a fraction of what the
//! upload of the graph has taken. So `auto` searches from one vertex in each
//! [form](super::delta_stepping::Form) of Δ-stepping and, where hops are few, with other
//! algorithms, and keeps the fastest. A trial ends when it is slower than the best so far.
//!
//! Reference: meyer-sanders-2003

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};

use super::delta_stepping::{DeltaSteppingOnGpu, Form, milliseconds};
use super::engine::one;
use super::stepping_engine::DeltaSteppingEngine;
use crate::engine::{Engine, Found, Request, TableRequest};
use crate::range::WeightRange;
use crate::{Algorithm, Config, DeviceTimes, Plan, SsspError, Work, delta};

/// What is tried beside Δ-stepping where hops are few.
const WHERE_HOPS_ARE_FEW: [Algorithm; 4] = [
    Algorithm::BellmanFordSpmv,
    Algorithm::BellmanFord,
    Algorithm::Crauser,
    Algorithm::BellmanFordSlf,
];
/// What is tried where weights are negative.
const OF_ANY_SIGN: [Algorithm; 4] = [
    Algorithm::BellmanFordLll,
    Algorithm::BellmanFordQueue,
    Algorithm::BellmanFordSpmv,
    Algorithm::BellmanFord,
];
/// The longest that a trial may take, in milliseconds.
const LONGEST_MS: f64 = 100.0;
/// Hops that a front of average growth takes to all vertices, up to which that is so;
const FEW_HOPS: f64 = 8.0;
/// and most arcs: with more, Δ-stepping has always been the fastest, and each trial takes an
/// upload.
const MOST_ARCS: usize = 1 << 24;
/// How much faster another must be to be taken: less may be chance.
const CLEARLY: f64 = 0.97;
/// A trial is so many searches at most, of which the quickest counts, and fewer if they have
/// taken as long as this; but two, for the first of all also fills caches.
const MOST_SEARCHES: usize = 6;
const LONG_ENOUGH_MS: f64 = 1.0;
/// Vertices that are looked at for one to search from.
const SAMPLES: usize = 256;

/// The engine that is fastest from a vertex of `graph`, whose weights are not negative;
/// `plan` says which and why afterwards.
pub(super) fn fastest<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &mut Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Engine<W> + Send + 'g>, SsspError> {
    let width = plan.delta.unwrap_or(1.0);
    let mut device = DeltaSteppingOnGpu::new(gpu, graph, range, width, false)?;
    let Some(source) = sample(graph) else {
        return Ok(Box::new(DeltaSteppingEngine::new(device, graph, config)));
    };
    let Some((ms, form)) = fastest_form(&mut device, source)? else {
        plan.reason += &format!("; it was not done after {LONGEST_MS} ms, or sums leave 32 bits");
        return Ok(Box::new(DeltaSteppingEngine::new(device, graph, config)));
    };
    device.set_form(form);
    plan.delta = Some(device.delta());
    let horizon = if form.has_horizon { "" } else { " without a horizon" };
    plan.reason = format!("tried from vertex {source}, it took {ms:.3} ms{horizon}");
    let stepping = DeltaSteppingEngine::new(device, graph, config);
    if !is_shallow(graph) {
        return Ok(Box::new(stepping));
    }
    let mut least = ms;
    let mut best = None;
    for algorithm in WHERE_HOPS_ARE_FEW {
        let tried = Plan { algorithm, delta: None, ..plan.clone() };
        let Some(mut engine) = if_possible(one(gpu, graph, config, &tried, range))? else {
            continue;
        };
        if let Some(ms) = time(&mut *engine, source, least)?
            && ms < CLEARLY * least
        {
            (best, least) = (Some((algorithm, engine)), ms);
        }
    }
    let Some((algorithm, whole)) = best else { return Ok(Box::new(stepping)) };
    plan.reason =
        format!("tried from vertex {source}, it took {least:.3} ms, delta-stepping {ms:.3} ms");
    (plan.algorithm, plan.delta) = (algorithm, None);
    Ok(Box::new(Both { whole, stepping, was_whole: false }))
}

/// The same for weights some of which are negative: the fastest form of Bellman-Ford.
pub(super) fn fastest_of_any_sign<'g, W: Weight>(
    gpu: &Gpu,
    graph: &'g Csr<W>,
    config: &Config,
    plan: &mut Plan,
    range: &WeightRange<W>,
) -> Result<Box<dyn Engine<W> + Send + 'g>, SsspError> {
    let mut least = LONGEST_MS;
    let mut best = None;
    if let Some(source) = sample(graph) {
        for algorithm in OF_ANY_SIGN {
            let tried = Plan { algorithm, ..plan.clone() };
            let Some(mut engine) = if_possible(one(gpu, graph, config, &tried, range))? else {
                continue;
            };
            if let Some(ms) = time(&mut *engine, source, least)?
                && ms < CLEARLY * least
            {
                (best, least, plan.algorithm) = (Some(engine), ms, algorithm);
            }
        }
        plan.reason += &match best {
            Some(_) => format!("; of its forms the fastest from vertex {source}, {least:.3} ms"),
            None => format!("; none of its forms was done after {LONGEST_MS} ms"),
        };
    }
    match best {
        Some(engine) => Ok(engine),
        None => one(gpu, graph, config, plan, range),
    }
}

/// The engine, unless the device has no memory for it, or it does not take such weights.
fn if_possible<E>(engine: Result<E, SsspError>) -> Result<Option<E>, SsspError> {
    match engine {
        Err(SsspError::NotOnGpu { .. }) => Ok(None),
        Err(SsspError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => Ok(None),
        engine => engine.map(Some),
    }
}

/// The form that is fastest from `source`, and its milliseconds; `None` where that takes too
/// long, or sums leave 32 bits. Stops trying when it has taken as long as the preparation.
fn fastest_form(
    device: &mut DeltaSteppingOnGpu,
    source: VertexId,
) -> Result<Option<(f64, Form)>, SsspError> {
    let times = device.times();
    let patience = Duration::from_secs_f64((times.upload_ms + times.prepare_ms) / 1e3);
    let began = Instant::now();
    let mut best = None;
    for form in device.forms() {
        if best.is_some() && began.elapsed() > patience {
            break;
        }
        device.set_form(form);
        let most = best.map_or(LONGEST_MS, |(ms, _)| ms);
        let ms = quickest(|| device.time(source, patience_for(most)))?;
        if let Some(ms) = ms.filter(|&ms| best.is_none() || ms < CLEARLY * most) {
            best = Some((ms, form));
        }
    }
    Ok(best)
}

/// The vertex of most arcs among some that lie evenly in the graph.
fn sample<W: Weight>(graph: &Csr<W>) -> Option<VertexId> {
    let n = graph.n_vertices();
    let samples = (0..n).step_by(n.div_ceil(SAMPLES).max(1)).map(|vertex| vertex as VertexId);
    samples.max_by_key(|&vertex| graph.out_degree(vertex)).filter(|&v| graph.out_degree(v) > 0)
}

/// Whether a front that grows as the degrees at the ends of arcs say reaches all vertices in
/// a few hops.
fn is_shallow<W: Weight>(graph: &Csr<W>) -> bool {
    let growth = delta::degree_at_arc_end(graph);
    graph.n_arcs() <= MOST_ARCS
        && growth > 2.0
        && (graph.n_vertices() as f64).ln() <= FEW_HOPS * growth.ln()
}

/// Milliseconds of a search on the device; `None` where one takes much longer than `most`.
fn time<W: Weight>(
    engine: &mut dyn Engine<W>,
    source: VertexId,
    most: f64,
) -> Result<Option<f64>, SsspError> {
    quickest(|| {
        let began = Instant::now();
        let tell = |_, _| match milliseconds(began) > patience_for(most) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let request = Request { source, limit: None, targets: &[], progress: Some(&tell) };
        match engine.search(&request) {
            // a negative cycle is for whoever asks for distances
            Err(SsspError::Interrupted | SsspError::NegativeCycle { .. }) => return Ok(None),
            found => drop(found?),
        }
        Ok(engine.device_times().map(|times| times.solve_ms))
    })
}

/// Milliseconds after which a search is given up that is to take no more than `most` on the
/// device: launches and looks at it take some, too.
fn patience_for(most: f64) -> f64 {
    2.0 * most + 1.0
}

/// The least of what `search` returns, called some times; `None` as soon as it returns that.
fn quickest(
    mut search: impl FnMut() -> Result<Option<f64>, SsspError>,
) -> Result<Option<f64>, SsspError> {
    let (mut least, mut total) = (f64::INFINITY, 0.0);
    for n in 1..=MOST_SEARCHES {
        let Some(ms) = search()? else { return Ok(None) };
        (least, total) = (least.min(ms), total + ms);
        if n > 1 && total > LONG_ENOUGH_MS {
            break;
        }
    }
    Ok(Some(least))
}

/// Another algorithm for all distances from a vertex; Δ-stepping for those that can be had
/// sooner, and for tables.
struct Both<'g, W: Weight> {
    whole: Box<dyn Engine<W> + Send + 'g>,
    stepping: DeltaSteppingEngine<'g, W>,
    was_whole: bool,
}

impl<W: Weight> Engine<W> for Both<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.was_whole = request.limit.is_none() && request.targets.is_empty();
        if self.was_whole { self.whole.search(request) } else { self.stepping.search(request) }
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<paths::Predecessors>, SsspError> {
        match self.was_whole {
            true => self.whole.predecessors(source, limit),
            false => self.stepping.predecessors(source, limit),
        }
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        self.was_whole = false;
        self.stepping.table(request, cells)
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        match self.was_whole {
            true => self.whole.device_times(),
            false => self.stepping.device_times(),
        }
    }
}

//! The searches whose distances are added up to totals.
//!
//! Arcs are counted by searches with one bit for each source ([`HopCounter`]). Otherwise rows of
//! distances are added up as soon as they are found, which bounds the memory. Distances out of a
//! vertex are those into it with all arcs reversed.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use breadth_first::HopCounter;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Direction, Distance, VertexId, Weight, ensure_granted};
use hierarchy::{MetricWeight, Totals as Sums};
use ndarray::Axis;
use paths::{HopSums, Number, Progress};
use sssp::{SearchWeight, Solver, SsspError};

use crate::checkpoint::Checkpoint;
use crate::parts::{Shared, Steps, Workers, add_up, sources_of_part};
use crate::sample::draw;
use crate::totals::add_rows;
use crate::{CentralityError, Config, Lengths, Side, Totals};

/// Bytes of the distances that are held at a time, unless a row has more.
pub(crate) const BYTES_OF_ROWS: usize = 64 << 20;

/// Bytes that the totals, those of a round and a part, the sources and a copy of the row offsets
/// take for each vertex, about.
const BYTES_OF_VERTEX: usize = 130;

/// Tables of rows of a rank in a step, at least.
const TABLES_PER_STEP: usize = 4;

/// Sources that each thread searches from between two states that may be kept, and in a step of
/// several ranks.
const SOURCES_PER_THREAD: usize = 2 << 10;

/// The same of each GPU: sixteen batches, so that the last ones hardly leave a GPU without work.
const SOURCES_PER_GPU: usize = 16 << 10;

/// Sources that search together on a CPU.
const SOURCES_OF_BATCH: usize = 512;

/// A weight type that this crate searches and sweeps with, and so its unsigned type.
pub trait MeasureKeys: SearchWeight + MetricWeight<Unsigned: SearchWeight + MetricWeight> {}

impl<W: SearchWeight + MetricWeight<Unsigned: SearchWeight + MetricWeight>> MeasureKeys for W {}

pub(crate) fn find<W: MeasureKeys>(
    Workers { ranks, gpus }: Workers<'_>,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Totals, CentralityError> {
    let checkpoint = || Checkpoint::new(Workers { ranks, gpus }, graph, "", config);
    match config.lengths {
        Lengths::Hops => {
            let graph = graph.clone().unweighted();
            Shared::run(ranks, checkpoint(), progress, |shared| {
                by_hops(gpus, &graph, config, shared)
            })
        }
        Lengths::Weights => {
            let unsigned = unsigned(graph)?;
            let totals = Shared::run(ranks, checkpoint(), progress, |shared| {
                by_weights(gpus, &unsigned, config, shared)
            })?;
            check_held::<W>(&totals)?;
            Ok(totals)
        }
    }
}

fn by_hops(
    gpus: &[Gpu],
    graph: &Csr<u32>,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Totals, CentralityError> {
    let Run { graph: turned, sources, mut totals } = Run::new(graph, config)?;
    let counter = HopCounter::new(turned.as_ref().unwrap_or(graph), gpus, config.threads);
    let n = graph.n_vertices();
    let n_ranks = shared.ranks.size();
    let at_a_time = match shared.checkpoint {
        None if n_ranks == 1 => sources.len().max(1),
        _ => {
            let share = sources.len().div_ceil(n_ranks).next_multiple_of(SOURCES_OF_BATCH);
            share.clamp(1, sources_of_step(config.threads, gpus.len()))
        }
    };
    totals.set_hops(add_hops(counter, &sources, n, at_a_time, shared)?);
    Ok(totals)
}

fn by_weights<U: SearchWeight>(
    gpus: &[Gpu],
    graph: &Csr<U>,
    config: &Config,
    shared: &Shared<'_>,
) -> Result<Totals, CentralityError> {
    let Run { graph: turned, sources, mut totals } = Run::new(graph, config)?;
    let n_searches = NonZeroUsize::new(sources.len());
    let solver = solver(gpus, turned.as_ref().unwrap_or(graph), config, n_searches)?;
    add_weights(solver, &sources, &mut totals, shared)?;
    Ok(totals)
}

/// On these GPUs, or where there are none on the CPU.
pub(crate) fn solver<'g, U: SearchWeight>(
    gpus: &[Gpu],
    graph: &'g Csr<U>,
    config: &Config,
    expected_searches: Option<NonZeroUsize>,
) -> Result<Solver<'g, U>, SsspError> {
    let threads = config.threads;
    let config: sssp::Config =
        sssp::Config { threads, expected_searches, ..sssp::Config::default() };
    match gpus {
        [] => Solver::new(graph, &config),
        gpus => Solver::on_gpus(gpus, graph, &config.for_algorithm(None)),
    }
}

/// What is searched, from where, and what that adds up to: nothing yet.
pub(crate) struct Run<W: Weight> {
    /// The graph with its arcs reversed, if that is searched.
    pub(crate) graph: Option<Csr<W>>,
    pub(crate) sources: Vec<VertexId>,
    pub(crate) totals: Totals,
}

impl<W: Weight> Run<W> {
    /// Of the sources that `config` asks for.
    pub(crate) fn new(graph: &Csr<W>, config: &Config) -> Result<Self, CentralityError> {
        let is_undirected = graph.direction() == Direction::Undirected;
        let is_turned = config.side == Side::Out && !is_undirected;
        let bytes_of_turned = usize::from(is_turned) * graph.bytes();
        let bytes = BYTES_OF_VERTEX * graph.n_vertices() + bytes_of_turned;
        ensure_granted(bytes)?;
        let drawn = draw(graph.n_vertices(), &config.sources)?;
        let totals = Totals::new::<W>(graph.n_vertices(), drawn.as_deref(), is_undirected);
        let sources = drawn.unwrap_or_else(|| graph.vertices().collect());
        Ok(Self { graph: is_turned.then(|| graph.transposed()), sources, totals })
    }
}

/// How many sources a rank searches from in a step, so that all its threads or GPUs have work.
fn sources_of_step(threads: Option<NonZeroUsize>, n_gpus: usize) -> usize {
    let threads = threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
    (SOURCES_PER_THREAD * threads).max(SOURCES_PER_GPU * n_gpus)
}

/// The sums of all hops, some sources at a time.
fn add_hops(
    mut counter: HopCounter,
    sources: &[VertexId],
    n_vertices: usize,
    at_a_time: usize,
    shared: &Shared<'_>,
) -> Result<HopSums, CentralityError> {
    let told = shared.told(sources.len());
    let mut hops = HopSums::new(n_vertices);
    // whole numbers are the same in parts of any size
    let steps = Steps { of_part: at_a_time, n_parts: 1 };
    add_up(&mut hops, sources, steps, shared, &told, &mut |sources, give| {
        give(&counter.sums(sources, Some(&|done, _| told.step(done)))?)
    })?;
    Ok(hops)
}

/// The graph with weights that are unsigned, or floats.
///
/// # Errors
/// Where one is negative.
pub(crate) fn unsigned<W: Weight>(graph: &Csr<W>) -> Result<Csr<W::Unsigned>, CentralityError> {
    match graph.first_negative() {
        Some((arc, from, to)) => {
            let weight = graph.weight(arc).to_string();
            Err(CentralityError::NegativeWeight { from, to, weight })
        }
        None => Ok(graph.as_unsigned().expect("no weight is negative")),
    }
}

/// An error that names a vertex with a distance that is held as an unsigned one, but not as one of
/// weights of type `W`.
pub(crate) fn check_held<W: Weight>(totals: &Totals) -> Result<(), CentralityError> {
    (0..totals.n_vertices()).try_for_each(|v| held::<W>(totals.greatest_of(v), v as VertexId))
}

/// The same of one distance, of this vertex.
pub(crate) fn held<W: Weight>(distance: Number, vertex: VertexId) -> Result<(), CentralityError> {
    let is_held = |distance| distance != W::Distance::UNREACHED;
    match distance.exactly::<W::Distance>().is_some_and(is_held) {
        true => Ok(()),
        false => {
            let kind = std::any::type_name::<W::Distance>();
            Err(SsspError::Overflow { vertex, kind }.into())
        }
    }
}

/// Adds the rows of all sources, some at a time.
fn add_weights<U: SearchWeight>(
    solver: Solver<'_, U>,
    sources: &[VertexId],
    totals: &mut Totals,
    shared: &Shared<'_>,
) -> Result<(), CentralityError> {
    let n = totals.n_vertices();
    let all: Vec<VertexId> = (0..n as VertexId).collect();
    let at_a_time = BYTES_OF_ROWS / (n * size_of::<U::Distance>()).max(1);
    let at_a_time = at_a_time.max(rayon::current_num_threads());
    let of_part = sources_of_part(sources.len());
    let steps = Steps { of_part, n_parts: (TABLES_PER_STEP * at_a_time).div_ceil(of_part) };
    let (told, before) = (shared.told(sources.len()), AtomicU64::new(0));
    let step = |done, _| told.step(before.load(Relaxed) + done);
    let mut solver = solver.with_progress(&step);
    add_up(&mut totals.found, sources, steps, shared, &told, &mut |sources, give| {
        let mut part = Sums::new::<U>(n);
        let mut done = 0;
        for next in sources.chunks(at_a_time) {
            before.store(done as u64, Relaxed);
            told.tell(done as u64)?;
            let table = solver.table(next, &all)?;
            let mut rows = table.as_storage().view();
            while rows.nrows() > 0 {
                let left_of_part = of_part - done % of_part;
                let (own, others) = rows.split_at(Axis(0), left_of_part.min(rows.nrows()));
                add_rows(&mut part, own);
                done += own.nrows();
                if done.is_multiple_of(of_part) || done == sources.len() {
                    give(&part)?;
                    part = Sums::new::<U>(n);
                }
                rows = others;
            }
        }
        Ok(())
    })
}

//! A search from every vertex, or from those that a rank has, after making weights non-negative.
//!
//! Where a weight is negative, each is raised by the difference of the potentials at its
//! ends, which no path feels: what it gains is the same for all paths between two vertices,
//! and is taken off again. Then searches run side by side, a thread each, in work spaces that
//! are used again; or on GPUs, which share the sources as those of any table. O(n m + n (n + m)
//! log n), and less with the queue that suits the weights.
//!
//! Reference: johnson-1977

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use collectives::Communicator;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;
use sssp::{Config, Progress, SearchWeight, Solver, SsspError};

use crate::error::agree;
use crate::{ApspError, PairsWeight};

/// Searches of a rank until the next time that all ranks hear of errors.
const SEARCHES_PER_TURN: usize = 1024;

/// The distances from these vertices, those of a rank, to all, of a graph without negative weights;
/// by GPUs if there are any.
pub(crate) fn search<W: SearchWeight>(
    ranks: &dyn Communicator,
    gpus: &[Gpu],
    graph: &Csr<W>,
    sources: &[VertexId],
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, ApspError> {
    let all: Vec<VertexId> = graph.vertices().collect();
    let (n_sources, n_targets) = (sources.len(), all.len());
    let bytes = n_sources as u128 * n_targets as u128 * size_of::<W::Distance>() as u128;
    let too_large =
        || SsspError::TableTooLarge { sources: n_sources, targets: n_targets, bytes }.into();
    let per_turn = if ranks.size() == 1 { n_targets.max(1) } else { SEARCHES_PER_TURN };
    let n_turns = ranks.max(n_sources.div_ceil(per_turn) as u64)?;
    let before = AtomicU64::new(0);
    let step = |done, _| match progress {
        Some(tell) => tell(before.load(Ordering::Relaxed) + done, n_sources as u64),
        None => ControlFlow::Continue(()),
    };
    let solver = match gpus {
        [] => Solver::new(graph, config),
        gpus => Solver::on_gpus(gpus, graph, &config.for_algorithm(None)),
    };
    let solver = agree(ranks, solver.map_err(ApspError::from))?;
    let mut solver = solver.with_progress(&step);
    let mut turns = sources.chunks(per_turn);
    let mut cells = Vec::new();
    for _ in 0..n_turns {
        let turn = turns.next().unwrap_or_default();
        let found = solver.table(turn, &all).map_err(ApspError::from);
        let found = agree(ranks, found)?.answer.into_storage();
        match cells.is_empty() {
            true => cells = found.into_raw_vec_and_offset().0,
            false => cells.extend(found),
        }
        before.fetch_add(turn.len() as u64, Ordering::Relaxed);
        let left = n_sources * n_targets - cells.len();
        agree(ranks, cells.try_reserve_exact(left).map_err(|_| too_large()))?;
    }
    let table = Array2::from_shape_vec((n_sources, n_targets), cells);
    Ok(DistanceTable::from_storage(table.map_err(|_| too_large())?))
}

/// The distances from these vertices to all, of a graph with these potentials.
pub(crate) fn search_with<W: PairsWeight>(
    ranks: &dyn Communicator,
    gpus: &[Gpu],
    graph: &Csr<W>,
    sources: &[VertexId],
    potentials: &[W::Distance],
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<DistanceTable<W>, ApspError> {
    let overflow =
        |vertex| SsspError::Overflow { vertex, kind: std::any::type_name::<W::Distance>() };
    let mut arcs = Vec::with_capacity(graph.n_arcs());
    for (u, v, weight) in graph.arcs() {
        let (from, to) = (potentials[u as usize], potentials[v as usize]);
        let through = weight.after(from).ok_or_else(|| overflow(v))?;
        let raised: W::Raised = minus(through, to).ok_or_else(|| overflow(v))?;
        // floats may round to less than nothing
        arcs.push((u, v, if raised < Weight::ZERO { Weight::ZERO } else { raised }));
    }
    let raised = Csr::from_arcs(graph.n_vertices(), &arcs).expect("finite weights on its arcs");
    drop(arcs);
    let mut table: Array2<W::Distance> =
        search(ranks, gpus, &raised, sources, config, progress)?.into_storage();
    let n = potentials.len().max(1);
    let rows = table.as_slice_mut().unwrap_or_default().chunks_mut(n).zip(sources).collect();
    let lowered = parallel::map_of(rows, &|(row, &u): (&mut [W::Distance], _)| {
        let from = potentials[u as usize];
        for ((v, distance), &to) in (0..).zip(row.iter_mut()).zip(potentials) {
            if u == v {
                *distance = Weight::ZERO;
            } else if *distance != W::Distance::UNREACHED {
                // d + (h(v) - h(u)), the difference first: neither leaves the type
                let difference: W::Distance = minus(to, from).ok_or_else(|| overflow(v))?;
                *distance = difference.after(*distance).ok_or_else(|| overflow(v))?;
            }
        }
        Ok::<_, SsspError>(())
    });
    lowered.into_iter().collect::<Result<(), _>>()?;
    Ok(DistanceTable::from_storage(table))
}

fn minus<D: Distance, R: Weight>(a: D, b: D) -> Option<R> {
    match (a.to_i128(), b.to_i128()) {
        (Some(a), Some(b)) => R::from_i128(a - b),
        _ => R::from_f64(a.to_f64() - b.to_f64()),
    }
}

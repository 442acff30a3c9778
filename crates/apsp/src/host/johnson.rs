//! A search from every vertex, or from those that a rank has, after making weights non-negative.
//!
//! Where a weight is negative, each is raised by the difference of the potentials at its ends.
//! Shortest paths stay the same: all paths between two vertices gain the same, which is taken off
//! again. Then searches run side by side, a thread each, in work spaces that are used again; or on
//! GPUs, which share the sources as those of any table. O(n m + n (n + m) log n), and less with the
//! queue that suits the weights.
//!
//! Raised weights may be too large for the type of the weights where distances are not: integers
//! are raised as unsigned ones, and floats in quarters.
//!
//! Reference: johnson-1977

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::allocation::cast_vec;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, VertexId, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;
use pivots::Share;
use sssp::{Config, SearchWeight, Solver, SsspError};

use crate::ApspError;
use crate::error::agree;
use crate::job::Job;
use crate::potentials::RaisedWeight;

/// Searches of a rank until the next time that all ranks hear of errors.
const SEARCHES_PER_TURN: usize = 1024;

/// The distances from the vertices of a rank to all; by GPUs if there are any. Where a weight is
/// negative, rank 0 has potentials.
pub(crate) fn search<W: RaisedWeight>(
    job: &Job<'_, W>,
    gpus: &[Gpu],
    share: Share,
    potentials: Option<&[W::Distance]>,
) -> Result<DistanceTable<W>, ApspError> {
    let sources: Vec<_> = share.rows().map(|v| v as VertexId).collect();
    match job.graph.first_negative() {
        None => search_from(job, gpus, job.graph, &sources),
        Some(_) => {
            let potentials = potentials.map(<[_]>::to_vec).unwrap_or_default();
            let potentials = job.ranks.broadcast_vec(0, potentials)?;
            search_with(job, gpus, &sources, &potentials)
        }
    }
}

/// The same of a graph without negative weights: that of the job, or with its weights raised.
fn search_from<W: Weight, R: SearchWeight>(
    job: &Job<'_, W>,
    gpus: &[Gpu],
    graph: &Csr<R>,
    sources: &[VertexId],
) -> Result<DistanceTable<R>, ApspError> {
    let Job { ranks, progress, .. } = *job;
    let config = Config { threads: job.config.threads, ..Config::default() };
    let all: Vec<VertexId> = graph.vertices().collect();
    let (n_sources, n_targets) = (sources.len(), all.len());
    let bytes = n_sources as u128 * n_targets as u128 * size_of::<R::Distance>() as u128;
    let too_large = || {
        SsspError::TableTooLarge { sources: n_sources, targets: n_targets, bytes: bytes.into() }
            .into()
    };
    let per_turn = if ranks.size() == 1 { n_targets.max(1) } else { SEARCHES_PER_TURN };
    let n_turns = ranks.max(n_sources.div_ceil(per_turn) as u64)?;
    let before = AtomicU64::new(0);
    let step = |done, _| {
        let done = before.load(Ordering::Relaxed) + done;
        progress.map_or(ControlFlow::Continue(()), |tell| tell(done, n_sources as u64))
    };
    let solver = match gpus {
        [] => Solver::new(graph, &config),
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
fn search_with<W: RaisedWeight>(
    job: &Job<'_, W>,
    gpus: &[Gpu],
    sources: &[VertexId],
    potentials: &[W::Distance],
) -> Result<DistanceTable<W>, ApspError> {
    let graph = job.graph;
    let overflow =
        |vertex| SsspError::Overflow { vertex, kind: std::any::type_name::<W::Distance>() };
    let greatest = potentials.iter().map(|potential| -potential.to_f64());
    let greatest = greatest.fold(graph.weight_summary().greatest_size(), f64::max);
    // of floats; integers have a type that is wide enough
    let part = if W::Raised::from_f64(8.0 * greatest).is_some() { 1.0 } else { 0.25 };
    let mut arcs = Vec::with_capacity(graph.n_arcs());
    for (u, v, weight) in graph.arcs() {
        let raised = raise(weight, potentials[u as usize], potentials[v as usize], part);
        let raised: W::Raised = raised.ok_or_else(|| overflow(v))?;
        // floats may round to less than nothing
        arcs.push((u, v, if raised < Weight::ZERO { Weight::ZERO } else { raised }));
    }
    let raised = Csr::from_arcs(graph.n_vertices(), &arcs).expect("finite weights on its arcs");
    drop(arcs);
    let table = match search_from(job, gpus, &raised, sources) {
        Ok(table) => table.into_storage(),
        Err(ApspError::Search(SsspError::Overflow { vertex, .. })) => {
            return Err(overflow(vertex).into());
        }
        Err(error) => return Err(error),
    };
    let shape = table.dim();
    let mut cells = table.into_raw_vec_and_offset().0;
    let rows = cells.chunks_mut(potentials.len().max(1)).zip(sources).collect();
    let lowered = parallel::map_of(rows, &|(row, &u): (&mut [Raised<W>], _)| {
        let from = potentials[u as usize];
        for ((v, cell), &to) in (0..).zip(row.iter_mut()).zip(potentials) {
            let distance = if u == v {
                W::Distance::ZERO
            } else if *cell == Raised::<W>::UNREACHED {
                W::Distance::UNREACHED
            } else {
                lower(*cell, from, to, part).ok_or_else(|| overflow(v))?
            };
            *cell = bytemuck::cast(distance);
        }
        Ok::<_, SsspError>(())
    });
    lowered.into_iter().collect::<Result<(), _>>()?;
    let table = Array2::from_shape_vec(shape, cast_vec(cells)).expect("as many cells as before");
    Ok(DistanceTable::from_storage(table))
}

/// The distances of raised weights.
type Raised<W> = <<W as RaisedWeight>::Raised as Weight>::Distance;

/// The weight of an arc between vertices with these potentials, raised by their difference; of floats
/// this part of it, a quarter where all of it may leave the type.
fn raise<W: RaisedWeight>(
    weight: W,
    from: W::Distance,
    to: W::Distance,
    part: f64,
) -> Option<W::Raised> {
    match (weight.to_i128(), from.to_i128(), to.to_i128()) {
        (Some(weight), Some(from), Some(to)) => W::Raised::from_i128(weight + from - to),
        _ => {
            let weight = W::Distance::from_f64(weight.to_f64() * part)?;
            let through = weight.after(W::Distance::from_f64(from.to_f64() * part)?)?;
            W::Raised::from_f64(through.to_f64() - to.to_f64() * part)
        }
    }
}

/// The distance between vertices with these potentials that is `raised` by their difference; none
/// where its type cannot hold it.
fn lower<R: Distance, D: Distance>(raised: R, from: D, to: D, part: f64) -> Option<D> {
    match (raised.to_i128(), from.to_i128(), to.to_i128()) {
        (Some(raised), Some(from), Some(to)) => {
            D::from_i128(raised + to - from).filter(|&distance| distance != D::UNREACHED)
        }
        _ => {
            let difference = D::from_f64(to.to_f64() * part - from.to_f64() * part)?;
            let distance = difference.after(D::from_f64(raised.to_f64())?)?;
            D::from_f64(distance.to_f64() / part)
        }
    }
}

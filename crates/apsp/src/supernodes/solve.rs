//! From a graph and its supernodes to the pairs.

use std::cell::Cell;
use std::time::Instant;

use collectives::Alone;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, parallel};
use ndarray::Array2;
use paths::DistanceTable;
use rayon::ThreadPoolBuilder;
use sssp::{Progress, SsspError};

use super::{Fronts, Supernodes, host};
use crate::cuda::{Arithmetic, supernodes as on_gpu};
use crate::element::with_element;
use crate::host::{MinPlus, all_rows};
use crate::pairs::{Rows, milliseconds, zeros};
use crate::ranks::bytes_of_table;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Pairs, PairsWeight, Plan, Report, hops};

/// All pairs of a graph by its supernodes, on a GPU if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a, W: Weight> {
    pub(crate) graph: &'a Csr<W>,
    pub(crate) supernodes: &'a Supernodes,
    pub(crate) config: &'a Config,
    pub(crate) gpu: Option<&'a Gpu>,
    pub(crate) progress: Option<Progress<'a>>,
}

/// How much is done: so many levels of the supernodes, each in three phases.
pub(crate) struct Steps<'a> {
    done: Cell<u64>,
    total: u64,
    progress: Option<Progress<'a>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(supernodes: &Supernodes, progress: Option<Progress<'a>>) -> Self {
        let total = 3 * supernodes.levels().len() as u64;
        Self { done: Cell::new(0), total, progress }
    }

    /// Tells that a level is done.
    pub(crate) fn next(&self) -> Result<(), ApspError> {
        self.done.update(|done| done + 1);
        match self.progress {
            Some(tell) if tell(self.done.get(), self.total).is_break() => {
                Err(SsspError::Interrupted.into())
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn solve<W: PairsWeight>(work: Work<'_, W>) -> Result<Pairs<W>, ApspError> {
    let Work { graph, config, gpu, progress, .. } = work;
    work.check()?;
    let narrow = match gpu {
        None => Narrow::Tried { speed: 1.0 },
        Some(gpu) => on_gpu::narrow(gpu),
    };
    let matrix = Config { algorithm: Algorithm::Blocked, ..config.clone() };
    let mut plan = Plan { by_supernodes: true, ..Plan::new(graph, &matrix, narrow, progress)? };
    let needed = work.bytes(&plan)?;
    work.check_memory(needed)?;
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let sources: Vec<_> = graph.vertices().collect();
    let mut report = Report::default();
    let distances = loop {
        let number = plan.number.ok_or(ApspError::TooHeavy { bound: f64::INFINITY })?;
        let found =
            with_element!(W, number, E => pool.install(|| work.find::<E>(&plan, &mut report)))?;
        let start = Instant::now();
        let wider = plan.wider(&Alone, &pool, graph, &sources, &found)?;
        report.download_ms += milliseconds(start);
        if wider.is_none() {
            break found;
        }
    };
    let mut found = (distances, None);
    if config.next_hops {
        let share = all_rows(graph.n_vertices());
        let work = hops::Work { ranks: &Alone, graph, share, threads: plan.threads, progress };
        let (settled, hops) = work.find(found.0, &mut report)?;
        found = (settled, Some(hops));
    }
    Ok(Pairs { plan, report, rows: Rows::in_memory(found.0, found.1) })
}

impl<W: Weight> Work<'_, W> {
    /// Refuses what has no such solution.
    fn check(&self) -> Result<(), ApspError> {
        let Self { graph, supernodes, .. } = *self;
        let (expected, found) = (graph.n_vertices(), supernodes.n_vertices());
        if expected != found {
            let reason = format!("they have {found} vertices, and the graph has {expected}");
            return Err(ApspError::NotSupernodes { reason });
        }
        if let Some((arc, from, to)) = graph.first_negative() {
            let weight = graph.weight(arc).to_string();
            return Err(ApspError::NegativeWeight { from, to, weight });
        }
        Ok(())
    }

    /// An error where that is more than the memory allowed, or than there is.
    fn check_memory(&self, needed: u128) -> Result<(), ApspError> {
        let n_vertices = self.graph.n_vertices();
        let share = all_rows(n_vertices);
        let hops = if self.config.next_hops { hops::bytes(self.graph, share) } else { 0 };
        let bytes = bytes_of_table::<W>(share) + needed.max(hops);
        let too_large = || ApspError::TooLarge { n_vertices, bytes };
        if let Some(memory) = self.config.memory.filter(|&memory| u128::from(memory) < bytes) {
            return Err(ApspError::OverMemory { n_vertices, bytes, memory });
        }
        let whole = usize::try_from(bytes).map_err(|_| too_large())?;
        Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
    }

    /// Bytes of the host's memory beside the table: of the fronts, and of the matrix or what a GPU
    /// is sent.
    fn bytes(&self, plan: &Plan) -> Result<u128, ApspError> {
        let Self { graph, supernodes, gpu, .. } = *self;
        let Some(number) = plan.widest() else { return Ok(0) };
        let arithmetic = Arithmetic::of_plan(plan.widest(), graph)?;
        Ok(with_element!(W, number, E => match gpu {
            None => host::bytes::<E>(supernodes),
            Some(_) => {
                Fronts::<E>::bytes(supernodes) + on_gpu::bytes_on_host::<E>(supernodes, arithmetic)
            }
        }))
    }

    /// In these numbers.
    fn find<E: MinPlus>(
        &self,
        plan: &Plan,
        report: &mut Report,
    ) -> Result<DistanceTable<W>, ApspError> {
        let Self { graph, supernodes, .. } = *self;
        let start = Instant::now();
        let steps = Steps::new(supernodes, self.progress);
        let fronts = Fronts::<E>::of(graph, supernodes, &steps)?;
        report.prepare_ms += milliseconds(start);
        // as in `Solver::find`
        if cfg!(feature = "cuda")
            && let Some(gpu) = self.gpu
        {
            let arithmetic = Arithmetic::of_plan(plan.number, graph)?;
            let closed = on_gpu::close(gpu, arithmetic, supernodes, &fronts, &steps, report)?;
            drop(fronts);
            return closed.table::<W, E>(report);
        }
        let start = Instant::now();
        let closed = host::Closed::of(fronts, supernodes, &steps)?;
        report.solve_ms += milliseconds(start);
        let start = Instant::now();
        let (n, ranks) = (graph.n_vertices(), supernodes.ranks());
        let bytes = bytes_of_table::<W>(all_rows(n));
        let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
        let mut cells = zeros::<W::Distance>(n * n).ok_or_else(too_large)?;
        let rows = cells.chunks_mut(n.max(1)).zip(ranks);
        parallel::for_each_of(rows, &|(cells, &source)| {
            let row = closed.row(source);
            cells
                .iter_mut()
                .zip(ranks)
                .for_each(|(cell, &rank)| *cell = row[rank as usize].decode());
        });
        report.download_ms += milliseconds(start);
        let table = Array2::from_shape_vec((n, n), cells).map_err(|_| too_large())?;
        Ok(DistanceTable::from_storage(table))
    }
}

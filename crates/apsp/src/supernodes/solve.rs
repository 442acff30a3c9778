//! From a graph and its supernodes to the pairs.

use std::slice;
use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight, parallel};
use paths::DistanceTable;
use sssp::Progress;

use super::fronts::{Fronts, bytes_of_all, bytes_of_fronts};
use super::{Ordered, Steps, Supernodes, host};
use crate::cuda::{self, Arithmetic, supernodes as on_gpu};
use crate::element::with_element;
use crate::error::check_memory;
use crate::host::{MinPlus, all_rows};
use crate::job::{Backend, Found, Job, Turn};
use crate::pairs::{Table, milliseconds};
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Number, Plan, Report, hops};

/// All pairs of a graph by its supernodes, on a GPU if there is one, for the only rank.
#[derive(Clone, Copy)]
pub(crate) struct BySupernodes<'a> {
    pub(crate) supernodes: &'a Supernodes,
    pub(crate) ordered: &'a Ordered,
    pub(crate) gpu: Option<&'a Gpu>,
}

impl<W: RaisedWeight> Backend<W> for BySupernodes<'_> {
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError> {
        self.check_graph(job.graph)?;
        let narrow = match self.gpu {
            Some(gpu) => cuda::narrow(job.ranks, slice::from_ref(gpu))?,
            None => Narrow::Tried { speed: 1.0 },
        };
        let matrix = Config { algorithm: Algorithm::Blocked, ..job.config.clone() };
        let plan = Plan::new(job.graph, &matrix, narrow, job.progress)?;
        let reason = self.ordered.reason.clone().unwrap_or(plan.reason);
        Ok(Plan { algorithm: Algorithm::Supernodes, reason, ..plan })
    }

    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError> {
        let Job { graph, config, .. } = *job;
        let n_vertices = graph.n_vertices();
        let share = all_rows(n_vertices);
        let hops = if config.next_hops { hops::bytes(graph, share) } else { 0 };
        let bytes = Table::<W>::bytes(share) + self.bytes(graph, plan)?.max(hops);
        check_memory(n_vertices, bytes, config.memory)
    }

    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let number = turn.plan.number.ok_or(ApspError::TooHeavy { bound: f64::INFINITY })?;
        let Job { graph, progress, .. } = *job;
        report.order_ms = self.ordered.order_ms;
        let found = with_element!(W, number, E => {
            parallel::install(turn.pool, || self.close::<W, E>(graph, number, report, progress))
        });
        Ok(Found::distances(all_rows(graph.n_vertices()), found?))
    }
}

impl BySupernodes<'_> {
    /// Refuses what has no such solution.
    fn check_graph<W: Weight>(&self, graph: &Csr<W>) -> Result<(), ApspError> {
        let (expected, found) = (graph.n_vertices(), self.supernodes.n_vertices());
        if expected != found {
            let reason = format!("it has {found} vertices, and this graph {expected}");
            return Err(ApspError::NotInOrder { reason });
        }
        if let Some((arc, from, to)) = graph.first_negative() {
            let weight = graph.weight(arc).to_string();
            return Err(ApspError::NegativeWeight { from, to, weight });
        }
        Ok(())
    }

    /// Bytes of the host's memory beside the table: of the fronts, and of the matrix or what a GPU
    /// is sent.
    fn bytes<W: Weight>(&self, graph: &Csr<W>, plan: &Plan) -> Result<u128, ApspError> {
        let Self { supernodes, gpu, .. } = *self;
        let Some(number) = plan.widest() else { return Ok(0) };
        let arithmetic = Arithmetic::of_plan(plan.widest(), graph)?;
        Ok(with_element!(W, number, E => match gpu {
            None => bytes_of_all::<E>(supernodes),
            Some(_) => {
                let sent = on_gpu::bytes_on_host::<E>(supernodes, arithmetic);
                bytes_of_fronts::<E>(supernodes) + sent
            }
        }))
    }

    /// In these numbers.
    fn close<W: Weight, E: MinPlus>(
        &self,
        graph: &Csr<W>,
        number: Number,
        report: &mut Report,
        progress: Option<Progress<'_>>,
    ) -> Result<DistanceTable<W>, ApspError> {
        let Self { supernodes, gpu, .. } = *self;
        let start = Instant::now();
        let steps = Steps::new(supernodes, progress);
        let fronts = Fronts::<E>::of(graph, supernodes, &steps)?;
        report.prepare_ms += milliseconds(start);
        // as in `Solver::find`
        if cfg!(feature = "cuda")
            && let Some(gpu) = gpu
        {
            let arithmetic = Arithmetic::of_plan(Some(number), graph)?;
            let closed = on_gpu::close(gpu, arithmetic, supernodes, &fronts, &steps, report)?;
            drop(fronts);
            return closed.table::<W, E>(report);
        }
        let start = Instant::now();
        let closed = host::Closed::of(fronts, supernodes, &steps)?;
        report.solve_ms += milliseconds(start);
        let start = Instant::now();
        let (n, ranks) = (graph.n_vertices(), &supernodes.ranks);
        let mut table = Table::<W>::new(n, n)?;
        table.fill(&|u, cells| {
            let row = closed.row(ranks[u]);
            let numbers = ranks.iter().map(|&rank| row[rank as usize]);
            cells.iter_mut().zip(numbers).for_each(|(cell, number)| *cell = number.decode());
        });
        report.download_ms += milliseconds(start);
        Ok(table.finish())
    }
}

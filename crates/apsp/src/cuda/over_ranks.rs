//! All pairs of a graph by ranks with a GPU each, which keep the rows of their blocks.

use std::ops::Range;
use std::time::Instant;

use gpu_runtime::{Buffer, Gpu};
use graph_formats::Weight;
use pivots::{Blocks, Share};
use rayon::ThreadPool;

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, Kernels, adds_and_compares};
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::link::Link;
use super::memory::Need;
use super::rows::OnGpu;
use super::solve::{arithmetic, bring, plan, tried};
use crate::error::agree;
use crate::job::{Backend, Found, Job, Turn};
use crate::pairs::milliseconds;
use crate::potentials::RaisedWeight;
use crate::ranks::RankPairs;
use crate::table::Table;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Phases, Plan, Report, hops, memory};

/// By ranks, each with one of these GPUs.
pub(crate) fn solve_over<W: RaisedWeight>(
    gpus: &[Gpu],
    job: &Job<'_, W>,
) -> Result<RankPairs<W>, ApspError> {
    let ranks = job.ranks;
    let asked = match (gpus, job.config.algorithm) {
        ([gpu], Algorithm::Auto | Algorithm::Blocked) => Ok(gpu),
        ([_], form) => Err(ApspError::NotByRanks { what: form.name() }),
        _ => Err(ApspError::NotByRanks { what: "other than one GPU for each" }),
    };
    let gpu = agree(ranks, asked)?;
    let narrow = match ranks.any(!adds_and_compares(gpu))? {
        true => Narrow::Never,
        false => tried(1),
    };
    job.solve(&RankGpu { gpu, narrow })
}

/// The GPU of a rank.
struct RankGpu<'a> {
    gpu: &'a Gpu,
    narrow: Narrow,
}

impl<W: RaisedWeight> Backend<W> for RankGpu<'_> {
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError> {
        plan(1, self.narrow, job.graph, job.config, job.progress)
    }

    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError> {
        arithmetic(plan, job.graph).map(drop)
    }

    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let jit_before = self.gpu.jit_ms();
        let arithmetic = arithmetic(turn.plan, job.graph)?;
        let (found, own) = Work { job, gpu: self.gpu, arithmetic, pool: turn.pool }.solve()?;
        *report += Report { jit_ms: self.gpu.jit_ms() - jit_before, ..own };
        Ok(found)
    }
}

struct Work<'a, W: Weight> {
    job: &'a Job<'a, W>,
    gpu: &'a Gpu,
    arithmetic: Arithmetic,
    pool: &'a ThreadPool,
}

/// What is taken before the ranks begin.
struct Room<W: Weight> {
    kernels: Kernels,
    form: FloydWarshall,
    matrix: Buffer<u32>,
    table: Table<W>,
}

impl<W: Weight> Work<'_, W> {
    /// Solves in these numbers.
    fn solve(&self) -> Result<(Found<W>, Report), ApspError> {
        let Job { ranks, graph, progress, .. } = *self.job;
        let (gpu, n) = (self.gpu, graph.n_vertices());
        let (rank, size) = (ranks.rank(), ranks.size());
        let cut = Cut::on_gpus(self.arithmetic, n, size);
        let share = Blocks { n_rows: n, ..cut.blocks }.share(rank);
        let mut report = Report::default();
        let start = Instant::now();
        let room = self.room(cut, share);
        let Room { kernels, form, matrix, mut table } = agree(ranks, room)?;
        let (link, note) = match size {
            1 => (None, String::new()),
            _ => {
                let (link, reason) = Link::new(ranks, gpu, cut.blocks.block_rows * cut.stride())?;
                let note = match reason {
                    None => "; NCCL brings the rows of other ranks".to_owned(),
                    Some(why) => {
                        format!("; rows of other ranks come through the hosts' memory, for {why}")
                    }
                };
                (Some(link), note)
            }
        };
        report.prepare_ms = milliseconds(start);

        let start = Instant::now();
        let rows = OnGpu::new(&matrix, form.panels(), cut, rank);
        let (form, kernels, link) = (&form, &kernels, link.as_ref());
        let closed = close(&[Part { number: rank, form, kernels, rows, link }], progress);
        let is_agreed = matches!(closed, Ok(_) | Err(ApspError::Interrupted(_)));
        if let (Err(error), false) = (&closed, is_agreed || size == 1) {
            return Err(ApspError::RankLost { reason: error.to_string() });
        }
        // from here on no GPU reads what another sent, and the link may go
        let (counts, own) = agree(ranks, closed)?;
        report.solve_ms = milliseconds(start);
        report.launches = counts.launches;
        let mean = |ms: f64| Ok::<_, ApspError>(ranks.sum(ms)? / size as f64);
        report.phases = Phases {
            closing_ms: mean(own.closing_ms)?,
            sending_ms: mean(own.sending_ms)?,
            updating_ms: mean(own.updating_ms)?,
            waiting_ms: mean(own.waiting_ms)?,
        };

        let start = Instant::now();
        let own = |rows: Range<usize>| {
            matrix.download_range(rows.start * cut.stride()..rows.end * cut.stride())
        };
        let brought = self.pool.install(|| bring(&mut table, cut, &own));
        agree(ranks, brought.map_err(ApspError::from))?;
        report.download_ms = milliseconds(start);
        Ok((Found { note, ..Found::distances(share, table.finish()) }, report))
    }

    /// Takes the memory, and writes the arcs of this rank's rows.
    fn room(&self, cut: Cut, share: Share) -> Result<Room<W>, ApspError> {
        let Self { job: &Job { graph, config, .. }, gpu, arithmetic, .. } = *self;
        let n = graph.n_vertices();
        let block = cut.blocks.block_rows as u128 * cut.stride() as u128 * size_of::<u32>() as u128;
        let hops = if config.next_hops { hops::bytes(graph, share) } else { 0 };
        memory::check(n, Table::<W>::bytes(share) + hops.max(block), config.memory)?;
        let need = Need::of(graph, config, Algorithm::Blocked, arithmetic, cut.blocks.n_parts);
        gpu.check_fits("this rank's share of the matrix", need.on_gpu())?;
        let kernels = Kernels::load(gpu, arithmetic)?;
        let form = FloydWarshall::new(gpu, cut)?;
        let arcs = DeviceArcs::for_matrix(gpu, graph, arithmetic)?;
        let matrix = arcs.matrix(gpu, &kernels, cut, share.part)?;
        let table = Table::new(share.n_rows(), n)?;
        Ok(Room { kernels, form, matrix, table })
    }
}

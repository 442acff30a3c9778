//! All pairs of a graph by ranks with a GPU each, which keep the rows of their blocks.

use std::ops::Range;
use std::time::Instant;

use collectives::Communicator;
use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, VertexId, Weight};
use pivots::{Blocks, Share};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sssp::{Progress, SsspError};

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, Kernels, adds_and_compares};
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::link::Link;
use super::memory::Need;
use super::rows::OnGpu;
use super::solve::{Table, plan, tried};
use crate::error::agree;
use crate::pairs::milliseconds;
use crate::potentials::potentials;
use crate::ranks::{RankPairs, bytes_of_table};
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, PairsWeight, Phases, Plan, Report, hops};

/// By ranks, each with one of these GPUs.
pub(crate) fn solve_over<W: PairsWeight>(
    ranks: &dyn Communicator,
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<RankPairs<W>, ApspError> {
    let asked = match (gpus, config.algorithm) {
        ([gpu], Algorithm::Auto | Algorithm::Blocked) => Ok(gpu),
        ([_], form) => Err(ApspError::NotByRanks { what: form.name() }),
        _ => Err(ApspError::NotByRanks { what: "other than one GPU for each" }),
    };
    let gpu = agree(ranks, asked)?;
    let narrow = match ranks.any(!adds_and_compares(gpu))? {
        true => Narrow::Never,
        false => tried(1),
    };
    let planned = ranks.is_root().then(|| plan(1, narrow, graph, config, progress)).transpose();
    let mut plan = Plan::broadcast(agree(ranks, planned)?.map(|(plan, _)| plan), ranks, config)?;
    let mut arithmetic = agree(ranks, Arithmetic::of_plan(plan.number, graph))?;
    let has_negative = graph.first_negative().is_some() && ranks.is_root();
    let proof = has_negative.then(|| potentials(graph, config.threads, progress)).transpose();
    agree(ranks, proof)?;

    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build();
    let pool = agree(ranks, pool.map_err(ApspError::from))?;
    let jit_before = gpu.jit_ms();
    let mut report = Report::default();
    let (found, reason) = loop {
        let work = Work { ranks, gpu, graph, config, arithmetic, pool: &pool, progress };
        let (found, reason) = work.solve(&plan)?;
        report += found.report;
        let start = Instant::now();
        let wider = plan.wider(ranks, &pool, graph, &found.sources, &found.distances)?;
        report.download_ms += milliseconds(start);
        if wider.is_none() {
            break (found, reason);
        }
        arithmetic = Arithmetic::of_plan(wider, graph)?;
    };
    report.jit_ms = gpu.jit_ms() - jit_before;
    plan.reason.push_str(&match reason {
        _ if ranks.size() == 1 => String::new(),
        None => "; NCCL brings the rows of other ranks".to_owned(),
        Some(why) => format!("; rows of other ranks come through the hosts' memory, for {why}"),
    });
    let found = RankPairs { plan, report, ..found };
    if config.next_hops { found.with_next_hops(ranks, graph, progress) } else { Ok(found) }
}

struct Work<'a, W: Weight> {
    ranks: &'a dyn Communicator,
    gpu: &'a Gpu,
    graph: &'a Csr<W>,
    config: &'a Config,
    arithmetic: Arithmetic,
    pool: &'a ThreadPool,
    progress: Option<Progress<'a>>,
}

/// What is taken before the ranks begin.
struct Room<W: Weight> {
    kernels: Kernels,
    form: FloydWarshall,
    matrix: Buffer<u32>,
    table: Table<W>,
}

impl<W: Weight> Work<'_, W> {
    /// Solves in these numbers; also returns why rows pass through the hosts' memory, if they do.
    fn solve(&self, plan: &Plan) -> Result<(RankPairs<W>, Option<String>), ApspError> {
        let (ranks, gpu, n) = (self.ranks, self.gpu, self.graph.n_vertices());
        let (rank, size) = (ranks.rank(), ranks.size());
        let cut = Cut::on_gpus(self.arithmetic, n, size);
        let share = Blocks { n_rows: n, ..cut.blocks }.share(rank);
        let mut report = Report::default();
        let start = Instant::now();
        let room = self.room(cut, share);
        let Room { kernels, form, matrix, mut table } = agree(ranks, room)?;
        let (link, reason) = match size {
            1 => (None, None),
            _ => {
                let (link, reason) = Link::new(ranks, gpu, cut.blocks.block_rows * cut.stride())?;
                (Some(link), reason)
            }
        };
        report.prepare_ms = milliseconds(start);

        let start = Instant::now();
        let rows = OnGpu::new(&matrix, form.panels(), cut, rank);
        let (form, kernels, link) = (&form, &kernels, link.as_ref());
        let closed = close(&[Part { number: rank, form, kernels, rows, link }], self.progress);
        let is_agreed = matches!(closed, Ok(_) | Err(ApspError::Search(SsspError::Interrupted)));
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
        let brought = self.pool.install(|| table.bring(cut, &own));
        agree(ranks, brought.map_err(ApspError::from))?;
        report.download_ms = milliseconds(start);
        let sources = share.rows().map(|v| v as VertexId).collect();
        let (distances, plan) = (table.finish(), plan.clone());
        Ok((RankPairs { sources, distances, next_hops: None, plan, report, share }, reason))
    }

    /// Takes the memory, and writes the arcs of this rank's rows.
    fn room(&self, cut: Cut, share: Share) -> Result<Room<W>, ApspError> {
        let Self { gpu, graph, arithmetic, .. } = *self;
        let n = graph.n_vertices();
        let block = cut.blocks.block_rows as u128 * cut.stride() as u128 * size_of::<u32>() as u128;
        let hops = if self.config.next_hops { hops::bytes(graph, share) } else { 0 };
        let bytes = bytes_of_table::<W>(share) + hops.max(block);
        if let Some(memory) = self.config.memory.filter(|&memory| u128::from(memory) < bytes) {
            return Err(ApspError::OverMemory { n_vertices: n, bytes, memory });
        }
        let need = Need::of(graph, self.config, Algorithm::Blocked, arithmetic, cut.blocks.n_parts);
        gpu.check_fits("this rank's share of the matrix", need.on_gpu())?;
        let kernels = Kernels::load(gpu, arithmetic)?;
        let form = FloydWarshall::new(gpu, cut)?;
        let arcs = DeviceArcs::for_matrix(gpu, graph, arithmetic)?;
        let matrix = arcs.matrix(gpu, &kernels, cut, share.part)?;
        let table = Table::new(share.n_rows(), n)?;
        Ok(Room { kernels, form, matrix, table })
    }
}

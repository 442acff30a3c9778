//! All pairs of a graph on the GPUs of this process, or of several ranks with one each.

use std::cell::RefCell;
use std::ops::Range;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use collectives::{Communicator, RanksError};
use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight, parallel};
use paths::{DistanceTable, HopStorage};
use pivots::{Blocks, Share};
use published::pairs::{Form, OutOfCore, Solver};
use rayon::ThreadPool;
use sssp::Progress;

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, Kernels, TILE_ROWS, adds_and_compares};
use super::cut::Cut;
use super::floyd_warshall::{GpuShare, Part, Store, close};
use super::link::Link;
use super::memory::{Need, available, parameters};
use super::next_hops::{Closed, Finder};
use super::tile::Tile;
use crate::element::{with_element, write_row};
use crate::error::agree;
use crate::host::all_rows;
use crate::host::useful_arcs::{marked, marks, rounds};
use crate::job::{Backend, Found, Job, Turn};
use crate::pairs::{Table, decode, milliseconds};
use crate::potentials::RaisedWeight;
use crate::ranks::RankPairs;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Phases, Plan, Report};

/// The speed of a GPU, as a multiple of that of a CPU.
const SPEED: f64 = 200.0;

/// GPUs that find all pairs: rows are in their memory or pass through it. Several ranks have one
/// GPU each, which keeps the rank's rows.
struct Gpus<'a> {
    gpus: &'a [Gpu],
    narrow: Narrow,
}

/// Solves on the GPUs of this process, or on one of each rank.
pub(crate) fn solve<W: RaisedWeight>(
    gpus: &[Gpu],
    job: &Job<'_, W>,
) -> Result<RankPairs<W>, ApspError> {
    job.solve(&Gpus { gpus, narrow: narrow(job.ranks, gpus)? })
}

/// Solves on several ranks, each with one of these GPUs.
pub(crate) fn solve_over<W: RaisedWeight>(
    gpus: &[Gpu],
    job: &Job<'_, W>,
) -> Result<RankPairs<W>, ApspError> {
    let asked = match (gpus, job.config.algorithm) {
        ([_], Algorithm::Auto | Algorithm::Blocked) => Ok(()),
        ([_], form) => Err(ApspError::NotByRanks { what: form.name() }),
        _ => Err(ApspError::NotByRanks { what: "a number of GPUs for each rank other than one" }),
    };
    agree(job.ranks, asked)?;
    solve(gpus, job)
}

/// Numbers of 16 bits where they are likely to hold all distances, if all GPUs have instructions
/// for them. To be called by all ranks.
pub(crate) fn narrow(ranks: &dyn Communicator, gpus: &[Gpu]) -> Result<Narrow, RanksError> {
    let is_slow = !gpus.iter().all(adds_and_compares);
    Ok(match ranks.any(is_slow)? {
        true => Narrow::Never,
        false => Narrow::Tried { speed: SPEED * gpus.len() as f64 },
    })
}

impl<W: RaisedWeight> Backend<W> for Gpus<'_> {
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError> {
        plan(self.gpus.len(), self.narrow, job)
    }

    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError> {
        reach_each_other(self.gpus)?;
        let widest = Arithmetic::of_plan(plan.widest(), job.graph)?;
        let need = Need::of(job, plan.algorithm, widest, self.gpus.len());
        need.check_host(job.config.memory)
    }

    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let jit_before = jit_ms(self.gpus);
        let work = Work::new(self.gpus, job, turn.plan)?;
        let found = work.solve(job.ranks, turn.pool, report)?;
        report.jit_ms += jit_ms(self.gpus) - jit_before;
        Ok(found)
    }
}

/// The milliseconds that loading kernels has taken until now.
pub(super) fn jit_ms(gpus: &[Gpu]) -> f64 {
    gpus.iter().map(Gpu::jit_ms).sum()
}

/// Enables direct copies between GPUs that can make them.
pub(super) fn reach_each_other(gpus: &[Gpu]) -> Result<(), GpuError> {
    for (i, gpu) in gpus.iter().enumerate() {
        gpus[..i].iter().try_for_each(|other| gpu.reach(other).map(drop))?;
    }
    Ok(())
}

/// The numbers of a plan for GPUs.
fn arithmetic<W: Weight>(plan: &Plan, graph: &Csr<W>) -> Result<Arithmetic, ApspError> {
    match plan.algorithm {
        Algorithm::Blocked => Arithmetic::of_plan(plan.number, graph),
        _ => Arithmetic::of_words(plan.number, graph),
    }
}

/// The plan for `n_gpus` GPUs; `narrow` says whether they may take numbers of 16 bits.
pub(super) fn plan<W: RaisedWeight>(
    n_gpus: usize,
    narrow: Narrow,
    job: &Job<'_, W>,
) -> Result<Plan, ApspError> {
    let Job { graph, config, progress, .. } = *job;
    let algorithm = match config.algorithm {
        Algorithm::Auto | Algorithm::Blocked => Algorithm::Blocked,
        published if n_gpus > 1 => {
            let reason = format!("{published} runs on one GPU");
            return Err(ApspError::NotOnGpu { reason });
        }
        published => published,
    };
    if n_gpus == 0 {
        return Err(ApspError::NotOnGpu { reason: "no GPU was given".to_owned() });
    }
    let matrix = Config { algorithm: Algorithm::Blocked, ..config.clone() };
    let narrow = if algorithm == Algorithm::Blocked { narrow } else { Narrow::Never };
    let mut plan = Plan::new(graph, &matrix, narrow, progress)?;
    plan.algorithm = algorithm;
    arithmetic(&plan, graph)?;
    plan.reason = match config.algorithm {
        Algorithm::Auto => "the matrix is fastest on a GPU".to_owned(),
        _ => "chosen by the caller".to_owned(),
    };
    Ok(plan)
}

/// A solve by GPUs, in the numbers of the plan.
pub(super) struct Work<'a, W: Weight> {
    gpus: &'a [Gpu],
    graph: &'a Csr<W>,
    config: &'a Config,
    progress: Option<Progress<'a>>,
    algorithm: Algorithm,
    arithmetic: Arithmetic,
    need: Need,
}

/// The part of a closed matrix that the GPUs of this rank have.
pub(super) struct Shares {
    cut: Cut,
    /// The number of the first GPU's part.
    first: usize,
    shares: Vec<GpuShare>,
    /// A note that says how rows came from other ranks.
    note: String,
}

impl Shares {
    /// The numbers of the matrix.
    pub(super) fn arithmetic(&self) -> Arithmetic {
        self.cut.arithmetic
    }

    /// The side of the matrix, padding included.
    pub(super) fn side(&self) -> usize {
        self.cut.side()
    }

    /// The blocks of rows that GPUs have in turn.
    pub(super) fn blocks(&self) -> Blocks {
        self.cut.blocks
    }

    /// What each GPU has.
    pub(super) fn of_gpus(&self) -> &[GpuShare] {
        &self.shares
    }

    /// The rows of the first GPU.
    pub(super) fn matrix(&self) -> &Buffer<u32> {
        &self.shares[0].matrix
    }

    pub(super) fn matrix_mut(&mut self) -> &mut Buffer<u32> {
        &mut self.shares[0].matrix
    }

    /// The whole matrix, if one GPU has it.
    pub(super) fn tile(&self) -> Tile<'_> {
        self.cut.rows_in(self.matrix(), 0..self.side())
    }

    /// Gives the memory back. The pairs are lost.
    pub(super) fn release(&mut self) {
        self.shares.clear();
    }

    pub(super) fn is_released(&self) -> bool {
        self.shares.is_empty()
    }

    /// Downloads the words of some rows of a block.
    pub(super) fn words(&self, rows: Range<usize>) -> Result<Vec<u32>, GpuError> {
        let Self { cut, first, shares, .. } = self;
        let block = rows.start / cut.blocks.block_rows;
        let place = cut.blocks.first_place(block) + rows.start % cut.blocks.block_rows;
        let words = cut.words(&(place..place + rows.len()));
        shares[cut.blocks.owner(block) - first].matrix.download_range(words)
    }

    /// The distances from the vertices of a rank, downloaded a few rows of one block at a time.
    pub(super) fn table<W: Weight>(&self, share: Share) -> Result<DistanceTable<W>, ApspError> {
        let (n, cut) = (share.blocks.n_rows, self.cut);
        let mut table = Table::<W>::new(share.n_rows(), n)?;
        let sources = share.rows().step_by(TILE_ROWS);
        let parts = table.rows(TILE_ROWS).into_iter().zip(sources).collect();
        parallel::try_map_of(parts, &|(cells, first)| {
            let words = self.words(first..first + cells.len() / n.max(1))?;
            with_element!(W, cut.arithmetic.number(), E => {
                let numbers = cast_slice::<u32, E>(&words).chunks(cut.side());
                cells.chunks_mut(n.max(1)).zip(numbers).for_each(|(row, n)| decode(row, n));
            });
            Ok::<_, ApspError>(())
        })?;
        Ok(table.finish())
    }
}

impl<'a, W: Weight> Work<'a, W> {
    pub(super) fn new(gpus: &'a [Gpu], job: &Job<'a, W>, plan: &Plan) -> Result<Self, ApspError> {
        let Job { graph, config, progress, .. } = *job;
        let (algorithm, arithmetic) = (plan.algorithm, arithmetic(plan, graph)?);
        let need = Need::of(job, algorithm, arithmetic, gpus.len());
        Ok(Self { gpus, graph, config, progress, algorithm, arithmetic, need })
    }

    /// Solves; work of the host runs in the thread pool.
    fn solve(
        &self,
        ranks: &dyn Communicator,
        pool: &ThreadPool,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        if self.algorithm == Algorithm::Published(Form::BlockedOutOfCore) {
            self.gpus[0].check_fits("the panels of 32 rows", self.need.on_gpu)?;
            return parallel::install(pool, || self.out_of_core(report));
        }
        let loaded = self.kernels().and_then(|kernels| Ok((kernels, available(self.gpus)?)));
        let (kernels, available) = agree(ranks, loaded)?;
        let fits = self.need.on_gpu <= available || ranks.size() > 1;
        match self.algorithm {
            Algorithm::Blocked if !fits => {
                parallel::install(pool, || self.streamed(&kernels, available, report))
            }
            _ => self.in_core(ranks, kernels, pool, report),
        }
    }

    /// Room on one GPU for the next hops of a whole matrix. An error where memory does not suffice for
    /// both, or on the host for next hops that are found there.
    pub(super) fn room_for_hops(&self) -> Result<Buffer<VertexId>, ApspError> {
        let n_hops = self.arithmetic.side(self.graph.n_vertices()).pow(2);
        let bytes = self.need.on_gpu.saturating_add((n_hops * size_of::<VertexId>()) as u64);
        self.gpus[0].check_fits("the matrix of all pairs and next hops", bytes)?;
        if rounds(self.graph) {
            self.need.check_host(self.config.memory)?;
        }
        Ok(self.gpus[0].buffer(n_hops)?)
    }

    pub(super) fn kernels(&self) -> Result<Vec<Kernels>, ApspError> {
        let kernels = self.gpus.iter().map(|gpu| Kernels::load(gpu, self.arithmetic));
        Ok(kernels.collect::<Result<_, _>>()?)
    }

    /// The closed matrix in the memory of the GPUs of all ranks.
    pub(super) fn shares(
        &self,
        ranks: &dyn Communicator,
        kernels: Vec<Kernels>,
        report: &mut Report,
    ) -> Result<Shares, ApspError> {
        let Self { gpus, graph, algorithm, arithmetic, .. } = *self;
        let n = graph.n_vertices();
        let cut = match algorithm {
            Algorithm::Blocked => Cut::on_gpus(arithmetic, n, gpus.len() * ranks.size()),
            _ => Cut::whole(arithmetic, n),
        };
        let first = gpus.len() * ranks.rank();
        let mut shares = agree(ranks, self.arcs(cut, first, kernels, report))?;
        let note = match algorithm {
            Algorithm::Published(form) => {
                self.close_published(form, cut.side(), &mut shares[0].matrix, report)?;
                String::new()
            }
            _ => self.close(ranks, cut, first, &shares, report)?,
        };
        Ok(Shares { cut, first, shares, note })
    }

    /// Uploads the arcs of the rows that GPUs keep.
    fn arcs(
        &self,
        cut: Cut,
        first: usize,
        kernels: Vec<Kernels>,
        report: &mut Report,
    ) -> Result<Vec<GpuShare>, ApspError> {
        let is_whole = cut.blocks.n_parts == self.gpus.len();
        let what =
            if is_whole { "the matrix of all pairs" } else { "this rank's share of the matrix" };
        self.gpus[0].check_fits(what, self.need.on_gpu)?;
        let mut shares = Vec::new();
        for (gpu, kernels) in self.gpus.iter().zip(kernels) {
            let start = Instant::now();
            let arcs = DeviceArcs::for_matrix(gpu, self.graph, self.arithmetic)?;
            report.upload_ms += milliseconds(start);
            let start = Instant::now();
            let matrix = arcs.matrix(gpu, &kernels, cut, first + shares.len())?;
            report.prepare_ms += milliseconds(start);
            shares.push(GpuShare { kernels, matrix });
        }
        Ok(shares)
    }

    /// Replaces arcs by distances on one GPU, by a published form.
    fn close_published(
        &self,
        form: Form,
        side: usize,
        matrix: &mut Buffer<u32>,
        report: &mut Report,
    ) -> Result<(), ApspError> {
        let (gpu, kind) = (&self.gpus[0], self.arithmetic.kind());
        let mut solver = Solver::new(gpu, form, parameters(self.config), kind, side)?;
        let timer = gpu.timer()?;
        timer.start()?;
        report.launches += solver.solve(matrix, self.graph.n_vertices())?;
        timer.stop()?;
        report.solve_ms += timer.elapsed_ms()?;
        Ok(())
    }

    /// Replaces arcs by distances by the blocked algorithm on the GPUs of all ranks. Returns a note
    /// that says how rows came from other ranks.
    fn close(
        &self,
        ranks: &dyn Communicator,
        cut: Cut,
        first: usize,
        shares: &[GpuShare],
        report: &mut Report,
    ) -> Result<String, ApspError> {
        let parts = self.gpus.iter().zip(shares).zip(first..).map(|((gpu, share), number)| {
            Part::new(gpu, &share.kernels, cut, number, Store::OnGpu(&share.matrix))
        });
        let parts = parts.collect::<Result<Vec<_>, _>>().map_err(ApspError::from);
        let (mut parts, mut note) = (agree(ranks, parts)?, String::new());
        if ranks.size() > 1 {
            let n_words = cut.blocks.block_rows * cut.stride();
            let link;
            (link, note) = Link::new(ranks, &self.gpus[0], n_words)?;
            parts[0].link = Some(link);
        }
        let timed = || {
            let timer = self.gpus[0].timer()?;
            timer.start()?;
            let closed = close(&parts, self.progress)?;
            timer.stop()?;
            Ok((closed, timer.elapsed_ms()?))
        };
        let closed = timed();
        let is_agreed = matches!(closed, Ok(_) | Err(ApspError::Interrupted(_)));
        if let (Err(error), false) = (&closed, is_agreed || ranks.size() == 1) {
            return Err(ApspError::RankLost { reason: error.to_string() });
        }
        // from here on no GPU reads what another sent, so the links may be dropped
        let ((counts, own), solve_ms) = agree(ranks, closed)?;
        report.launches += counts.launches;
        report.solve_ms += solve_ms;
        let mean = |ms: f64| Ok::<_, RanksError>(ranks.sum(ms)? / ranks.size() as f64);
        report.phases += Phases {
            closing_ms: mean(own.closing_ms)?,
            sending_ms: mean(own.sending_ms)?,
            updating_ms: mean(own.updating_ms)?,
            waiting_ms: mean(own.waiting_ms)?,
        };
        Ok(note)
    }

    fn in_core(
        &self,
        ranks: &dyn Communicator,
        kernels: Vec<Kernels>,
        pool: &ThreadPool,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let closed = self.shares(ranks, kernels, report)?;
        let start = Instant::now();
        let (n_rows, n_parts) = (self.graph.n_vertices(), ranks.size());
        let share = Blocks { n_rows, n_parts, ..closed.cut.blocks }.share(ranks.rank());
        let mut found =
            Found::distances(share, agree(ranks, parallel::install(pool, || closed.table(share)))?);
        report.download_ms += milliseconds(start);
        let Shares { cut, shares, note, .. } = closed;
        found.note = note;
        // with several ranks the host finds next hops, by columns whose rows all ranks have
        if n_parts == 1 {
            let kernels = shares.iter().map(|share| &share.kernels).collect();
            let (distances, closed) = (&found.distances, Closed::OnGpus(&shares));
            found.next_hops = parallel::install(pool, || {
                self.next_hops(distances, closed, cut, kernels, report)
            })?;
        }
        Ok(found)
    }

    fn streamed(
        &self,
        kernels: &[Kernels],
        available: u64,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let Self { gpus, graph, arithmetic, .. } = *self;
        let n = graph.n_vertices();
        let cut = Cut::passing(arithmetic, n, gpus.len(), available).map_err(|required| {
            GpuError::OutOfMemory { what: "the smallest strips of the matrix", required, available }
        })?;
        let start = Instant::now();
        let mut matrix = gpus[0].pinned::<u32>(cut.stride() * cut.side())?;
        self.write_arcs(cut.side(), &mut matrix);
        let matrix = RefCell::new(matrix);
        let parts = gpus.iter().zip(kernels).enumerate().map(|(number, (gpu, kernels))| {
            Part::new(gpu, kernels, cut, number, Store::OnHost(&matrix))
        });
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        report.prepare_ms += milliseconds(start);
        let start = Instant::now();
        let (counts, phases) = close(&parts, self.progress)?;
        report.strips += counts.strips;
        report.phases += phases;
        report.solve_ms += milliseconds(start);
        drop(parts);
        let matrix = matrix.into_inner();
        let start = Instant::now();
        let mut found = Found::distances(all_rows(n), self.table(cut.side(), &matrix)?);
        report.download_ms += milliseconds(start);
        let (closed, kernels) = (Closed::Passing(&matrix), kernels.iter().collect());
        found.next_hops = self.next_hops(&found.distances, closed, cut, kernels, report)?;
        Ok(found)
    }

    /// Solves by the published out-of-core form; the host finds next hops.
    fn out_of_core(&self, report: &mut Report) -> Result<Found<W>, ApspError> {
        let n = self.graph.n_vertices();
        let side = self.arithmetic.side(n);
        let start = Instant::now();
        let mut form = OutOfCore::new(&self.gpus[0], self.arithmetic.kind(), side)?;
        let mut matrix = vec![0; side * side];
        self.write_arcs(side, &mut matrix);
        report.prepare_ms += milliseconds(start);
        let start = Instant::now();
        report.launches += form.solve(&mut matrix, n, self.progress)?;
        report.solve_ms += milliseconds(start);
        let start = Instant::now();
        let distances = self.table(side, &matrix)?;
        report.download_ms += milliseconds(start);
        Ok(Found::distances(all_rows(n), distances))
    }

    /// Finds next hops, if the caller wants them and GPUs can.
    fn next_hops(
        &self,
        distances: &DistanceTable<W>,
        closed: Closed<'_>,
        cut: Cut,
        kernels: Vec<&Kernels>,
        report: &mut Report,
    ) -> Result<Option<HopStorage>, ApspError> {
        let graph = self.graph;
        if !self.config.next_hops || rounds(graph) {
            return Ok(None);
        }
        let start = Instant::now();
        let all: Vec<_> = graph.vertices().collect();
        let useful = marked(graph, &marks(graph, &all, distances.as_storage(), 0.0));
        let by_levels = graph.first_negative().is_some();
        let finder = Finder { gpus: self.gpus, kernels, closed, cut, by_levels };
        report.next_hops_ms += milliseconds(start);
        finder.find(&useful, report, self.progress)
    }

    /// Writes the matrix of the arcs in the host's memory.
    fn write_arcs(&self, side: usize, matrix: &mut [u32]) {
        with_element!(W, self.arithmetic.number(), E => {
            let rows = cast_slice_mut::<u32, E>(matrix).chunks_mut(side).enumerate();
            parallel::for_each_of(rows, &|(u, row)| write_row(self.graph, u, row));
        });
    }

    /// The distances of a closed matrix in the host's memory.
    fn table(&self, side: usize, matrix: &[u32]) -> Result<DistanceTable<W>, ApspError> {
        let n = self.graph.n_vertices();
        let mut table = Table::<W>::new(n, n)?;
        with_element!(W, self.arithmetic.number(), E => {
            let numbers = cast_slice::<u32, E>(matrix);
            table.fill(&|u, row| decode(row, &numbers[u * side..]));
        });
        Ok(table.finish())
    }
}

//! All pairs of a graph on the GPUs of this process.

use std::cell::RefCell;
use std::ops::Range;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, Weight, parallel};
use paths::{DistanceTable, HopStorage};
use published::pairs::{Form, OutOfCore};
use sssp::Progress;

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, Kernels, TILE_ROWS, adds_and_compares};
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::form::{GpuShare, Loaded};
use super::memory::{Need, parameters};
use super::next_hops::{Closed, Finder};
use super::rows::Passing;
use crate::element::{Element, with_element, write_row};
use crate::host::all_rows;
use crate::host::useful_arcs::{marked, marks, rounds};
use crate::job::{Backend, Found, Job, Turn};
use crate::pairs::milliseconds;
use crate::potentials::RaisedWeight;
use crate::table::{Table, decode};
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Plan, Report};

/// How many times as fast a GPU is as a processor.
pub(super) const SPEED: f64 = 200.0;

/// GPUs that find all pairs in their memory, or passing through it.
pub(crate) struct Gpus<'a>(pub(crate) &'a [Gpu]);

impl<W: RaisedWeight> Backend<W> for Gpus<'_> {
    fn plan(&self, job: &Job<'_, W>) -> Result<Plan, ApspError> {
        let narrow = match self.0.iter().all(adds_and_compares) {
            true => tried(self.0.len()),
            false => Narrow::Never,
        };
        plan(self.0.len(), narrow, job.graph, job.config, job.progress)
    }

    fn check(&self, job: &Job<'_, W>, plan: &Plan) -> Result<(), ApspError> {
        reach_each_other(self.0)?;
        let widest = Arithmetic::of_plan(plan.widest(), job.graph)?;
        let Job { graph, config, .. } = *job;
        let need = Need::of(graph, config, plan.algorithm, widest, self.0.len());
        need.check_host(config.memory)
    }

    fn find(
        &self,
        job: &Job<'_, W>,
        turn: &Turn<'_, W>,
        report: &mut Report,
    ) -> Result<Found<W>, ApspError> {
        let Job { graph, config, progress, .. } = *job;
        let (gpus, plan) = (self.0, turn.plan);
        let jit_ms = || gpus.iter().map(Gpu::jit_ms).sum::<f64>();
        let jit_before = jit_ms();
        let arithmetic = arithmetic(plan, graph)?;
        let need = Need::of(graph, config, plan.algorithm, arithmetic, gpus.len());
        let work = Work { gpus, graph, config, plan, need, progress };
        let solved = turn.pool.install(|| work.solve(arithmetic))?;
        *report += Report { jit_ms: jit_ms() - jit_before, ..solved.report };
        let share = all_rows(graph.n_vertices());
        let Solved { distances, next_hops, .. } = solved;
        Ok(Found { next_hops, ..Found::distances(share, distances) })
    }
}

/// Numbers of 16 bits where they are likely to do, for so many GPUs.
pub(super) fn tried(n_gpus: usize) -> Narrow {
    Narrow::Tried { speed: SPEED * n_gpus as f64 }
}

/// Lets GPUs have each other's rows, directly where they can.
pub(super) fn reach_each_other(gpus: &[Gpu]) -> Result<(), GpuError> {
    for (i, gpu) in gpus.iter().enumerate() {
        gpus[..i].iter().try_for_each(|other| gpu.reach(other).map(drop))?;
    }
    Ok(())
}

/// The numbers of a plan for GPUs.
pub(super) fn arithmetic<W: Weight>(plan: &Plan, graph: &Csr<W>) -> Result<Arithmetic, ApspError> {
    match plan.algorithm {
        Algorithm::Blocked => Arithmetic::of_plan(plan.number, graph),
        _ => Arithmetic::of_words(plan.number, graph),
    }
}

/// What is going to be done by so many GPUs, which have numbers of 16 bits where that says.
pub(super) fn plan<W: RaisedWeight>(
    n_gpus: usize,
    narrow: Narrow,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Plan, ApspError> {
    let algorithm = match config.algorithm {
        Algorithm::Auto | Algorithm::Blocked => Algorithm::Blocked,
        published if n_gpus > 1 => {
            let reason = format!("{published} is a form for one GPU");
            return Err(ApspError::NotOnGpu { reason });
        }
        published => published,
    };
    if n_gpus == 0 {
        return Err(ApspError::NotOnGpu { reason: "none was named".to_owned() });
    }
    let matrix = Config { algorithm: Algorithm::Blocked, ..config.clone() };
    let narrow = if algorithm == Algorithm::Blocked { narrow } else { Narrow::Never };
    let mut plan = Plan::new(graph, &matrix, narrow, progress)?;
    plan.algorithm = algorithm;
    arithmetic(&plan, graph)?;
    plan.reason = match config.algorithm {
        Algorithm::Auto => "a GPU is fastest by the matrix".to_owned(),
        _ => "it was asked for".to_owned(),
    };
    Ok(plan)
}

pub(super) struct Work<'a, W: Weight> {
    pub(super) gpus: &'a [Gpu],
    pub(super) graph: &'a Csr<W>,
    pub(super) config: &'a Config,
    pub(super) plan: &'a Plan,
    pub(super) need: Need,
    pub(super) progress: Option<Progress<'a>>,
}

/// A closed matrix in the memory of GPUs.
pub(super) struct Shares {
    pub(super) cut: Cut,
    pub(super) shares: Vec<GpuShare>,
    pub(super) report: Report,
}

impl Shares {
    /// The words of some rows of a block.
    pub(super) fn words(&self, rows: Range<usize>) -> Result<Vec<u32>, GpuError> {
        let Self { cut, shares, .. } = self;
        let block = rows.start / cut.blocks.block_rows;
        let first = cut.blocks.first_place(block) + rows.start % cut.blocks.block_rows;
        let words = first * cut.stride()..(first + rows.len()) * cut.stride();
        shares[cut.blocks.owner(block)].matrix.download_range(words)
    }
}

struct Solved<W: Weight> {
    distances: DistanceTable<W>,
    next_hops: Option<HopStorage>,
    report: Report,
}

impl<W: Weight> Work<'_, W> {
    /// Solves in these numbers.
    fn solve(&self, arithmetic: Arithmetic) -> Result<Solved<W>, ApspError> {
        if self.plan.algorithm == Algorithm::Published(Form::BlockedOutOfCore) {
            self.gpus[0].check_fits("the panels of 32 rows", self.need.on_gpu())?;
            return self.out_of_core(arithmetic);
        }
        let kernels = self.gpus.iter().map(|gpu| Kernels::load(gpu, arithmetic));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let available = self.gpus.iter().map(Gpu::available_bytes);
        let available = available.collect::<Result<Vec<_>, _>>()?;
        let available = available.into_iter().min().unwrap_or_default();
        let fits = self.need.on_gpu() <= available;
        if fits || self.plan.algorithm != Algorithm::Blocked {
            self.in_core(arithmetic, kernels)
        } else {
            self.streamed(arithmetic, &kernels, available)
        }
    }

    /// The closed matrix in the memory of the GPUs.
    pub(super) fn shares(
        &self,
        arithmetic: Arithmetic,
        kernels: Vec<Kernels>,
    ) -> Result<Shares, ApspError> {
        self.gpus[0].check_fits("the matrix of all pairs", self.need.on_gpu())?;
        let (gpus, graph, algorithm) = (self.gpus, self.graph, self.plan.algorithm);
        let n = graph.n_vertices();
        let cut = match algorithm {
            Algorithm::Blocked => Cut::on_gpus(arithmetic, n, gpus.len()),
            _ => Cut::whole(arithmetic, n),
        };
        let mut report = Report::default();
        let mut form = Loaded::new(gpus, algorithm, parameters(self.config), cut)?;
        let mut shares = Vec::new();
        for (gpu, kernels) in gpus.iter().zip(kernels) {
            let start = Instant::now();
            let arcs = DeviceArcs::for_matrix(gpu, graph, arithmetic)?;
            report.upload_ms += milliseconds(start);

            let start = Instant::now();
            let matrix = arcs.matrix(gpu, &kernels, cut, shares.len())?;
            report.prepare_ms += milliseconds(start);
            shares.push(GpuShare { kernels, matrix });
        }

        let timer = gpus[0].timer()?;
        timer.start()?;
        let (launches, phases) = form.solve(&mut shares, cut, n, self.progress)?;
        timer.stop()?;
        report.solve_ms = timer.elapsed_ms()?;
        (report.launches, report.phases) = (launches, phases);
        Ok(Shares { cut, shares, report })
    }

    fn in_core(
        &self,
        arithmetic: Arithmetic,
        kernels: Vec<Kernels>,
    ) -> Result<Solved<W>, ApspError> {
        let found = self.shares(arithmetic, kernels)?;
        let start = Instant::now();
        let n = self.graph.n_vertices();
        let mut table = Table::<W>::new(n, n)?;
        bring(&mut table, found.cut, &|rows| found.words(rows))?;
        let distances = table.finish();
        let Shares { cut, shares, mut report } = found;
        report.download_ms = milliseconds(start);
        let kernels = shares.iter().map(|share| &share.kernels).collect();
        let closed = Closed::OnGpus(&shares);
        let next_hops = self.next_hops(&distances, closed, cut, kernels, &mut report)?;
        Ok(Solved { distances, next_hops, report })
    }

    fn streamed(
        &self,
        arithmetic: Arithmetic,
        kernels: &[Kernels],
        available: u64,
    ) -> Result<Solved<W>, ApspError> {
        let (gpus, n) = (self.gpus, self.graph.n_vertices());
        let cut = Cut::passing(arithmetic, n, gpus.len(), available).map_err(|required| {
            GpuError::OutOfMemory { what: "the smallest strips of the matrix", required, available }
        })?;
        let mut report = Report::default();
        let start = Instant::now();
        let mut matrix = gpus[0].pinned::<u32>(cut.stride() * cut.side())?;
        with_element!(W, arithmetic.number(), E => {
            self.write_arcs::<E>(cut.side(), cast_slice_mut(&mut matrix));
        });
        let matrix = RefCell::new(matrix);
        let forms = gpus.iter().map(|gpu| FloydWarshall::new(gpu, cut));
        let forms = forms.collect::<Result<Vec<_>, _>>()?;
        let mut parts = Vec::new();
        for (number, ((gpu, form), kernels)) in gpus.iter().zip(&forms).zip(kernels).enumerate() {
            let rows = Passing::new(gpu, &matrix, cut)?;
            parts.push(Part { number, form, kernels, rows, link: None });
        }
        report.prepare_ms = milliseconds(start);
        let start = Instant::now();
        let (counts, phases) = close(&parts, self.progress)?;
        (report.strips, report.phases) = (counts.strips, phases);
        report.solve_ms = milliseconds(start);
        drop(parts);
        drop(forms);
        let matrix = matrix.into_inner();
        let start = Instant::now();
        let mut table = Table::<W>::new(n, n)?;
        with_element!(W, arithmetic.number(), E => {
            let numbers = cast_slice::<u32, E>(&matrix);
            table.fill(&|u, row| decode(row, &numbers[u * cut.side()..]));
        });
        let distances = table.finish();
        report.download_ms = milliseconds(start);
        let (closed, kernels) = (Closed::Passing(&matrix), kernels.iter().collect());
        let next_hops = self.next_hops(&distances, closed, cut, kernels, &mut report)?;
        Ok(Solved { distances, next_hops, report })
    }

    /// The published form; next hops are left to the host.
    fn out_of_core(&self, arithmetic: Arithmetic) -> Result<Solved<W>, ApspError> {
        let n = self.graph.n_vertices();
        let side = arithmetic.side(n);
        let mut report = Report::default();
        let start = Instant::now();
        let mut form = OutOfCore::new(&self.gpus[0], arithmetic.kind(), side)?;
        let mut matrix = vec![0; side * side];
        with_element!(W, arithmetic.number(), E => {
            self.write_arcs::<E>(side, cast_slice_mut(&mut matrix));
        });
        report.prepare_ms = milliseconds(start);
        let start = Instant::now();
        report.launches = form.solve(&mut matrix, n, self.progress)?;
        report.solve_ms = milliseconds(start);
        let start = Instant::now();
        let mut table = Table::<W>::new(n, n)?;
        with_element!(W, arithmetic.number(), E => {
            let numbers = cast_slice::<_, E>(&matrix);
            table.fill(&|u, row| decode(row, &numbers[u * side..]));
        });
        report.download_ms = milliseconds(start);
        Ok(Solved { distances: table.finish(), next_hops: None, report })
    }

    /// Next hops, if they are asked for and GPUs can find them.
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
        report.next_hops_ms = milliseconds(start);
        finder.find(&useful, report, self.progress)
    }

    /// The matrix of the arcs, in the host's memory.
    fn write_arcs<E: Element>(&self, side: usize, matrix: &mut [E]) {
        let rows = matrix.chunks_mut(side).enumerate();
        parallel::for_each_of(rows, &|(u, row)| write_row(self.graph, u, row));
    }
}

/// Fills a table with the words of rows of a matrix that is cut like this, which several threads
/// ask for, few rows at a time that are all of one block.
pub(super) fn bring<W: Weight>(
    table: &mut Table<W>,
    cut: Cut,
    words: &(dyn Fn(Range<usize>) -> Result<Vec<u32>, GpuError> + Sync),
) -> Result<(), GpuError> {
    let n = table.n_columns().max(1);
    let parts = table.rows(TILE_ROWS).into_iter().enumerate().collect();
    parallel::try_map_of(parts, &|(i, cells)| {
        let first = i * TILE_ROWS;
        let words = words(first..first + cells.len() / n)?;
        with_element!(W, cut.arithmetic.number(), E => {
            let numbers = cast_slice::<u32, E>(&words).chunks(cut.side());
            cells.chunks_mut(n).zip(numbers).for_each(|(row, numbers)| decode(row, numbers));
        });
        Ok(())
    })?;
    Ok(())
}

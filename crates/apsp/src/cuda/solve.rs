//! All pairs of a graph on a GPU.

use std::cell::RefCell;
use std::slice;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use gpu_runtime::{Gpu, GpuError, PinnedBuffer};
use graph_formats::{Csr, Weight};
use ndarray::Array2;
use paths::{DistanceTable, HopStorage, NextHops};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sssp::Progress;

use super::arcs::DeviceArcs;
use super::arithmetic::{Arithmetic, Kernels, adds_and_compares};
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::form::{Form, Share};
use super::memory::{Need, parameters};
use super::next_hops::{DeviceHops, next_hops};
use super::rows::Passing;
use crate::element::{Element, write_row};
use crate::host::useful_arcs::rounds;
use crate::potentials::potentials;
use crate::solve::zeros;
use crate::{Algorithm, AllPairs, ApspError, Config, Number, Plan, hops};

/// What became of the time, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuTimes {
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the graph to the device.
    pub upload_ms: f64,
    /// Writing its matrix.
    pub prepare_ms: f64,
    /// The distances, by the device's clock.
    pub solve_ms: f64,
    /// The next hops, where they were asked for.
    pub next_hops_ms: f64,
    /// Copying the results back, and making the table of them.
    pub download_ms: f64,
}

/// All pairs, and what the GPU did for them.
#[derive(Clone, Debug)]
pub struct GpuPairs<W: Weight> {
    /// The answer, the same as that of [`all_pairs`](crate::all_pairs).
    pub found: AllPairs<W>,
    /// How long its parts took.
    pub times: GpuTimes,
    /// Launches of kernels that made distances of arcs; 0 where strips were streamed.
    pub launches: u64,
    /// Strips of rows that passed through the GPU, where it could not hold the matrix.
    pub strips: u64,
}

/// The distances of all pairs of vertices of `graph`, by a GPU.
///
/// [`Algorithm::Auto`] is [`Algorithm::Blocked`] here, and all forms of Floyd-Warshall are
/// there. A matrix that the GPU's memory does not hold stays in pinned memory of the host and
/// passes through the GPU in strips. [`Config::memory`] bounds each of the two memories; a cap
/// for the GPU's alone is [`Gpu::with_memory_cap`]. Numbers have as many bits as on the
/// CPU, 16 only where the device adds and compares in one instruction. Floats may
/// differ from those of other algorithms in their last bits, except with next hops: these are
/// found on the GPU where no sum rounds and its memory has room for them, else on the host.
/// O(n³).
///
/// # Errors
/// [`ApspError::NotOnGpu`] for Johnson's, and for numbers of 64 bits with a published form;
/// [`ApspError::Gpu`], and those of [`all_pairs`](crate::all_pairs).
///
/// ```
/// use apsp::{Config, all_pairs_on_gpu};
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
/// let pairs = all_pairs_on_gpu(&gpu, &graph, &Config::default(), None)?;
/// assert_eq!(pairs.found.distances.get(0, 1), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_pairs_on_gpu<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<GpuPairs<W>, ApspError> {
    all_pairs_on_gpus(slice::from_ref(gpu), graph, config, progress)
}

/// The same as [`all_pairs_on_gpu`] by several GPUs of this machine, which share the rows of the
/// matrix, and of what passes through them, block by block: each takes so much of its memory
/// only, and of the time. Rows go from one to another directly where they
/// [reach](Gpu::reach) each other, and through the host's memory else. [`Config::memory`] bounds
/// the memory of each. Next hops are found on the host. O(n³ / p) for p GPUs.
///
/// # Errors
/// Those of [`all_pairs_on_gpu`], and [`ApspError::NotOnGpu`] for a published form on more GPUs
/// than one, or on none.
pub fn all_pairs_on_gpus<W: Weight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<GpuPairs<W>, ApspError> {
    let capped = |gpu: &Gpu| match config.memory {
        Some(bytes) => gpu.with_memory_cap(bytes),
        None => gpu.clone(),
    };
    let gpus: Vec<Gpu> = gpus.iter().map(capped).collect();
    let (plan, arithmetic) = plan(&gpus, graph, config, progress)?;
    for (i, gpu) in gpus.iter().enumerate() {
        gpus[..i].iter().try_for_each(|other| gpu.reach(other).map(drop))?;
    }
    let need = Need::of(graph, config, plan.algorithm, arithmetic, gpus.len());
    need.check_host(config.memory)?;
    if graph.first_negative().is_some() {
        potentials(graph, config.threads, progress)?;
    }
    let work = Work { gpus: &gpus, graph, config, plan: &plan, need, progress };
    let jit_ms = || gpus.iter().map(Gpu::jit_ms).sum::<f64>();
    let jit_before = jit_ms();
    let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
    let solved = pool.install(|| match arithmetic {
        Arithmetic::U16 => work.solve::<u16>(arithmetic),
        Arithmetic::I32 => work.solve::<i32>(arithmetic),
        Arithmetic::I64 => work.solve::<i64>(arithmetic),
        Arithmetic::F32 | Arithmetic::F32Signed => work.solve::<f32>(arithmetic),
        Arithmetic::F64 => work.solve::<f64>(arithmetic),
    })?;
    let Solved { mut distances, mut next_hops, mut times, launches, strips } = solved;
    times.jit_ms = jit_ms() - jit_before;
    if config.next_hops && next_hops.is_none() {
        let start = Instant::now();
        (distances, next_hops) = hops::with_next_hops(graph, distances, &plan, progress)?;
        times.next_hops_ms += start.elapsed().as_secs_f64() * 1e3;
    }
    let found = AllPairs { distances, next_hops, plan, matrix_time: None };
    Ok(GpuPairs { found, times, launches, strips })
}

/// What is going to be done.
fn plan<W: Weight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<(Plan, Arithmetic), ApspError> {
    let algorithm = match config.algorithm {
        Algorithm::Johnson => {
            let reason = "johnson's searches run on the CPU".to_owned();
            return Err(ApspError::NotOnGpu { reason });
        }
        Algorithm::Auto => Algorithm::Blocked,
        Algorithm::Blocked => Algorithm::Blocked,
        published if gpus.len() > 1 => {
            let reason = format!("{published} is a form for one GPU");
            return Err(ApspError::NotOnGpu { reason });
        }
        published => published,
    };
    if gpus.is_empty() {
        return Err(ApspError::NotOnGpu { reason: "none was named".to_owned() });
    }
    let matrix = Config { algorithm: Algorithm::Blocked, ..config.clone() };
    let mut plan = Plan::new(graph, &matrix, progress)?;
    let arithmetic = match plan.number {
        Some(Number::U16)
            if algorithm == Algorithm::Blocked && gpus.iter().all(adds_and_compares) =>
        {
            Arithmetic::U16
        }
        numbers if algorithm == Algorithm::Blocked => Arithmetic::of(numbers, graph)?,
        numbers => Arithmetic::of_words(numbers, graph)?,
    };
    if arithmetic == Arithmetic::I32 {
        plan.number = Some(Number::I32);
    }
    plan.algorithm = algorithm;
    plan.reason = match config.algorithm {
        Algorithm::Auto => "a GPU is fastest by the matrix".to_owned(),
        _ => "it was asked for".to_owned(),
    };
    Ok((plan, arithmetic))
}

struct Work<'a, W: Weight> {
    gpus: &'a [Gpu],
    graph: &'a Csr<W>,
    config: &'a Config,
    plan: &'a Plan,
    need: Need,
    progress: Option<Progress<'a>>,
}

struct Solved<W: Weight> {
    distances: DistanceTable<W>,
    next_hops: Option<NextHops>,
    times: GpuTimes,
    launches: u64,
    strips: u64,
}

impl<W: Weight> Work<'_, W> {
    /// Solves in these numbers.
    fn solve<E: Element>(&self, arithmetic: Arithmetic) -> Result<Solved<W>, ApspError> {
        let kernels = self.gpus.iter().map(|gpu| Kernels::load(gpu, arithmetic));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let available = self.gpus.iter().map(Gpu::available_bytes);
        let available = available.collect::<Result<Vec<_>, _>>()?;
        let available = available.into_iter().min().unwrap_or_default();
        let fits = self.need.on_gpu() <= available;
        if fits || self.plan.algorithm != Algorithm::Blocked {
            self.gpus[0].check_fits("the matrix of all pairs", self.need.on_gpu())?;
            self.in_core::<E>(arithmetic, kernels)
        } else {
            self.streamed::<E>(arithmetic, &kernels, available)
        }
    }

    fn in_core<E: Element>(
        &self,
        arithmetic: Arithmetic,
        kernels: Vec<Kernels>,
    ) -> Result<Solved<W>, ApspError> {
        let (gpus, graph, algorithm) = (self.gpus, self.graph, self.plan.algorithm);
        let n = graph.n_vertices();
        let cut = match algorithm {
            Algorithm::Blocked => Cut::on_gpus(arithmetic, n, gpus.len()),
            _ => Cut::whole(arithmetic, n),
        };
        let mut times = GpuTimes::default();
        let timed = |since: Instant| since.elapsed().as_secs_f64() * 1e3;
        let mut form = Form::new(gpus, algorithm, parameters(self.config), cut)?;
        let mut shares = Vec::new();
        for (gpu, kernels) in gpus.iter().zip(kernels) {
            let start = Instant::now();
            let arcs = DeviceArcs::of::<W, E>(gpu, graph)?;
            let arcs = arcs.ok_or_else(|| ApspError::NotOnGpu {
                reason: format!("it counts arcs in 32 bits, and there are {}", graph.n_arcs()),
            })?;
            times.upload_ms += timed(start);

            let start = Instant::now();
            let mut matrix = gpu.buffer::<u32>(cut.rows_of_part() * cut.stride())?;
            for block in (0..cut.n_blocks()).filter(|&block| cut.owner(block) == shares.len()) {
                let (rows, at) = (cut.rows_of_block(block), cut.first_kept(block));
                arcs.write_rows(gpu, &kernels, arithmetic, rows, &mut matrix, at)?;
            }
            gpu.synchronize()?;
            times.prepare_ms += timed(start);
            shares.push(Share { gpu: gpu.clone(), kernels, arcs, matrix });
        }

        let timer = gpus[0].timer()?;
        timer.start()?;
        let (shares, launches) = form.solve(shares, cut, n, self.progress)?;
        timer.stop()?;
        times.solve_ms = timer.elapsed_ms()?;
        drop(form);

        let mut found = None;
        if let ([gpu], [Share { kernels, arcs, matrix, .. }]) = (gpus, &shares[..])
            && self.config.next_hops
            && !rounds(graph)
            && DeviceHops::bytes(n) <= gpu.available_bytes()?
        {
            let start = Instant::now();
            let negative = graph.first_negative().is_some();
            found = next_hops(gpu, kernels, arcs, matrix, cut.side, negative)?;
            gpu.synchronize()?;
            times.next_hops_ms = timed(start);
        }
        let start = Instant::now();
        let next_hops = found.map(|hops| downloaded(&hops, n)).transpose()?;
        let mut table = Table::<W>::new(n)?;
        for block in 0..cut.n_blocks() {
            let (rows, first) = (cut.rows_of_block(block), cut.first_kept(block));
            let words = first * cut.stride()..(first + rows.len()) * cut.stride();
            let words = shares[cut.owner(block)].matrix.download_range(words)?;
            table.fill::<E>(rows.start, cut.side, cast_slice(&words));
        }
        let distances = table.finish();
        times.download_ms = timed(start);
        Ok(Solved { distances, next_hops, times, launches, strips: 0 })
    }

    fn streamed<E: Element>(
        &self,
        arithmetic: Arithmetic,
        kernels: &[Kernels],
        available: u64,
    ) -> Result<Solved<W>, ApspError> {
        let (gpus, n) = (self.gpus, self.graph.n_vertices());
        let cut = Cut::passing(arithmetic, n, gpus.len(), available).map_err(|required| {
            GpuError::OutOfMemory { what: "the smallest strips of the matrix", required, available }
        })?;
        let mut times = GpuTimes::default();
        let start = Instant::now();
        let mut matrix = gpus[0].pinned::<u32>(cut.stride() * cut.side)?;
        self.write_arcs::<E>(&cut, &mut matrix);
        let matrix = RefCell::new(matrix);
        let forms = gpus.iter().map(|gpu| FloydWarshall::new(gpu, cut));
        let forms = forms.collect::<Result<Vec<_>, _>>()?;
        let mut parts = Vec::new();
        for ((gpu, form), kernels) in gpus.iter().zip(&forms).zip(kernels) {
            parts.push(Part { form, kernels, rows: Passing::new(gpu, &matrix, cut)? });
        }
        times.prepare_ms = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        let (_, strips) = close(&mut parts, self.progress)?;
        times.solve_ms = start.elapsed().as_secs_f64() * 1e3;
        drop(parts);
        let start = Instant::now();
        let mut table = Table::<W>::new(n)?;
        table.fill::<E>(0, cut.side, cast_slice(&matrix.borrow()));
        let distances = table.finish();
        times.download_ms = start.elapsed().as_secs_f64() * 1e3;
        Ok(Solved { distances, next_hops: None, times, launches: 0, strips })
    }

    /// The matrix of the arcs, in the host's memory.
    fn write_arcs<E: Element>(&self, cut: &Cut, matrix: &mut PinnedBuffer<u32>) {
        let rows = cast_slice_mut::<u32, E>(matrix).par_chunks_mut(cut.side).enumerate();
        rows.for_each(|(u, row)| write_row(self.graph, u, row));
    }
}

/// A table of distances that is filled with rows of a matrix.
struct Table<W: Weight>(Array2<W::Distance>);

impl<W: Weight> Table<W> {
    fn new(n: usize) -> Result<Self, ApspError> {
        let bytes = n as u128 * n as u128 * size_of::<W::Distance>() as u128;
        let too_large = || ApspError::TooLarge { n_vertices: n, bytes };
        let cells = zeros::<W::Distance>(n * n).ok_or_else(too_large)?;
        Ok(Self(Array2::from_shape_vec((n, n), cells).map_err(|_| too_large())?))
    }

    /// From row `first` on, with rows of a matrix of this side, of which the last may be no
    /// vertex's.
    fn fill<E: Element>(&mut self, first: usize, side: usize, numbers: &[E]) {
        let n = self.0.ncols();
        let cells = self.0.as_slice_mut().unwrap_or_default();
        let rows = cells.par_chunks_mut(n.max(1)).skip(first).zip(numbers.par_chunks(side));
        rows.for_each(|(cells, numbers)| {
            cells.iter_mut().zip(numbers).for_each(|(cell, &number)| *cell = number.decode());
        });
    }

    fn finish(self) -> DistanceTable<W> {
        DistanceTable::from_storage(self.0)
    }
}

fn downloaded(hops: &DeviceHops, n: usize) -> Result<NextHops, ApspError> {
    fn square<H>(hops: Vec<H>, n: usize) -> Array2<H> {
        Array2::from_shape_vec((n, n), hops).expect("n² hops")
    }
    let storage = match hops {
        DeviceHops::Narrow(hops) => HopStorage::Narrow(square(hops.download()?, n)),
        DeviceHops::Wide(hops) => HopStorage::Wide(square(hops.download()?, n)),
    };
    Ok(NextHops::from_storage(storage).expect("vertices of the graph"))
}

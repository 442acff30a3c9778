//! Transitive closure on GPUs.

mod dynamic;
mod engine;
mod form;
mod replace;

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::{BitMatrix, Closure, Progress};
use pivots::Blocks;

pub use self::dynamic::DynamicDeviceClosure;
use self::engine::{Engine, blocks};
use self::form::Form;
use crate::auto::{Auto, auto};
use crate::{Algorithm, ClosureError, Config, Found, Plan};

/// What it takes to begin, and to bring a byte of the result back, in nanoseconds.
const BEGIN: f64 = 1e5;
const BYTE: f64 = 0.15;
/// And for the chain of 256 pivots.
const CHUNK: f64 = 25e3;

/// The times of the parts, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The search by components, on the CPU, that was stopped because bits are faster.
    pub search_ms: f64,
    /// Loading the kernels, which compiles them for the device; once a process.
    pub jit_ms: f64,
    /// Copying the graph to the device, and writing its bits.
    pub upload_ms: f64,
    /// Closing them, by the device's clock.
    pub solve_ms: f64,
    /// Copying the result back.
    pub download_ms: f64,
}

/// A closure, with the times on the GPU.
#[derive(Clone, Debug)]
pub struct OnGpu {
    /// The closure, the same as that of [`closure`](crate::closure).
    pub found: Found,
    /// The times of the parts; zero if the CPU found it by components.
    pub times: Times,
    /// Launches of kernels that closed it.
    pub launches: u64,
}

/// The pairs (u, v) with a path of at least one arc from u to v, found by these GPUs; weights do
/// not matter. A vertex reaches itself only along a cycle.
///
/// Takes n² / 8 bytes of the GPUs' memory together, two blocks of up to 2,048 lines of others' on
/// each where they are several, and n² / 8 bytes of the host's. `Auto` uses strongly connected
/// components, on the CPU, if that is faster; `Blocked` is the fastest form of each device. O(n³)
/// bit operations.
///
/// # Errors
/// If no GPU is given, a GPU's memory is too small, a device lacks the units of the algorithm, or a
/// GPU fails; and those of [`closure`](crate::closure).
///
/// ```
/// use closure::{Config, closure_on_gpus};
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// let closed = closure_on_gpus(&[gpu], &graph, &Config::default(), None)?;
/// assert_eq!(closed.found.closure.n_pairs(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closure_on_gpus<W: Weight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<OnGpu, ClosureError> {
    find(gpus, &graph.clone().unweighted(), config, progress)
}

/// The same of the arcs alone.
fn find(
    gpus: &[Gpu],
    graph: &Csr<u32>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<OnGpu, ClosureError> {
    if gpus.is_empty() {
        return Err(ClosureError::NoGpuNamed);
    }
    let forms = gpus.iter().map(|gpu| Form::of(config.algorithm, gpu));
    let forms = forms.collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    let plan = match config.algorithm {
        Algorithm::Auto => match auto(graph, config, time(gpus, graph, &forms), progress)? {
            Auto::Found(found) => return Ok(on_host(found)),
            Auto::Engine(plan) => plan,
        },
        Algorithm::Components => return crate::find(graph, config, progress).map(on_host),
        asked => Plan::asked(asked),
    };
    let mut times = Times { search_ms: ms_since(start), ..Default::default() };
    for (i, gpu) in gpus.iter().enumerate() {
        gpus[..i].iter().try_for_each(|other| gpu.reach(other).map(drop))?;
    }
    let jit_ms = || gpus.iter().map(Gpu::jit_ms).sum::<f64>();
    let jit_before = jit_ms();
    let start = Instant::now();
    let blocks = blocks(graph.n_vertices(), gpus.len());
    // asked for before all the work
    check_host(graph.n_vertices(), blocks)?;
    let engines = gpus.iter().zip(forms).enumerate();
    let engines =
        engines.map(|(part, (gpu, form))| Engine::new(gpu, graph, form, blocks.share(part)));
    let engines = engines.collect::<Result<Vec<_>, _>>()?;
    times.jit_ms = jit_ms() - jit_before;
    times.upload_ms = ms_since(start) - times.jit_ms;
    let timer = gpus[0].timer()?;
    timer.start()?;
    let queued = pivots::close(&engines, progress);
    let joined = engines[1..].iter().try_for_each(|engine| engine.join(&engines[0]));
    let stopped = timer.stop();
    // no work may still use the matrix, also after an error
    let finished = engines.iter().try_for_each(Engine::finish);
    let launches = queued?.launches;
    joined.and(stopped).and(finished)?;
    times.solve_ms = timer.elapsed_ms()?;
    let start = Instant::now();
    let closure = download(graph.n_vertices(), &engines, blocks)?;
    times.download_ms = ms_since(start);
    Ok(OnGpu { found: Found { closure, plan }, times, launches })
}

/// An error where the host has no memory for the bits.
fn check_host(n: usize, blocks: Blocks) -> Result<(), ClosureError> {
    let memory = Vec::<u64>::new().try_reserve_exact(n * (blocks.n_rows / 64));
    memory.map_err(|_| ClosureError::TooLarge { n_vertices: n })
}

/// The lines of all vertices, of which each GPU has some blocks.
fn download(n: usize, engines: &[Engine], blocks: Blocks) -> Result<Closure, ClosureError> {
    let stride = blocks.n_rows / 64;
    let n_lines = |block| blocks.rows(block).end.min(n) - blocks.rows(block).start.min(n);
    let words = match engines {
        [all] => all.download(0, n)?,
        _ => {
            let mut words = Vec::with_capacity(n * stride);
            for block in 0..blocks.count() {
                words.extend(engines[blocks.owner(block)].download(block, n_lines(block))?);
            }
            words
        }
    };
    Ok(BitMatrix::from_words(n, stride, words).expect("n lines, each of a side").into_closure())
}

fn on_host(found: Found) -> OnGpu {
    OnGpu { found, times: Times::default(), launches: 0 }
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// The time of `forms` for a graph on these GPUs, with the copy of the result to the host, in
/// nanoseconds.
fn time(gpus: &[Gpu], graph: &Csr<u32>, forms: &[Form]) -> f64 {
    let n = graph.n_vertices() as f64;
    let rate: f64 = forms.iter().zip(gpus).map(|(form, gpu)| form.rate(gpu)).sum();
    time_to_close(n, graph.n_arcs(), rate) + n * n / 8.0 * BYTE
}

/// The same without the copy of the result.
fn time_to_close(n: f64, n_arcs: usize, rate: f64) -> f64 {
    let chunks = n / form::CHUNK as f64;
    BEGIN + n_arcs as f64 * 4.0 * BYTE + chunks * CHUNK + n.powi(3) / rate * 1e9
}

//! Transitive closure on a GPU.

mod engine;
mod form;

use std::time::Instant;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::Progress;

use self::engine::Engine;
use self::form::Form;
use crate::auto::{Auto, auto};
use crate::{Algorithm, ClosureError, Config, Found, Plan};

/// What it takes to begin, and to bring a byte of the result back, in nanoseconds.
const BEGIN: f64 = 1e5;
const BYTE: f64 = 0.15;
/// And for the chain of 256 pivots.
const CHUNK: f64 = 25e3;

/// What became of the time, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// The search by components, on the processor, that was broken off because bits are shorter.
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

/// A closure, and what a GPU did for it.
#[derive(Clone, Debug)]
pub struct OnGpu {
    /// The answer, the same as that of [`closure`](crate::closure).
    pub found: Found,
    /// How long its parts took; zero where components were the shorter way, on the processor.
    pub times: Times,
    /// Launches of kernels that closed it.
    pub launches: u64,
}

/// The pairs (u, v) with a path of at least one arc from u to v, by a GPU; weights do not
/// matter. A vertex reaches itself only along a cycle.
///
/// Takes n² / 8 bytes of the GPU's memory, and as many of the host's. `Auto` goes by strongly
/// connected components, on the processor, where that is shorter; `Blocked` is the form that
/// the device is best at. O(n³) bit operations.
///
/// # Errors
/// Where the GPU's memory is too small, the device has no such units, or the GPU fails; and
/// those of [`closure`](crate::closure).
///
/// ```
/// use closure::{Config, closure_on_gpu};
/// use gpu_runtime::Gpu;
/// use graph_formats::Csr;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let graph = Csr::from_arcs(3, &[(0, 1, 1u32), (1, 2, 1), (2, 1, 1)])?;
/// let closed = closure_on_gpu(&gpu, &graph, &Config::default(), None)?;
/// assert_eq!(closed.found.closure.n_pairs(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closure_on_gpu<W: Weight>(
    gpu: &Gpu,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<OnGpu, ClosureError> {
    let best = Form::best(gpu);
    let start = Instant::now();
    let (form, plan) = match config.algorithm {
        Algorithm::Auto => match auto(graph, config, time(gpu, graph, best), progress)? {
            Auto::Found(found) => return Ok(on_host(found)),
            Auto::Engine(plan) => (best, plan),
        },
        Algorithm::Components => return crate::closure(graph, config, progress).map(on_host),
        Algorithm::Blocked => asked(best, config),
        Algorithm::FourRussians => asked(Form::FourRussians, config),
        Algorithm::Lop3 => asked(Form::Lop3, config),
        Algorithm::MatrixUnits => match Form::of_matrix_units(gpu) {
            Some(form) => asked(form, config),
            None => {
                let (major, minor) = gpu.properties().compute_capability;
                return Err(ClosureError::NoMatrixUnits { major, minor });
            }
        },
    };
    let search_ms = ms_since(start);
    let jit_before = gpu.jit_ms();
    let start = Instant::now();
    let engine = Engine::new(gpu, graph, form)?;
    let jit_ms = gpu.jit_ms() - jit_before;
    let mut times = Times { search_ms, jit_ms, ..Default::default() };
    times.upload_ms = ms_since(start) - times.jit_ms;
    let timer = gpu.timer()?;
    timer.start()?;
    let launches = engine.close(progress)?;
    timer.stop()?;
    times.solve_ms = timer.elapsed_ms()?;
    let start = Instant::now();
    let closure = engine.download()?.into_closure();
    times.download_ms = ms_since(start);
    Ok(OnGpu { found: Found { closure, plan }, times, launches })
}

fn asked(form: Form, config: &Config) -> (Form, Plan) {
    (form, Plan::asked(config.algorithm))
}

fn on_host(found: Found) -> OnGpu {
    OnGpu { found, times: Times::default(), launches: 0 }
}

fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// How long a form takes for a graph, the result brought back, in nanoseconds.
fn time<W: Weight>(gpu: &Gpu, graph: &Csr<W>, form: Form) -> f64 {
    let n = graph.n_vertices() as f64;
    let arcs = graph.n_arcs() as f64;
    let chunks = n / form::CHUNK as f64;
    BEGIN
        + arcs * 4.0 * BYTE
        + chunks * CHUNK
        + n.powi(3) / form.rate(gpu) * 1e9
        + n * n / 8.0 * BYTE
}

//! What to solve with, by the names of the arguments.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::slice;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use apsp::any::AnyPairs;
use gpu_runtime::{Gpu, KeptContext};
use graph_formats::AnyCsr;
use sssp::any::{self, AnySolver};
use sssp::{Config, Progress, SsspError};

use crate::error::Error;
use crate::run::SMALL;

/// An algorithm by its name, threads, and the device, once it was found to be there.
pub(crate) struct How {
    algorithm: Option<String>,
    pub(crate) threads: Option<NonZeroUsize>,
    gpu: Option<Gpu>,
}

impl How {
    /// # Errors
    /// Where the backend is unknown, or there is no GPU.
    pub(crate) fn new(
        algorithm: Option<&str>,
        threads: Option<NonZeroUsize>,
        backend: Option<&str>,
    ) -> Result<Self, Error> {
        let gpu = if is_cuda(backend)? { Some(opened(0)?) } else { None };
        Ok(Self { algorithm: algorithm.map(str::to_owned), threads: at_most_all(threads), gpu })
    }

    /// The GPUs that are asked for: one or none.
    pub(crate) fn gpus(&self) -> &[Gpu] {
        self.gpu.as_slice()
    }

    /// The first GPUs of the machine, this many, which share a graph.
    ///
    /// # Errors
    /// Where the backend is not "cuda", an algorithm is named, or there are fewer.
    pub(crate) fn first_gpus(&self, n_gpus: NonZeroUsize) -> Result<Vec<Gpu>, Error> {
        if self.gpu.is_none() {
            return Err(Error::argument("gpus needs backend='cuda'"));
        }
        if self.algorithm.is_some() {
            return Err(Error::argument("gpus and algorithm are both given; give one of them"));
        }
        let there = Gpu::count()?;
        let count = u32::try_from(n_gpus.get()).unwrap_or(u32::MAX);
        if count > there {
            let message = format!("gpus is {n_gpus}; this machine has {there} GPUs");
            return Err(Error::argument(message));
        }
        (0..count).map(opened).collect()
    }

    /// Whether it is left open what to solve with.
    pub(crate) fn is_free(&self) -> bool {
        self.algorithm.is_none() && self.gpu.is_none()
    }

    /// Whether this thread has all pairs by searches before others are awake.
    pub(crate) fn is_soon_done(&self, graph: &AnyCsr) -> bool {
        let steps = (graph.n_vertices() + graph.n_arcs()).saturating_mul(graph.n_vertices());
        self.is_free() && steps < SMALL && graph.first_negative().is_none()
    }

    /// All pairs of vertices, in memory.
    pub(crate) fn all_pairs(
        &self,
        graph: &AnyCsr,
        next_hops: bool,
        progress: Option<Progress<'_>>,
    ) -> Result<Box<dyn AnyPairs>, Error> {
        let algorithm = self.algorithm.as_deref().unwrap_or("auto").parse();
        let algorithm = algorithm.map_err(SsspError::from)?;
        let config =
            apsp::Config { algorithm, threads: self.threads, next_hops, ..Default::default() };
        let solver = apsp::Solver::new(graph, &config);
        let solver = if self.gpus().is_empty() { solver } else { solver.on(self.gpus()) };
        Ok(solver.solve(progress)?)
    }

    /// A solver for `n_searches` searches that reports to `progress`.
    pub(crate) fn solver<'g>(
        &self,
        graph: &'g AnyCsr,
        n_searches: usize,
        progress: Option<Progress<'g>>,
    ) -> Result<Box<dyn AnySolver + 'g>, Error> {
        let algorithm = self.algorithm.as_deref();
        Ok(match &self.gpu {
            None => {
                let algorithm = algorithm.map(sssp::Algorithm::from_str).transpose()?;
                let config = Config { algorithm, threads: self.threads, ..Config::default() };
                any::solver(graph, &config, progress)?
            }
            Some(gpu) => {
                let config = sssp::gpu::Config {
                    algorithm: algorithm.map(sssp::gpu::Algorithm::from_str).transpose()?,
                    threads: self.threads,
                    expected_searches: NonZeroUsize::new(n_searches),
                    ..Default::default()
                };
                any::solver_on_gpus(slice::from_ref(gpu), graph, &config, progress)?
            }
        })
    }
}

/// Whether this backend is a GPU.
///
/// # Errors
/// Where it is unknown.
pub(crate) fn is_cuda(backend: Option<&str>) -> Result<bool, Error> {
    match backend {
        None | Some("cpu") => Ok(false),
        Some("cuda") => Ok(true),
        Some(other) => {
            let message = format!("backend is '{other}'; expected 'cpu' or 'cuda'");
            Err(Error::argument(message))
        }
    }
}

/// As many threads, but not more than the machine runs at once.
fn at_most_all(threads: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    threads.and_then(|threads| NonZeroUsize::new(threads.get().min(rayon::current_num_threads())))
}

/// Whether a GPU has been opened here.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// The GPU of this number, which stays open: that takes longer than most searches.
pub(crate) fn opened(ordinal: u32) -> Result<Gpu, Error> {
    static OPENED: Mutex<BTreeMap<u32, Gpu>> = Mutex::new(BTreeMap::new());
    let _kept = KeptContext::keep();
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    match opened.get(&ordinal) {
        Some(gpu) if !gpu.has_failed() => Ok(gpu.clone()),
        _ => {
            let gpu = Gpu::open_ordinal(ordinal)?;
            IS_OPEN.store(true, Relaxed);
            opened.insert(ordinal, gpu.clone());
            Ok(gpu)
        }
    }
}

/// A guard that keeps this thread's context, once a GPU has been opened. Until then no context is
/// changed, and the driver must not be loaded for work on the CPU.
pub(crate) fn kept_context() -> Option<KeptContext> {
    IS_OPEN.load(Relaxed).then(KeptContext::keep)
}

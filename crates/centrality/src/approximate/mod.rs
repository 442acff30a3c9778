//! Betweenness within a given error, from random shortest paths of random pairs of vertices.
//!
//! A random shortest path of a random pair passes through a vertex with a probability that is the
//! vertex's betweenness. [`paths`] draws pairs and paths, which are counted; [`rule`] says when
//! there are enough. Pairs are numbered, and [draws] are functions of these numbers, so results do
//! not depend on threads. The number of pairs depends on the error and on the greatest betweenness,
//! hardly on the size of the graph: about 2·b·ln(…)/ε².
//!
//! The betweenness of the papers is a mean over all n·(n − 1) ordered pairs. The one of this crate
//! leaves out the pairs that a vertex itself is in. It is the former times n/(n − 2), and so is its
//! error.
//!
//! Reference: borassi-natale-2019, pellegrina-vandin-2023

mod draws;
mod gpu;
mod longest;
mod paths;
mod rule;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ::paths::Progress;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Direction, Weight, ensure_granted, parallel, tell};
use search_parts::Pool;

use self::gpu::OnGpu;
use self::longest::longest;
use self::paths::{Sampler, Space};
use self::rule::{Rule, Seen};
use crate::CentralityError;
use crate::weights::check_any;

/// Pairs that a thread takes at a time.
const PAIRS_PER_TASK: usize = 64;
/// Pairs between two calls of the progress callback.
const PAIRS_PER_REPORT: usize = 1 << 12;
/// Bytes of the work space of a thread for each vertex.
const BYTES_PER_VERTEX: usize = 24;
/// Bytes of the counts of each vertex.
const BYTES_OF_COUNTS: usize = 24;

/// The configuration of [`approximate_betweenness`](crate::approximate_betweenness).
#[derive(Clone, Debug, PartialEq)]
pub struct ApproximateConfig {
    /// The error ε: no value is off by more. Above 0 and below 1.
    pub error: f64,
    /// The probability δ that one is. Above 0 and below 1.
    pub failure: f64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The most CPU threads to use. `None` is one for each core.
    pub threads: Option<NonZeroUsize>,
}

impl Default for ApproximateConfig {
    fn default() -> Self {
        Self { error: 0.01, failure: 0.1, seed: 1, threads: None }
    }
}

/// Estimates of betweenness, all of which are within the same error.
#[derive(Clone, Debug, PartialEq)]
pub struct ApproximateBetweenness {
    counts: Vec<u64>,
    n_samples: u64,
}

impl ApproximateBetweenness {
    /// The estimates of [`Betweenness::normalised`](crate::Betweenness::normalised): all are off by
    /// at most ε, with a probability of at least 1 − δ. The true value is never below 0 or above 1.
    pub fn normalised(&self) -> Vec<f64> {
        let n = self.counts.len() as f64;
        let scale = match self.n_samples {
            0 => 0.0,
            n_samples => n / (n - 2.0) / n_samples as f64,
        };
        self.counts.iter().map(|&count| (count as f64 * scale).min(1.0)).collect()
    }

    /// How many of the paths pass through each vertex.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The number of pairs that were drawn, each with a path if there is one. Zero where searches show
    /// beforehand that no path has a vertex inside.
    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }
}

/// Estimates the betweenness of every vertex, by hops. All estimates are within `config.error` of
/// the true values, with a probability of at least 1 − `config.failure`.
///
/// As in [`betweenness`](crate::betweenness()), parallel arcs are different paths, and weights play
/// no part. The result depends on the seed, not on the number of threads. Tells `progress` how many
/// pairs of vertices are done, of those that will do as far as is known. Each thread has 24 bytes a
/// vertex; to these come 24 more, and a copy of a directed graph.
///
/// # Errors
/// Where the error or the probability is not between 0 and 1, memory is refused, or the progress
/// callback ended the work.
///
/// ```
/// use centrality::{ApproximateConfig, approximate_betweenness};
/// use graph_formats::Csr;
///
/// // all but a twentieth of the pairs of a star's vertices are leaves
/// let star: Vec<_> = (1..40).map(|leaf| (0, leaf, 1u32)).collect();
/// let star = Csr::from_edges(40, &star)?;
/// let config = ApproximateConfig { error: 0.05, failure: 0.1, ..Default::default() };
/// let found = approximate_betweenness(&star, &config, None)?.normalised();
/// assert!(found[0] > 0.95 && found[1] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn approximate_betweenness<W: Weight>(
    graph: &Csr<W>,
    config: &ApproximateConfig,
    progress: Option<Progress<'_>>,
) -> Result<ApproximateBetweenness, CentralityError> {
    find(None, &graph.clone().unweighted(), config, progress)
}

/// As [`approximate_betweenness`], on a GPU: the first of these.
///
/// The result is that of the CPU, except where there are more than 2^53 shortest paths to a vertex:
/// such numbers are rounded in another order, so a path may rarely be another one. Each pair that is
/// searched at the same time has 20 bytes a vertex; where memory is short they are fewer. The graph
/// has 4 bytes an arc, or 8 if it is directed.
///
/// # Errors
/// As [`approximate_betweenness`], and where a GPU fails, has too little memory for the graph and
/// one pair, or none is given.
pub fn approximate_betweenness_on_gpus<W: Weight>(
    gpus: &[Gpu],
    graph: &Csr<W>,
    config: &ApproximateConfig,
    progress: Option<Progress<'_>>,
) -> Result<ApproximateBetweenness, CentralityError> {
    check_any(gpus)?;
    find(gpus.first(), &graph.clone().unweighted(), config, progress)
}

/// On this GPU, or where there is none on the CPU.
fn find(
    gpu: Option<&Gpu>,
    graph: &Csr<u32>,
    config: &ApproximateConfig,
    progress: Option<Progress<'_>>,
) -> Result<ApproximateBetweenness, CentralityError> {
    for (name, value) in [("error", config.error), ("failure", config.failure)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(CentralityError::NotBetween { name, value });
        }
    }
    let n = graph.n_vertices();
    let nothing = || Ok(ApproximateBetweenness { counts: vec![0; n], n_samples: 0 });
    if n < 3 {
        return nothing();
    }
    let rule = Rule::new(n, config.error * (n as f64 - 2.0) / n as f64, config.failure);
    let is_directed = graph.direction() == Direction::Directed;
    let threads = config.threads.map_or_else(rayon::current_num_threads, NonZeroUsize::get);
    ensure_granted(
        n * (BYTES_OF_COUNTS + threads * BYTES_PER_VERTEX)
            + usize::from(is_directed) * graph.bytes(),
    )?;
    let transposed = is_directed.then(|| graph.transposed());
    let into = transposed.as_ref().unwrap_or(graph);
    let sampler = Sampler { out: graph, into, seed: config.seed };
    let counts = Counts::new(n, config.threads);
    let longest = || longest(graph, config.threads);
    thread::scope(|scope| {
        // the first pairs do not need it; the system may refuse a thread
        let beside = thread::Builder::new().spawn_scoped(scope, longest);
        let mut pairs: Box<dyn Pairs> = match gpu {
            Some(gpu) => {
                let made = OnGpu::new(gpu, &sampler, counts);
                Box::new(made.map_err(|error| error.named(std::slice::from_ref(gpu)))?)
            }
            None => Box::new(OnCpu { sampler: &sampler, counts }),
        };
        let (mut done, mut required) = (0, rule.first());
        pairs.add(0..required, required, progress)?;
        let longest = match beside {
            Ok(beside) => beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => longest(),
        }?;
        if longest < 2 {
            return nothing();
        }
        while done < required {
            done = required;
            required = rule.required(pairs.seen(done)?, longest);
            pairs.add(done..required, required, progress)?;
        }
        tell(progress, done, done)?;
        Ok(ApproximateBetweenness { counts: pairs.sums()?, n_samples: done })
    })
}

/// What draws pairs and counts.
trait Pairs {
    /// Adds the pairs with these numbers, of `total` that will do as far as is known.
    fn add(
        &mut self,
        samples: Range<u64>,
        total: u64,
        progress: Option<Progress<'_>>,
    ) -> Result<(), CentralityError>;

    /// What is known from all pairs so far, of which there are `n_samples`.
    fn seen(&self, n_samples: u64) -> Result<Seen, CentralityError>;

    /// How many paths each vertex is inside of.
    fn sums(&self) -> Result<Vec<u64>, CentralityError>;
}

struct OnCpu<'a> {
    sampler: &'a Sampler<'a>,
    counts: Counts,
}

impl Pairs for OnCpu<'_> {
    fn add(
        &mut self,
        samples: Range<u64>,
        total: u64,
        progress: Option<Progress<'_>>,
    ) -> Result<(), CentralityError> {
        for first in samples.clone().step_by(PAIRS_PER_REPORT) {
            tell(progress, first, total)?;
            let some = first..samples.end.min(first + PAIRS_PER_REPORT as u64);
            self.counts.add(self.sampler, &some.collect::<Vec<_>>());
        }
        Ok(())
    }

    fn seen(&self, n_samples: u64) -> Result<Seen, CentralityError> {
        Ok(self.counts.seen(n_samples, self.counts.sums()))
    }

    fn sums(&self) -> Result<Vec<u64>, CentralityError> {
        Ok(self.counts.sums().collect())
    }
}

/// What the CPU counted.
struct Counts {
    pool: Pool,
    /// Work spaces that no thread uses.
    spaces: Mutex<Vec<Space>>,
    /// How many paths each vertex is inside of.
    sums: Vec<AtomicU64>,
    /// The sum of the numbers of vertices inside the paths, and of their squares.
    inside: u128,
    inside_squared: u128,
}

impl Counts {
    fn new(n_vertices: usize, threads: Option<NonZeroUsize>) -> Self {
        Self {
            pool: Pool::new(threads),
            spaces: Mutex::default(),
            sums: (0..n_vertices).map(|_| AtomicU64::new(0)).collect(),
            inside: 0,
            inside_squared: 0,
        }
    }

    /// Draws the pairs with these numbers.
    fn add(&mut self, sampler: &Sampler<'_>, samples: &[u64]) {
        let Self { pool, spaces, sums, .. } = &*self;
        let draw = |samples: &[u64]| {
            let free = || spaces.lock().unwrap_or_else(PoisonError::into_inner);
            let space = free().pop();
            let mut space = space.unwrap_or_else(|| Space::new(sums.len()));
            let draw = |&sample| {
                sampler.sample(sample, &mut space, &|vertex| {
                    sums[vertex as usize].fetch_add(1, Relaxed);
                })
            };
            let inside: Vec<u32> = samples.iter().map(draw).collect();
            free().push(space);
            inside
        };
        let tasks = samples.chunks(PAIRS_PER_TASK).collect();
        let inside = pool.run(|| parallel::map_of(tasks, &draw));
        inside.into_iter().flatten().for_each(|inside| self.enter(inside));
    }

    /// Enters the number of vertices inside the paths of a pair.
    fn enter(&mut self, inside: u32) {
        self.inside += u128::from(inside);
        self.inside_squared += u128::from(inside) * u128::from(inside);
    }

    fn sums(&self) -> impl Iterator<Item = u64> + '_ {
        self.sums.iter().map(|sum| sum.load(Relaxed))
    }

    /// What is known from `n_samples` pairs and these sums.
    fn seen(&self, n_samples: u64, sums: impl Iterator<Item = u64>) -> Seen {
        Seen {
            n_samples,
            greatest: sums.max().unwrap_or(0) as f64 / n_samples as f64,
            inside: self.inside,
            inside_squared: self.inside_squared,
        }
    }
}

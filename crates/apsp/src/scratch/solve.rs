//! All pairs of a graph whose matrix is kept in a folder.

use std::path::PathBuf;

use bytemuck::Pod;
use gpu_runtime::Gpu;
use graph_formats::{Csr, Distance, Weight};
use paths::NextHops;
use rayon::ThreadPoolBuilder;
use sssp::Progress;

use super::folder::Folder;
use super::hops::{bytes_of_rows, write_hops};
use super::journal::Journal;
use super::memory::Need;
use super::stored::Hops;
use super::{Scratch, StoredPairs, digest::digest, engine, side_of};
use crate::cuda::{self, Arithmetic};
use crate::hops::bytes_of_work;
use crate::host::Element;
use crate::number::is_float;
use crate::potentials::potentials;
use crate::solve::{double, from_float, from_integer, from_small, integer, single, small};
use crate::{Algorithm, ApspError, Config, Number, Plan};

/// Where a matrix is kept that memory cannot hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScratchFolder {
    /// A folder that is empty or does not exist yet, or with [`resume`](Self::resume) that
    /// of a run before. It needs room for n² numbers of 2 to 8 bytes.
    pub path: PathBuf,
    /// Goes on with the run that the folder holds, if it holds one.
    pub resume: bool,
}

impl ScratchFolder {
    /// A new run in this folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), resume: false }
    }
}

/// The distances of all pairs of vertices of `graph`, by blocked Floyd-Warshall over a matrix
/// in a folder; memory holds panels of it only, of the width that [`Config::memory`] allows.
///
/// When a run ends early, for whatever reason, another one with
/// [`resume`](ScratchFolder::resume) goes on where it was: at most one block of pivots is done
/// again, and the answer is the same to the last bit. With [`Config::next_hops`] the folder
/// holds n² next hops too, of 2 or 4 bytes, the same as those of
/// [`all_pairs`](crate::all_pairs), and floats are settled as there. O(n³), and some 8 to
/// n / 128 passes over the file.
///
/// # Errors
/// When there is a negative cycle anywhere in the graph; sums may be too large for numbers
/// of 64 bits; an algorithm other than [`Algorithm::Blocked`] is asked for; the memory allowed
/// is too little; the folder holds anything else or cannot be read and written; or the
/// progress callback ended the work. Then the folder is as it was, or can be resumed.
///
/// ```
/// use apsp::{Config, ScratchFolder, all_pairs_in};
/// use graph_formats::Csr;
///
/// let folder = tempfile::tempdir()?;
/// let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 1)])?;
/// let scratch = ScratchFolder::new(folder.path());
/// let config = Config { memory: Some(64 << 20), ..Config::default() };
/// let found = all_pairs_in(&scratch, &graph, &config, None)?;
/// assert_eq!(found.row(0).collect::<Vec<_>>(), [Some(0), Some(4), Some(5)]);
/// assert_eq!(found.summary().n_reachable_pairs, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn all_pairs_in<W: Weight>(
    scratch: &ScratchFolder,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<StoredPairs<W>, ApspError>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let config = blocked(config)?;
    let plan = Plan::new(graph, &config, progress)?;
    solve(Run { scratch, graph, plan, config: &config, gpu: None, progress })
}

/// The same as [`all_pairs_in`] by a GPU, through which the matrix passes in strips of rows:
/// in numbers of 32 bits, with at most [`Config::memory`] of the GPU's memory and as much of
/// the host's. A run may be resumed on the other kind of device; then floats may differ in
/// their last bits.
///
/// # Errors
/// Those of [`all_pairs_in`], [`ApspError::NotOnGpu`] for numbers of 64 bits, and
/// [`ApspError::Gpu`].
pub fn all_pairs_in_on_gpu<W: Weight>(
    gpu: &Gpu,
    scratch: &ScratchFolder,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<StoredPairs<W>, ApspError>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    let config = blocked(config)?;
    let capped = config.memory.map(|bytes| gpu.with_memory_cap(bytes));
    let gpu = capped.as_ref().unwrap_or(gpu);
    let (mut plan, mut arithmetic) = cuda::plan(gpu, graph, &config, progress)?;
    if arithmetic == Arithmetic::U16 {
        (plan.number, arithmetic) = (Some(Number::I32), Arithmetic::I32);
    }
    let gpu = Some((gpu, arithmetic));
    solve(Run { scratch, graph, plan, config: &config, gpu, progress })
}

/// The configuration with the one algorithm there is for folders.
fn blocked(config: &Config) -> Result<Config, ApspError> {
    match config.algorithm {
        Algorithm::Auto | Algorithm::Blocked => {
            Ok(Config { algorithm: Algorithm::Blocked, ..config.clone() })
        }
        algorithm => Err(ApspError::NotInFolder { algorithm }),
    }
}

fn solve<W: Weight>(run: Run<'_, W>) -> Result<StoredPairs<W>, ApspError>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    // a plan for blocks has numbers
    let number = run.plan.number;
    if const { is_float(W::KIND) } {
        if number == Some(Number::F32) {
            let distance = |number: f32| from_float::<W>(f64::from(number));
            let kept = |distance| Distance::to_f64(distance) as f32;
            run.solve("f32", single, distance, kept)
        } else {
            run.solve("f64", double, from_float::<W>, Distance::to_f64)
        }
    } else if number == Some(Number::U16) {
        run.solve("u16", small, from_small::<W>, small)
    } else if number == Some(Number::I32) {
        run.solve("i32", integer::<W, i32>, from_integer::<W, i32>, integer::<W::Distance, i32>)
    } else {
        run.solve("i64", integer::<W, i64>, from_integer::<W, i64>, integer::<W::Distance, i64>)
    }
}

/// What is asked for.
struct Run<'a, W: Weight> {
    scratch: &'a ScratchFolder,
    graph: &'a Csr<W>,
    plan: Plan,
    config: &'a Config,
    /// The GPU that does the arithmetic, if it is not the processor.
    gpu: Option<(&'a Gpu, Arithmetic)>,
    progress: Option<Progress<'a>>,
}

impl<W: Weight> Run<'_, W>
where
    W::Distance: Weight<Distance = W::Distance>,
{
    /// In numbers of this name, which weights become, which become distances, and as which distances are
    /// kept.
    fn solve<E: Element + Pod>(
        self,
        numbers: &str,
        number: impl Fn(W) -> E + Sync,
        distance: impl Fn(E) -> W::Distance + Send + Sync + 'static,
        kept: impl Fn(W::Distance) -> E + Send,
    ) -> Result<StoredPairs<W>, ApspError> {
        let Self { scratch, graph, mut plan, config, gpu, progress } = self;
        let memory = config.memory;
        let n = graph.n_vertices();
        let (side, threads) = (side_of(n), plan.threads);
        let is_narrow = NextHops::is_narrow(n);
        let hops = match (config.next_hops, is_narrow) {
            (false, _) => 0,
            (true, true) => bytes_of_work(graph) + bytes_of_rows::<u16>(n),
            (true, false) => bytes_of_work(graph) + bytes_of_rows::<u32>(n),
        };
        let need = Need { n_vertices: n, side, threads, engine: engine::bytes::<E>, hops };
        let block = need.block(memory)?;
        let folder = Folder::lock(&scratch.path)?;
        let graph_digest = digest(graph);
        let journal = match folder.journal(&graph_digest, numbers, scratch.resume)? {
            Some(journal) => journal,
            None => {
                if graph.first_negative().is_some() {
                    // there is no negative cycle if this succeeds
                    potentials(graph, config.threads, progress)?;
                }
                Journal {
                    graph: graph_digest,
                    numbers: numbers.to_owned(),
                    n_vertices: n,
                    side,
                    block,
                    is_filled: false,
                    blocks_done: 0,
                    panels_ready: false,
                    hop_rows: 0,
                }
            }
        };
        need.check(journal.block, memory)?;
        plan.reason = format!(
            "its matrix is in a folder; {} bytes of memory are for blocks of {} pivots",
            need.bytes(journal.block),
            journal.block
        );
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut matrix = Scratch::open(folder, journal, graph, &number, progress)?;
        let hops = pool.install(|| {
            match gpu {
                Some((gpu, arithmetic)) => {
                    cuda::scratch::close(gpu, arithmetic, &mut matrix, progress)?;
                }
                None => engine::close(&mut matrix, progress)?,
            }
            let matrix = &mut matrix;
            let hops = match (config.next_hops, is_narrow) {
                (false, _) => None,
                (true, true) => {
                    Some(Hops::Narrow(write_hops(matrix, graph, &distance, kept, progress)?))
                }
                (true, false) => {
                    Some(Hops::Wide(write_hops(matrix, graph, &distance, kept, progress)?))
                }
            };
            Ok::<_, ApspError>(hops)
        })?;
        let read_row = move |u: usize, row: &mut Vec<W::Distance>| {
            row.clear();
            row.extend(matrix.row(u)[..n].iter().map(|&number| distance(number)));
        };
        Ok(StoredPairs { n_vertices: n, plan, read_row: Box::new(read_row), hops })
    }
}

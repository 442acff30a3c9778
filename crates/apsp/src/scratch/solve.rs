//! All pairs of a graph whose matrix is kept in a folder.

use std::path::PathBuf;

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::NextHops;
use rayon::ThreadPoolBuilder;
use sssp::Progress;

use super::folder::Folder;
use super::hops::{bytes_of_rows, settle_rest, write_hops};
use super::host::{self, Host};
use super::journal::{self, Journal, State};
use super::memory::{Bytes, Need};
use super::{Scratch, digest::digest, side_of};
use crate::cuda::folder::Gpus;
use crate::cuda::{self, Arithmetic};
use crate::element::with_element;
use crate::hops::bytes_of_work;
use crate::host::MinPlus;
use crate::pairs::{Hops, Rows};
use crate::potentials::potentials;
use crate::{Algorithm, ApspError, Config, Number, Pairs, Plan, Report};

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

    /// Whether a run has begun in this folder, be it on this graph or another.
    pub fn holds_run(&self) -> bool {
        self.path.join(journal::NAME).exists()
    }
}

/// By the processor, or GPUs through which the matrix passes in strips of rows: in the same numbers.
pub(crate) fn solve<W: Weight>(
    scratch: &ScratchFolder,
    gpus: Option<&[Gpu]>,
    graph: &Csr<W>,
    config: &Config,
    progress: Option<Progress<'_>>,
) -> Result<Pairs<W>, ApspError> {
    let config = match config.algorithm {
        Algorithm::Auto | Algorithm::Blocked => {
            Config { algorithm: Algorithm::Blocked, ..config.clone() }
        }
        algorithm => return Err(ApspError::NotInFolder { algorithm }),
    };
    let plan = Plan::new(graph, &config, progress)?;
    // a plan for blocks has numbers
    let Some(numbers) = plan.number else {
        return Err(ApspError::NotInFolder { algorithm: plan.algorithm });
    };
    if gpus.is_some_and(<[Gpu]>::is_empty) {
        return Err(ApspError::NotOnGpu { reason: "none was named".to_owned() });
    }
    let mut run = Run { scratch, graph, plan, config: &config, gpus, progress };
    let opened = run.open(numbers)?;
    let numbers = opened.journal.numbers;
    run.plan.number = Some(numbers);
    with_element!(W, numbers, E => run.close::<E>(opened))
}

/// What is asked for.
struct Run<'a, W: Weight> {
    scratch: &'a ScratchFolder,
    graph: &'a Csr<W>,
    plan: Plan,
    config: &'a Config,
    /// The GPUs that do the arithmetic, if it is not the processor.
    gpus: Option<&'a [Gpu]>,
    progress: Option<Progress<'a>>,
}

/// A folder of ours, and the memory for the work on it: nothing was written yet.
struct Opened {
    folder: Folder,
    journal: Journal,
    need: Need,
    /// For what is left of the matrix, if that is for GPUs.
    gpus: Option<Gpus>,
}

impl<W: Weight> Run<'_, W> {
    /// What the work takes, in these numbers; with `settles` where no hops are asked for,
    /// but floats are to be settled.
    fn need(&self, numbers: Number, settles: bool) -> Result<Need, ApspError> {
        let n = self.graph.n_vertices();
        let hops = match (self.config.next_hops, settles, NextHops::is_narrow(n)) {
            (false, false, _) => 0,
            (false, true, _) => bytes_of_work(self.graph),
            (true, _, true) => bytes_of_work(self.graph) + bytes_of_rows::<u16>(n),
            (true, _, false) => bytes_of_work(self.graph) + bytes_of_rows::<u32>(n),
        };
        let (side, threads) = (side_of(n), self.plan.threads);
        let (engine, on_gpu): (Box<dyn Fn(usize) -> Bytes>, _) = match self.gpus {
            None => {
                let bytes = with_element!(W, numbers, E => host::bytes::<E> as fn(_, _, _) -> _);
                (Box::new(move |block| bytes(side, threads, block)), 0)
            }
            Some(gpus) => {
                let (n_gpus, arithmetic) = (gpus.len(), Arithmetic::of(Some(numbers), self.graph)?);
                let available = gpus.iter().map(Gpu::available_bytes);
                let available = available.collect::<Result<Vec<_>, _>>()?;
                let bytes = move |block| cuda::folder::bytes(arithmetic, side, n_gpus, block);
                (Box::new(bytes), available.into_iter().min().unwrap_or_default())
            }
        };
        Ok(Need { n_vertices: n, side, engine, on_gpu, hops })
    }

    /// Finds out whether the run is possible, in the folder and in memory. A new one is in
    /// `numbers`, one that is resumed in those that it began with, which may be wider.
    fn open(&mut self, numbers: Number) -> Result<Opened, ApspError> {
        let (graph, memory) = (self.graph, self.config.memory);
        // what is too little for a new run is so for any
        let block = self.need(numbers, false)?.block(memory)?;
        let folder = Folder::lock(&self.scratch.path)?;
        let (n, graph_digest) = (graph.n_vertices(), digest(graph, self.progress)?);
        let begun = folder.journal(&graph_digest, n, numbers, self.scratch.resume)?;
        let is_new = begun.is_none();
        let journal = begun.unwrap_or_else(|| Journal {
            graph: graph_digest,
            numbers,
            n_vertices: n,
            side: side_of(n),
            block,
            matrix: State::Filling,
            blocks_done: 0,
            panels_ready: false,
            hop_rows: 0,
        });
        let mut need = self.need(journal.numbers, journal.matrix == State::Settling)?;
        let gpus = self.gpus.take().filter(|_| !journal.is_closed());
        if gpus.is_none() {
            need.on_gpu = u64::MAX;
        }
        need.check(journal.block, memory)?;
        let gpus = match gpus {
            Some(gpus) => {
                let arithmetic = Arithmetic::of(Some(journal.numbers), graph)?;
                Some(Gpus::new(gpus, arithmetic, journal.side, journal.block, memory)?)
            }
            None => None,
        };
        if is_new && graph.first_negative().is_some() {
            // there is no negative cycle if this succeeds
            potentials(graph, self.config.threads, self.progress)?;
        }
        Ok(Opened { folder, journal, need, gpus })
    }

    /// In a matrix of these numbers.
    fn close<E: MinPlus>(self, opened: Opened) -> Result<Pairs<W>, ApspError> {
        let Self { graph, mut plan, config, progress, .. } = self;
        let Opened { folder, journal, need, gpus } = opened;
        let (n, block) = (graph.n_vertices(), journal.block);
        plan.reason = format!(
            "its matrix is in a folder; {} bytes of memory are for blocks of {} pivots",
            need.bytes(block),
            block
        );
        let pool = ThreadPoolBuilder::new().num_threads(plan.threads).build()?;
        let mut matrix = Scratch::<E>::open(folder, journal, graph, progress)?;
        let hops = pool.install(|| {
            match gpus {
                Some(mut gpus) => matrix.close(&mut gpus, progress)?,
                None => matrix.close(&mut Host::new(side_of(n), block)?, progress)?,
            }
            let matrix = &mut matrix;
            Ok::<_, ApspError>(match (config.next_hops, NextHops::is_narrow(n)) {
                (false, _) => {
                    settle_rest(matrix, graph, progress)?;
                    None
                }
                (true, true) => Some(Hops::Narrow(write_hops(matrix, graph, progress)?)),
                (true, false) => Some(Hops::Wide(write_hops(matrix, graph, progress)?)),
            })
        })?;
        let read_row = move |u: usize, row: &mut Vec<W::Distance>| {
            row.clear();
            row.extend(matrix.row(u)[..n].iter().map(|&number| number.decode::<W::Distance>()));
        };
        let rows = Rows::Folder { n_vertices: n, read_row: Box::new(read_row), hops };
        Ok(Pairs { plan, report: Report::default(), rows })
    }
}

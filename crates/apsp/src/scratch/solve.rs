//! All pairs of a graph whose matrix is kept in a folder.

use std::path::{Path, PathBuf};

use gpu_runtime::Gpu;
use graph_formats::{Csr, parallel};
use paths::NextHops;
use rayon::ThreadPool;
use sssp::Progress;

use super::close::Rank;
use super::cpu::CpuEngine;
use super::folder::Folder;
use super::hops::{bytes_of_row, useful_arcs, write_hops};
use super::journal::{self, Journal, State};
use super::matrix::Scratch;
use super::memory::Need;
use super::{ScratchError, digest};
use crate::cuda::Arithmetic;
use crate::cuda::folder::GpuEngine;
use crate::element::with_element;
use crate::error::agree;
use crate::host::MinPlus;
use crate::job::Job;
use crate::pairs::Rows;
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Number, Pairs, Plan, Report};

/// The folder of a matrix that memory cannot hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScratchFolder {
    /// A folder that is empty or does not exist yet, or with [`resume`](Self::resume) the folder of
    /// an earlier run. It needs space for n² numbers of 2 to 8 bytes.
    pub path: PathBuf,
    /// Whether to resume the run that the folder holds, if it holds one.
    pub resume: bool,
}

impl ScratchFolder {
    /// A new run in this folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), resume: false }
    }

    /// Whether the folder holds a run, on any graph.
    pub fn holds_run(&self) -> bool {
        self.path.join(journal::NAME).exists()
    }

    /// The hash of the graph whose run the folder holds, as [`digest`](crate::any::digest) makes it;
    /// `None` if it holds none. It is another after [`InFolder::update`](crate::InFolder::update).
    ///
    /// ```
    /// use apsp::{ScratchFolder, Solver};
    /// use graph_formats::Csr;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let scratch = ScratchFolder::new(folder.path());
    /// assert_eq!(scratch.graph()?, None);
    /// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
    /// Solver::new(&graph, &Default::default()).in_folder(&scratch).solve(None)?;
    /// assert_eq!(scratch.graph()?, Some(apsp::any::digest(&graph.into(), None)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the folder holds anything else, cannot be read, or another process uses it.
    pub fn graph(&self) -> Result<Option<String>, ScratchError> {
        if !self.holds_run() {
            return Ok(None);
        }
        let _lock = Folder::lock(&self.path)?;
        Ok(Journal::read(&self.path)?.map(|journal| journal.graph))
    }
}

/// By all ranks, each with its CPU, or GPUs through which the matrix passes in strips of
/// rows: in the same numbers. The answer is rank 0's, which reads the folder when all are done;
/// the others have none.
pub(crate) fn solve<W: RaisedWeight>(
    scratch: &ScratchFolder,
    gpus: Option<&[Gpu]>,
    job: &Job<'_, W>,
) -> Result<Option<Pairs<W>>, ApspError> {
    // 1. what is asked for, and in which numbers
    let asked = check_algorithm(job.config).and(match gpus {
        Some([]) => Err(ApspError::NotOnGpu { reason: "no GPU was given".to_owned() }),
        _ => Ok(()),
    });
    agree(job.ranks, asked)?;
    let config = &Config { algorithm: Algorithm::Blocked, ..job.config.clone() };
    let job = &Job { config, ..*job };
    let ranks = job.ranks;
    // what is done again would be weeks: here numbers are proven to do
    let mut plan = job.plan(|| Plan::new(job.graph, config, Narrow::Proven, job.progress))?;
    // a plan for blocks has numbers
    let Some(numbers) = plan.number else {
        return Err(ApspError::NotInFolder { algorithm: plan.algorithm });
    };

    // 2. whether it is possible, in memory and in the folder; what is too little for a new run is
    // so for any. One that is resumed is in the numbers that it began with, which may be wider.
    let need = |numbers, settles| Need::of(job, gpus, numbers, settles);
    let block = need(numbers, false).and_then(|need| need.block(config.memory));
    let block = ranks.min(agree(ranks, block)? as u64)? as usize;
    let locked = ranks.is_root().then(|| lock(scratch, job, numbers, block)).transpose();
    let (folder, journal) = agree(ranks, locked)?.unzip();
    let journal = Journal::broadcast(journal.as_ref(), ranks)?;
    let folder = Folder::shared(folder, &scratch.path, ranks)?;
    let Journal { numbers, side, block, .. } = journal;
    let gpus = gpus.filter(|_| journal.pivots().is_some());
    let room = need(numbers, journal.matrix == State::Settling).and_then(|mut need| {
        if gpus.is_none() {
            need.on_gpu = u64::MAX;
        }
        need.check(block, config.memory)?;
        let gpus = gpus.map(|gpus| {
            let arithmetic = Arithmetic::of(Some(numbers), job.graph)?;
            let (available, memory) = (need.on_gpu, config.memory);
            let engine = GpuEngine::new(gpus, arithmetic, side, block, available, memory);
            engine.map_err(ApspError::from)
        });
        Ok((need.bytes(block), gpus.transpose()?))
    });
    let (bytes, gpus) = agree(ranks, room)?;
    if journal.matrix == State::Filling {
        job.potentials()?;
    }

    // 3. the work
    plan.number = Some(numbers);
    plan.reason = format!(
        "its matrix is in a folder; {bytes} bytes of memory are for blocks of {block} pivots"
    );
    let pool = &job.pool(&plan)?;
    let rows = with_element!(W, numbers, E => close::<W, E>(folder, journal, gpus, pool, job))?;
    Ok(rows.map(|rows| Pairs { plan, report: Report::default(), rows }))
}

/// An error where the matrix of an algorithm cannot be in a folder.
pub(super) fn check_algorithm(config: &Config) -> Result<(), ApspError> {
    match config.algorithm {
        Algorithm::Auto | Algorithm::Blocked => Ok(()),
        algorithm => Err(ApspError::NotInFolder { algorithm }),
    }
}

/// The folder, and what is done there; where nothing is, that.
fn lock<W: RaisedWeight>(
    scratch: &ScratchFolder,
    job: &Job<'_, W>,
    numbers: Number,
    block: usize,
) -> Result<(Folder, Journal), ApspError> {
    let folder = Folder::lock(&scratch.path)?;
    let graph = digest(job.graph, job.progress)?;
    let new = Journal::new(graph, numbers, job.graph.n_vertices(), block);
    match Journal::read(&scratch.path)? {
        Some(begun) => {
            begun.check(&new, scratch.resume, &scratch.path)?;
            Ok((folder, begun))
        }
        None => {
            let hops = if job.config.next_hops { new.n_vertices } else { 0 };
            let row = new.side as u128 * with_element!(W, numbers, E => size_of::<E>()) as u128;
            let rows = (new.side + 2 * block) as u128;
            check_disk(&scratch.path, row * rows + hops as u128 * bytes_of_row(new.n_vertices))?;
            Ok((folder, new))
        }
    }
}

/// An error where this user may not write as many bytes to the disk of a folder, if the system says.
pub(super) fn check_disk(folder: &Path, needed: u128) -> Result<(), ScratchError> {
    let free = fs4::available_space(folder).ok();
    match free.filter(|&free| u128::from(free) < needed) {
        Some(free) => {
            Err(ScratchError::NoRoom { folder: folder.to_owned(), needed: needed.into(), free })
        }
        None => Ok(()),
    }
}

/// The rows of the closed matrix, at rank 0.
fn close<W: RaisedWeight, E: MinPlus>(
    folder: Folder,
    journal: Journal,
    gpus: Option<GpuEngine>,
    pool: &ThreadPool,
    job: &Job<'_, W>,
) -> Result<Option<Rows<W>>, ApspError> {
    let Job { ranks, graph, config, progress } = *job;
    let (side, block) = (journal.side, journal.block);
    let mut matrix = Scratch::<E>::open(folder, journal, job)?;
    match gpus {
        Some(mut engine) => matrix.close(Rank { job, engine: &mut engine, pool })?,
        None => {
            let mut engine = agree(ranks, CpuEngine::new(pool, side, block))?;
            matrix.close(Rank { job, engine: &mut engine, pool })?;
        }
    }
    let rows = ranks.is_root().then(|| {
        let matrix = matrix.opened_again()?;
        parallel::install(pool, || answer(matrix, graph, config.next_hops, progress))
    });
    agree(ranks, rows.transpose())
}

/// The closed matrix, and next hops in the folder, if they are asked for: both compared with their
/// checksums.
fn answer<W: RaisedWeight, E: MinPlus>(
    mut matrix: Scratch<E>,
    graph: &Csr<W>,
    next_hops: bool,
    progress: Option<Progress<'_>>,
) -> Result<Rows<W>, ApspError> {
    let n = graph.n_vertices();
    let is_settling = matrix.journal.matrix == State::Settling;
    if !is_settling {
        matrix.check(progress)?;
    }
    let next_hops = match (next_hops, NextHops::is_narrow(n)) {
        (false, _) if is_settling => useful_arcs(&mut matrix, graph, progress).map(|_| None)?,
        (false, _) => None,
        (true, true) => Some(write_hops::<_, _, u16>(&mut matrix, graph, progress)?.into_bytes()),
        (true, false) => Some(write_hops::<_, _, u32>(&mut matrix, graph, progress)?.into_bytes()),
    };
    let read_row = move |u: usize, row: &mut Vec<W::Distance>| {
        row.clear();
        row.extend(matrix.row(u)[..n].iter().map(|&number| number.decode::<W::Distance>()));
    };
    Ok(Rows::Folder { n_vertices: n, read_row: Box::new(read_row), next_hops })
}

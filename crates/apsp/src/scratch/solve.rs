//! All pairs of a graph whose matrix is kept in a folder.

use std::path::{Path, PathBuf};

use gpu_runtime::Gpu;
use graph_formats::{Csr, Weight};
use paths::NextHops;
use sssp::Progress;

use super::close::{ROWS_SENT, Team};
use super::folder::Folder;
use super::hops::{bytes_of_rows, bytes_of_work, settle_rest, write_hops};
use super::host::{self, Host};
use super::journal::{self, Journal, State};
use super::memory::{Bytes, Need};
use super::{Scratch, ScratchError, digest, half_lowered, side_of};
use crate::cuda::folder::Gpus;
use crate::cuda::{self, Arithmetic};
use crate::element::with_element;
use crate::error::agree;
use crate::host::MinPlus;
use crate::job::Job;
use crate::pairs::{Hops, Rows};
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Config, Number, Pairs, PairsWeight, Plan, Report};

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

/// By all ranks, each with its processor, or GPUs through which the matrix passes in strips of
/// rows: in the same numbers. The answer is rank 0's, which reads the folder when all are done;
/// the others have none.
pub(crate) fn solve<W: PairsWeight>(
    scratch: &ScratchFolder,
    gpus: Option<&[Gpu]>,
    job: &Job<'_, W>,
) -> Result<Option<Pairs<W>>, ApspError> {
    let asked = match job.config.algorithm {
        Algorithm::Auto | Algorithm::Blocked if gpus.is_some_and(<[Gpu]>::is_empty) => {
            Err(ApspError::NotOnGpu { reason: "none was named".to_owned() })
        }
        Algorithm::Auto | Algorithm::Blocked => Ok(()),
        algorithm => Err(ApspError::NotInFolder { algorithm }),
    };
    agree(job.ranks, asked)?;
    let config = Config { algorithm: Algorithm::Blocked, ..job.config.clone() };
    let job = Job { config: &config, ..*job };
    // what is done again would be weeks: here numbers are proven to do
    let plan = job.plan(|| Plan::new(job.graph, &config, Narrow::Proven, job.progress))?;
    // a plan for blocks has numbers
    let Some(numbers) = plan.number else {
        return Err(ApspError::NotInFolder { algorithm: plan.algorithm });
    };
    let mut run = Run { scratch, job, plan, gpus };
    let opened = run.open(numbers)?;
    let numbers = opened.journal.numbers;
    run.plan.number = Some(numbers);
    with_element!(W, numbers, E => run.close::<E>(opened))
}

/// What is asked for.
struct Run<'a, W: Weight> {
    scratch: &'a ScratchFolder,
    job: Job<'a, W>,
    plan: Plan,
    /// The GPUs that do the arithmetic, if it is not the processor.
    gpus: Option<&'a [Gpu]>,
}

/// A folder of ours, and the memory for the work on it: nothing was written yet.
struct Opened {
    folder: Folder,
    journal: Journal,
    need: Need,
    /// For what is left of the matrix, if that is for GPUs.
    gpus: Option<Gpus>,
}

impl<W: PairsWeight> Run<'_, W> {
    /// What the work takes on this rank, in these numbers; with `settles` where no hops are asked
    /// for, but floats are to be settled.
    fn need(&self, numbers: Number, settles: bool) -> Result<Need, ApspError> {
        let n = self.job.graph.n_vertices();
        let hops = match (self.job.config.next_hops, settles, NextHops::is_narrow(n)) {
            _ if !self.job.ranks.is_root() => 0,
            (false, false, _) => 0,
            (false, true, _) => bytes_of_work(self.job.graph),
            (true, _, true) => bytes_of_work(self.job.graph) + bytes_of_rows::<u16>(n),
            (true, _, false) => bytes_of_work(self.job.graph) + bytes_of_rows::<u32>(n),
        };
        let (side, threads) = (side_of(n), self.plan.threads);
        let (engine, on_gpu): (Box<dyn Fn(usize) -> Bytes>, _) = match self.gpus {
            None => {
                let bytes = with_element!(W, numbers, E => host::bytes::<E> as fn(_, _, _) -> _);
                (Box::new(move |block| bytes(side, threads, block)), 0)
            }
            Some(gpus) => {
                let (n_gpus, arithmetic) =
                    (gpus.len(), Arithmetic::of(Some(numbers), self.job.graph)?);
                let available = gpus.iter().map(Gpu::available_bytes);
                let available = available.collect::<Result<Vec<_>, _>>()?;
                let bytes = move |block| cuda::folder::bytes(arithmetic, side, n_gpus, block);
                (Box::new(bytes), available.into_iter().min().unwrap_or_default())
            }
        };
        let row = side * with_element!(W, numbers, E => size_of::<E>());
        let sent = if self.job.ranks.size() > 1 { ROWS_SENT * row } else { 0 };
        let halves = threads as u128 * half_lowered::bytes(n);
        Ok(Need { n_vertices: n, side, engine, sent: sent as u128, halves, on_gpu, hops })
    }

    /// Finds out whether the run is possible, in the folder and in memory. A new one is in
    /// `numbers`, one that is resumed in those that it began with, which may be wider.
    fn open(&self, numbers: Number) -> Result<Opened, ApspError> {
        let Job { ranks, config, .. } = self.job;
        // what is too little for a new run is so for any
        let block = self.need(numbers, false).and_then(|need| need.block(config.memory));
        let block = ranks.min(agree(ranks, block)? as u64)? as usize;
        let locked = ranks.is_root().then(|| self.lock(numbers, block)).transpose();
        let (folder, journal) = agree(ranks, locked)?.unzip();
        let journal = Journal::broadcast(journal.as_ref(), ranks)?;
        let folder = Folder::shared(folder, &self.scratch.path, ranks)?;
        let (need, gpus) = agree(ranks, self.take_memory(&journal))?;
        if journal.matrix == State::Filling {
            self.job.potentials()?;
        }
        Ok(Opened { folder, journal, need, gpus })
    }

    /// The folder, and what is done there; where nothing is, that.
    fn lock(&self, numbers: Number, block: usize) -> Result<(Folder, Journal), ApspError> {
        let folder = Folder::lock(&self.scratch.path)?;
        let (n, graph) = (self.job.graph.n_vertices(), digest(self.job.graph, self.job.progress)?);
        let begun = folder.journal(&graph, n, numbers, self.scratch.resume)?;
        if begun.is_none() {
            self.check_disk(numbers, block)?;
        }
        let journal = begun.unwrap_or_else(|| Journal {
            graph,
            numbers,
            n_vertices: n,
            side: side_of(n),
            block,
            matrix: State::Filling,
            blocks_done: 0,
            panels_ready: false,
            hop_rows: 0,
        });
        Ok((folder, journal))
    }

    /// An error where the disk has no room for the files of a new run.
    fn check_disk(&self, numbers: Number, block: usize) -> Result<(), ScratchError> {
        let (n, side) = (self.job.graph.n_vertices(), side_of(self.job.graph.n_vertices()));
        let hop = if NextHops::is_narrow(n) { size_of::<u16>() } else { size_of::<u32>() };
        let hops = if self.job.config.next_hops { n as u128 * n as u128 * hop as u128 } else { 0 };
        let row = side as u128 * with_element!(W, numbers, E => size_of::<E>()) as u128;
        let needed = row * (side + 2 * block) as u128 + hops;
        let folder = &self.scratch.path;
        match free_disk(folder).filter(|&free| u128::from(free) < needed) {
            Some(free) => {
                Err(ScratchError::NoRoom { folder: folder.clone(), needed: needed.into(), free })
            }
            None => Ok(()),
        }
    }

    /// What the rest of a run takes, and the GPUs' part of it.
    fn take_memory(&self, journal: &Journal) -> Result<(Need, Option<Gpus>), ApspError> {
        let memory = self.job.config.memory;
        let mut need = self.need(journal.numbers, journal.matrix == State::Settling)?;
        let gpus = self.gpus.filter(|_| !journal.is_closed());
        if gpus.is_none() {
            need.on_gpu = u64::MAX;
        }
        need.check(journal.block, memory)?;
        let gpus = gpus.map(|gpus| {
            let arithmetic = Arithmetic::of(Some(journal.numbers), self.job.graph)?;
            Ok::<_, ApspError>(Gpus::new(gpus, arithmetic, journal.side, journal.block, memory)?)
        });
        Ok((need, gpus.transpose()?))
    }

    /// In a matrix of these numbers.
    fn close<E: MinPlus>(self, opened: Opened) -> Result<Option<Pairs<W>>, ApspError> {
        let Self { job, mut plan, .. } = self;
        let Job { ranks, graph, config, progress } = job;
        let Opened { folder, journal, need, gpus } = opened;
        let (side, block) = (journal.side, journal.block);
        plan.reason = format!(
            "its matrix is in a folder; {} bytes of memory are for blocks of {block} pivots",
            need.bytes(block)
        );
        let pool = job.pool(&plan)?;
        let mut matrix = Scratch::<E>::open(folder, journal, graph, ranks, progress)?;
        match gpus {
            Some(mut engine) => {
                matrix.close(graph, Team { engine: &mut engine, pool: &pool, ranks }, progress)?;
            }
            None => {
                let mut engine = agree(ranks, Host::new(side, block))?;
                matrix.close(graph, Team { engine: &mut engine, pool: &pool, ranks }, progress)?;
            }
        }
        let rows = ranks.is_root().then(|| {
            let matrix = matrix.opened_again()?;
            pool.install(|| answer(matrix, graph, config.next_hops, progress))
        });
        let rows = agree(ranks, rows.transpose())?;
        Ok(rows.map(|rows| Pairs { plan, report: Report::default(), rows }))
    }
}

/// Bytes that this user may still write to the disk of a folder. `None` where the system does not
/// say.
fn free_disk(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// The closed matrix, and next hops in the folder, if they are asked for: both compared with their
/// checksums.
fn answer<W: PairsWeight, E: MinPlus>(
    mut matrix: Scratch<E>,
    graph: &Csr<W>,
    next_hops: bool,
    progress: Option<Progress<'_>>,
) -> Result<Rows<W>, ApspError> {
    let n = graph.n_vertices();
    if matrix.journal.matrix != State::Settling {
        matrix.check_matrix(progress)?;
    }
    let hops = match (next_hops, NextHops::is_narrow(n)) {
        (false, _) => {
            settle_rest(&mut matrix, graph, progress)?;
            None
        }
        (true, true) => Some(Hops::Narrow(write_hops(&mut matrix, graph, progress)?)),
        (true, false) => Some(Hops::Wide(write_hops(&mut matrix, graph, progress)?)),
    };
    let read_row = move |u: usize, row: &mut Vec<W::Distance>| {
        row.clear();
        row.extend(matrix.row(u)[..n].iter().map(|&number| number.decode::<W::Distance>()));
    };
    Ok(Rows::Folder { n_vertices: n, read_row: Box::new(read_row), hops })
}

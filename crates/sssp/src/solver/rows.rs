//! Rows of tables, which threads take one after the other.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Weight, parallel, tell};
use ndarray::Array2;
use paths::Progress;
use search_parts::EndsOnPanic;

use crate::{Config, SsspError, Work};

/// Vertices and arcs, over all searches, for each further thread that is woken. Not used if the
/// configuration has a number of threads.
const STEPS_PER_WORKER: usize = 1 << 15;

/// The number of threads for `n_searches`.
pub(super) fn n_workers<W: Weight>(config: &Config, graph: &Csr<W>, n_searches: usize) -> usize {
    let steps = n_searches.saturating_mul(graph.n_vertices() + graph.n_arcs());
    let worth_waking = match config.threads {
        Some(threads) => threads.get(),
        None => config.n_threads().min(1 + steps / STEPS_PER_WORKER),
    };
    worth_waking.min(n_searches)
}

/// A table of zeros, or an error without memory for it. The system maps a page when the thread that
/// fills its row first touches it.
pub(super) fn empty_table<T: Weight>(
    sources: usize,
    targets: usize,
) -> Result<Array2<T>, SsspError> {
    ensure_memory(sources, targets, size_of::<T>())?;
    Ok(Array2::from_elem((sources, targets), T::ZERO))
}

/// An error if there is no memory for a table of cells of `cell` bytes.
pub(super) fn ensure_memory(sources: usize, targets: usize, cell: usize) -> Result<(), SsspError> {
    let bytes = sources as u128 * targets as u128 * cell as u128;
    let too_large = || SsspError::TableTooLarge { sources, targets, bytes: bytes.into() };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
}

/// Fills a row in a work space and returns the work.
type Fill<'f, S, R> = dyn Fn(&mut S, R) -> Result<Work, SsspError> + Sync + 'f;

/// The rows that are left for threads to fill.
pub(super) struct Rows<'a, I> {
    left: Mutex<I>,
    done: AtomicU64,
    total: u64,
    /// Whether no row is left, or one failed.
    ended: AtomicBool,
    progress: Option<Progress<'a>>,
}

impl<'a, I: Iterator + Send> Rows<'a, I> {
    /// An iterator of `n_rows` rows.
    pub(super) fn new(rows: I, n_rows: usize, progress: Option<Progress<'a>>) -> Self {
        let (done, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { left: Mutex::new(rows), done, total: n_rows as u64, ended, progress }
    }

    /// Fills all rows by `n_workers` threads, each in a work space of its own. Returns the work, or
    /// the first error.
    pub(super) fn fill_by<S>(
        &self,
        n_workers: usize,
        space: &(dyn Fn() -> Result<S, SsspError> + Sync),
        fill: &Fill<'_, S, I::Item>,
    ) -> Result<Work, SsspError> {
        let works = parallel::try_map_of(vec![(); n_workers], &|()| self.fill(space(), fill))?;
        Ok(Work::sum(works))
    }

    /// Fills one row after another in this work space, until none is left or one fails. Returns the
    /// work.
    pub(super) fn fill<S>(
        &self,
        space: Result<S, SsspError>,
        fill: &Fill<'_, S, I::Item>,
    ) -> Result<Work, SsspError> {
        let _ends = EndsOnPanic(&self.ended);
        let next = || self.left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = space.and_then(|mut space| {
            let mut work = Work::default();
            while !self.ended.load(Relaxed)
                && let Some(row) = next()
            {
                work.add(&fill(&mut space, row)?);
                let done = self.done.fetch_add(1, Relaxed) + 1;
                tell(self.progress, done, self.total)?;
            }
            Ok(work)
        });
        self.ended.store(true, Relaxed);
        work
    }
}

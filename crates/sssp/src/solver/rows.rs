//! Rows of tables, which threads take one after the other.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Weight};
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
    let too_large = || SsspError::TableTooLarge { sources, targets, bytes };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
}

/// The rows that are left for threads to fill.
pub(super) struct Rows<'a, I> {
    left: Mutex<I>,
    done: AtomicU64,
    total: u64,
    failed: AtomicBool,
    error: Mutex<Option<SsspError>>,
    progress: Option<Progress<'a>>,
}

impl<'a, I: Iterator> Rows<'a, I> {
    /// An iterator of `n_rows` rows.
    pub(super) fn new(rows: I, n_rows: usize, progress: Option<Progress<'a>>) -> Self {
        Self {
            left: Mutex::new(rows),
            done: AtomicU64::new(0),
            total: n_rows as u64,
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
            progress,
        }
    }

    /// The first error, if there is one.
    pub(super) fn result(self) -> Result<(), SsspError> {
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Fills one row after another, until none is left or one fails. Returns the work.
    pub(super) fn fill_each(
        &self,
        mut fill: impl FnMut(I::Item) -> Result<Work, SsspError>,
    ) -> Work {
        let _ends = EndsOnPanic(&self.failed);
        let mut work = Work::default();
        while let Some(row) = self.next() {
            let filled = fill(row);
            match self.tell().and(filled) {
                Ok(row) => work.add(&row),
                Err(error) => self.fail(error),
            }
        }
        work
    }

    /// Stores the first error, and stops all threads.
    pub(super) fn fail(&self, error: SsspError) {
        self.failed.store(true, Relaxed);
        let mut slot = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(error);
    }

    /// The next row; `None` after a failure.
    fn next(&self) -> Option<I::Item> {
        if self.failed.load(Relaxed) {
            return None;
        }
        self.left.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Reports that one more row is done.
    fn tell(&self) -> Result<(), SsspError> {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        match self.progress {
            Some(progress) if progress(done, self.total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        }
    }
}

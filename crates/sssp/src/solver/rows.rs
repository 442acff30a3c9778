//! Rows of tables, and the threads that take one after the other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use graph_formats::{Csr, Weight};
use ndarray::Array2;
use paths::Progress;
use search_parts::EndsOnPanic;

use crate::{Config, SsspError, Work};

/// Vertices and arcs of all searches together for which another thread is woken, unless threads
/// are asked for.
const STEPS_A_WORKER: usize = 1 << 15;

/// As many threads as so many searches are worth.
pub(super) fn n_workers<W: Weight>(config: &Config, graph: &Csr<W>, n_searches: usize) -> usize {
    let steps = n_searches.saturating_mul(graph.n_vertices() + graph.n_arcs());
    let worth_waking = match config.threads {
        Some(threads) => threads.get(),
        None => config.n_threads().min(1 + steps / STEPS_A_WORKER),
    };
    worth_waking.min(n_searches)
}

/// A table of zeros, if there is memory for it: the system gives it out when it is first
/// touched, by the thread that fills a row.
pub(super) fn empty_table<T: Weight>(
    sources: usize,
    targets: usize,
) -> Result<Array2<T>, SsspError> {
    ensure_memory(sources, targets, size_of::<T>())?;
    Ok(Array2::from_elem((sources, targets), T::ZERO))
}

/// An error where memory has no place for a table of cells of so many bytes.
pub(super) fn ensure_memory(sources: usize, targets: usize, cell: usize) -> Result<(), SsspError> {
    let bytes = sources as u128 * targets as u128 * cell as u128;
    let too_large = || SsspError::TableTooLarge { sources, targets, bytes };
    let whole = usize::try_from(bytes).map_err(|_| too_large())?;
    Vec::<u8>::new().try_reserve_exact(whole).map_err(|_| too_large())
}

/// The rows that threads still have to fill.
pub(super) struct Rows<'a, I> {
    left: Mutex<I>,
    done: AtomicU64,
    total: u64,
    failed: AtomicBool,
    error: Mutex<Option<SsspError>>,
    progress: Option<Progress<'a>>,
}

impl<'a, I: Iterator> Rows<'a, I> {
    /// These, so many.
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

    /// The error, if there was one.
    pub(super) fn result(self) -> Result<(), SsspError> {
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Fills one row after another, until none is left or one fails; the work.
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

    /// Keeps the error, and has no more rows filled.
    pub(super) fn fail(&self, error: SsspError) {
        self.failed.store(true, Relaxed);
        let mut slot = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(error);
    }

    /// The next row; none after a failure.
    fn next(&self) -> Option<I::Item> {
        if self.failed.load(Relaxed) {
            return None;
        }
        self.left.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Tells that one more is done.
    fn tell(&self) -> Result<(), SsspError> {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        match self.progress {
            Some(progress) if progress(done, self.total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        }
    }
}

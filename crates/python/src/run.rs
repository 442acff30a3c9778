//! Work without the interpreter's lock, which Ctrl-C ends.

use std::ops::{ControlFlow, Deref};
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use sssp::Progress;

use crate::error::Error;
use crate::how::kept_context;

/// How often signals are looked for.
const INTERVAL: Duration = Duration::from_millis(50);

/// Work on fewer vertices, arcs and cells of a result than this is done in no time, and begins
/// sooner without a thread of its own.
pub(crate) const SMALL: usize = 1 << 16;

/// How far work is, and whether it is to end.
#[derive(Default)]
pub(crate) struct Watch {
    is_ended: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    /// A [`Progress`](sssp::Progress).
    pub(crate) fn tell(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.done.fetch_max(done, Relaxed);
        self.total.store(total, Relaxed);
        match self.is_ended.load(Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// The process that has used the library.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Whether this process was forked from another that has used the library.
#[pyfunction(name = "_is_forked")]
pub(crate) fn is_forked() -> bool {
    PROCESS.get().is_some_and(|&first| first != process::id())
}

/// An error in a forked process: the library's threads are not there, and work of which they do a
/// part would wait for them for ever.
pub(crate) fn ensure_not_forked() -> PyResult<()> {
    PROCESS.get_or_init(process::id);
    if is_forked() {
        let message = "starpaths was used before this process was forked, and its threads are not \
                       here; start processes by 'spawn' or 'forkserver'";
        return Err(PyRuntimeError::new_err(message));
    }
    Ok(())
}

/// Does `work`, of about `size` steps, while other threads of Python run. If progress is to be
/// shown, a bar of tqdm shows it.
///
/// Python handles signals on its main thread only, and the work may block all of its threads. So
/// larger work is done by a thread of its own, and this thread checks for signals. An exception
/// from their handlers, such as `KeyboardInterrupt`, ends the work at its next report of progress
/// and is raised then.
///
/// # Errors
/// Those of the work and of a signal's handler, and [in a forked process](ensure_not_forked).
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    size: usize,
    shows: bool,
    work: impl FnOnce(Option<Progress<'_>>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let tell = |done, total| watch.tell(done, total);
    let progress = (size >= SMALL).then_some(&tell as Progress<'_>);
    run_watched(py, size, &watch, shows, || work(progress))
}

/// The same for work that reports to `watch`, a new one.
pub(crate) fn run_watched<T: Send>(
    py: Python<'_>,
    size: usize,
    watch: &Watch,
    shows: bool,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    ensure_not_forked()?;
    if size < SMALL {
        return Ok(py.detach(|| caught(work))?);
    }
    let bar = Bar::new(py, shows)?;
    let look = |py: Python<'_>| {
        py.check_signals()?;
        bar.show(py, watch)
    };
    let found = py.detach(|| {
        thread::scope(|scope| {
            let (working, end) = mpsc::channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, || {
                let _working = working;
                caught(work)
            });
            let worker = worker.map_err(|error| {
                PyMemoryError::new_err(format!("the system refuses a thread: {error}"))
            })?;
            let mut signal = Ok(());
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(INTERVAL) {
                if signal.is_ok() {
                    signal = Python::attach(look);
                    watch.is_ended.fetch_or(signal.is_err(), Relaxed);
                }
            }
            let found = worker.join().unwrap_or_else(|panic| Err(Error::of_panic(&*panic)));
            signal.and(found.map_err(PyErr::from))
        })
    });
    bar.close(py, watch)?;
    found
}

/// The same for work that reports its progress on this thread, and often, as a GPU's does. Signals
/// are checked at each report, without a thread for the work.
pub(crate) fn run_here<T: Send>(
    py: Python<'_>,
    shows: bool,
    work: impl FnOnce(Progress<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    ensure_not_forked()?;
    let (watch, bar) = (Watch::default(), Bar::new(py, shows)?);
    let looks = Mutex::new((Instant::now(), Ok(())));
    let tell = |done, total| {
        let mut looks = looks.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, signal) = &mut *looks;
        if signal.is_ok() && last.elapsed() >= INTERVAL {
            *signal = Python::attach(|py| {
                py.check_signals()?;
                bar.show(py, &watch)
            });
            watch.is_ended.fetch_or(signal.is_err(), Relaxed);
            *last = Instant::now();
        }
        watch.tell(done, total)
    };
    let found = py.detach(|| caught(|| work(&tell)));
    bar.close(py, &watch)?;
    let (_, signal) = looks.into_inner().unwrap_or_else(PoisonError::into_inner);
    signal.and(found.map_err(PyErr::from))
}

/// Does it; a panic becomes an error, so that a fault of ours does not end a thread that others wait
/// for.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let _kept = kept_context();
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::of_panic(&*panic)))
}

/// What may be on a GPU, and keeps the thread's context when it goes.
pub(crate) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T> Deref for Quiet<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is there until it goes")
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        let _kept = kept_context();
        self.0 = None;
    }
}

/// A bar of tqdm, if there is to be one.
struct Bar(Option<Py<PyAny>>);

impl Bar {
    fn new(py: Python<'_>, is_shown: bool) -> PyResult<Self> {
        let bar = is_shown.then(|| py.import("tqdm.auto")?.call_method0("tqdm")).transpose()?;
        Ok(Self(bar.map(Bound::unbind)))
    }

    /// Moves it to where the work is.
    fn show(&self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        let Some(bar) = &self.0 else { return Ok(()) };
        let bar = bar.bind(py);
        bar.setattr("total", watch.total.load(Relaxed))?;
        let shown: u64 = bar.getattr("n")?.extract()?;
        bar.call_method1("update", (watch.done.load(Relaxed).saturating_sub(shown),))?;
        Ok(())
    }

    fn close(&self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        self.show(py, watch)?;
        self.0.as_ref().map_or(Ok(()), |bar| bar.call_method0(py, "close").map(|_| ()))
    }
}

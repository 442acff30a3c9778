//! Work without the interpreter's lock, which Ctrl-C ends.

use std::ops::ControlFlow;
use std::panic;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sssp::Progress;

use crate::error::Error;

/// How often signals are looked for.
const INTERVAL: Duration = Duration::from_millis(50);

/// Work on fewer vertices, arcs and cells of a result than this is done in no time, and begins
/// sooner without a thread of its own.
const SMALL: usize = 1 << 16;

/// Does `work`, of about `size` steps, while other threads of Python go on.
///
/// Python hears of signals on its main thread only, and the work may have all of its threads wait
/// for others. So larger work is done by a thread of its own while this one looks for signals;
/// an exception from their handlers, such as `KeyboardInterrupt`, ends the work at its next report
/// of progress and is raised then.
///
/// # Errors
/// What the work, or a signal's handler gives, and in a process that was forked after threads had
/// been started: they are not there, and the work would wait for them for ever.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    size: usize,
    work: impl FnOnce(Option<Progress<'_>>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    static PROCESS: OnceLock<u32> = OnceLock::new();
    if *PROCESS.get_or_init(process::id) != process::id() {
        let message = "starpaths was used before this process was forked, and its threads are not \
                       here; start processes by 'spawn' or 'forkserver'";
        return Err(PyRuntimeError::new_err(message));
    }
    if size < SMALL {
        return Ok(py.detach(|| work(None))?);
    }
    let is_ended = AtomicBool::new(false);
    let progress = |_, _| match is_ended.load(Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    py.detach(|| {
        thread::scope(|scope| {
            let (working, end) = mpsc::channel::<()>();
            let worker = scope.spawn(|| {
                let _working = working;
                work(Some(&progress))
            });
            let mut signal = Ok(());
            while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(INTERVAL) {
                if signal.is_ok() {
                    signal = Python::attach(|py| py.check_signals());
                    is_ended.store(signal.is_err(), Relaxed);
                }
            }
            let found = worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
            signal?;
            Ok(found?)
        })
    })
}

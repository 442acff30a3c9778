//! How a run that did not succeed ends: its message and its exit code.

use std::fmt;
use std::io::{self, Write};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph_formats::{GraphError, Interrupted};
#[cfg(unix)]
use signal_hook::consts::SIGABRT;

/// The run failed: unreadable input, no path, a negative cycle, a full disk.
const EXIT_FAILED: u8 = 1;
/// The command line asks for something that does not exist.
pub(crate) const EXIT_WRONG_USE: u8 = 2;
/// Ctrl-C: 128 and the number of the signal, as shells have it. The same where another signal tells
/// the program to end.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// Whether all is said, or another rank says it.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// A request that no run could fulfil, whatever the graph.
#[derive(Debug)]
pub(crate) struct WrongUse(pub(crate) String);

impl fmt::Display for WrongUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUse {}

/// From here on the run ends as by any error where the standard library aborts, because memory is
/// refused that was not asked for beforehand. The library says how much it was.
#[cfg(unix)]
pub(crate) fn fail_on_abort() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(SIGABRT, EXIT_FAILED.into(), always)?;
    Ok(())
}

/// Where there are no signals, an abort is one.
#[cfg(not(unix))]
pub(crate) fn fail_on_abort() -> io::Result<()> {
    Ok(())
}

/// From here on nothing is printed.
pub(crate) fn be_silent() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Whether nothing is to be printed.
pub(crate) fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// Says on standard error why the run failed, and nothing more after that; returns its exit code.
/// Who has closed standard output, as `head` does, has seen enough of a result: that is no failure.
pub(crate) fn report(error: &anyhow::Error) -> u8 {
    if error.downcast_ref().is_some_and(GraphError::is_reader_gone) {
        be_silent();
        return 0;
    }
    say(format_args!("starpath: {error}"));
    be_silent();
    exit_code(error)
}

/// Whether the user pressed Ctrl-C.
pub(crate) fn is_interrupted(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.is::<Interrupted>())
}

/// The exit code of a run that failed.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<WrongUse>() {
        EXIT_WRONG_USE
    } else if is_interrupted(error) {
        EXIT_INTERRUPTED
    } else {
        EXIT_FAILED
    }
}

/// Shows help or the version where clap was asked for it; else says what is wrong with
/// the command line. Returns the exit code.
pub(crate) fn report_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // a closed standard output is no failure
        if !is_silent() {
            let _ = error.print();
        }
        return 0;
    }
    let text = error.to_string();
    match text.trim_end().strip_prefix("error: ") {
        Some(message) => say(format_args!("starpath: {message}")),
        // the help that stands in for a command
        None => say(format_args!("{text}")),
    }
    EXIT_WRONG_USE
}

/// Writes a line to standard error, if anybody listens there.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    if !is_silent() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

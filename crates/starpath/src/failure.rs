//! The message and the exit code of a run that failed.

use std::fmt;
use std::io::{self, Write};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph_formats::{GraphError, Interrupted};
#[cfg(unix)]
use signal_hook::consts::SIGABRT;

/// The run failed: unreadable input, a negative cycle, a full disk.
const EXIT_FAILED: u8 = 1;
/// The command line is wrong.
pub(crate) const EXIT_WRONG_USE: u8 = 2;
/// Stopped by Ctrl-C or another signal: 128 plus the number of SIGINT, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// Whether nothing more is to be printed, because it was, or another rank prints it.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// A wrong command line, for any graph.
#[derive(Debug)]
pub(crate) struct WrongUse(pub(crate) String);

impl fmt::Display for WrongUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUse {}

/// From here on an abort ends the run with the exit code of an error. The standard library aborts
/// where an allocation fails that was not requested beforehand, and prints its size.
#[cfg(unix)]
pub(crate) fn fail_on_abort() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(SIGABRT, EXIT_FAILED.into(), always)?;
    Ok(())
}

/// Without signals, an abort stays an abort.
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

/// Prints on standard error why the run failed, and returns its exit code. Nothing more is printed
/// after that. A closed standard output, as after `head`, is not a failure.
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

/// Prints the help, the version, or what is wrong with the command line. Returns the exit code.
pub(crate) fn report_usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // a closed standard output is not a failure
        if !is_silent() {
            let _ = error.print();
        }
        return 0;
    }
    let text = error.to_string();
    match text.trim_end().strip_prefix("error: ") {
        Some(message) => say(format_args!("starpath: {message}")),
        // the help that is shown if no command is given
        None => say(format_args!("{text}")),
    }
    EXIT_WRONG_USE
}

/// Writes a line to standard error; a closed one is ignored.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    if !is_silent() {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

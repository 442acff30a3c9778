//! Progress bars of long work, and how Ctrl-C, SIGTERM and SIGHUP end it.
//!
//! The first Ctrl-C sets a flag, which the progress callbacks read. The work stops at its next
//! report and unwinds, so that temporary files are removed. The second ends the program at once,
//! and so does the first while a graph is read.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use graph_formats::Interrupted;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::cli::Common;
use crate::failure::{EXIT_INTERRUPTED, is_silent, say};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(300);

const KNOWN_LENGTH: &str = "{msg} {wide_bar} {percent:>3}% {elapsed}, {eta} left";
const UNKNOWN_LENGTH: &str = "{msg} {spinner} {human_pos} in {elapsed}";

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether an [`EndAtOnce`] exists.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// From here on the program handles Ctrl-C, SIGTERM and SIGHUP; not SIGHUP if it is ignored, as
/// under `nohup`.
#[cfg(unix)]
pub(crate) fn catch_interrupts() -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let signals = [SIGINT, SIGTERM].into_iter().chain((!ignores_hangup()).then_some(SIGHUP));
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let wait = move || signals.forever().for_each(|_| interrupt());
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}

/// From here on the program handles Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn catch_interrupts() -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(interrupt)?)
}

/// Whether SIGHUP was ignored when the program began; known on Linux only.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 << (signal_hook::consts::SIGHUP - 1) != 0)
}

fn interrupt() {
    let is_second = INTERRUPTED.swap(true, Ordering::Relaxed);
    if is_second || AT_ONCE.load(Ordering::Relaxed) {
        say(format_args!("starpath: {Interrupted}"));
        process::exit(EXIT_INTERRUPTED.into());
    }
    say(format_args!("starpath: stopping; press Ctrl-C again to stop at once"));
}

/// For work without a callback: an error after Ctrl-C.
pub(crate) fn check_interrupt() -> Result<(), Interrupted> {
    if INTERRUPTED.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
}

/// While this exists, the first Ctrl-C ends the program at once: for work that cannot be stopped
/// otherwise, such as waiting for standard input. No file may be open for writing.
pub(crate) struct EndAtOnce(());

impl EndAtOnce {
    pub(crate) fn new() -> Self {
        AT_ONCE.store(true, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for EndAtOnce {
    fn drop(&mut self) {
        AT_ONCE.store(false, Ordering::Relaxed);
    }
}

/// The callback of long work: shows a progress bar on standard error, and ends the work after
/// Ctrl-C. A total of zero means that it is not known. The bar is cleared when the callback is
/// dropped, and not shown if standard error is not a terminal.
pub(crate) fn progress(
    what: &'static str,
    common: &Common,
) -> impl Fn(u64, u64) -> ControlFlow<()> {
    let style = |template| ProgressStyle::with_template(template).expect("a valid template");
    let bar = if common.quiet || common.json || is_silent() {
        ProgressBar::hidden()
    } else {
        let bar = ProgressBar::no_length().with_finish(ProgressFinish::AndClear);
        bar.with_style(style(UNKNOWN_LENGTH)).with_message(what)
    };
    let since = Instant::now();
    move |done, total| {
        if since.elapsed() > PATIENCE {
            let is_new = total > 0 && bar.length() != Some(total);
            if is_new {
                bar.set_length(total);
                bar.set_style(style(KNOWN_LENGTH));
            }
            bar.set_position(done);
            if is_new {
                // work that an earlier run did must not count for the speed of this one
                bar.tick();
                bar.reset_eta();
            }
        }
        if check_interrupt().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

//! Progress of long work, and its interruption.

use std::ops::ControlFlow;

/// Called repeatedly during long work with the amount done and the total. A total of zero is
/// unknown. [`ControlFlow::Break`] ends the work with [`Interrupted`].
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

/// The progress callback ended the work. Errors of all crates have a variant for it, of which it is
/// the [source](std::error::Error::source).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Calls `progress`, if there is a callback.
///
/// # Errors
/// [`Interrupted`] if it ends the work.
pub fn tell(progress: Option<Progress<'_>>, done: u64, total: u64) -> Result<(), Interrupted> {
    match progress {
        Some(progress) if progress(done, total).is_break() => Err(Interrupted),
        _ => Ok(()),
    }
}

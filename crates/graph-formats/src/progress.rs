//! Progress of long work, and its interruption.

use std::ops::ControlFlow;

/// Called repeatedly during long work with the amount done and the total. A total of zero is
/// unknown. [`ControlFlow::Break`] ends the work with an error of its own.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

//! Work that takes long says how far it is, and may be ended.

use std::ops::ControlFlow;

/// Called now and then during long work with what is done and what there is in all;
/// [`ControlFlow::Break`] ends the work with an error that says so.
/// A total of zero means that it is not known.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> ControlFlow<()> + Sync);

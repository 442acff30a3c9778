//! How far a solve by supernodes is.

use std::cell::Cell;

use graph_formats::{Interrupted, tell};
use sssp::Progress;

use super::Supernodes;

/// How much is done: so many levels of the supernodes, each in three phases.
pub(crate) struct Steps<'a> {
    done: Cell<u64>,
    total: u64,
    progress: Option<Progress<'a>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(supernodes: &Supernodes, progress: Option<Progress<'a>>) -> Self {
        let total = 3 * supernodes.levels.len() as u64;
        Self { done: Cell::new(0), total, progress }
    }

    /// Tells that a level is done.
    pub(crate) fn next(&self) -> Result<(), Interrupted> {
        self.done.update(|done| done + 1);
        tell(self.progress, self.done.get(), self.total)
    }
}

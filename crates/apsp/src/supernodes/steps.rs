//! How far a solve by supernodes is.

use std::cell::Cell;

use sssp::{Progress, SsspError};

use super::Supernodes;
use crate::ApspError;

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
    pub(crate) fn next(&self) -> Result<(), ApspError> {
        self.done.update(|done| done + 1);
        match self.progress {
            Some(tell) if tell(self.done.get(), self.total).is_break() => {
                Err(SsspError::Interrupted.into())
            }
            _ => Ok(()),
        }
    }
}

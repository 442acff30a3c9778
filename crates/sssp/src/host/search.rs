//! What a solver for weights of at least zero is asked for.

use graph_formats::{DistanceKey, VertexId};

use crate::{Progress, SsspError};

/// One search: where from, how far, and whom to tell.
pub(crate) struct Search<'a, K> {
    pub(crate) source: VertexId,
    /// Labels beyond those of these vertices are not needed, unless there are none.
    pub(crate) targets: &'a [VertexId],
    /// Labels beyond this one are not needed.
    pub(crate) limit: K,
    pub(crate) progress: Option<Progress<'a>>,
}

impl<K: DistanceKey> Search<'_, K> {
    /// The greatest key that matters while the labels are what they are; several
    /// targets are not looked at.
    #[inline(always)]
    pub(crate) fn cap(&self, labels: &[K::Atomic]) -> K {
        match self.targets {
            &[target] => self.limit.min(K::load(&labels[target as usize])),
            _ => self.limit,
        }
    }

    /// Tells how far the search is.
    pub(crate) fn report(&self, done: u64, total: u64) -> Result<(), SsspError> {
        match self.progress {
            Some(progress) if progress(done, total).is_break() => Err(SsspError::Interrupted),
            _ => Ok(()),
        }
    }
}

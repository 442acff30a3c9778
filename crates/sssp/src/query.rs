//! One question about one source, from the solver down to the loop or the kernel.

use graph_formats::VertexId;

use crate::{Progress, SsspError};

/// Where from, how far, and which caller hears of it. `D` is what the search compares:
/// distances, or their keys.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a, D> {
    pub(crate) source: VertexId,
    /// Distances beyond those of these vertices are not needed, unless there are none.
    pub(crate) targets: &'a [VertexId],
    /// Distances beyond this one, which is not negative, are not needed.
    pub(crate) limit: D,
    pub(crate) progress: Option<Progress<'a>>,
}

impl<'a, D> Query<'a, D> {
    /// The same with the limit as another number.
    pub(crate) fn with_limit<K>(&self, limit: K) -> Query<'a, K> {
        let &Self { source, targets, progress, .. } = self;
        Query { source, targets, limit, progress }
    }

    /// The target, where there is just one.
    #[inline(always)]
    pub(crate) fn target(&self) -> Option<VertexId> {
        match self.targets {
            &[target] => Some(target),
            _ => None,
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

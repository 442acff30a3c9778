//! A query from one source, passed from the solver down to the loop or the kernel.

use graph_formats::{Interrupted, Progress, VertexId, tell};

use crate::SearchError;

/// A source, how far to search, and a progress callback. `D` is what the search compares:
/// distances, their keys, or levels.
#[derive(Clone, Copy)]
pub struct Query<'a, D> {
    /// The source.
    pub source: VertexId,
    /// If there are any targets, distances beyond all of theirs are not needed.
    pub targets: &'a [VertexId],
    /// Distances beyond this one, which is not negative, are not needed.
    pub limit: D,
    /// The progress callback.
    pub progress: Option<Progress<'a>>,
}

impl<'a, D> Query<'a, D> {
    /// For the distances of `targets` up to `limit`, in a graph of `n_vertices`. If half of the vertices or more
    /// are targets, the query has no targets: checking for the last one would cost more than a
    /// complete search.
    pub fn of_row(source: VertexId, targets: &'a [VertexId], n_vertices: usize, limit: D) -> Self {
        let targets = if targets.len() < n_vertices / 2 { targets } else { &[] };
        Self { source, targets, limit, progress: None }
    }

    /// Checks that a graph of `n_vertices` has the source and the targets.
    ///
    /// # Errors
    /// [`SearchError::NoSuchVertex`].
    pub fn check(&self, n_vertices: usize) -> Result<(), SearchError> {
        check_vertices(n_vertices, "source", &[self.source])?;
        check_vertices(n_vertices, "target", self.targets)
    }

    /// The same query with the limit as another number.
    pub fn with_limit<K>(&self, limit: K) -> Query<'a, K> {
        let &Self { source, targets, progress, .. } = self;
        Query { source, targets, limit, progress }
    }

    /// The target, if there is exactly one.
    #[inline(always)]
    pub fn target(&self) -> Option<VertexId> {
        match self.targets {
            &[target] => Some(target),
            _ => None,
        }
    }

    /// Reports progress.
    ///
    /// # Errors
    /// [`Interrupted`] where the callback ends it.
    pub fn report(&self, done: u64, total: u64) -> Result<(), Interrupted> {
        tell(self.progress, done, total)
    }
}

/// Checks that a graph of `n_vertices` has all of these.
///
/// # Errors
/// [`SearchError::NoSuchVertex`] for the first that it does not have, with its role.
pub fn check_vertices(
    n_vertices: usize,
    role: &'static str,
    vertices: &[VertexId],
) -> Result<(), SearchError> {
    match vertices.iter().find(|&&vertex| vertex as usize >= n_vertices) {
        Some(&vertex) => Err(SearchError::NoSuchVertex { role, vertex, n_vertices }),
        None => Ok(()),
    }
}

//! One question about one source, from the solver down to the loop or the kernel.

use graph_formats::{Csr, Progress, VertexId, Weight};

use crate::SearchError;

/// Where from, how far, and which caller hears of it. `D` is what the search compares:
/// distances, their keys, or levels.
#[derive(Clone, Copy)]
pub struct Query<'a, D> {
    /// Where the search begins.
    pub source: VertexId,
    /// Distances beyond those of these vertices are not needed, unless there are none.
    pub targets: &'a [VertexId],
    /// Distances beyond this one, which is not negative, are not needed.
    pub limit: D,
    /// Who is told how far it is.
    pub progress: Option<Progress<'a>>,
}

impl<'a, D> Query<'a, D> {
    /// The same with the limit as another number.
    pub fn with_limit<K>(&self, limit: K) -> Query<'a, K> {
        let &Self { source, targets, progress, .. } = self;
        Query { source, targets, limit, progress }
    }

    /// The target, where there is just one.
    #[inline(always)]
    pub fn target(&self) -> Option<VertexId> {
        match self.targets {
            &[target] => Some(target),
            _ => None,
        }
    }

    /// Tells how far the search is.
    ///
    /// # Errors
    /// [`SearchError::Interrupted`] where the callback ends it.
    pub fn report(&self, done: u64, total: u64) -> Result<(), SearchError> {
        match self.progress {
            Some(progress) if progress(done, total).is_break() => Err(SearchError::Interrupted),
            _ => Ok(()),
        }
    }
}

/// That the graph has all of `vertices`.
///
/// # Errors
/// [`SearchError::NoSuchVertex`] with the first that it does not have, and its role.
pub fn check_vertices<W: Weight>(
    graph: &Csr<W>,
    role: &'static str,
    vertices: &[VertexId],
) -> Result<(), SearchError> {
    let n_vertices = graph.n_vertices();
    match vertices.iter().find(|&&vertex| vertex as usize >= n_vertices) {
        Some(&vertex) => Err(SearchError::NoSuchVertex { role, vertex, n_vertices }),
        None => Ok(()),
    }
}

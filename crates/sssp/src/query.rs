//! One question about one source, from the solver down to the loop or the kernel; and what is
//! checked before it and of its answer.

use graph_formats::{Csr, VertexId, Weight, parallel};
use paths::Distances;

use crate::{Progress, SsspError};

/// Vertices that one task of a parallel check takes.
const VERTICES_A_TASK: usize = 1 << 12;

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

/// An error that names the first of `vertices` that the graph does not have.
pub(crate) fn check_vertices<W: Weight>(
    graph: &Csr<W>,
    role: &'static str,
    vertices: &[VertexId],
) -> Result<(), SsspError> {
    let n_vertices = graph.n_vertices();
    match vertices.iter().find(|&&vertex| vertex as usize >= n_vertices) {
        Some(&vertex) => Err(SsspError::NoSuchVertex { role, vertex, n_vertices }),
        None => Ok(()),
    }
}

/// An error that names a vertex that has a path, but whose distance the type cannot
/// hold. Only an arc from a reached vertex can lead to one. O(m) where sums can
/// overflow at all.
pub(crate) fn check_overflow<W: Weight>(
    graph: &Csr<W>,
    distances: &Distances<W::Distance>,
) -> Result<(), SsspError> {
    let widened = size_of::<W>() < size_of::<W::Distance>();
    if widened {
        return Ok(());
    }
    let overflowing = |from: usize| {
        let distance = distances.get(from as VertexId)?;
        let mut arcs = graph.arcs_from(from as VertexId);
        arcs.find(|&(to, weight)| distances.get(to).is_none() && weight.after(distance).is_none())
    };
    let from = parallel::find_first(graph.n_vertices(), VERTICES_A_TASK, &|mut vertices| {
        vertices.find(|&from| overflowing(from).is_some())
    });
    match from.and_then(overflowing) {
        Some((vertex, _)) => {
            Err(SsspError::Overflow { vertex, kind: std::any::type_name::<W::Distance>() })
        }
        None => Ok(()),
    }
}

/// The same where only `targets` are asked for, if there are any: an error where one of these has a
/// path that cannot be held, or where a weight is negative, by which such a path may lead back.
pub(crate) fn check_overflow_to<W: Weight>(
    graph: &Csr<W>,
    distances: &Distances<W::Distance>,
    source: VertexId,
    targets: &[VertexId],
) -> Result<(), SsspError> {
    let checked = check_overflow(graph, distances);
    if checked.is_err() && !targets.is_empty() && graph.first_negative().is_none() {
        let mut is_seen = vec![false; graph.n_vertices()];
        is_seen[source as usize] = true;
        let mut open = vec![source];
        while let Some(from) = open.pop() {
            for (to, _) in graph.arcs_from(from) {
                if !std::mem::replace(&mut is_seen[to as usize], true) {
                    open.push(to);
                }
            }
        }
        let is_held = |&target: &VertexId| distances.get(target).is_some();
        if targets.iter().all(|target| is_held(target) || !is_seen[*target as usize]) {
            return Ok(());
        }
    }
    checked
}

/// The targets whose settling ends a search: where nearly all vertices are targets, looking
/// out for the last one costs more than going on to the end.
pub(crate) fn awaited(targets: &[VertexId], n_vertices: usize) -> &[VertexId] {
    if targets.len() < n_vertices / 2 { targets } else { &[] }
}

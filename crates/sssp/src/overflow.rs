//! Whether all distances that were asked for can be held.

use graph_formats::{Csr, VertexId, Weight, parallel};
use paths::Distances;

use crate::SsspError;

/// Vertices that one task of a parallel check takes.
const VERTICES_A_TASK: usize = 1 << 12;

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

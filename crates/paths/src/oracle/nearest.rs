//! The nearest of several sources: Dijkstra's algorithm from each.
//!
//! Distances are the least over all sources. Owners then follow their definition: each source in
//! turn, the smallest first, takes the vertices without an owner that tight arcs lead it to.
//! O(k (n + m) log m) for k sources.

use graph_formats::{Csr, Distance, VertexId, Weight};

use super::{OracleError, dijkstra};
use crate::{Distances, Nearest};

/// For every vertex the nearest of `sources`, as [`Nearest`] defines it.
///
/// # Errors
/// When a source does not exist, a weight is negative, or a distance overflows.
pub fn nearest<W: Weight>(graph: &Csr<W>, sources: &[VertexId]) -> Result<Nearest<W>, OracleError> {
    let mut least = vec![W::Distance::UNREACHED; graph.n_vertices()];
    for &source in sources {
        for (v, distance) in dijkstra(graph, source)?.reached() {
            if distance < least[v as usize] {
                least[v as usize] = distance;
            }
        }
    }
    let distances = Distances::from_storage(least);
    let mut sources = sources.to_vec();
    sources.sort_unstable();
    let mut owners = vec![VertexId::MAX; graph.n_vertices()];
    for source in sources {
        take(graph, &distances, source, &mut owners);
    }
    Ok(Nearest::from_storage(distances, owners))
}

/// Gives `source` every vertex without an owner that tight arcs lead it to.
fn take<W: Weight>(
    graph: &Csr<W>,
    distances: &Distances<W::Distance>,
    source: VertexId,
    owners: &mut [VertexId],
) {
    // an owned source is at distance zero from a smaller one, which took all behind it
    if owners[source as usize] != VertexId::MAX {
        return;
    }
    owners[source as usize] = source;
    let mut stack = vec![source];
    while let Some(u) = stack.pop() {
        for (v, weight) in graph.arcs_from(u) {
            let through = distances.get(u).and_then(|from| weight.after(from));
            let tight = through.is_some() && through == distances.get(v);
            if tight && owners[v as usize] == VertexId::MAX {
                owners[v as usize] = source;
                stack.push(v);
            }
        }
    }
}

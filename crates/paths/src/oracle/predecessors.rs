//! The one tree of shortest paths that every solver on every backend returns.

use graph_formats::{Csr, VertexId, Weight};

use super::{OracleError, bellman_ford, dijkstra};
use crate::{Distances, Predecessors, Tree};

/// The predecessors that belong to `distances` from `source`, by the rule that every
/// backend must reproduce exactly.
///
/// Distances are unique, shortest paths are not; a rule picks one. Call an arc (u, v, w)
/// tight when v is not the source and d(u) + w = d(v). To take just any tight arc would
/// be wrong: among vertices joined by arcs of weight zero, predecessors could run in a
/// cycle. So each vertex has a level, and takes the smallest of its candidates.
///
/// *No arc of the graph is negative.*
/// 1. A vertex with a tight arc from a strictly nearer one takes the smallest u with
///    such an arc. These vertices and the source are level 0.
/// 2. The others lie on plateaus, behind arcs that add nothing, and are found breadth first. Level
///    k + 1 has the vertices not placed yet that have a tight arc from level k. Each takes the
///    smallest such u of level k.
///
/// *Some arc is negative, reached or not.* Level 0 is the source alone, and step 2
/// places all others.
///
/// The result is a tree. In the first case the pair (d, level) falls, in that order, from a vertex
/// to its predecessor. In step 1 d falls. In step 2 the tight arc does not come from a nearer
/// vertex and cannot come from a farther one, so d stays, and the level falls. In the second case
/// the level falls. A pair that always falls cannot run in a cycle, and only the source has no
/// predecessor. Every reached vertex gets one: on a tight path to it from the source, all vertices
/// after the last one of level 0 are placed by step 2.
///
/// The levels depend on distances alone, so the rule can be carried out after a solver
/// has finished, in parallel, without a race. Where only distances up to a limit are
/// given, only those vertices take part. Vertices that tight arcs do not lead to from
/// the source (the distances are wrong, then) may be left without.
///
/// O(n log n + m).
pub fn canonical_predecessors<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    distances: &Distances<W::Distance>,
) -> Predecessors {
    let mut predecessors = vec![None; graph.n_vertices()];
    let tight = |u, v, weight: W| {
        let through = distances.get(u).and_then(|from| weight.after(from));
        v != source && through.is_some() && through == distances.get(v)
    };
    // all passes go by ascending u, so that the first candidate is the smallest
    if graph.first_negative().is_none() {
        for (u, v, weight) in graph.arcs() {
            let place = &mut predecessors[v as usize];
            if place.is_none() && tight(u, v, weight) && distances.get(u) < distances.get(v) {
                *place = Some(u);
            }
        }
    }
    let placed = |&v: &VertexId| v == source || predecessors[v as usize].is_some();
    let mut level: Vec<_> = graph.vertices().filter(placed).collect();
    while !level.is_empty() {
        let mut next = Vec::new();
        for u in level {
            for (v, weight) in graph.arcs_from(u) {
                if predecessors[v as usize].is_none() && tight(u, v, weight) {
                    predecessors[v as usize] = Some(u);
                    next.push(v);
                }
            }
        }
        next.sort_unstable();
        level = next;
    }
    Predecessors::from_iter(predecessors)
}

/// The whole answer for one source: distances by [`dijkstra`], or by [`bellman_ford`]
/// where a weight is negative, those beyond `limit` left out, and
/// [`canonical_predecessors`].
///
/// # Errors
/// When there is no such source, it reaches a negative cycle, or a distance overflows.
pub fn tree<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    limit: Option<W::Distance>,
) -> Result<Tree<W>, OracleError> {
    let all = match graph.first_negative() {
        None => dijkstra(graph, source)?,
        Some(_) => bellman_ford(graph, source)?,
    };
    let distances = match limit {
        None => all,
        Some(limit) => all.within(limit),
    };
    let predecessors = canonical_predecessors(graph, source, &distances);
    Ok(Tree { source, limit, distances, predecessors })
}

//! The Bellman-Ford algorithm: relax every arc, round after round, until nothing changes.
//!
//! After round k no distance is more than that of the best path of k arcs, so a change
//! in round n means a cycle of negative weight. O(n m).
//!
//! Reference: bellman-1958

use graph_formats::{Csr, VertexId, Weight};

use super::{OracleError, refuse_overflow, refuse_source_out_of_range};
use crate::Distances;

/// The distances of all vertices from `source`; weights may be negative.
///
/// # Errors
/// When there is no such source, it reaches a negative cycle, or a distance overflows.
///
/// ```
/// use graph_formats::Csr;
/// use paths::oracle::{OracleError, bellman_ford};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 2i32), (1, 2, -2), (2, 1, 1)])?;
/// let Err(OracleError::NegativeCycle { cycle }) = bellman_ford(&graph, 0) else { panic!() };
/// assert_eq!(cycle.len(), 2);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
pub fn bellman_ford<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
) -> Result<Distances<W::Distance>, OracleError> {
    refuse_source_out_of_range(graph, source)?;
    let mut distances: Vec<Option<W::Distance>> = vec![None; graph.n_vertices()];
    let mut predecessors: Vec<Option<VertexId>> = vec![None; graph.n_vertices()];
    distances[source as usize] = Some(W::Distance::ZERO);
    for round in 1.. {
        let mut changed = None;
        for (u, v, weight) in graph.arcs() {
            let Some(from) = distances[u as usize] else { continue };
            let Some(through) = weight.after(from) else {
                if !weight.is_negative() {
                    continue;
                }
                // below the range of the type, because of a cycle or of one long path
                predecessors[v as usize] = Some(u);
                return Err(match cycle_behind(&predecessors, v) {
                    Some(cycle) => OracleError::NegativeCycle { cycle },
                    None => OracleError::Overflow { source_vertex: source, vertex: v },
                });
            };
            if distances[v as usize].is_none_or(|known| through < known) {
                distances[v as usize] = Some(through);
                predecessors[v as usize] = Some(u);
                changed = Some(v);
            }
        }
        let Some(v) = changed else { break };
        if round >= graph.n_vertices()
            && let Some(cycle) = cycle_behind(&predecessors, v)
        {
            return Err(OracleError::NegativeCycle { cycle });
        }
    }
    let distances = Distances::from_iter(distances);
    refuse_overflow(graph, source, &distances)?;
    Ok(distances)
}

/// The cycle that the predecessors of `vertex` lead into, in the direction of its arcs;
/// `None` when they come to an end. Such a cycle is always negative. O(n).
fn cycle_behind(predecessors: &[Option<VertexId>], mut vertex: VertexId) -> Option<Vec<VertexId>> {
    let mut passed = vec![false; predecessors.len()];
    while !passed[vertex as usize] {
        passed[vertex as usize] = true;
        vertex = predecessors[vertex as usize]?;
    }
    let mut cycle = vec![vertex];
    let mut at = predecessors[vertex as usize]?;
    while at != vertex {
        cycle.push(at);
        at = predecessors[at as usize]?;
    }
    cycle.reverse();
    Some(cycle)
}

//! The arcs that shortest paths to a sink go along: Dijkstra's algorithm in the reversed graph, and
//! then a test of each arc. O((n + m) log m).

use graph_formats::{Csr, VertexId, Weight};

use super::{OracleError, dijkstra, refuse_negative_weight};
use crate::ShortestPathSubgraph;

/// All shortest paths to `sink`. Of parallel arcs the lightest counts.
///
/// # Errors
/// When there is no such sink, a weight is negative, or a distance overflows.
///
/// ```
/// use graph_formats::Csr;
/// use paths::oracle;
///
/// // two paths of equal length from 0 to 3, and a longer arc
/// let arcs = [(0, 1, 1u32), (0, 2, 2), (1, 3, 2), (2, 3, 1), (0, 3, 4)];
/// let subgraph = oracle::shortest_path_subgraph(&Csr::from_arcs(4, &arcs)?, 3)?;
/// assert_eq!(subgraph.distances.get(0), Some(3));
/// assert!(subgraph.arcs.into_iter().eq([(0, 1), (0, 2), (1, 3), (2, 3)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shortest_path_subgraph<W: Weight>(
    graph: &Csr<W>,
    sink: VertexId,
) -> Result<ShortestPathSubgraph<W>, OracleError> {
    refuse_negative_weight(graph)?;
    let distances = dijkstra(&graph.transposed(), sink).map_err(|error| match error {
        OracleError::Overflow { source_vertex: vertex, vertex: source_vertex } => {
            OracleError::Overflow { source_vertex, vertex }
        }
        other => other,
    })?;
    let is_tight = |&(u, v, weight): &(VertexId, VertexId, W)| {
        let through = distances.get(v).and_then(|rest| weight.after(rest));
        u != sink && through.is_some() && through == distances.get(u)
    };
    let arcs = graph.arcs().filter(is_tight).map(|(u, v, _)| (u, v)).collect();
    Ok(ShortestPathSubgraph { sink, distances, arcs })
}

//! Oracles: the answers again, by the simplest methods, on one thread.
//!
//! They are short so that they can be seen to be right, and slow where that is the
//! price. Solvers are compared with them on small graphs; on large ones the
//! [certificates](crate::certificate) take their place.
//!
//! Overflow: an arc whose sum the distance type cannot hold is skipped if there is another path. If
//! there is none, the answer is an error that names the vertex. With negative weights a longer path
//! might return into the range; then any arc that takes a final distance out of range is an error.

mod bellman_ford;
mod closure;
mod dijkstra;
mod floyd_warshall;
mod nearest;
mod next_hops;
mod predecessors;
mod subgraph;

use graph_formats::{Csr, VertexId, Weight};

use crate::Distances;

pub use bellman_ford::bellman_ford;
pub use closure::closure;
pub use dijkstra::dijkstra;
pub use floyd_warshall::floyd_warshall;
pub use nearest::nearest;
pub use next_hops::next_hops;
pub use predecessors::{canonical_predecessors, tree};
pub use subgraph::shortest_path_subgraph;

/// Why an oracle has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// A source is no vertex of the graph.
    #[error("source {source_vertex} is not among the vertices 0..{n_vertices}")]
    SourceOutOfRange {
        /// The source.
        source_vertex: VertexId,
        /// The vertices of the graph.
        n_vertices: usize,
    },
    /// The method needs weights of zero or more.
    #[error("the arc {from} → {to} weighs {weight}; Dijkstra's method takes no negative weights")]
    NegativeWeight {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// Going round a cycle that can be reached makes paths ever shorter.
    #[error("negative cycle through the vertices {cycle:?}")]
    NegativeCycle {
        /// Its vertices in order, each once; the last has an arc to the first.
        cycle: Vec<VertexId>,
    },
    /// A distance is out of the range of its type.
    #[error("the distance of vertex {vertex} from {source_vertex} overflows")]
    Overflow {
        /// Where the path starts.
        source_vertex: VertexId,
        /// The vertex.
        vertex: VertexId,
    },
}

fn refuse_source_out_of_range<W: Weight>(
    graph: &Csr<W>,
    source_vertex: VertexId,
) -> Result<(), OracleError> {
    if (source_vertex as usize) < graph.n_vertices() {
        return Ok(());
    }
    Err(OracleError::SourceOutOfRange { source_vertex, n_vertices: graph.n_vertices() })
}

fn refuse_negative_weight<W: Weight>(graph: &Csr<W>) -> Result<(), OracleError> {
    match graph.first_negative() {
        None => Ok(()),
        Some((arc, from, to)) => {
            let weight = graph.weights()[arc].to_string();
            Err(OracleError::NegativeWeight { from, to, weight })
        }
    }
}

/// Refuses final distances for which a skipped arc was the only way.
fn refuse_overflow<W: Weight>(
    graph: &Csr<W>,
    source_vertex: VertexId,
    distances: &Distances<W::Distance>,
) -> Result<(), OracleError> {
    // mostly no sum of a distance and a weight overflows
    let weights = graph.weight_summary();
    let known = || distances.iter().flatten();
    let [least, greatest] =
        [known().min_by(|a, b| a.order(*b)), known().max_by(|a, b| a.order(*b))];
    let fits = |weight: W, from: Option<W::Distance>| weight.after(from?);
    if fits(weights.least, least).and(fits(weights.greatest, greatest)).is_some() {
        return Ok(());
    }
    let negative = graph.first_negative().is_some();
    for (u, vertex, weight) in graph.arcs() {
        let Some(from) = distances.get(u) else { continue };
        let overflows = weight.after(from).is_none();
        if overflows && (negative || distances.get(vertex).is_none()) {
            return Err(OracleError::Overflow { source_vertex, vertex });
        }
    }
    Ok(())
}

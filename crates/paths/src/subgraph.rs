//! All shortest paths to one vertex at once.

use std::collections::BTreeSet;

use graph_formats::{VertexId, Weight};

use crate::Distances;

/// The distances to a sink, and the arcs that shortest paths to it go along.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPathSubgraph<W: Weight> {
    /// Where all paths end.
    pub sink: VertexId,
    /// How far the sink is from each vertex; none where no path leads to it.
    pub distances: Distances<W::Distance>,
    /// The pairs (u, v) with an arc of weight d(u) − d(v), where d is the distance to the sink.
    /// None starts at the sink.
    pub arcs: BTreeSet<(VertexId, VertexId)>,
}

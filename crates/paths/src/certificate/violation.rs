//! What is wrong with an answer.

use graph_formats::VertexId;

use crate::Total;

/// The first thing found wrong with an answer, in terms of its graph.
///
/// Distances and weights are written out, so that the type is the same for all weights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// An array is not as long as the graph has vertices.
    #[error("{what}: expected {expected} entries, one for each vertex, found {found}")]
    WrongLength {
        /// Which array.
        what: &'static str,
        /// The vertices of the graph.
        expected: usize,
        /// The entries of the array.
        found: usize,
    },
    /// A source is no vertex of the graph.
    #[error("source {source_vertex} is not among the vertices 0..{n_vertices}")]
    SourceOutOfRange {
        /// The source.
        source_vertex: VertexId,
        /// The vertices of the graph.
        n_vertices: usize,
    },
    /// A source is not at distance zero.
    #[error("source {source_vertex} is at distance {}, not zero", or_none(.distance))]
    SourceDistance {
        /// The source.
        source_vertex: VertexId,
        /// Its distance, if it has one.
        distance: Option<String>,
    },
    /// A distance is beyond the limit that was asked for.
    #[error("vertex {vertex} is at distance {distance}, beyond the limit {limit}")]
    BeyondLimit {
        /// The vertex.
        vertex: VertexId,
        /// Its distance.
        distance: String,
        /// The limit.
        limit: String,
    },
    /// A vertex is claimed unreachable, but an arc leads to it.
    #[error("vertex {to} is unreached, but the arc {from} → {to} of weight {weight} reaches it")]
    Missed {
        /// Where the arc starts: a reached vertex.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// A distance is too large: an arc gives a smaller one.
    #[error(
        "vertex {to} is at distance {distance}, but the arc {from} → {to} of weight {weight} \
         improves it"
    )]
    TooFar {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
        /// The claimed distance of `to`.
        distance: String,
    },
    /// A distance that no path has: too small, or of a vertex that cannot be reached.
    #[error("no path from {source_vertex} to vertex {vertex} has length {distance}")]
    Unrealised {
        /// The vertex.
        vertex: VertexId,
        /// The source that its path should start from.
        source_vertex: VertexId,
        /// The claimed distance.
        distance: String,
    },
    /// The source has a predecessor.
    #[error(
        "the source {source_vertex} has the predecessor {predecessor}, where it should have none"
    )]
    SourcePredecessor {
        /// The source.
        source_vertex: VertexId,
        /// Its predecessor.
        predecessor: VertexId,
    },
    /// An unreached vertex has a predecessor.
    #[error("vertex {vertex} is unreached, but has the predecessor {predecessor}")]
    UnreachedPredecessor {
        /// The vertex.
        vertex: VertexId,
        /// Its predecessor.
        predecessor: VertexId,
    },
    /// A reached vertex has no predecessor.
    #[error("vertex {vertex} is reached, but has no predecessor")]
    NoPredecessor {
        /// The vertex.
        vertex: VertexId,
    },
    /// A predecessor is unreached itself, or does not exist.
    #[error("the predecessor {predecessor} of vertex {vertex} is unreached or does not exist")]
    PredecessorUnreached {
        /// The vertex.
        vertex: VertexId,
        /// Its predecessor.
        predecessor: VertexId,
    },
    /// No arc leads from a predecessor to its vertex.
    #[error("no arc leads to vertex {vertex} from its predecessor {predecessor}")]
    PredecessorWithoutArc {
        /// The vertex.
        vertex: VertexId,
        /// Its predecessor.
        predecessor: VertexId,
    },
    /// Arcs lead from a predecessor, but none has the length that the distances claim.
    #[error(
        "vertex {vertex} is at distance {distance}, but no arc from its predecessor \
         {predecessor} at distance {predecessor_distance} makes that"
    )]
    PredecessorNotTight {
        /// The vertex.
        vertex: VertexId,
        /// Its distance.
        distance: String,
        /// Its predecessor.
        predecessor: VertexId,
        /// The predecessor's distance.
        predecessor_distance: String,
    },
    /// Predecessors run in a cycle.
    #[error("the predecessors of vertex {vertex} lead back to it, not to the source")]
    PredecessorCycle {
        /// A vertex of the cycle.
        vertex: VertexId,
    },
    /// A vertex has an owner without a distance, or a distance without an owner.
    #[error(
        "vertex {vertex} has the owner {} and the distance {}; expected both or neither",
        or_none(.owner), or_none(.distance)
    )]
    HalfOwned {
        /// The vertex.
        vertex: VertexId,
        /// Its owner.
        owner: Option<VertexId>,
        /// Its distance.
        distance: Option<String>,
    },
    /// An owner is none of the sources.
    #[error("the owner {owner} of vertex {vertex} is none of the sources")]
    OwnerNotSource {
        /// The vertex.
        vertex: VertexId,
        /// Its owner.
        owner: VertexId,
    },
    /// A tie did not go to the smallest source.
    #[error("vertex {vertex} is owned by {owner}, but the smaller source {smaller} is as near")]
    TieToLarger {
        /// The vertex.
        vertex: VertexId,
        /// Its owner.
        owner: VertexId,
        /// A smaller source at the same distance.
        smaller: VertexId,
    },
    /// A table does not have a row and a column for each vertex.
    #[error("the table has {rows} rows and {columns} columns; expected {n_vertices} of both")]
    NotAllPairs {
        /// The vertices of the graph.
        n_vertices: usize,
        /// The rows of the table.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A pair is claimed unreachable, but an arc and a path join it.
    #[error(
        "vertex {to} is claimed unreachable from {from}, but a path leads there by the arc {from} \
         → {hop} of weight {weight}"
    )]
    PairMissed {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// The vertex after its first arc.
        hop: VertexId,
        /// The weight of that arc.
        weight: String,
    },
    /// A distance is too large: a path by some arc is shorter.
    #[error(
        "vertex {to} is at distance {distance} from {from}, but the arc {from} → {hop} of weight \
         {weight} leads to it sooner"
    )]
    PairTooFar {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// The vertex after the first arc of a shorter one.
        hop: VertexId,
        /// The weight of that arc.
        weight: String,
        /// The claimed distance.
        distance: String,
    },
    /// A path by way of a third vertex is shorter than the distance.
    #[error(
        "the distance from {from} to {to} is {}, but by way of {via} it is at most {first} plus \
         {second}",
        or_none(.distance)
    )]
    Triangle {
        /// The first vertex of the pair.
        from: VertexId,
        /// The third vertex.
        via: VertexId,
        /// Where it ends.
        to: VertexId,
        /// The claimed distance, if there is one.
        distance: Option<String>,
        /// How far the vertex passed is.
        first: String,
        /// How far it is from there to the end.
        second: String,
    },
    /// A pair without a path, or a vertex and itself, has a next hop.
    #[error("there is no path to follow from {from} to {to}, but the next hop is {hop}")]
    HopWithoutPath {
        /// Where the path would start.
        from: VertexId,
        /// Where it would end.
        to: VertexId,
        /// The next hop.
        hop: VertexId,
    },
    /// A pair with a path has no next hop.
    #[error("a path leads from {from} to {to}, but there is no next hop")]
    NoHop {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
    },
    /// A next hop from which no path leads on.
    #[error("the next hop from {from} to {to} is {hop}, from which no path leads there")]
    HopUnreached {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// The next hop.
        hop: VertexId,
    },
    /// No arc leads to a next hop.
    #[error("the next hop from {from} to {to} is {hop}, to which no arc leads")]
    HopWithoutArc {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// The next hop.
        hop: VertexId,
    },
    /// Arcs lead to a next hop, but none has the length that the distances claim.
    #[error(
        "vertex {to} is at distance {distance} from {from}, but no arc to the next hop {hop} at \
         distance {rest} makes that"
    )]
    HopNotTight {
        /// Where the path starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its length.
        distance: String,
        /// The next hop.
        hop: VertexId,
        /// The distance from there to the end.
        rest: String,
    },
    /// Next hops run in a cycle.
    #[error("the next hops from {from} to {to} lead back to {from}")]
    HopCycle {
        /// A vertex of the cycle.
        from: VertexId,
        /// Where the path should end.
        to: VertexId,
    },
    /// An arc of a shortest path to the sink is left out.
    #[error("the arc {from} → {to} is on a shortest path to {sink}, but is left out")]
    ArcLeftOut {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Where the paths end.
        sink: VertexId,
    },
    /// An arc that is claimed to be on a shortest path is on none, or does not exist.
    #[error("no arc {from} → {to} is on a shortest path to {sink}")]
    ArcOnNoShortestPath {
        /// Where the arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Where the paths should end.
        sink: VertexId,
    },
    /// A cycle without vertices.
    #[error("the cycle has no vertices")]
    CycleEmpty,
    /// A cycle that passes a vertex twice, perhaps because it repeats its start at the end.
    #[error("the cycle names vertex {vertex} twice; its last arc leads back to its first vertex")]
    CycleRepeats {
        /// The vertex.
        vertex: VertexId,
    },
    /// Two consecutive vertices of a cycle, or its last and first, without an arc.
    #[error("the cycle goes from {from} to {to}, but no arc does")]
    CycleWithoutArc {
        /// The vertex before.
        from: VertexId,
        /// The vertex after.
        to: VertexId,
    },
    /// A cycle that is not negative.
    #[error("the cycle weighs {total}, which is not negative")]
    CycleNotNegative {
        /// The sum of its cheapest arcs.
        total: Total,
    },
}

fn or_none<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "none".to_owned(), T::to_string)
}

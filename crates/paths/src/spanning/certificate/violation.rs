//! What is wrong with a selection of edges or arcs.

use graph_formats::VertexId;

use super::super::Degree;

/// The first thing found wrong with edges or arcs that are selected from a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionViolation {
    /// A position beyond the list.
    #[error("position {position} is beyond a list of {length}")]
    PositionOutOfRange {
        /// The position.
        position: usize,
        /// How long the list is.
        length: usize,
    },
    /// A root is no vertex of the graph.
    #[error("the root {root} is not among the vertices 0..{n_vertices}")]
    RootOutOfRange {
        /// The root.
        root: VertexId,
        /// The vertices of the graph.
        n_vertices: usize,
    },
    /// A branching enters a vertex twice, perhaps because it names an arc twice.
    #[error("vertex {vertex} is entered by two arcs, at the positions {first} and {second}")]
    EnteredTwice {
        /// The vertex.
        vertex: VertexId,
        /// The position of an arc.
        first: usize,
        /// The position of another arc, or the same again.
        second: usize,
    },
    /// The arcs of a branching close a cycle.
    #[error("the arcs close a cycle through vertex {vertex}")]
    ArcCycle {
        /// A vertex of the cycle.
        vertex: VertexId,
    },
    /// An arborescence enters its root.
    #[error("the root {root} is entered")]
    RootEntered {
        /// The root.
        root: VertexId,
    },
    /// An arborescence leaves a vertex out.
    #[error("vertex {vertex} is not entered")]
    NotEntered {
        /// The vertex.
        vertex: VertexId,
    },
    /// No arborescence is given, but there is one.
    #[error("the root {root} reaches every vertex, but no arborescence is given")]
    ArborescenceMissed {
        /// The root.
        root: VertexId,
    },
    /// A selected edge closes a cycle with others, perhaps because it is named twice.
    #[error("the edge {from} – {to} at position {position} closes a cycle with others selected")]
    EdgeCycle {
        /// One end of the edge.
        from: VertexId,
        /// The other end.
        to: VertexId,
        /// Its position.
        position: usize,
    },
    /// The selected edges leave apart what an edge joins.
    #[error("the edge {from} – {to} at position {position} joins what those selected do not")]
    Apart {
        /// One end of the edge.
        from: VertexId,
        /// The other end.
        to: VertexId,
        /// Its position.
        position: usize,
    },
    /// A selected edge is not joined with the root of the tree.
    #[error("the edge at position {position} is not joined with the root {root}")]
    NotAtRoot {
        /// The position of the edge.
        position: usize,
        /// The root.
        root: VertexId,
    },
    /// A lighter edge should be in the place of a selected one.
    #[error(
        "the edge at position {position} weighs {heavier}; that at position {by}, which weighs \
         {weight}, joins the same in its place"
    )]
    Replaceable {
        /// The position of the selected edge.
        position: usize,
        /// Its weight.
        heavier: String,
        /// The position of the lighter edge.
        by: usize,
        /// Its weight.
        weight: String,
    },
    /// A vertex is not joined with the root by the selected edges.
    #[error("vertex {vertex} is not joined with the root {root}")]
    NotJoined {
        /// The vertex.
        vertex: VertexId,
        /// The root.
        root: VertexId,
    },
    /// The root of a tree has too many edges, or too few.
    #[error("the root {root} has degree {found} in the tree; expected {}", asked(.degree))]
    WrongDegree {
        /// The root.
        root: VertexId,
        /// How many edges of the tree it has.
        found: usize,
        /// The degree that is required.
        degree: Degree,
    },
    /// Two exchanges, one for a higher degree and one for a lower, that save more together
    /// than they cost. The least weight is convex in the degree, so that a tree of the same
    /// degree is lighter.
    #[error(
        "the tree is not the lightest of its degree: exchanging the edge at position {} for that \
         at {}, and that at {} for that at {}, makes it lighter", .more.1, .more.0, .fewer.1, .fewer.0
    )]
    LighterByTwo {
        /// The positions of a selected edge, and of one at the root that may replace it.
        more: (usize, usize),
        /// The positions of a selected edge at the root, and of one elsewhere that may
        /// replace it.
        fewer: (usize, usize),
    },
    /// No tree is given, but there is one.
    #[error("a spanning tree exists in which {root} has {} edges, but none is given", asked(.degree))]
    TreeMissed {
        /// The root.
        root: VertexId,
        /// The degree that is required.
        degree: Degree,
    },
    /// The weight is not the best.
    #[error("the arcs weigh {total}, but {optimum} is the best")]
    NotOptimal {
        /// What they weigh together.
        total: i128,
        /// What the best weigh.
        optimum: i128,
    },
}

fn asked(degree: &Degree) -> String {
    match degree {
        Degree::Exactly(degree) => degree.to_string(),
        Degree::AtMost(degree) => format!("at most {degree}"),
    }
}

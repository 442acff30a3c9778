//! What can be wrong with changes.

use crate::{NoMemory, VertexId, WeightKind};

/// A change that cannot be made. Nothing is then changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("change {position}: {problem}")]
pub struct ChangeError {
    /// Which of the changes, counted from 0.
    pub position: usize,
    /// What is wrong with it.
    pub problem: ChangeProblem,
}

/// What is wrong with a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeProblem {
    /// A vertex does not exist.
    #[error("vertex {vertex} is not among the vertices 0..{n_vertices}")]
    NoSuchVertex {
        /// The vertex.
        vertex: VertexId,
        /// How many there are.
        n_vertices: usize,
    },
    /// An arc does not exist.
    #[error("there is no arc {from} -> {to}{}", of_weight(weight))]
    NoSuchArc {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight, if one was given.
        weight: Option<String>,
    },
    /// A pair of vertices occurs twice, or once with a vertex that is deleted.
    #[error("an earlier change is of {from} -> {to} too; make one of them, or make them in turn")]
    Twice {
        /// The tail.
        from: VertexId,
        /// The head.
        to: VertexId,
    },
    /// A weight is NaN or infinite.
    #[error("the arc {from} -> {to} would have weight {weight}; weights must be finite")]
    WeightNotFinite {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// The weight type of the graph has no such number.
    #[error("{weight} is no weight of this graph, whose weights are {kind}")]
    NoWeight {
        /// The number.
        weight: String,
        /// The type.
        kind: WeightKind,
    },
    /// There are as many vertices as 32-bit ids can number.
    #[error("a graph cannot have more than {n_vertices} vertices")]
    TooManyVertices {
        /// How many there are.
        n_vertices: usize,
    },
    /// The system refuses the memory for new arcs.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}

fn of_weight(weight: &Option<String>) -> String {
    weight.as_ref().map(|weight| format!(" of weight {weight}")).unwrap_or_default()
}

/// A line of a file of changes is not a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: '{text}' is no change: {reason}")]
pub struct NoChange {
    /// The number of the line, from 1.
    pub line: usize,
    /// The beginning of the line.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

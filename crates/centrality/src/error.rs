//! The errors of the crate.

use std::path::PathBuf;

use collectives::RanksError;
use graph_formats::{GraphError, Interrupted, NoMemory, VertexId};
use hierarchy::HierarchyError;
use sssp::SsspError;

/// Why a measure could not be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CentralityError {
    /// A negative weight: measures need distances of at least zero.
    #[error(
        "measures of distances need weights of at least zero, but the arc {from} -> {to} has \
         weight {weight}; count hops instead"
    )]
    NegativeWeight {
        /// Tail of the first such arc.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// An arc that makes no path longer: there would be infinitely many shortest paths.
    #[error(
        "betweenness needs weights that make every path longer, but the arc {from} -> {to} has \
         weight {weight}; count hops instead"
    )]
    WithoutLength {
        /// Its tail.
        from: VertexId,
        /// Its head.
        to: VertexId,
        /// Its weight: zero, or too small to change the sum of floats.
        weight: String,
    },
    /// A tolerance that is negative, 1 or more, or not a number.
    #[error("the tolerance of ties is {0}; expected a number of at least 0 and less than 1")]
    BadTolerance(f64),
    /// An error or a probability that is not between 0 and 1.
    #[error("the {name} is {value}; expected a number above 0 and below 1")]
    NotBetween {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A file cannot keep the state of this run.
    #[error("{path} {reason}", path = path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// Another rank has failed.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// Which.
        rank: usize,
        /// Why.
        message: String,
    },
    /// The ranks cannot communicate any more.
    #[error(transparent)]
    Ranks(#[from] RanksError),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// A search could not be started or has no answer.
    #[error(transparent)]
    Search(SsspError),
    /// The hierarchy is of another graph, or its GPU failed.
    #[error(transparent)]
    Hierarchy(HierarchyError),
    /// The system refused the memory, or a file cannot be written.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl From<SsspError> for CentralityError {
    fn from(error: SsspError) -> Self {
        match error {
            SsspError::Interrupted(interrupted) => interrupted.into(),
            other => Self::Search(other),
        }
    }
}

impl From<HierarchyError> for CentralityError {
    fn from(error: HierarchyError) -> Self {
        match error {
            HierarchyError::Interrupted(interrupted) => interrupted.into(),
            other => Self::Hierarchy(other),
        }
    }
}

impl From<NoMemory> for CentralityError {
    fn from(refused: NoMemory) -> Self {
        Self::Graph(refused.into())
    }
}

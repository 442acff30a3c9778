//! Why a graph in parts, or a search of it, could not be made.

use collectives::RanksError;
use graph_formats::{GraphError, Interrupted, NoMemory};
use paths::certificate::Violation;
use sssp::SsspError;

/// Why a graph in parts could not be made or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartitionedError {
    /// The graph could not be read or dealt.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The search has no result.
    #[error(transparent)]
    Search(#[from] SsspError),
    /// A result is wrong.
    #[error(transparent)]
    Wrong(#[from] Violation),
    /// A rank may not use as much memory as it needs.
    #[error(
        "rank {rank} needs {required} bytes for its part of the graph and the search, and may use \
         {memory}; {help}"
    )]
    TooLittleMemory {
        /// The rank.
        rank: usize,
        /// What it needs.
        required: u64,
        /// What it may use.
        memory: u64,
        /// What the user can do.
        help: String,
    },
    /// A collective failed.
    #[error(transparent)]
    Ranks(#[from] RanksError),
    /// Another rank had this error.
    #[error("{message}")]
    OnRank {
        /// The rank.
        rank: usize,
        /// What it says.
        message: String,
    },
}

impl From<NoMemory> for PartitionedError {
    fn from(error: NoMemory) -> Self {
        Self::Search(error.into())
    }
}

impl From<Interrupted> for PartitionedError {
    fn from(error: Interrupted) -> Self {
        Self::Search(error.into())
    }
}

//! The errors of the crate.

use collectives::{Communicator, RanksError};
use elimination::EliminationError;
use gpu_runtime::{Gpu, GpuError};
use graph_formats::{ChangeError, Interrupted, Large, VertexId, ensure_granted};
use sssp::SsspError;

use crate::saved::SavedError;
use crate::{Algorithm, ScratchError};

/// Why all pairs cannot be found, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApspError {
    /// Memory cannot hold the matrix.
    #[error(
        "all pairs of {n_vertices} vertices take {bytes} bytes, more than the system grants; keep \
         the matrix in a folder, or search from fewer sources at a time"
    )]
    TooLarge {
        /// Vertices of the graph.
        n_vertices: usize,
        /// What the matrices take.
        bytes: Large,
    },
    /// The table of distances and its work space need more than the memory allowed.
    #[error(
        "all pairs of {n_vertices} vertices take {bytes} bytes of memory, and {memory} are \
         allowed; keep the matrix in a folder, or allow more memory"
    )]
    OverMemory {
        /// Vertices of the graph.
        n_vertices: usize,
        /// What the matrices take.
        bytes: Large,
        /// Bytes that are allowed.
        memory: u64,
    },
    /// The memory allowed does not hold the panels of a matrix in a folder.
    #[error(
        "a matrix of {n_vertices} vertices in a folder takes at least {least} bytes of memory, and \
         {memory} are allowed; allow more memory, or use fewer threads"
    )]
    ScratchMemory {
        /// Vertices of the graph.
        n_vertices: usize,
        /// The least bytes that suffice.
        least: Large,
        /// Bytes that are allowed.
        memory: u64,
    },
    /// Rows of a matrix in a folder cannot follow changes in the memory that is allowed.
    #[error(
        "these changes take at least {least} bytes of memory with the matrix in a folder, and \
         {memory} are allowed; allow more memory, or make fewer changes at a time"
    )]
    ChangesMemory {
        /// The least bytes that suffice.
        least: Large,
        /// Bytes that are allowed.
        memory: u64,
    },
    /// A matrix in a folder does not follow changes of this kind.
    #[error(
        "the matrix in the folder does not follow these changes: {reason}; find all pairs of the \
         changed graph in an empty folder"
    )]
    NotFollowed {
        /// Why not.
        reason: &'static str,
    },
    /// A change of the graph cannot be made.
    #[error(transparent)]
    BadChange(#[from] ChangeError),
    /// A table does not have a row and a column for each vertex.
    #[error(
        "a table of {n_rows} rows and {n_columns} columns is not that of a graph of {n_vertices} \
         vertices"
    )]
    OtherShape {
        /// Rows of the table.
        n_rows: usize,
        /// Its columns.
        n_columns: usize,
        /// Vertices of the graph.
        n_vertices: usize,
    },
    /// A table has a distance that the graph does not have.
    #[error("the distance from {source_vertex} to {target} is not that of this graph")]
    OtherDistance {
        /// Where the path starts.
        source_vertex: VertexId,
        /// Where it ends.
        target: VertexId,
    },
    /// A file of distances cannot be read.
    #[error(transparent)]
    Saved(Box<SavedError>),
    /// The algorithm cannot keep its matrix in a folder.
    #[error("{algorithm} cannot keep its matrix in a folder; use blocked, or leave the folder out")]
    NotInFolder {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// The caller writes a result that was not computed.
    #[error("there are no {what}, because the configuration did not ask for them")]
    NotAskedFor {
        /// What is missing.
        what: &'static str,
    },
    /// A scratch folder cannot be used.
    #[error(transparent)]
    Scratch(#[from] ScratchError),
    /// A result could not be written.
    #[error("cannot write the result: {0}")]
    Output(std::io::Error),
    /// Floyd-Warshall adds in fixed widths, and sums may be larger.
    #[error(
        "no type of matrix entry is certain to hold sums up to {bound:e}; use the algorithm johnson"
    )]
    TooHeavy {
        /// A bound on all sums.
        bound: f64,
    },
    /// A form that exists for another device only.
    #[error("{algorithm} does not run on this device; use blocked")]
    NotHere {
        /// What the caller wants.
        algorithm: Algorithm,
    },
    /// Supernodes work neither on several ranks or GPUs nor in a folder.
    #[error(
        "supernodes need one process, its memory, and at most one GPU; use blocked on several \
         ranks or GPUs, or in a folder"
    )]
    NotBySupernodes,
    /// The order of the vertices was made for another graph.
    #[error("the order of the vertices was made for another graph: {reason}")]
    NotInOrder {
        /// Why not.
        reason: String,
    },
    /// The vertices cannot be ordered for supernodes.
    #[error(transparent)]
    Elimination(EliminationError),
    /// An arc of negative weight, where there may be none.
    #[error(
        "supernodes need weights of at least zero, but the arc {from} -> {to} has weight {weight}; \
         use blocked or johnson"
    )]
    NegativeWeight {
        /// Where the first such arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// A side of tiles is set for an algorithm that has no tiles, or one side only.
    #[error("{algorithm} has no choice of tiles on this device; leave the side of a tile out")]
    NoTiles {
        /// What the caller wants.
        algorithm: Algorithm,
    },
    /// It is not supported with several ranks.
    #[error("{what}: this is not supported with several ranks; use one rank")]
    NotByRanks {
        /// What the caller wants.
        what: &'static str,
    },
    /// Another rank has failed.
    #[error("rank {rank}: {message}")]
    OnRank {
        /// Which.
        rank: usize,
        /// Why.
        message: String,
    },
    /// A GPU failed while other ranks' GPUs wait for it. The caller has to
    /// [end](Communicator::abort) the other ranks.
    #[error("this rank has failed, and the others cannot continue: {reason}")]
    RankLost {
        /// What failed.
        reason: String,
    },
    /// The ranks cannot communicate any more.
    #[error(transparent)]
    Ranks(#[from] RanksError),
    /// It is not supported on a GPU.
    #[error("not supported on a GPU: {reason}; use the CPU")]
    NotOnGpu {
        /// Why not.
        reason: String,
    },
    /// The GPU reports an error.
    #[error(transparent)]
    Gpu(Box<GpuError>),
    /// The threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// A search failed: there is a negative cycle, a distance overflows its type, or a published
    /// form has no kernel for the tile.
    #[error(transparent)]
    Search(SsspError),
}

const _: () = assert!(align_of::<ApspError>() <= align_of::<u64>(), "see `Large`");

impl From<EliminationError> for ApspError {
    fn from(error: EliminationError) -> Self {
        match error {
            EliminationError::Interrupted(interrupted) => interrupted.into(),
            other => Self::Elimination(other),
        }
    }
}

impl From<SavedError> for ApspError {
    fn from(error: SavedError) -> Self {
        Self::Saved(Box::new(error))
    }
}

impl From<GpuError> for ApspError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(Box::new(error))
    }
}

impl From<SsspError> for ApspError {
    fn from(error: SsspError) -> Self {
        match error {
            SsspError::Interrupted(interrupted) => interrupted.into(),
            SsspError::Gpu(error) => Self::Gpu(error),
            SsspError::NotOnGpu { reason } => Self::NotOnGpu { reason },
            other => Self::Search(other),
        }
    }
}

impl ApspError {
    /// The error for bytes that memory cannot hold.
    pub(crate) fn too_large(n_vertices: usize, bytes: u128) -> Self {
        Self::TooLarge { n_vertices, bytes: bytes.into() }
    }

    /// Whether another algorithm may succeed, because it takes less memory or adds in wider
    /// numbers.
    pub(crate) fn is_too_much(&self) -> bool {
        match self {
            Self::TooLarge { .. } | Self::OverMemory { .. } | Self::TooHeavy { .. } => true,
            Self::Gpu(error) => matches!(**error, GpuError::OutOfMemory { .. }),
            _ => false,
        }
    }

    /// The error with the name of the GPU that failed, if one did.
    pub(crate) fn named(self, gpus: &[Gpu]) -> Self {
        match self {
            Self::Gpu(error) => error.named(gpus).into(),
            other => other,
        }
    }
}

/// An error if all pairs of `n_vertices` vertices, which take `bytes`, need more than is `allowed`,
/// or than the system grants.
pub(crate) fn check_memory(
    n_vertices: usize,
    bytes: u128,
    allowed: Option<u64>,
) -> Result<(), ApspError> {
    match allowed {
        Some(memory) if u128::from(memory) < bytes => {
            Err(ApspError::OverMemory { n_vertices, bytes: bytes.into(), memory })
        }
        _ if usize::try_from(bytes).is_ok_and(|bytes| ensure_granted(bytes).is_ok()) => Ok(()),
        _ => Err(ApspError::too_large(n_vertices, bytes)),
    }
}

/// An error on all ranks if there is one on any: that of this rank, or the message of another.
pub(crate) fn agree<T>(
    ranks: &dyn Communicator,
    own: Result<T, ApspError>,
) -> Result<T, ApspError> {
    let others = others(ranks, own.as_ref().err())?;
    own.and_then(|own| others.map_or(Ok(own), Err))
}

/// The message of the first rank that failed, if one did.
fn others(
    ranks: &dyn Communicator,
    own: Option<&ApspError>,
) -> Result<Option<ApspError>, RanksError> {
    // every error has a message, and the empty one means that the work was interrupted
    let message = own.map(|error| match error {
        ApspError::Interrupted(_) => String::new(),
        error => error.to_string(),
    });
    let first = ranks.first_message(message.as_deref())?;
    Ok(first.map(|(rank, message)| match message.is_empty() {
        true => Interrupted.into(),
        false => ApspError::OnRank { rank, message },
    }))
}

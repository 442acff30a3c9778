//! What can go wrong.

use collectives::{Communicator, RanksError};
use elimination::EliminationError;
use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Interrupted, Large, VertexId, ensure_granted};
use sssp::SsspError;

use crate::{Algorithm, ScratchError};

/// Why there is no table of distances.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApspError {
    /// Memory cannot hold the matrix.
    #[error(
        "all pairs of {n_vertices} vertices take {bytes} bytes, more than there are; keep the \
         matrix in a folder, or search from fewer sources at a time"
    )]
    TooLarge {
        /// Vertices of the graph.
        n_vertices: usize,
        /// What the matrices take.
        bytes: Large,
    },
    /// The table of distances and what it is made in are more than the memory allowed.
    #[error(
        "all pairs of {n_vertices} vertices take {bytes} bytes of memory, more than the {memory} \
         allowed; keep the matrix in a folder, or allow more"
    )]
    OverMemory {
        /// Vertices of the graph.
        n_vertices: usize,
        /// What the matrices take.
        bytes: Large,
        /// What is allowed.
        memory: u64,
    },
    /// The memory allowed does not hold the panels of a matrix in a folder.
    #[error(
        "with the matrix of {n_vertices} vertices in a folder, the work on it takes {least} bytes \
         of memory at least, more than the {memory} allowed; allow more, or use fewer threads"
    )]
    ScratchMemory {
        /// Vertices of the graph.
        n_vertices: usize,
        /// The least that would do.
        least: Large,
        /// What is allowed.
        memory: u64,
    },
    /// An algorithm that keeps no matrix in a folder was asked for.
    #[error("{algorithm} keeps no matrix in a folder; use blocked, or leave the folder away")]
    NotInFolder {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// Something was to be written that was never computed.
    #[error("there are no {what}: they were not asked for")]
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
    #[error("floyd-warshall over a matrix cannot be sure of sums up to {bound:e}; use johnson")]
    TooHeavy {
        /// A bound on all sums.
        bound: f64,
    },
    /// A form that exists for another device only.
    #[error("{algorithm} is not for this device; use blocked")]
    NotHere {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// Supernodes were asked for where they are not for.
    #[error(
        "supernodes are for one process, its memory and at most one GPU; leave the others away, or \
         use blocked"
    )]
    NotBySupernodes,
    /// The order that was given is not of the graph.
    #[error("the order is of another graph: {reason}")]
    NotInOrder {
        /// Why not.
        reason: String,
    },
    /// There is no order of the vertices for supernodes.
    #[error(transparent)]
    Elimination(EliminationError),
    /// An arc of negative weight, where there may be none.
    #[error(
        "supernodes need weights of at least zero, but arc {from} -> {to} has {weight}; use blocked or johnson"
    )]
    NegativeWeight {
        /// Where the first such arc starts.
        from: VertexId,
        /// Where it ends.
        to: VertexId,
        /// Its weight.
        weight: String,
    },
    /// The side of a tile was given for what has none, or one side only.
    #[error("{algorithm} has no tiles to choose on this device; leave their side away")]
    NoTiles {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// Several ranks cannot do it.
    #[error("{what} cannot be had by several ranks; run one")]
    NotByRanks {
        /// What was asked for.
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
    /// A GPU failed in the midst of the work, where other ranks' GPUs wait for it: they have to be
    /// [ended](Communicator::abort).
    #[error("this rank has failed, and the others cannot go on: {reason}")]
    RankLost {
        /// What failed.
        reason: String,
    },
    /// Ranks cannot reach each other any more.
    #[error(transparent)]
    Ranks(#[from] RanksError),
    /// A GPU cannot do it.
    #[error("not on a GPU: {reason}; use the CPU")]
    NotOnGpu {
        /// Why not.
        reason: String,
    },
    /// The GPU refused.
    #[error(transparent)]
    Gpu(Box<GpuError>),
    /// The threads asked for could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The progress callback ended the work.
    #[error("interrupted")]
    Interrupted(#[from] Interrupted),
    /// A search failed: a negative cycle can be reached, or a distance overflows its type; or a
    /// published form has no kernel for the tile.
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
    /// That memory cannot hold these bytes.
    pub(crate) fn too_large(n_vertices: usize, bytes: u128) -> Self {
        Self::TooLarge { n_vertices, bytes: bytes.into() }
    }

    /// Whether another algorithm may do, which takes less memory or adds in wider numbers.
    pub(crate) fn is_too_much(&self) -> bool {
        match self {
            Self::TooLarge { .. } | Self::OverMemory { .. } | Self::TooHeavy { .. } => true,
            Self::Gpu(error) => matches!(**error, GpuError::OutOfMemory { .. }),
            _ => false,
        }
    }

    /// The same with the name of the one of `gpus` that has failed, if one has.
    pub(crate) fn named(self, gpus: &[Gpu]) -> Self {
        match self {
            Self::Gpu(error) => error.named(gpus).into(),
            other => other,
        }
    }
}

/// An error if all pairs of so many vertices, which take `bytes`, are more than is `allowed`, or
/// than the system grants.
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

/// An error on all ranks where there is one on any: that of this rank, or what another has to say.
pub(crate) fn agree<T>(
    ranks: &dyn Communicator,
    own: Result<T, ApspError>,
) -> Result<T, ApspError> {
    let others = others(ranks, own.as_ref().err())?;
    own.and_then(|own| others.map_or(Ok(own), Err))
}

/// What the first rank that has failed has to say, if one has.
fn others(
    ranks: &dyn Communicator,
    own: Option<&ApspError>,
) -> Result<Option<ApspError>, RanksError> {
    // no error is without words, so that none says that the work was interrupted
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

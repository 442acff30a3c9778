//! The memory that a rank needs for its part of a file and a search, known before it reads the part.

use collectives::{Communicator, RanksError};
use graph_formats::{GraphError, SpgRows};

use crate::messages::agree;
use crate::{Deal, PartitionedError};

/// Bytes that a rank needs.
///
/// ```
/// use graph_formats::{Csr, Ids, LoadedGraph, SpgRows, write};
/// use partitioned::{Deal, Need};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("star.spg");
/// let edges: Vec<_> = (1..1000).map(|v| (0, v, v)).collect();
/// write(&path, &LoadedGraph::new(Csr::from_edges(1000, &edges)?, Ids::FromZero))?;
/// let file = SpgRows::open(&path)?;
/// let need = Need::of_file(&file, &Deal::new(1000, 4), 3, false, 24)?;
/// assert_eq!((need.part / 1000, need.search), (4, 24 * 1024));
/// // half of what a part may take asks for twice the ranks
/// assert_eq!(need.n_ranks_within(4, need.search + need.part), Some(4));
/// assert_eq!(need.n_ranks_within(4, need.search + need.part / 2), Some(8));
/// assert_eq!(need.n_ranks_within(4, need.search), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Those of its part.
    pub part: u64,
    /// Those of a search besides, whatever the number of ranks.
    pub search: u64,
}

impl Need {
    /// The need of `rank` for its part of a file, and a search that takes `per_vertex` bytes for each
    /// vertex of the graph. It reads where the blocks of its rows start, 16 bytes each.
    ///
    /// # Errors
    /// When these cannot be read.
    pub fn of_file(
        file: &SpgRows,
        deal: &Deal,
        rank: usize,
        is_unweighted: bool,
        per_vertex: u64,
    ) -> Result<Self, GraphError> {
        let (n_rows, n_arcs) = (deal.len(rank) as u64, n_arcs_of(file, deal, rank)?);
        let has_one_weight = is_unweighted || file.has_equal_weights();
        let kept = if has_one_weight { 0 } else { file.kind().size() as u64 };
        Ok(Self {
            // an offset and a bit for each row, a slot and a weight for each arc
            part: 8 * (n_rows + 1) + n_rows.div_ceil(8) + (4 + kept) * n_arcs,
            search: per_vertex * deal.n_slots() as u64,
        })
    }

    /// An error on all ranks where one needs more than its `memory`. `greatest` is the
    /// [greatest](Self::greatest) need of all ranks. To be called by all.
    ///
    /// # Errors
    /// [`PartitionedError::TooLittleMemory`] on such a rank, and [`PartitionedError::OnRank`] on others.
    pub fn ensure_within(
        &self,
        ranks: &dyn Communicator,
        greatest: &Self,
        memory: Option<u64>,
    ) -> Result<(), PartitionedError> {
        let (required, of_vertices) = (self.bytes(), self.search);
        let check = |memory| {
            if required <= memory {
                return Ok(());
            }
            let help = match greatest.n_ranks_within(ranks.size(), memory) {
                Some(n_ranks) => {
                    format!("start some {n_ranks} ranks (mpirun -n {n_ranks}), or give more")
                }
                None => format!(
                    "more ranks do not help, because each takes {of_vertices} for all vertices; \
                     give more"
                ),
            };
            let rank = ranks.rank();
            Err(PartitionedError::TooLittleMemory { rank, required, memory, help })
        };
        agree(ranks, memory.map_or(Ok(()), check))
    }

    /// The greatest of each number over all ranks. To be called by all.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn greatest(&self, ranks: &dyn Communicator) -> Result<Self, RanksError> {
        Ok(Self { part: ranks.max(self.part)?, search: self.search })
    }

    /// All that it needs.
    pub fn bytes(&self) -> u64 {
        self.part + self.search
    }

    /// The number of ranks of which each needs no more than `memory`, if this is the greatest need of
    /// `n_ranks`; `None` where no number would do. It is about this number: blocks of vertices
    /// have different numbers of arcs.
    pub fn n_ranks_within(&self, n_ranks: usize, memory: u64) -> Option<u64> {
        let for_parts = memory.checked_sub(self.search).filter(|&bytes| bytes > 0)?;
        let ranks = (u128::from(self.part) * n_ranks as u128).div_ceil(for_parts.into());
        Some(u64::try_from(ranks).unwrap_or(u64::MAX))
    }
}

/// The number of arcs that leave the vertices of a rank; if the file is damaged, it shows when its rows
/// are read.
pub(crate) fn n_arcs_of(file: &SpgRows, deal: &Deal, rank: usize) -> Result<u64, GraphError> {
    // no rows have one offset: where the next would start
    let start_of = |row: usize| Ok::<_, GraphError>(file.rows(row..row)?.row_offsets[0]);
    let mut n_arcs = 0_u64;
    for rows in deal.blocks(rank) {
        n_arcs += start_of(rows.end)?.saturating_sub(start_of(rows.start)?);
    }
    Ok(n_arcs.min(file.n_arcs()))
}

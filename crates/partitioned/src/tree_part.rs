//! A shortest-path tree of which each rank has its vertices.

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use graph_formats::{Distance, VertexId};
use paths::{AnyDistances, AnyTree, Distances, Number, Predecessors, with_distances};

use crate::{Deal, Part};

/// What a rank has of a shortest-path tree: distances and predecessors of its vertices, by place as
/// [`Deal::vertex_at`] counts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TreePart {
    /// Where all paths start.
    pub source: VertexId,
    /// The greatest distance of the search, if it did not search for all.
    pub limit: Option<Number>,
    /// The length of a shortest path to each vertex of this rank.
    pub distances: AnyDistances,
    /// The vertex before each on such a path.
    pub predecessors: Predecessors,
}

impl TreePart {
    /// The whole tree, at rank 0. To be called by all ranks, with the part of the graph that was
    /// searched. O(n), and 12 bytes a vertex at rank 0, twice.
    ///
    /// # Errors
    /// When another rank has ended.
    pub fn gather(
        &self,
        ranks: &dyn Communicator,
        part: &Part,
    ) -> Result<Option<AnyTree>, RanksError> {
        let deal = part.deal();
        fn whole<D: Distance>(
            ranks: &dyn Communicator,
            deal: &Deal,
            own: &[D],
        ) -> Result<Option<AnyDistances>, RanksError> {
            let all = gathered(ranks, deal, own)?;
            Ok(all.map(|all| Distances::from_storage(all).into()))
        }
        let distances =
            with_distances!(&self.distances, |own| whole(ranks, &deal, own.as_storage()))?;
        let own = self.predecessors.as_storage();
        let predecessors = gathered(ranks, &deal, own)?;
        Ok(distances.zip(predecessors).map(|(distances, predecessors)| AnyTree {
            source: self.source,
            limit: self.limit,
            distances,
            predecessors: Predecessors::from_storage(predecessors),
        }))
    }
}

/// The values of all vertices at rank 0, from those of each rank's by place.
fn gathered<T: Pod>(
    ranks: &dyn Communicator,
    deal: &Deal,
    own: &[T],
) -> Result<Option<Vec<T>>, RanksError> {
    // rank 0 sends itself nothing
    let sent = if ranks.is_root() { &[] } else { bytemuck::cast_slice(own) };
    let received = ranks.gather_bytes(0, sent)?;
    if !ranks.is_root() {
        return Ok(None);
    }
    let mut blocks = Vec::new();
    for rank in 0..deal.n_parts() {
        let mut end = 0;
        blocks.extend(deal.blocks(rank).map(|block| {
            end += block.len() * size_of::<T>();
            (block.start, rank, end - block.len() * size_of::<T>()..end)
        }));
    }
    blocks.sort_unstable_by_key(|&(start, ..)| start);
    let mut all = Vec::with_capacity(deal.n_vertices());
    for (_, rank, at) in blocks {
        let bytes = if rank == 0 { bytemuck::cast_slice(own) } else { &received[rank] };
        all.extend(bytes[at].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
    }
    Ok(Some(all))
}

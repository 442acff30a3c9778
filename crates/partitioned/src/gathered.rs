//! Results of all vertices at rank 0, from those that each rank has of its own.

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use graph_formats::Distance;
use paths::{AnyDistances, Distances, with_distances};

use crate::Deal;

/// The distances of all vertices at rank 0, from those of each rank's by place.
pub(crate) fn gathered_distances(
    ranks: &dyn Communicator,
    deal: &Deal,
    own: &AnyDistances,
) -> Result<Option<AnyDistances>, RanksError> {
    fn whole<D: Distance>(
        ranks: &dyn Communicator,
        deal: &Deal,
        own: &Distances<D>,
    ) -> Result<Option<AnyDistances>, RanksError> {
        let all = gathered(ranks, deal, own.as_storage())?;
        Ok(all.map(|all| Distances::from_storage(all).into()))
    }
    with_distances!(own, |own| whole(ranks, deal, own))
}

/// The values of all vertices at rank 0, from those of each rank's by place.
pub(crate) fn gathered<T: Pod>(
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

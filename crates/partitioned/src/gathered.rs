//! Results of all vertices at rank 0, from those that each rank has of its own.

use std::ops::Range;

use bytemuck::Pod;
use collectives::{Communicator, RanksError};
use graph_formats::{Distance, VertexId};
use paths::{AnyDistances, Distances, with_distances};

use crate::{Deal, Part};

impl Part {
    /// What each rank has found for its vertices, by place, such as the
    /// [`components`](crate::components): for all vertices at rank 0. To be called by all ranks. O(n),
    /// and 4 bytes a vertex at rank 0, twice.
    ///
    /// ```
    /// use collectives::Threads;
    /// use graph_formats::{AnyCsr, Csr};
    /// use partitioned::{Part, PartitionedError, components};
    ///
    /// let graph = AnyCsr::from(Csr::from_arcs(4, &[(3, 1, 1u32)])?);
    /// let found = Threads::run(2, |ranks| {
    ///     let part = Part::of_graph(ranks, Some(&graph))?;
    ///     Ok::<_, PartitionedError>(part.gather(ranks, &components(ranks, &part)?)?)
    /// })?;
    /// assert_eq!(found, [Some(vec![0, 1, 2, 1]), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When another rank has ended.
    ///
    /// # Panics
    /// When there are fewer than vertices of this rank.
    pub fn gather(
        &self,
        ranks: &dyn Communicator,
        own: &[VertexId],
    ) -> Result<Option<Vec<VertexId>>, RanksError> {
        gathered(ranks, &self.deal(), own, 0..self.deal().n_vertices())
    }
}

/// The distances of these vertices at rank 0, from those of each rank's by place.
pub(crate) fn gathered_distances(
    ranks: &dyn Communicator,
    deal: &Deal,
    own: &AnyDistances,
    vertices: Range<usize>,
) -> Result<Option<AnyDistances>, RanksError> {
    fn whole<D: Distance>(
        ranks: &dyn Communicator,
        deal: &Deal,
        own: &Distances<D>,
        vertices: Range<usize>,
    ) -> Result<Option<AnyDistances>, RanksError> {
        let all = gathered(ranks, deal, own.as_storage(), vertices)?;
        Ok(all.map(|all| Distances::from_storage(all).into()))
    }
    with_distances!(own, |own| whole(ranks, deal, own, vertices))
}

/// The values of these vertices at rank 0, from those of each rank's by place.
pub(crate) fn gathered<T: Pod>(
    ranks: &dyn Communicator,
    deal: &Deal,
    own: &[T],
    vertices: Range<usize>,
) -> Result<Option<Vec<T>>, RanksError> {
    // the blocks of each rank within the range, and the place of the first of their vertices
    let blocks_of = |rank: usize| {
        let mut place = 0;
        let blocks = deal.blocks(rank).map(move |block| {
            place += block.len();
            (place - block.len(), block)
        });
        let within = vertices.clone();
        blocks.filter_map(move |(place, block)| {
            let start = block.start.max(within.start);
            let cut = start..block.end.min(within.end);
            (start < cut.end).then_some((place + start - block.start, cut))
        })
    };
    let mut places = 0..0;
    for (at, (place, block)) in blocks_of(ranks.rank()).enumerate() {
        places.start = if at == 0 { place } else { places.start };
        places.end = place + block.len();
    }
    let own: &[u8] = bytemuck::cast_slice(&own[places]);
    // rank 0 sends itself nothing
    let received = ranks.gather_bytes(0, if ranks.is_root() { &[] } else { own })?;
    if !ranks.is_root() {
        return Ok(None);
    }
    let mut blocks = Vec::new();
    for rank in 0..deal.n_parts() {
        let mut end = 0;
        blocks.extend(blocks_of(rank).map(|(_, block)| {
            let start = end;
            end += block.len() * size_of::<T>();
            (block.start, rank, start..end)
        }));
    }
    blocks.sort_unstable_by_key(|&(start, ..)| start);
    let mut all = Vec::with_capacity(vertices.len());
    for (_, rank, at) in blocks {
        let bytes = if rank == 0 { own } else { &received[rank] };
        all.extend(bytes[at].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
    }
    Ok(Some(all))
}

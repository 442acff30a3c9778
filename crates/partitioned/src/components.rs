//! The weakly connected components of a graph in parts.
//!
//! Each rank unites the ends of its own arcs, in a forest over all vertices. Then forests are
//! united in pairs, in as many rounds as the number of ranks has binary digits, until rank 0 has
//! that of the graph; all get their part of it. A forest is sent as the root of each vertex.
//!
//! Reference: tarjan-van-leeuwen-1984

use collectives::Communicator;
use graph_formats::{Direction, DisjointSets, NoMemory, VertexId, ensure_granted};

use crate::deal::SlotVertices;
use crate::messages::agree;
use crate::{Part, PartitionedError};

/// Bytes that [`components`] takes for each vertex of the graph, on each rank: a forest, its roots, and the
/// message of another rank.
pub const COMPONENTS_BYTES: u64 = 12;

/// For each vertex of this rank, by place, the smallest vertex that arcs join with it, whatever
/// their direction. To be called by all ranks. [`COMPONENTS_BYTES`] for each vertex of the graph on each
/// rank; O(m/P · log n + n · log P) on P ranks.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::{AnyCsr, Csr};
/// use partitioned::{Part, PartitionedError, components};
///
/// let graph = AnyCsr::from(Csr::from_arcs(6, &[(4, 2, 1u32), (5, 4, 1), (3, 0, 1)])?);
/// let roots = Threads::run(1, |ranks| {
///     let part = Part::of_graph(ranks, Some(&graph))?;
///     components(ranks, &part)
/// })?;
/// assert_eq!(roots, [[0, 1, 2, 0, 2, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the system refuses the memory of a rank, or a rank has ended.
pub fn components(
    ranks: &dyn Communicator,
    part: &Part,
) -> Result<Vec<VertexId>, PartitionedError> {
    let (deal, rank) = (part.deal(), part.rank());
    let n = deal.n_vertices();
    agree(ranks, ensure_granted(COMPONENTS_BYTES as usize * n).map_err(NoMemory::into))?;
    let mut sets = own_sets(part);
    let mut stride = 1;
    while stride < ranks.size() {
        let mut messages = vec![Vec::new(); ranks.size()];
        if rank % (2 * stride) == stride {
            messages[rank - stride] = roots(&mut sets, n);
        }
        let messages: Vec<_> = messages.iter().map(|roots| bytemuck::cast_slice(roots)).collect();
        for received in ranks.exchange_bytes(&messages)? {
            let roots = received.chunks_exact(size_of::<VertexId>());
            for (vertex, root) in (0..).zip(roots) {
                sets.unite(vertex, bytemuck::pod_read_unaligned(root));
            }
        }
        stride *= 2;
    }
    let mut of_parts = Vec::new();
    if ranks.is_root() {
        let roots = roots(&mut sets, n);
        let of_part = |part| deal.blocks(part).flat_map(|block| roots[block].to_vec()).collect();
        of_parts = (0..ranks.size()).map(of_part).collect::<Vec<Vec<_>>>();
    }
    of_parts.resize(ranks.size(), Vec::new());
    let messages: Vec<_> = of_parts.iter().map(|roots| bytemuck::cast_slice(roots)).collect();
    Ok(bytemuck::pod_collect_to_vec(&ranks.exchange_bytes(&messages)?[0]))
}

/// The sets that this rank's arcs join.
fn own_sets(part: &Part) -> DisjointSets {
    let (deal, offsets) = (part.deal(), part.row_offsets());
    let first = deal.slots(part.rank()).start as u32;
    let vertices = SlotVertices::new(&deal);
    let mut sets = DisjointSets::new(deal.n_vertices());
    let is_undirected = part.direction() == Direction::Undirected;
    for place in 0..offsets.len() - 1 {
        let vertex = vertices.get(first + place as u32);
        let row = offsets[place] as usize..offsets[place + 1] as usize;
        let heads = part.heads()[row].iter().map(|&head| vertices.get(head));
        // of an edge one arc is enough
        heads.filter(|&head| !is_undirected || vertex < head).for_each(|head| {
            sets.unite(vertex, head);
        });
    }
    sets
}

fn roots(sets: &mut DisjointSets, n: usize) -> Vec<VertexId> {
    (0..n as VertexId).map(|vertex| sets.root(vertex)).collect()
}

//! The certificate of a tree in parts by the edges that its graph was made of: the rules of
//! Graph500, as [`paths::certificate::check_edge_list`] has them.
//!
//! All ranks get the distances and predecessors of all vertices, and each judges its edges. Where an
//! edge confirms the predecessor of a vertex, its rank tells that which has the vertex.
//!
//! Reference: graph500-2010

use collectives::{Communicator, RanksError};
use graph_formats::{NoMemory, VertexId, Weight, ensure_granted};
use paths::AnyDistances;
use paths::certificate::Violation;

use crate::messages::{Mail, agree};
use crate::{Deal, Part, PartitionedError, TreePart};

/// Stands for no vertex, and for no walk.
const NONE: VertexId = VertexId::MAX;
/// Bytes of each vertex of the graph: a distance, a predecessor, a mark, and a message.
const BYTES_PER_SLOT: usize = 17;

type Edge = (VertexId, VertexId, f32);

/// Proves that the parts of a tree have all shortest paths from its source along undirected edges,
/// of which each rank has some; no weight is negative. `part` says how vertices are dealt. Returns
/// how many of the edges of all ranks have reached ends. To be called by all ranks. O(n + m/P) on P
/// ranks, with 17 bytes for each vertex of the graph.
///
/// ```
/// use collectives::Threads;
/// use partitioned::{Part, PartitionedError, check_edges, tree_part};
/// use sssp::Goal;
///
/// let edges = [(0, 1, 0.5), (2, 1, 0.25), (1, 1, 0.0), (3, 4, 1.0)];
/// let counts = Threads::run(2, |ranks| {
///     use collectives::Communicator;
///     let own = &edges[2 * ranks.rank()..][..2];
///     let part = Part::of_edges(ranks, 5, own)?;
///     let found = tree_part(ranks, &part, 0, Goal::All, None)?;
///     check_edges(ranks, &part, &found.tree, own.iter().copied())
/// })?;
/// assert_eq!(counts, [3, 3]);
/// # Ok::<(), PartitionedError>(())
/// ```
///
/// # Errors
/// A [`Violation`] of one rank, on all ranks; if the system refuses the memory of a rank, or a rank
/// has ended.
pub fn check_edges(
    ranks: &dyn Communicator,
    part: &Part,
    tree: &TreePart,
    edges: impl Iterator<Item = Edge>,
) -> Result<u64, PartitionedError> {
    let deal = part.deal();
    agree(ranks, ensure_granted(BYTES_PER_SLOT * deal.n_slots()).map_err(NoMemory::into))?;
    let AnyDistances::F32(own) = &tree.distances else {
        let (what, expected) = ("distances of type f32", deal.len(part.rank()));
        return Err(Violation::WrongLength { what, expected, found: 0 }.into());
    };
    let whole = Whole {
        deal,
        source: tree.source,
        distances: all(ranks, &deal, bytemuck::cast_slice(own.as_storage()))?,
        predecessors: all(ranks, &deal, bytemuck::cast_slice(tree.predecessors.as_storage()))?,
    };
    let mut is_confirmed = vec![0_u64; deal.n_slots().div_ceil(64)];
    let n_traversed = agree(ranks, whole.judge(edges, &mut is_confirmed).map_err(Into::into))?;
    let mut mail = Mail::new(ranks, deal);
    let words = |rank: usize| deal.slots(rank).start / 64..deal.slots(rank).end.div_ceil(64);
    let messages = (0..ranks.size()).map(|rank| bytemuck::cast_slice(&is_confirmed[words(rank)]));
    let mut of_own = vec![0_u64; words(part.rank()).len()];
    for bytes in ranks.exchange_bytes(&messages.collect::<Vec<_>>())? {
        let received = bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>);
        of_own.iter_mut().zip(received).for_each(|(own, received)| *own |= received);
    }
    let checked = whole.check_own(part.rank(), &of_own);
    agree(ranks, checked.map_err(Into::into))?;
    Ok(mail.sums([n_traversed, 0, 0])?[0])
}

/// The values of 32 bits of all slots, from those of each rank's vertices.
fn all<T: bytemuck::Pod>(
    ranks: &dyn Communicator,
    deal: &Deal,
    own: &[u8],
) -> Result<Vec<T>, RanksError> {
    let mut all = vec![T::zeroed(); deal.n_slots()];
    for (rank, bytes) in ranks.exchange_bytes(&vec![own; ranks.size()])?.iter().enumerate() {
        bytemuck::cast_slice_mut(&mut all[deal.slots(rank)]).copy_from_slice(bytes);
    }
    Ok(all)
}

/// A tree by slots; unreached vertices are at infinity.
struct Whole {
    deal: Deal,
    source: VertexId,
    distances: Vec<f32>,
    predecessors: Vec<VertexId>,
}

impl Whole {
    /// Why no edge confirms a predecessor.
    fn unconfirmed(&self, vertex: VertexId, distance: f32, predecessor: VertexId) -> Violation {
        let is_vertex = (predecessor as usize) < self.deal.n_vertices();
        let of_predecessor = is_vertex.then(|| self.distances[self.deal.slot_of(predecessor)]);
        match of_predecessor.filter(|&distance| distance < f32::INFINITY) {
            None => Violation::PredecessorUnreached { vertex, predecessor },
            Some(of_predecessor) => Violation::PredecessorNotTight {
                vertex,
                distance: distance.to_string(),
                predecessor,
                predecessor_distance: of_predecessor.to_string(),
            },
        }
    }

    /// Checks that no edge shortens a path, and marks the slots whose predecessors an edge confirms.
    /// Returns how many edges have reached ends.
    fn judge(
        &self,
        edges: impl Iterator<Item = Edge>,
        is_confirmed: &mut [u64],
    ) -> Result<u64, Violation> {
        let mut n_traversed = 0;
        for (u, v, weight) in edges {
            let slots = [u, v].map(|vertex| self.deal.slot_of(vertex));
            let distances = slots.map(|slot| self.distances[slot]);
            for ((from, start), (to, end, slot)) in [
                ((u, distances[0]), (v, distances[1], slots[1])),
                ((v, distances[1]), (u, distances[0], slots[0])),
            ] {
                let Some(through) = weight.after(start).filter(|_| start < f32::INFINITY) else {
                    continue;
                };
                if end == f32::INFINITY {
                    let weight = weight.to_string();
                    return Err(Violation::Missed { from, to, weight });
                }
                if through < end {
                    let (weight, distance) = (weight.to_string(), end.to_string());
                    return Err(Violation::TooFar { from, to, weight, distance });
                }
                if through == end && self.predecessors[slot] == from {
                    is_confirmed[slot / 64] |= 1 << (slot % 64);
                }
            }
            n_traversed += u64::from(distances[0] < f32::INFINITY);
        }
        Ok(n_traversed)
    }

    /// Checks the vertices of a rank: each has a confirmed predecessor if it is to have one, and no
    /// walk along predecessors comes back.
    fn check_own(&self, rank: usize, is_confirmed: &[u64]) -> Result<(), Violation> {
        let first = self.deal.slots(rank).start;
        let mut walk_at = vec![NONE; self.deal.n_slots()];
        for slot in self.deal.slots(rank) {
            let (vertex, predecessor) = (self.deal.vertex_of_slot(slot), self.predecessors[slot]);
            let distance = self.distances[slot];
            if vertex == self.source {
                if distance != 0.0 {
                    let distance = Some(distance.to_string());
                    return Err(Violation::SourceDistance { source_vertex: vertex, distance });
                }
                if predecessor != NONE {
                    return Err(Violation::SourcePredecessor {
                        source_vertex: vertex,
                        predecessor,
                    });
                }
                continue;
            }
            match (distance < f32::INFINITY, predecessor) {
                (true, NONE) => return Err(Violation::NoPredecessor { vertex }),
                (false, NONE) => continue,
                (false, predecessor) => {
                    return Err(Violation::UnreachedPredecessor { vertex, predecessor });
                }
                (true, _) => (),
            }
            let place = slot - first;
            if is_confirmed[place / 64] >> (place % 64) & 1 == 0 {
                return Err(self.unconfirmed(vertex, distance, predecessor));
            }
            let mut next = vertex;
            while next != NONE {
                let slot = self.deal.slot_of(next);
                match walk_at[slot] {
                    NONE => walk_at[slot] = vertex,
                    walk if walk == vertex => {
                        return Err(Violation::PredecessorCycle { vertex: next });
                    }
                    _ => break,
                }
                next = self.predecessors[slot];
            }
        }
        Ok(())
    }
}

//! The parts of an undirected graph of which each rank has some of the edges.

use bytemuck::{Pod, Zeroable};
use collectives::Communicator;
use graph_formats::{Direction, NoMemory, VertexId, WeightKind, ensure_granted};

use super::{Part, RawRows, Weights, check_slots};
use crate::messages::agree;
use crate::{Deal, PartitionedError};

/// Edges that a rank sends in an exchange.
const EDGES_PER_ROUND: usize = 1 << 20;

/// Bytes of an arc while it is put into its row.
const BYTES_PER_ARC: usize = 24;

/// An arc to the rank that has its tail.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Arc {
    /// By its place.
    tail: u32,
    head: VertexId,
    weight: f32,
}

impl Part {
    /// The rank's part of the undirected graph of `n_vertices` vertices and the edges of all ranks,
    /// without loops and with the lightest of parallel edges alone. Weights must not be negative. To
    /// be called by all ranks, each with some of the edges. 24 bytes an arc beside the part;
    /// O(m log d) for m edges and rows of d arcs.
    ///
    /// ```
    /// use collectives::Threads;
    /// use partitioned::Part;
    ///
    /// let edges = [vec![(0, 1, 0.5), (1, 0, 0.25)], vec![(2, 2, 1.0), (2, 0, 0.75)]];
    /// let parts = Threads::run(2, |ranks| {
    ///     use collectives::Communicator;
    ///     Part::of_edges(ranks, 3, &edges[ranks.rank()])
    /// })?;
    /// assert_eq!(parts[0].n_arcs(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are too many vertices, the system refuses the memory of a rank, or one has ended.
    ///
    /// # Panics
    /// When an edge ends at a vertex that does not exist.
    pub fn of_edges(
        ranks: &dyn Communicator,
        n_vertices: usize,
        edges: &[(VertexId, VertexId, f32)],
    ) -> Result<Self, PartitionedError> {
        let deal = Deal::new(n_vertices, ranks.size());
        agree(ranks, check_slots(&deal))?;
        // of as many arcs as this rank's edges have
        let granted = ensure_granted(edges.len().saturating_mul(2 * BYTES_PER_ARC));
        agree(ranks, granted.map_err(NoMemory::into))?;
        let n_rounds = ranks.max(edges.len().div_ceil(EDGES_PER_ROUND) as u64)?;
        let mut rounds = edges.chunks(EDGES_PER_ROUND);
        let mut arcs = Vec::<Arc>::new();
        for _ in 0..n_rounds {
            let mut for_ranks = vec![Vec::<Arc>::new(); ranks.size()];
            for &(u, v, weight) in rounds.next().unwrap_or_default().iter().filter(|e| e.0 != e.1) {
                for (tail, head) in [(u, v), (v, u)] {
                    let (rank, place) = deal.place_of(tail);
                    for_ranks[rank].push(Arc { tail: place as u32, head, weight });
                }
            }
            let messages: Vec<_> =
                for_ranks.iter().map(|arcs| bytemuck::cast_slice(arcs)).collect();
            for bytes in ranks.exchange_bytes(&messages)? {
                arcs.extend(bytemuck::pod_collect_to_vec::<_, Arc>(&bytes));
            }
        }
        let mut ends = vec![0_usize; deal.len(ranks.rank()) + 1];
        arcs.iter().for_each(|arc| ends[arc.tail as usize + 1] += 1);
        (1..ends.len()).for_each(|row| ends[row] += ends[row - 1]);
        let mut rows = vec![(0, 0.0); arcs.len()];
        for Arc { tail, head, weight } in arcs {
            rows[ends[tail as usize]] = (head, weight);
            ends[tail as usize] += 1;
        }
        let (mut row_offsets, mut heads, mut weights) = (vec![0], Vec::new(), Vec::new());
        let mut start = 0;
        for &end in &ends[..ends.len() - 1] {
            let row: &mut [(VertexId, f32)] = &mut rows[start..end];
            row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            for parallel in row.chunk_by(|a, b| a.0 == b.0) {
                heads.push(deal.slot_of(parallel[0].0) as u32);
                weights.push(parallel[0].1);
            }
            row_offsets.push(heads.len() as u64);
            start = end;
        }
        let raw = RawRows {
            kind: WeightKind::F32,
            direction: Direction::Undirected,
            row_offsets,
            heads,
            weights: Weights::F32(weights),
            has_one_weight: false,
        };
        Self::new(ranks, deal, raw)
    }
}

//! The parts of a graph whose edges are drawn: each rank draws a share of them.

use collectives::Communicator;
use graph_formats::WeightKind;
use graph_formats::generate::EdgeDraws;

use super::{Part, RawRows, Weights, check_slots};
use crate::messages::agree;
use crate::{Deal, PartitionedError};

/// Edges that a rank draws between two exchanges.
const EDGES_PER_ROUND: u64 = 1 << 20;

impl Part {
    /// The rank's part of the graph that a generator makes of these draws, bit by bit the same. No
    /// rank has the whole graph: each draws a share of the edges, and sends arcs to the ranks that
    /// have their tails. To be called by all ranks. 8 bytes per arc drawn, beside the part;
    /// O(m log m) for its m arcs.
    ///
    /// ```
    /// use collectives::Alone;
    /// use graph_formats::generate::RmatConfig;
    /// use partitioned::Part;
    ///
    /// let draws = RmatConfig { scale: 6, ..Default::default() }.draws()?;
    /// assert_eq!(Part::drawn(&Alone, &draws)?.row_offsets().len(), 65);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are too many vertices, or another rank has ended.
    pub fn drawn(ranks: &dyn Communicator, draws: &EdgeDraws) -> Result<Self, PartitionedError> {
        let (n_ranks, n_edges) = (ranks.size() as u64, draws.n_edges());
        let deal = Deal::new(draws.n_vertices(), ranks.size());
        agree(ranks, check_slots(&deal))?;
        let mut arcs = Vec::new();
        for first in (0..n_edges).step_by((EDGES_PER_ROUND * n_ranks) as usize) {
            let own = first + EDGES_PER_ROUND * ranks.rank() as u64;
            let mut for_ranks = vec![Vec::<u64>::new(); ranks.size()];
            for edge in own..n_edges.min(own + EDGES_PER_ROUND) {
                for arc in draws.arcs(edge) {
                    for_ranks[deal.part_of((arc >> 32) as u32)].push(arc);
                }
            }
            let messages: Vec<_> =
                for_ranks.iter().map(|arcs| bytemuck::cast_slice(arcs)).collect();
            for bytes in ranks.exchange_bytes(&messages)? {
                arcs.extend(bytemuck::pod_collect_to_vec::<_, u64>(&bytes));
            }
        }
        let arcs = draws.sorted(arcs);
        let weights = draws.weights_of(&arcs);
        let mut row_offsets = vec![0; deal.len(ranks.rank()) + 1];
        for arc in &arcs {
            row_offsets[deal.place_of((arc >> 32) as u32).1 + 1] += 1;
        }
        for place in 1..row_offsets.len() {
            row_offsets[place] += row_offsets[place - 1];
        }
        let raw = RawRows {
            kind: WeightKind::U32,
            direction: draws.direction(),
            row_offsets,
            heads: arcs.iter().map(|&arc| deal.slot_of(arc as u32) as u32).collect(),
            weights: Weights::U32(weights),
            has_one_weight: false,
        };
        Self::new(ranks, deal, raw)
    }
}

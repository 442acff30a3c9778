//! The parts of a graph that rank 0 has in memory.

use collectives::Communicator;
use graph_formats::{AnyCsr, Direction, WeightKind, with_csr};

use super::{Part, RawRows, Weights, check_slots};
use crate::messages::agree;
use crate::{Deal, PartitionedError, check_not_negative};

const KINDS: [WeightKind; 6] = [
    WeightKind::U32,
    WeightKind::I32,
    WeightKind::U64,
    WeightKind::I64,
    WeightKind::F32,
    WeightKind::F64,
];

/// The arrays of a graph, whatever the type of its weights.
struct Arrays<'a> {
    row_offsets: &'a [u64],
    columns: &'a [u32],
    /// Of one weight, or of one for each arc.
    weights: &'a [u8],
    has_one_weight: bool,
}

impl Part {
    /// Deals the graph that rank 0 has to all ranks; that of the others is not used. To be called by
    /// all ranks. O(n + m) on rank 0, and O(m log d) for rows of d arcs on all; one part at a time
    /// is copied.
    ///
    /// # Errors
    /// When rank 0 has no graph or a weight is negative, on all ranks.
    pub fn of_graph(
        ranks: &dyn Communicator,
        graph: Option<&AnyCsr>,
    ) -> Result<Self, PartitionedError> {
        let graph = graph.filter(|_| ranks.is_root());
        let checked = graph.map_or(Ok(()), |graph| check_not_negative(graph.first_negative()));
        agree(ranks, checked)?;
        let head = graph.map(|graph| {
            let kind = KINDS.iter().position(|&kind| kind == graph.kind()).unwrap_or(0);
            let is_undirected = graph.direction() == Direction::Undirected;
            let has_one = with_csr!(graph, |graph| graph.weight_summary().common().is_some());
            [graph.n_vertices() as u64, kind as u64, is_undirected.into(), has_one.into()]
        });
        let mut head = head.unwrap_or_default();
        ranks.broadcast(0, &mut head)?;
        let [n_vertices, kind, is_undirected, has_one] = head;
        let deal = Deal::new(n_vertices as usize, ranks.size());
        agree(ranks, check_slots(&deal))?;
        let arrays = graph.map(|graph| {
            with_csr!(graph, |graph| Arrays {
                row_offsets: graph.row_offsets(),
                columns: graph.column_indices(),
                weights: bytemuck::cast_slice(graph.stored_weights()),
                has_one_weight: has_one > 0,
            })
        });
        let lens =
            ranks.exchange(|part| arrays.as_ref().map_or(vec![], |a| a.lens(&deal, part)))?;
        let heads =
            ranks.exchange(|part| arrays.as_ref().map_or(vec![], |a| a.heads(&deal, part)))?;
        let weights =
            ranks.exchange(|part| arrays.as_ref().map_or(vec![], |a| a.weights(&deal, part)))?;
        let mut row_offsets = vec![0];
        let mut end = 0;
        row_offsets.extend(lens[0].iter().map(|len| {
            end += len;
            end
        }));
        let kind = KINDS[kind as usize];
        let raw = RawRows {
            kind,
            direction: match is_undirected {
                1 => Direction::Undirected,
                _ => Direction::Directed,
            },
            row_offsets,
            heads: heads.into_iter().next().unwrap_or_default(),
            weights: Weights::of_bytes(kind, &weights[0]),
            has_one_weight: has_one > 0,
        };
        Self::new(ranks, deal, raw)
    }
}

impl Arrays<'_> {
    /// The number of arcs of each vertex of a part.
    fn lens(&self, deal: &Deal, part: usize) -> Vec<u64> {
        let rows = deal.blocks(part).flatten();
        rows.map(|row| self.row_offsets[row + 1] - self.row_offsets[row]).collect()
    }

    /// The positions of the arcs of each block of a part.
    fn arcs<'d>(
        &'d self,
        deal: &'d Deal,
        part: usize,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + 'd {
        let at = |row: usize| self.row_offsets[row] as usize;
        deal.blocks(part).map(move |rows| at(rows.start)..at(rows.end))
    }

    /// The slots at which the arcs of a part end.
    fn heads(&self, deal: &Deal, part: usize) -> Vec<u32> {
        let columns = self.arcs(deal, part).flat_map(|arcs| &self.columns[arcs]);
        columns.map(|&head| deal.slot_of(head) as u32).collect()
    }

    fn weights(&self, deal: &Deal, part: usize) -> Vec<u8> {
        if self.has_one_weight {
            return self.weights.to_vec();
        }
        let size = self.weights.len() / self.columns.len().max(1);
        let arcs = self.arcs(deal, part);
        arcs.flat_map(|arcs| &self.weights[arcs.start * size..arcs.end * size]).copied().collect()
    }
}

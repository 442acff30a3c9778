//! The parts of a graph in an `.spg` file, of which each rank reads its rows.

use std::path::Path;

use collectives::Communicator;
use graph_formats::{GraphError, SpgRows, VertexId, Weight, WeightKind, ensure_granted};
use search_parts::in_large_pages;

use super::{Part, RawRows, Weights, check_slots};
use crate::messages::agree;
use crate::need::n_arcs_of;
use crate::{Deal, PartitionedError, check_not_negative};

/// What a rank has read.
struct FileRows {
    deal: Deal,
    raw: RawRows,
    excess: u64,
    header: Vec<u8>,
    /// The first arc of negative weight, and what it weighs.
    negative: Option<(VertexId, VertexId, String)>,
}

impl Part {
    /// The rank's part of the graph in an `.spg` file that all ranks see. Each reads the rows of its
    /// vertices alone. The checksum of the file is not compared, because it is one of all bytes;
    /// all else is checked as by [`graph_formats::read`]. `is_unweighted`: each arc weighs 1. To be
    /// called by all ranks. O(n/P + m/P) for P ranks.
    ///
    /// ```
    /// use collectives::Threads;
    /// use graph_formats::{Csr, Ids, LoadedGraph, write};
    /// use partitioned::Part;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("path.spg");
    /// write(&path, &LoadedGraph::new(Csr::from_arcs(2, &[(0, 1, 5u32)])?, Ids::FromOne))?;
    /// let parts = Threads::run(2, |ranks| Part::read(ranks, &path, false))?;
    /// assert_eq!((parts[0].heads().len(), parts[1].heads().len()), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// On all ranks when one of them cannot read the file, sees another one, it is damaged, or a weight is
    /// negative.
    pub fn read(
        ranks: &dyn Communicator,
        path: &Path,
        is_unweighted: bool,
    ) -> Result<Self, PartitionedError> {
        let read = FileRows::read(ranks, path, is_unweighted);
        let FileRows { deal, raw, excess, header, negative } = agree(ranks, read)?;
        let of_root = ranks.broadcast_vec(0, header.clone())?;
        let is_same = if of_root == header { Ok(()) } else { Err(other_file(ranks.rank(), path)) };
        agree(ranks, is_same)?;
        let negative = negative.map(|(from, to, weight)| format!("{from} {to} {weight}"));
        if let Some((_, arc)) = ranks.first_message(negative.as_deref())? {
            let mut words = arc.split(' ');
            let mut end = || words.next()?.parse().ok();
            let ends = end().zip(end());
            let weight = words.next().unwrap_or_default().to_owned();
            check_not_negative(ends.map(|(from, to)| (from, to, weight)))?;
        }
        let sums = ranks.exchange_bytes(&vec![bytemuck::bytes_of(&excess); ranks.size()])?;
        let excess = sums.iter().map(|bytes| bytemuck::pod_read_unaligned(bytes));
        if excess.fold(0, u64::wrapping_add) != 0 {
            let message = "the file says that the graph is undirected, but an arc has no reverse";
            return Err(malformed(path, message));
        }
        Self::new(ranks, deal, raw)
    }
}

fn other_file(rank: usize, path: &Path) -> PartitionedError {
    let message = format!("rank {rank} sees another file than rank 0; copy that of rank 0 there");
    malformed(path, &message)
}

fn malformed(path: &Path, message: &str) -> PartitionedError {
    GraphError::Malformed { path: path.to_path_buf(), message: message.to_owned() }.into()
}

impl FileRows {
    fn read(
        ranks: &dyn Communicator,
        path: &Path,
        is_unweighted: bool,
    ) -> Result<Self, PartitionedError> {
        let file = SpgRows::open(path)?;
        let deal = Deal::new(file.n_vertices(), ranks.size());
        check_slots(&deal)?;
        let n_arcs = n_arcs_of(&file, &deal, ranks.rank())? as usize;
        let has_one_weight = is_unweighted || file.has_equal_weights();
        let kind = if is_unweighted { WeightKind::U32 } else { file.kind() };
        let n_weights = if has_one_weight { 0 } else { n_arcs };
        let bytes = n_arcs.saturating_mul(size_of::<u32>());
        ensure_granted(bytes.saturating_add(n_weights.saturating_mul(kind.size())))?;
        let mut row_offsets = in_large_pages(Vec::with_capacity(deal.len(ranks.rank()) + 1));
        row_offsets.push(0);
        let mut heads = in_large_pages(Vec::with_capacity(n_arcs));
        let mut weights = match is_unweighted {
            true => Weights::U32(vec![1]),
            false => Weights::with_capacity(kind, n_weights),
        };
        let (mut excess, mut negative) = (0_u64, None);
        for rows in deal.blocks(ranks.rank()) {
            let first_row = rows.start as VertexId;
            let part = file.rows(rows)?;
            let (before, start) = (heads.len() as u64, part.row_offsets[0]);
            row_offsets.extend(part.row_offsets[1..].iter().map(|end| end - start + before));
            negative = negative.or_else(|| {
                let (arc, weight) = first_negative(file.kind(), &part.weights)?;
                let row = part.row_offsets.partition_point(|&at| at <= start + arc as u64) - 1;
                let to = *part.column_indices.get(arc)?;
                Some((first_row + row as VertexId, to, weight))
            });
            heads.extend(part.column_indices.iter().map(|&head| deal.slot_of(head) as u32));
            match (is_unweighted, has_one_weight) {
                (true, _) => (),
                (false, true) => weights = Weights::of_bytes(kind, &part.weights),
                (false, false) => weights.extend(&part.weights),
            }
            excess = excess.wrapping_add(part.excess);
        }
        let direction = file.direction();
        let raw = RawRows { kind, direction, row_offsets, heads, weights, has_one_weight };
        let negative = negative.filter(|_| !is_unweighted);
        Ok(Self { deal, raw, excess, header: file.header().to_vec(), negative })
    }
}

/// The position of the first negative weight among these, and the weight.
fn first_negative(kind: WeightKind, weights: &[u8]) -> Option<(usize, String)> {
    fn first<W: Weight>(bytes: &[u8]) -> Option<(usize, String)> {
        let weights = bytemuck::pod_collect_to_vec::<_, W>(bytes);
        let at = weights.iter().position(|weight| weight.is_negative())?;
        Some((at, weights[at].to_string()))
    }
    match kind {
        WeightKind::I32 => first::<i32>(weights),
        WeightKind::I64 => first::<i64>(weights),
        WeightKind::F32 => first::<f32>(weights),
        WeightKind::F64 => first::<f64>(weights),
        _ => None,
    }
}

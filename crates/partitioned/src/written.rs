//! An `.spg` file of a drawn graph, which ranks write together: no rank has the whole graph.
//!
//! Each rank draws a share of the edges, and sends arcs to the ranks that have their tails: here
//! adjacent rows, so that a rank writes one range of each section of the file. The file has a
//! temporary name until all is written.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use collectives::Communicator;
use graph_formats::generate::{Duplicates, EdgeDraws, Graph500Draws};
use graph_formats::{
    AtomicFile, Direction, NoMemory, RowRange, SpgParts, SpgShape, VertexId, WeightKind,
    ensure_granted,
};

use crate::PartitionedError;
use crate::messages::agree;

/// Edges that a rank draws between two exchanges.
const EDGES_PER_ROUND: u64 = 1 << 20;

/// Bytes of an arc when it is written: its end, and its weight twice.
const BYTES_PER_ARC: usize = 12;

/// An arc and its weight.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Arc {
    tail: VertexId,
    head: VertexId,
    weight: f32,
}

/// What all ranks learn of a part: arcs, and the least and greatest bits of weights, which ascend
/// as the weights do, because none is negative.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Summary {
    n_arcs: u64,
    least: u32,
    greatest: u32,
}

/// Writes the graph of these draws to an `.spg` file, the same bytes as one process writes. Returns
/// the number of its arcs. To be called by all ranks, which see the folder of the file. Up to 24 bytes
/// for each arc that a rank gets; O(m/P log m) on P ranks.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::generate::RmatConfig;
/// use partitioned::write_drawn;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("graph.spg");
/// let draws = RmatConfig { scale: 6, ..Default::default() }.draws()?;
/// let n_arcs = Threads::run(2, |ranks| write_drawn(ranks, &draws, &path))?;
/// assert_eq!(n_arcs[0], graph_formats::read(&path)?.csr.n_arcs() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// On all ranks when one of them cannot write, is refused the memory, or has ended; the file is then
/// as it was.
pub fn write_drawn(
    ranks: &dyn Communicator,
    draws: &EdgeDraws,
    path: &Path,
) -> Result<u64, PartitionedError> {
    let share = Share::new(ranks, draws.n_vertices());
    let arcs = share.routed(draws.n_edges(), |edge, for_ranks: &mut [Vec<u64>]| {
        for arc in draws.arcs(edge) {
            for_ranks[share.of((arc >> 32) as VertexId)].push(arc);
        }
    })?;
    let (arcs, weights) = draws.rows(arcs);
    let ends = arcs.iter().map(|&arc| ((arc >> 32) as VertexId, arc as VertexId));
    let weights = Weights { kind: WeightKind::U32, bits: weights };
    share.write(path, draws.direction(), ends, weights)
}

/// The same for the graph of the Graph500 benchmark.
///
/// # Errors
/// As [`write_drawn`].
pub fn write_graph500(
    ranks: &dyn Communicator,
    draws: &Graph500Draws,
    duplicates: Duplicates,
    path: &Path,
) -> Result<u64, PartitionedError> {
    let share = Share::new(ranks, draws.n_vertices());
    let mut arcs = share.routed(draws.n_edges(), |edge, for_ranks: &mut [Vec<Arc>]| {
        let (u, v, weight) = draws.edge(edge);
        let is_loop = u == v;
        let both = [Arc { tail: u, head: v, weight }, Arc { tail: v, head: u, weight }];
        let kept = match (is_loop, duplicates) {
            (true, Duplicates::Drop) => 0,
            (true, Duplicates::Keep) => 1,
            (false, _) => 2,
        };
        for arc in both.into_iter().take(kept) {
            for_ranks[share.of(arc.tail)].push(arc);
        }
    })?;
    arcs.sort_unstable_by(|a, b| {
        (a.tail, a.head).cmp(&(b.tail, b.head)).then(a.weight.total_cmp(&b.weight))
    });
    if duplicates == Duplicates::Drop {
        arcs.dedup_by_key(|arc| (arc.tail, arc.head));
    }
    let bits = arcs.iter().map(|arc| arc.weight.to_bits()).collect();
    let ends = arcs.iter().map(|arc| (arc.tail, arc.head));
    share.write(path, Direction::Undirected, ends, Weights { kind: WeightKind::F32, bits })
}

/// Weights of 32 bits.
struct Weights {
    kind: WeightKind,
    bits: Vec<u32>,
}

/// The adjacent rows of each rank.
struct Share<'a> {
    ranks: &'a dyn Communicator,
    n_vertices: usize,
    /// Of each rank but the last ones.
    n_rows: usize,
}

impl<'a> Share<'a> {
    fn new(ranks: &'a dyn Communicator, n_vertices: usize) -> Self {
        Self { ranks, n_vertices, n_rows: n_vertices.div_ceil(ranks.size()).max(1) }
    }

    /// The rank that has the row of a vertex.
    fn of(&self, vertex: VertexId) -> usize {
        vertex as usize / self.n_rows
    }

    fn rows(&self) -> Range<usize> {
        let first = (self.n_rows * self.ranks.rank()).min(self.n_vertices);
        first..(first + self.n_rows).min(self.n_vertices)
    }

    /// The arcs of this rank's rows. `draw` adds the arcs of an edge to those for each rank.
    fn routed<T: Pod>(
        &self,
        n_edges: u64,
        draw: impl Fn(u64, &mut [Vec<T>]),
    ) -> Result<Vec<T>, PartitionedError> {
        let (rank, n_ranks) = (self.ranks.rank() as u64, self.ranks.size());
        // of its share of the arcs, with weights and ends as they are in the file
        let n_arcs = (n_edges as usize / n_ranks).saturating_mul(2);
        let granted = ensure_granted(n_arcs.saturating_mul(size_of::<T>() + BYTES_PER_ARC));
        agree(self.ranks, granted.map_err(NoMemory::into))?;
        let mut arcs = Vec::new();
        for first in (0..n_edges).step_by((EDGES_PER_ROUND * n_ranks as u64) as usize) {
            let own = first + EDGES_PER_ROUND * rank;
            let mut for_ranks = vec![Vec::new(); n_ranks];
            for edge in own..n_edges.min(own + EDGES_PER_ROUND) {
                draw(edge, &mut for_ranks);
            }
            let messages: Vec<_> =
                for_ranks.iter().map(|arcs| bytemuck::cast_slice(arcs)).collect();
            for bytes in self.ranks.exchange_bytes(&messages)? {
                arcs.extend(bytemuck::pod_collect_to_vec::<_, T>(&bytes));
            }
        }
        Ok(arcs)
    }

    /// Writes the rows of all ranks, of which this one has these arcs, row by row.
    fn write(
        &self,
        path: &Path,
        direction: Direction,
        ends: impl Iterator<Item = (VertexId, VertexId)>,
        weights: Weights,
    ) -> Result<u64, PartitionedError> {
        let ranks = self.ranks;
        let bits = &weights.bits;
        let own = Summary {
            n_arcs: bits.len() as u64,
            least: bits.iter().copied().min().unwrap_or(u32::MAX),
            greatest: bits.iter().copied().max().unwrap_or(0),
        };
        let all = ranks.exchange_bytes(&vec![bytemuck::bytes_of(&own); ranks.size()])?;
        let all: Vec<Summary> = all.iter().map(|s| bytemuck::pod_read_unaligned(s)).collect();
        let before: u64 = all[..ranks.rank()].iter().map(|part| part.n_arcs).sum();
        let least = all.iter().map(|part| part.least).min().unwrap_or(u32::MAX);
        let greatest = all.iter().map(|part| part.greatest).max().unwrap_or(0);
        let shape = SpgShape {
            kind: weights.kind,
            direction,
            has_equal_weights: least == greatest && least > 0,
            n_vertices: self.n_vertices as u64,
            n_arcs: all.iter().map(|part| part.n_arcs).sum(),
        };
        let rows = self.rows();
        let mut row_offsets = vec![0; rows.len() + 1];
        row_offsets[0] = before;
        let mut column_indices = Vec::with_capacity(bits.len());
        for (tail, head) in ends {
            row_offsets[tail as usize - rows.start + 1] += 1;
            column_indices.push(head);
        }
        (1..row_offsets.len()).for_each(|row| row_offsets[row] += row_offsets[row - 1]);
        let mut stored: Vec<u8> = bytemuck::cast_slice(bits).to_vec();
        if shape.has_equal_weights {
            stored = least.to_ne_bytes().to_vec();
        }
        let own = RowRange { row_offsets, column_indices, weights: stored, excess: 0 };
        self.put(path, shape, rows.start as u64, &own)?;
        Ok(shape.n_arcs)
    }

    /// Writes the rows of this rank, and puts the file in its place when all have theirs there.
    fn put(
        &self,
        path: &Path,
        shape: SpgShape,
        first: u64,
        own: &RowRange,
    ) -> Result<(), PartitionedError> {
        let ranks = self.ranks;
        let created = ranks.is_root().then(|| AtomicFile::create(path)).transpose();
        let target = agree(ranks, created.map_err(Into::into))?;
        let beside = target.as_ref().map(|file| file.beside().unwrap_or(path));
        let beside = beside.map(|path| path.to_string_lossy().into_owned().into_bytes());
        let beside = ranks.broadcast_vec(0, beside.unwrap_or_default())?;
        let beside = String::from_utf8_lossy(&beside).into_owned();
        let written = SpgParts::open(Path::new(&beside), shape).and_then(|mut file| {
            let has_rows = own.row_offsets.len() > 1;
            let sums = if has_rows { file.write(first, own)? } else { Default::default() };
            Ok((file, sums))
        });
        let (mut file, sums) = agree(ranks, written.map_err(Into::into))?;
        let gathered = ranks.gather_bytes(0, bytemuck::cast_slice(sums.as_flattened()))?;
        let Some(target) = target else { return agree(ranks, Ok(())) };
        let sums: Vec<_> = gathered.iter().map(|sums| bytemuck::pod_read_unaligned(sums)).collect();
        let finished = file.finish(&sums).and_then(|()| target.commit());
        agree(ranks, finished.map_err(Into::into))
    }
}

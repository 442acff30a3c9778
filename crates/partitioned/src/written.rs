//! An `.spg` file of a drawn graph, which ranks write together: no rank has the whole graph.
//!
//! Each rank draws a share of the edges, and sends arcs to the ranks that have their tails. Here these
//! are adjacent rows, so that a rank writes one range of each section of the file, in chunks of rows.
//! The file has a temporary name until all is written.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use collectives::Communicator;
use graph_formats::generate::{Duplicates, EdgeDraws, Graph500Draws};
use graph_formats::{
    AtomicFile, Direction, GraphError, Interrupted, Progress, RowRange, SpgParts, SpgShape,
    SpgSums, VertexId, WeightKind, ensure_granted, tell,
};
use rayon::prelude::*;

use crate::PartitionedError;
use crate::messages::agree;

/// Edges that a rank draws between two exchanges.
const EDGES_PER_ROUND: u64 = 1 << 20;
/// Arcs that are written at once, unless a row has more.
const ARCS_PER_CHUNK: usize = 1 << 24;
/// Bytes of an arc of a chunk: its end, and its weight twice.
const BYTES_PER_ARC: usize = 12;
/// There is room for this part more arcs than the mean of all ranks.
const EXCESS: usize = 64;

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
/// the number of its arcs. To be called by all ranks, which see the folder of the file. Takes 8 bytes
/// for each arc that a rank draws, 8 for each of its rows, and 200 MB; O(m/P log m) on P ranks. `progress`
/// is told how many of all edges are drawn, and may end it on any rank.
///
/// ```
/// use collectives::Threads;
/// use graph_formats::generate::RmatConfig;
/// use partitioned::write_drawn;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("graph.spg");
/// let draws = RmatConfig { scale: 6, ..Default::default() }.draws()?;
/// let n_arcs = Threads::run(2, |ranks| write_drawn(ranks, &draws, &path, None))?;
/// assert_eq!(n_arcs[0], graph_formats::read(&path)?.csr.n_arcs() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// On all ranks when one of them cannot write, is refused the memory, or has ended, or the callback of one
/// ends it; the file is then as it was.
pub fn write_drawn(
    ranks: &dyn Communicator,
    draws: &EdgeDraws,
    path: &Path,
    progress: Option<Progress<'_>>,
) -> Result<u64, PartitionedError> {
    write_drawn_by(ranks, draws, path, progress, ARCS_PER_CHUNK)
}

fn write_drawn_by(
    ranks: &dyn Communicator,
    draws: &EdgeDraws,
    path: &Path,
    progress: Option<Progress<'_>>,
    arcs_per_chunk: usize,
) -> Result<u64, PartitionedError> {
    let counts = (draws.n_vertices(), draws.n_edges());
    let share = Share::new(ranks, counts, progress, arcs_per_chunk);
    let n_rows = share.n_rows;
    let arcs = share.routed(draws.most_arcs(), |edge, for_ranks: &mut [Vec<u64>]| {
        for arc in draws.arcs(edge) {
            for_ranks[(arc >> 32) as usize / n_rows].push(arc);
        }
    })?;
    let arcs = draws.sorted(arcs);
    let of_arcs = Rows {
        tail: |arc: &u64| (arc >> 32) as VertexId,
        head: |arc: &u64| *arc as VertexId,
        weights: |arcs: &[u64]| draws.weights_of(arcs),
    };
    share.write(path, draws.direction(), WeightKind::U32, &arcs, of_arcs)
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
    progress: Option<Progress<'_>>,
) -> Result<u64, PartitionedError> {
    let counts = (draws.n_vertices(), draws.n_edges());
    let share = Share::new(ranks, counts, progress, ARCS_PER_CHUNK);
    let n_rows = share.n_rows;
    let most_arcs = (draws.n_edges() as usize).saturating_mul(2);
    let mut arcs = share.routed(most_arcs, |edge, for_ranks: &mut [Vec<Arc>]| {
        let (u, v, weight) = draws.edge(edge);
        let is_loop = u == v;
        let both = [Arc { tail: u, head: v, weight }, Arc { tail: v, head: u, weight }];
        let kept = match (is_loop, duplicates) {
            (true, Duplicates::Drop) => 0,
            (true, Duplicates::Keep) => 1,
            (false, _) => 2,
        };
        for arc in both.into_iter().take(kept) {
            for_ranks[arc.tail as usize / n_rows].push(arc);
        }
    })?;
    arcs.par_sort_unstable_by(|a, b| {
        (a.tail, a.head).cmp(&(b.tail, b.head)).then(a.weight.total_cmp(&b.weight))
    });
    if duplicates == Duplicates::Drop {
        arcs.dedup_by_key(|arc| (arc.tail, arc.head));
    }
    let of_arcs = Rows {
        tail: |arc: &Arc| arc.tail,
        head: |arc: &Arc| arc.head,
        weights: |arcs: &[Arc]| arcs.iter().map(|arc| arc.weight.to_bits()).collect(),
    };
    share.write(path, Direction::Undirected, WeightKind::F32, &arcs, of_arcs)
}

/// What is written of an arc, and of all arcs of some rows.
struct Rows<Tail, Head, Weights> {
    tail: Tail,
    head: Head,
    weights: Weights,
}

/// The adjacent rows of each rank.
struct Share<'a> {
    ranks: &'a dyn Communicator,
    n_vertices: usize,
    n_edges: u64,
    /// Of each rank but the last ones.
    n_rows: usize,
    progress: Option<Progress<'a>>,
    arcs_per_chunk: usize,
}

impl<'a> Share<'a> {
    fn new(
        ranks: &'a dyn Communicator,
        (n_vertices, n_edges): (usize, u64),
        progress: Option<Progress<'a>>,
        arcs_per_chunk: usize,
    ) -> Self {
        let n_rows = n_vertices.div_ceil(ranks.size()).max(1);
        Self { ranks, n_vertices, n_edges, n_rows, progress, arcs_per_chunk }
    }

    /// Tells how many edges are drawn.
    fn tell(&self, drawn: u64) -> Result<(), Interrupted> {
        tell(self.progress, drawn, self.n_edges)
    }

    /// An error on all ranks where the callback of one has ended it.
    fn go_on(&self, told: Result<(), Interrupted>) -> Result<(), PartitionedError> {
        let ended = told.err().map(|error| error.to_string());
        match self.ranks.first_message(ended.as_deref())? {
            Some(_) => Err(Interrupted.into()),
            None => Ok(()),
        }
    }

    fn rows(&self) -> Range<usize> {
        let first = (self.n_rows * self.ranks.rank()).min(self.n_vertices);
        first..(first + self.n_rows).min(self.n_vertices)
    }

    /// The arcs of this rank's rows; all ranks have this many at most. `draw` adds the arcs of an edge to those
    /// for each rank.
    fn routed<T: Pod + Send>(
        &self,
        most_arcs: usize,
        draw: impl Fn(u64, &mut [Vec<T>]) + Sync,
    ) -> Result<Vec<T>, PartitionedError> {
        let (rank, n_ranks, n_edges) = (self.ranks.rank() as u64, self.ranks.size(), self.n_edges);
        let mean = most_arcs.div_ceil(n_ranks);
        let n_arcs = if n_ranks == 1 { mean } else { mean + mean / EXCESS };
        let beside = 8 * (self.n_rows + 1) + BYTES_PER_ARC * self.arcs_per_chunk.min(n_arcs);
        let bytes = n_arcs as u128 * size_of::<T>() as u128 + beside as u128;
        let granted = ensure_granted(usize::try_from(bytes).unwrap_or(usize::MAX));
        agree(self.ranks, granted.map_err(|_| self.too_large(bytes).into()))?;
        let mut arcs = Vec::with_capacity(n_arcs);
        let none = || vec![Vec::new(); n_ranks];
        for first in (0..n_edges).step_by((EDGES_PER_ROUND * n_ranks as u64) as usize) {
            self.go_on(self.tell(first))?;
            let own = first + EDGES_PER_ROUND * rank;
            let edges = own..n_edges.min(own + EDGES_PER_ROUND);
            let drawn = edges.into_par_iter().fold(none, |mut for_ranks, edge| {
                draw(edge, &mut for_ranks);
                for_ranks
            });
            let for_ranks = drawn.reduce(none, |mut all, others| {
                all.iter_mut().zip(others).for_each(|(all, mut other)| all.append(&mut other));
                all
            });
            let messages: Vec<_> =
                for_ranks.iter().map(|arcs| bytemuck::cast_slice(arcs)).collect();
            for bytes in self.ranks.exchange_bytes(&messages)? {
                arcs.extend(bytemuck::pod_collect_to_vec::<_, T>(&bytes));
            }
        }
        Ok(arcs)
    }

    fn too_large(&self, bytes: u128) -> GraphError {
        GraphError::BadParameter {
            name: "size",
            value: format!("{} vertices and {} edges", self.n_vertices, self.n_edges),
            expected: format!(
                "a graph that the ranks can make: rank {} takes {bytes} bytes for it, which the system \
                 refuses; start more ranks on other machines, or draw fewer edges",
                self.ranks.rank()
            ),
        }
    }

    /// The rows of this rank in chunks; the arcs of each row begin there.
    fn chunks(&self, row_offsets: &[u64]) -> Vec<Range<usize>> {
        let (n_rows, mut chunks, mut first) = (row_offsets.len() - 1, Vec::new(), 0);
        for row in 1..=n_rows {
            let n_arcs = |end: usize| (row_offsets[end] - row_offsets[first]) as usize;
            if row == n_rows || n_arcs(row + 1) > self.arcs_per_chunk {
                chunks.push(first..row);
                first = row;
            }
        }
        chunks
    }

    /// Writes the rows of all ranks, of which this one has these arcs, row by row. Weights are found
    /// twice, for the file says first whether all are the same.
    fn write<A>(
        &self,
        path: &Path,
        direction: Direction,
        kind: WeightKind,
        arcs: &[A],
        of: Rows<impl Fn(&A) -> VertexId, impl Fn(&A) -> VertexId, impl Fn(&[A]) -> Vec<u32>>,
    ) -> Result<u64, PartitionedError> {
        let (ranks, rows) = (self.ranks, self.rows());
        let mut row_offsets = vec![0; rows.len() + 1];
        for arc in arcs {
            row_offsets[(of.tail)(arc) as usize - rows.start + 1] += 1;
        }
        (1..row_offsets.len()).for_each(|row| row_offsets[row] += row_offsets[row - 1]);
        let chunks = self.chunks(&row_offsets);
        let arcs_of = |chunk: &Range<usize>| {
            &arcs[row_offsets[chunk.start] as usize..row_offsets[chunk.end] as usize]
        };
        let mut own = Summary { n_arcs: arcs.len() as u64, least: u32::MAX, greatest: 0 };
        for bits in chunks.iter().map(|chunk| (of.weights)(arcs_of(chunk))) {
            own.least = bits.iter().copied().min().unwrap_or(u32::MAX).min(own.least);
            own.greatest = bits.iter().copied().max().unwrap_or(0).max(own.greatest);
        }
        let all = ranks.exchange_bytes(&vec![bytemuck::bytes_of(&own); ranks.size()])?;
        let all: Vec<Summary> = all.iter().map(|s| bytemuck::pod_read_unaligned(s)).collect();
        let before: u64 = all[..ranks.rank()].iter().map(|part| part.n_arcs).sum();
        let least = all.iter().map(|part| part.least).min().unwrap_or(u32::MAX);
        let greatest = all.iter().map(|part| part.greatest).max().unwrap_or(0);
        let shape = SpgShape {
            kind,
            direction,
            has_equal_weights: least == greatest && least > 0,
            n_vertices: self.n_vertices as u64,
            n_arcs: all.iter().map(|part| part.n_arcs).sum(),
        };
        let chunk = |chunk: &Range<usize>| {
            let arcs = arcs_of(chunk);
            let weights = match shape.has_equal_weights {
                true => least.to_ne_bytes().to_vec(),
                false => bytemuck::cast_slice(&(of.weights)(arcs)).to_vec(),
            };
            let offsets = row_offsets[chunk.start..=chunk.end].iter();
            let rows = RowRange {
                row_offsets: offsets.map(|offset| before + offset).collect(),
                column_indices: arcs.iter().map(&of.head).collect(),
                weights,
                excess: 0,
            };
            ((self.rows().start + chunk.start) as u64, rows)
        };
        self.put(path, shape, chunks.iter().map(chunk))?;
        Ok(shape.n_arcs)
    }

    /// Writes the rows of this rank, and puts the file in its place when all have theirs there.
    fn put(
        &self,
        path: &Path,
        shape: SpgShape,
        chunks: impl Iterator<Item = (u64, RowRange)>,
    ) -> Result<(), PartitionedError> {
        let ranks = self.ranks;
        let created = ranks.is_root().then(|| AtomicFile::create(path)).transpose();
        let target = agree(ranks, created.map_err(Into::into))?;
        let beside = target.as_ref().map(|file| file.beside().unwrap_or(path));
        let beside = beside.map(|path| path.to_string_lossy().into_owned().into_bytes());
        let beside = ranks.broadcast_vec(0, beside.unwrap_or_default())?;
        let beside = String::from_utf8_lossy(&beside).into_owned();
        let mut told = Ok(());
        let written = SpgParts::open(Path::new(&beside), shape).and_then(|mut file| {
            let sums = chunks.map_while(|(first, rows)| {
                told = self.tell(self.n_edges);
                told.is_ok().then(|| file.write(first, &rows))
            });
            let sums = sums.collect::<Result<Vec<_>, _>>()?;
            Ok((file, sums))
        });
        // the temporary name tells a user nothing
        let named = |error| match error {
            GraphError::Io { source, .. } => GraphError::Io { path: path.to_owned(), source },
            error => error,
        };
        let (mut file, sums) = agree(ranks, written.map_err(named).map_err(Into::into))?;
        self.go_on(told.and_then(|()| self.tell(self.n_edges)))?;
        let gathered =
            ranks.gather_bytes(0, bytemuck::cast_slice(sums.as_flattened().as_flattened()))?;
        let Some(target) = target else { return agree(ranks, Ok(())) };
        let sums = gathered.iter().flat_map(|sums| sums.chunks_exact(size_of::<SpgSums>()));
        let sums: Vec<_> = sums.map(bytemuck::pod_read_unaligned).collect();
        let finished = file.finish(&sums).and_then(|()| target.commit());
        agree(ranks, finished.map_err(named).map_err(Into::into))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use collectives::Threads;
    use graph_formats::generate::{GraphOptions, RmatConfig};

    use super::*;

    #[test]
    fn chunks_of_any_size_are_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.spg");
        for duplicates in [Duplicates::Drop, Duplicates::Keep] {
            let options = GraphOptions { duplicates, ..Default::default() };
            let config = RmatConfig { scale: 6, options, ..Default::default() };
            let draws = config.draws().unwrap();
            let file = |n_ranks, arcs_per_chunk| {
                let write =
                    |ranks: &Threads| write_drawn_by(ranks, &draws, &path, None, arcs_per_chunk);
                Threads::run(n_ranks, write).unwrap();
                fs::read(&path).unwrap()
            };
            let whole = file(1, ARCS_PER_CHUNK);
            for (n_ranks, arcs_per_chunk) in [(1, 1), (1, 100), (3, 7), (2, 1000)] {
                assert!(file(n_ranks, arcs_per_chunk) == whole, "chunks of {arcs_per_chunk}");
            }
        }
    }
}

//! How vertices are dealt to GPUs: those with arcs by degree, in turn.
//!
//! So all GPUs have as many vertices and about as many arcs, hubs among them. Vertices without arcs
//! have no place, if the graph is undirected. Within a part those of high degree come first, and their bits and keys lie together.

use std::ops::Range;
use std::thread;

use gpu_runtime::Gpu;
use graph_formats::generate::EdgeDraws;
use graph_formats::{Csr, Direction, VertexId, Weight};
use rayon::prelude::*;
use search_parts::device::{RankedArcs, Ranks, offsets_of};
use search_parts::{NO_VERTEX, SearchError};

/// The most GPUs: `max_parts` of `part.cuh`.
pub(super) const MAX_PARTS: usize = 32;
/// Bits of vertices are exchanged in whole lines of memory.
const VERTICES_OF_LINE: usize = 1024;

/// Which GPU has which vertices, under which numbers.
pub struct Dealt {
    ranks: Ranks,
    n_parts: usize,
    stride: u32,
}

/// How many vertices a part has, of how many parts, and how many numbers each.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) part: usize,
    pub(super) n_rows: usize,
    pub(super) n_parts: usize,
    pub(super) stride: u32,
}

impl Dealt {
    fn new(ranks: Ranks, n_parts: usize) -> Result<Self, SearchError> {
        let each = ranks.order.len().div_ceil(n_parts).max(1);
        let stride = each.next_multiple_of(VERTICES_OF_LINE);
        check_numbers(n_parts * stride)?;
        Ok(Self { ranks, n_parts, stride: stride as u32 })
    }

    /// Of the edges that are drawn, with the arcs of each vertex.
    pub(super) fn of_draws(
        gpus: &[Gpu],
        draws: &EdgeDraws,
    ) -> Result<(Self, Vec<u32>), SearchError> {
        let lengths = RankedArcs::lengths(&gpus[0], draws)?;
        let length = |v: VertexId| lengths[v as usize].into();
        let is_head = |_| draws.direction() == Direction::Directed;
        let ranks = Ranks::new(draws.n_vertices(), length, is_head);
        Ok((Self::new(ranks, gpus.len())?, lengths))
    }

    /// Of the graph.
    pub(super) fn of_graph<W: Weight>(gpus: &[Gpu], graph: &Csr<W>) -> Result<Self, SearchError> {
        let length = |v: VertexId| graph.out_degree(v) as u64;
        let is_head = |_| graph.direction() == Direction::Directed;
        Self::new(Ranks::new(graph.n_vertices(), length, is_head), gpus.len())
    }

    /// How many GPUs there are.
    pub fn n_parts(&self) -> usize {
        self.n_parts
    }

    /// Numbers of a part.
    pub(super) fn stride(&self) -> u32 {
        self.stride
    }

    pub(super) fn shape(&self, part: usize) -> Shape {
        Shape { part, n_rows: self.len(part), n_parts: self.n_parts, stride: self.stride }
    }

    /// Vertices of the graph, also those without a place.
    pub(super) fn n_vertices(&self) -> usize {
        self.ranks.ranks.len()
    }

    /// How many vertices a part has.
    pub fn len(&self, part: usize) -> usize {
        (self.ranks.order.len() + self.n_parts - 1 - part) / self.n_parts
    }

    /// The vertices by rank.
    pub(super) fn order(&self) -> &[VertexId] {
        &self.ranks.order
    }

    pub(super) fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The number of a vertex, if it has a place.
    pub fn number(&self, vertex: VertexId) -> Option<u32> {
        let rank = self.ranks.ranks[vertex as usize];
        let n_parts = self.n_parts as u32;
        (rank != NO_VERTEX).then(|| rank % n_parts * self.stride + rank / n_parts)
    }

    /// The numbers of those of `vertices` that have a place.
    pub(super) fn numbers(&self, vertices: &[VertexId]) -> Vec<u32> {
        vertices.iter().filter_map(|&vertex| self.number(vertex)).collect()
    }

    /// The values of these vertices, or of all, from those of each part: `zero` of sources, `none` where
    /// another vertex has no place. O(n).
    pub(super) fn gather<T: Copy + Send + Sync>(
        &self,
        parts: &[Vec<T>],
        of: Option<&[VertexId]>,
        sources: &[VertexId],
        [zero, none]: [T; 2],
    ) -> Vec<T> {
        let n_parts = self.n_parts as u32;
        let value = |&rank: &u32| match rank {
            NO_VERTEX => none,
            rank => parts[(rank % n_parts) as usize][(rank / n_parts) as usize],
        };
        let Some(vertices) = of else {
            let mut all: Vec<T> = self.ranks.ranks.par_iter().map(value).collect();
            sources.iter().for_each(|&source| all[source as usize] = zero);
            return all;
        };
        let value = |vertex: &VertexId| match sources.contains(vertex) {
            true => zero,
            false => value(&self.ranks.ranks[*vertex as usize]),
        };
        vertices.iter().map(value).collect()
    }

    /// Where these rows of a part of `graph` begin, and the numbers of arcs in them, row by row.
    pub(super) fn rows_of<W: Weight>(
        &self,
        graph: &Csr<W>,
        part: usize,
        rows: Range<usize>,
    ) -> Result<(Vec<u64>, Vec<usize>), SearchError> {
        let rows: Vec<_> = rows.map(|row| self.ranks.order[row * self.n_parts + part]).collect();
        let offsets = offsets_of(rows.iter().map(|&v| graph.out_degree(v) as u64))?;
        let arcs = rows.into_par_iter().flat_map_iter(|v| graph.row(v)).collect();
        Ok((offsets, arcs))
    }

    /// These rows of a part of `graph`, with heads by rank.
    pub(super) fn sorted_rows<W: Weight>(
        &self,
        gpu: &Gpu,
        graph: &Csr<W>,
        part: usize,
        rows: Range<usize>,
    ) -> Result<RankedArcs, SearchError> {
        let (offsets, arcs) = self.rows_of(graph, part, rows)?;
        let heads = self.heads(graph, &arcs);
        RankedArcs::sorted(gpu, offsets, &heads)
    }

    /// The ranks of the heads of these arcs.
    pub(super) fn heads<W: Weight>(&self, graph: &Csr<W>, arcs: &[usize]) -> Vec<u32> {
        let rank = |&arc: &usize| self.ranks.ranks[graph.column_indices()[arc] as usize];
        arcs.par_iter().map(rank).collect()
    }
}

/// Checks that kernels can count the numbers of vertices in 32 bits, and the steps of a grid beyond them.
pub(super) fn check_numbers(n_numbers: usize) -> Result<(), SearchError> {
    const MOST: usize = u32::MAX as usize - (1 << 20);
    if n_numbers > MOST {
        let reason = format!("GPUs search graphs of up to {MOST} vertices, not {n_numbers}");
        return Err(SearchError::NotOnGpu { reason });
    }
    Ok(())
}

/// Checks that GPUs can read each other's memory, and that none waits in the stream of another.
///
/// Parts may share a GPU, so that a test of several parts needs only one. They meet if the driver runs
/// their launches side by side. It does, but for debuggers, sanitizers, and a process that does something
/// else with the GPU meanwhile.
pub(super) fn check_reach(gpus: &[Gpu]) -> Result<(), SearchError> {
    let refuse = |reason: String| Err(SearchError::NotOnGpu { reason });
    if gpus.is_empty() || gpus.len() > MAX_PARTS {
        return refuse(format!("a graph is on 1 to {MAX_PARTS} GPUs, not {}", gpus.len()));
    }
    for (at, gpu) in gpus.iter().enumerate() {
        for (other, to) in gpus.iter().enumerate().skip(at + 1) {
            if gpu.stream_handle()? == to.stream_handle()? {
                return refuse(format!("GPUs {at} and {other} are one that is named twice"));
            }
            if !gpu.reach(to)? {
                return refuse(format!(
                    "GPUs {at} and {other} cannot read each other's memory; take one GPU"
                ));
            }
        }
    }
    Ok(())
}

/// The result of `make` for each part, each on a thread of its own.
pub(super) fn each_part<T: Send>(
    gpus: &[Gpu],
    make: impl Fn(usize, &Gpu) -> Result<T, SearchError> + Sync,
) -> Result<Vec<T>, SearchError> {
    thread::scope(|scope| {
        let make = &make;
        let start = |(part, gpu)| scope.spawn(move || make(part, gpu));
        let threads: Vec<_> = gpus.iter().enumerate().map(start).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_vertices_than_kernels_count_are_refused() {
        assert!(check_numbers(1 << 31).is_ok());
        assert!(check_numbers(u32::MAX as usize - 1000).is_err());
        assert!(check_numbers(1 << 33).is_err());
    }
}

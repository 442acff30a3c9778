//! Rows of arcs that are made on the device: of a graph whose vertices get other numbers, or of the
//! edges that a generator draws, without a copy on the host.
//!
//! Rows ascend. Offsets have 64 bits, for graphs of more than 2^32 arcs. The kernels are in
//! `kernels/sssp/ranked_rows.cu`.
//!
//! O(m log² d) for rows of d arcs, since rows are sorted by bitonic networks. Besides the rows, the
//! device holds those in the other numbers, or, where equal arcs are dropped, those with them.

use std::ops::Range;

use gpu_runtime::{Arg, Buffer, Gpu, GpuError, LaunchConfig, Ptx};
#[cfg(test)]
use graph_formats::generate::DrawParameters;
use graph_formats::generate::{Duplicates, EdgeDraws};
use graph_formats::{Csr, VertexId};
use rayon::prelude::*;

use crate::{NO_VERTEX, SearchError, all_threads};

static KERNELS: Ptx = Ptx::new(kernels::sssp::RANKED_ROWS.name, kernels::sssp::RANKED_ROWS.ptx);

/// The longest row that can be sorted: its places, doubled, are counted in 32 bits.
const MAX_ROW: u64 = 1 << 30;
/// Threads of a block that sorts a long row.
const LONG_BLOCK: u32 = 1024;

/// Other numbers for the vertices that have arcs.
pub struct Ranks {
    /// The vertex of each rank: those with longer rows first, among equal ones that of the lower
    /// number.
    pub order: Vec<VertexId>,
    /// The rank of each vertex, [`NO_VERTEX`] where it has no arc.
    pub ranks: Vec<u32>,
    /// How many vertices have a row; they come first.
    pub n_rows: usize,
}

impl Ranks {
    /// Of `n` vertices with rows of these lengths. One whose row is empty has a rank if it
    /// `has_arcs` that lead from it. O(n log n).
    pub fn new(
        n: usize,
        length: impl Fn(VertexId) -> u64 + Sync,
        has_arcs: impl Fn(VertexId) -> bool + Sync,
    ) -> Self {
        let key = |v: VertexId| {
            let length = u32::try_from(length(v)).unwrap_or(u32::MAX);
            (length > 0 || has_arcs(v)).then_some(u64::from(!length) << 32 | u64::from(v))
        };
        let mut keys: Vec<u64> = (0..n as VertexId).into_par_iter().filter_map(key).collect();
        keys.par_sort_unstable();
        let n_rows = keys.partition_point(|key| key >> 32 < u64::from(u32::MAX));
        let order: Vec<_> = keys.into_par_iter().map(|key| key as VertexId).collect();
        let mut ranks = vec![NO_VERTEX; n];
        for (rank, &v) in (0..).zip(&order) {
            ranks[v as usize] = rank;
        }
        Self { order, ranks, n_rows }
    }
}

/// The rows of a graph on the device, as the host has them.
pub struct PlainArcs {
    offsets: Buffer<u64>,
    ends: Buffer<VertexId>,
}

impl PlainArcs {
    /// Copies them. O(n + m).
    ///
    /// # Errors
    /// When the device fails or has too little memory.
    pub fn upload(gpu: &Gpu, graph: &Csr<u32>) -> Result<Self, GpuError> {
        let offsets = gpu.upload(graph.row_offsets())?;
        Ok(Self { offsets, ends: gpu.upload(graph.column_indices())? })
    }
}

/// Rows of arcs on the device, without weights, and where each begins.
pub struct RankedArcs {
    /// The offset of each row, and the number of arcs.
    pub row_offsets: Vec<u64>,
    /// The same on the device.
    pub offsets: Buffer<u64>,
    /// The heads of the arcs.
    pub ends: Buffer<VertexId>,
}

impl RankedArcs {
    /// Bytes on the device of `n` rows and `m` arcs while they are made, at most.
    pub fn bytes(n: usize, m: usize) -> u64 {
        (2 * (n + 1) * size_of::<u64>() + 2 * n * size_of::<u32>() + 2 * m * size_of::<u32>())
            as u64
    }

    /// The rows of `graph` by these ranks, which are those of its rows; `arcs` are its own.
    ///
    /// # Errors
    /// When the device fails or has too little memory, or a row is too long.
    pub fn of_graph(
        gpu: &Gpu,
        graph: &Csr<u32>,
        arcs: &PlainArcs,
        ranks: &Ranks,
    ) -> Result<Self, SearchError> {
        let n_rows = ranks.n_rows;
        let length = |&v: &VertexId| graph.out_degree(v) as u64;
        let row_offsets = offsets_of(ranks.order[..n_rows].iter().map(length))?;
        let (order, places) = (gpu.upload(&ranks.order)?, gpu.upload(&ranks.ranks)?);
        let (offsets, ends) = (gpu.upload(&row_offsets)?, gpu.buffer(arcs.ends.len())?);
        let args = [
            (&arcs.offsets).into(),
            (&arcs.ends).into(),
            (&order).into(),
            (&places).into(),
            (&offsets).into(),
            (&ends).into(),
            (n_rows as u32).into(),
        ];
        // SAFETY: `offsets` has the rows of the first `n_rows` of `order`, which are as long in the
        // graph; its ends are vertices, each with a place.
        unsafe { launch(gpu, "rank_rows", all_threads(gpu), &args)? };
        let made = Self { row_offsets, offsets, ends };
        made.sort(gpu)?;
        Ok(made)
    }

    /// The rows of the edges that are drawn. A vertex keeps its number.
    ///
    /// # Errors
    /// As [`of_graph`](Self::of_graph).
    pub fn drawn(gpu: &Gpu, draws: &EdgeDraws) -> Result<Self, SearchError> {
        let lengths = Self::lengths(gpu, draws)?;
        let row_offsets = offsets_of(lengths.iter().map(|&length| length.into()))?;
        drop(lengths);
        Self::placed(gpu, draws, row_offsets, None, [0, 1, 0])
    }

    /// The same rows by ranks, with the ranks: those of the rows before equal arcs are dropped.
    ///
    /// # Errors
    /// As [`of_graph`](Self::of_graph).
    pub fn drawn_by_degree(gpu: &Gpu, draws: &EdgeDraws) -> Result<(Self, Ranks), SearchError> {
        let lengths = Self::lengths(gpu, draws)?;
        let ranks = Ranks::new(draws.n_vertices(), |v| lengths[v as usize].into(), |_| false);
        Ok((Self::drawn_part(gpu, draws, &lengths, &ranks, 0, 1)?, ranks))
    }

    /// The rows of one of `n_parts` parts, which get the ranks in turn: row k is that of the rank
    /// k · `n_parts` + `part`. Heads are ranks. `lengths` are those of all vertices.
    ///
    /// # Errors
    /// As [`of_graph`](Self::of_graph).
    pub fn drawn_part(
        gpu: &Gpu,
        draws: &EdgeDraws,
        lengths: &[u32],
        ranks: &Ranks,
        part: usize,
        n_parts: usize,
    ) -> Result<Self, SearchError> {
        let n_rows = (ranks.order.len() + n_parts - 1 - part) / n_parts;
        Self::drawn_rows(gpu, draws, lengths, ranks, [part, n_parts], 0..n_rows)
    }

    /// Some rows of [such a part](Self::drawn_part), which is the number `part` of `n_parts`. Takes the time
    /// of drawing all edges.
    ///
    /// # Errors
    /// As [`of_graph`](Self::of_graph).
    pub fn drawn_rows(
        gpu: &Gpu,
        draws: &EdgeDraws,
        lengths: &[u32],
        ranks: &Ranks,
        [part, n_parts]: [usize; 2],
        rows: Range<usize>,
    ) -> Result<Self, SearchError> {
        let first = rows.start;
        let rows = rows.map(|row| ranks.order[row * n_parts + part]);
        let row_offsets = offsets_of(rows.map(|v| lengths[v as usize].into()))?;
        let of_part = [part as u32, n_parts as u32, first as u32];
        Self::placed(gpu, draws, row_offsets, Some(ranks), of_part)
    }

    /// These rows, sorted.
    ///
    /// # Errors
    /// When the device fails or has too little memory.
    pub fn sorted(
        gpu: &Gpu,
        row_offsets: Vec<u64>,
        ends: &[VertexId],
    ) -> Result<Self, SearchError> {
        let made = Self::unsorted(gpu, row_offsets, ends)?;
        made.sort(gpu)?;
        Ok(made)
    }

    /// These rows as they are.
    ///
    /// # Errors
    /// As [`sorted`](Self::sorted).
    pub fn unsorted(
        gpu: &Gpu,
        row_offsets: Vec<u64>,
        ends: &[VertexId],
    ) -> Result<Self, SearchError> {
        let (offsets, ends) = (gpu.upload(&row_offsets)?, gpu.upload(ends)?);
        Ok(Self { row_offsets, offsets, ends })
    }

    /// How many arcs each vertex has, with equal ones.
    ///
    /// # Errors
    /// When the device fails or has too little memory.
    pub fn lengths(gpu: &Gpu, draws: &EdgeDraws) -> Result<Vec<u32>, SearchError> {
        let (parameters, counts) = (draws.parameters(), gpu.buffer::<u32>(draws.n_vertices())?);
        let args = [Arg::structure(&parameters), (&counts).into()];
        // SAFETY: ends of drawn edges are vertices, and there is a count for each.
        unsafe { launch(gpu, "count_drawn", all_threads(gpu), &args)? };
        Ok(counts.download()?)
    }

    /// The rows that begin at these offsets, those of all that is drawn.
    fn placed(
        gpu: &Gpu,
        draws: &EdgeDraws,
        row_offsets: Vec<u64>,
        ranks: Option<&Ranks>,
        [part, n_parts, first]: [u32; 3],
    ) -> Result<Self, SearchError> {
        let m = *row_offsets.last().unwrap_or(&0) as usize;
        gpu.check_fits("the graph", Self::bytes(row_offsets.len(), m))?;
        let (parameters, places) = (draws.parameters(), gpu.upload(&row_offsets)?);
        let ends = gpu.buffer(m)?;
        let ranks = ranks.map(|ranks| gpu.upload(&ranks.ranks)).transpose()?;
        let at = ranks.as_ref().map_or(0u64, Buffer::address);
        let args = [
            Arg::structure(&parameters),
            at.into(),
            (&places).into(),
            (&ends).into(),
            part.into(),
            n_parts.into(),
            first.into(),
            ((row_offsets.len() - 1) as u32).into(),
        ];
        // SAFETY: the same edges are drawn as were counted, so each arc has a place in its row.
        unsafe { launch(gpu, "place_drawn", all_threads(gpu), &args)? };
        drop((places, ranks));
        let offsets = gpu.upload(&row_offsets)?;
        let mut made = Self { row_offsets, offsets, ends };
        made.sort(gpu)?;
        if draws.duplicates() == Duplicates::Drop {
            made.drop_equal(gpu)?;
        }
        Ok(made)
    }

    /// The least end of each row, [`NO_VERTEX`] where it is empty.
    ///
    /// # Errors
    /// When the device fails or has too little memory.
    pub fn first_ends(&self, gpu: &Gpu) -> Result<Buffer<VertexId>, GpuError> {
        let firsts = gpu.buffer::<VertexId>(self.n_rows())?;
        let n_rows = self.n_rows() as u32;
        let args = [(&self.offsets).into(), (&self.ends).into(), (&firsts).into(), n_rows.into()];
        // SAFETY: rows lie inside the arcs, and there is an element for each.
        unsafe { launch(gpu, "first_ends", all_threads(gpu), &args)? };
        Ok(firsts)
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.row_offsets.len() - 1
    }

    fn sort(&self, gpu: &Gpu) -> Result<(), GpuError> {
        let n_rows = self.n_rows() as u32;
        let args = [(&self.offsets).into(), (&self.ends).into(), n_rows.into()];
        let blocks = 2 * gpu.properties().multiprocessors;
        // SAFETY: rows lie inside the arcs.
        unsafe {
            launch(gpu, "sort_long", LaunchConfig::new(blocks, LONG_BLOCK), &args)?;
            launch(gpu, "sort_short", all_threads(gpu), &args)
        }
    }

    /// Keeps one of equal arcs; rows are sorted.
    fn drop_equal(&mut self, gpu: &Gpu) -> Result<(), SearchError> {
        let n_rows = self.n_rows() as u32;
        let counts = gpu.buffer::<u32>(self.n_rows())?;
        let rows: [Arg<'_>; 2] = [(&self.offsets).into(), (&self.ends).into()];
        let args = [rows[0], rows[1], (&counts).into(), n_rows.into()];
        // SAFETY: rows lie inside the arcs, and there is a count for each.
        unsafe { launch(gpu, "count_distinct", all_threads(gpu), &args)? };
        let row_offsets = offsets_of(counts.download()?.into_iter().map(u64::from))?;
        drop(counts);
        let offsets = gpu.upload(&row_offsets)?;
        let ends = gpu.buffer(*row_offsets.last().unwrap_or(&0) as usize)?;
        let args = [rows[0], rows[1], (&offsets).into(), (&ends).into(), n_rows.into()];
        // SAFETY: the new rows are as long as was counted.
        unsafe { launch(gpu, "copy_distinct", all_threads(gpu), &args)? };
        gpu.synchronize()?;
        *self = Self { row_offsets, offsets, ends };
        Ok(())
    }
}

/// Where rows of these lengths begin, and the end of the last.
///
/// # Errors
/// [`SearchError::NotOnGpu`] for a row that is too long.
pub fn offsets_of(lengths: impl Iterator<Item = u64>) -> Result<Vec<u64>, SearchError> {
    let mut offsets = Vec::with_capacity(lengths.size_hint().0 + 1);
    let mut end = 0;
    offsets.push(end);
    for length in lengths {
        if length > MAX_ROW {
            let reason = format!("it supports up to {MAX_ROW} arcs of a vertex, not {length}");
            return Err(SearchError::NotOnGpu { reason });
        }
        end += length;
        offsets.push(end);
    }
    Ok(offsets)
}

/// Queues a kernel.
///
/// # Safety
/// It must read and write only inside the buffers of `args`.
unsafe fn launch(
    gpu: &Gpu,
    name: &str,
    shape: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<(), GpuError> {
    // SAFETY: the caller guarantees it.
    unsafe { gpu.launch(&gpu.kernel(&KERNELS, name)?, shape, args) }
}

#[cfg(test)]
test_support::layout_test! {
    DrawParameters as "Draws" of ["sssp/draws.cuh"]:
        stream, quadrants, keys, n_edges, n_vertices, scale, is_scrambled, both_ways, keeps_loops,
        unused;
}

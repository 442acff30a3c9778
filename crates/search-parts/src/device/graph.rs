//! A graph on the device.
//!
//! Searches over keys have the bounds of each vertex's row, and the arcs as pairs of head and
//! weight, so that an arc is one read. Kernels for weights of any type and sign have the graph as
//! the CPU stores it: offsets of rows, heads, weights.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

use super::keys::KeyKind;
use crate::{DeviceTimes, Kernels, SearchError, all_threads, check_size};

/// Arcs uploaded at a time.
const CHUNK: usize = 1 << 24;

/// `Rows` of `search.cuh`: addresses of bounds and arcs.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct RowsAt {
    /// The address of [`DeviceRows::bounds`].
    pub bounds: u64,
    /// The address of [`DeviceRows::arcs`].
    pub arcs: u64,
}

/// The most pieces of long rows in a graph of `m` arcs, by `arcs.cuh`.
pub fn max_pieces(m: usize) -> usize {
    /// `piece_length`; a row that is cut has at most two pieces for each `PIECE_LENGTH` arcs.
    const PIECE_LENGTH: usize = 256;
    m / (PIECE_LENGTH / 2) + 1
}

/// Rows of arcs on the device.
pub struct DeviceRows {
    /// First arc and end of each row.
    bounds: Buffer<[u32; 2]>,
    /// Head and weight of each arc: two words, or four for weights of 64 bits.
    arcs: Buffer<[u32; 2]>,
    /// How many arcs there are.
    n_arcs: usize,
}

/// A graph whose weights are [keys](KeyKind), for all searches of it.
pub struct KeyGraph {
    /// The type of weights and keys.
    pub kind: KeyKind,
    /// The arcs.
    pub rows: DeviceRows,
    /// The times of loading kernels and of the upload.
    pub times: DeviceTimes,
}

impl KeyGraph {
    /// Copies `graph`, which has no negative weights, to the device, if it fits there with `others`
    /// more bytes. The upload takes up to 192 MiB besides.
    /// `load` loads the kernels of the search for the type of its keys. O(n + m).
    // inlined, as `DeviceTimes::apart_from_jit`
    #[inline(always)]
    pub fn upload<W: Weight, K>(
        gpu: &Gpu,
        graph: &Csr<W>,
        others: u64,
        load: impl FnOnce(KeyKind) -> Result<K, SearchError>,
    ) -> Result<(Self, K), SearchError> {
        let kind = KeyKind::of(graph.weight_summary().greatest);
        let required = others + DeviceRows::bytes(graph.n_vertices(), graph.n_arcs(), kind);
        check_size(graph.n_vertices(), graph.n_arcs())?;
        let words = |arcs: Range<usize>| kind.of_weights(&graph.weights()[arcs]);
        let rows = || {
            let (offsets, ends) = (graph.row_offsets(), graph.column_indices());
            DeviceRows::upload(gpu, kind, (offsets, ends), &words)
        };
        Self::with_rows(gpu, kind, required, load, rows)
    }

    /// The graph of `rows`, of fewer than 2^32 arcs, and the result of `load`.
    #[inline(always)]
    pub fn with_rows<K>(
        gpu: &Gpu,
        kind: KeyKind,
        required: u64,
        load: impl FnOnce(KeyKind) -> Result<K, SearchError>,
        rows: impl FnOnce() -> Result<DeviceRows, SearchError>,
    ) -> Result<(Self, K), SearchError> {
        gpu.check_fits("the graph and its search", required)?;
        let mut times = DeviceTimes::default();
        let ((rows, loaded), upload_ms) = times.apart_from_jit(gpu, || {
            let loaded = load(kind)?;
            let rows = rows()?;
            gpu.synchronize()?;
            Ok::<_, SearchError>((rows, loaded))
        })?;
        times.upload_ms = upload_ms;
        Ok((Self { kind, rows, times }, loaded))
    }

    /// The rows of the arcs whose weight is below the key `limit`. O(n + m).
    pub fn short(&self, gpu: &Gpu, limit: u64) -> Result<DeviceRows, SearchError> {
        let kernels = row_kernels(gpu, self.kind)?;
        let rows = &self.rows;
        let n = rows.bounds.len();
        let (bounds, counts, used) = (gpu.buffer(n)?, gpu.buffer::<u32>(n)?, gpu.buffer::<u32>(1)?);
        let of: [Arg<'_>; 5] = [
            (&rows.bounds).into(),
            (&rows.arcs).into(),
            (n as u32).into(),
            (rows.n_arcs as u64).into(),
            limit.into(),
        ];
        let args: Vec<_> = of.into_iter().chain([(&counts).into()]).collect();
        // SAFETY: rows lie inside their arcs, as in every `DeviceRows`; threads write `counts`
        // below `n`.
        unsafe { gpu.launch(&kernels.get("count_short")?, all_threads(gpu), &args)? };
        let args = [(&counts).into(), (n as u32).into(), (&used).into(), (&bounds).into()];
        // SAFETY: threads write `counts` and `bounds` below `n`, and the one element of `used`.
        unsafe { gpu.launch(&kernels.get("place_short")?, all_threads(gpu), &args)? };
        let n_arcs = used.download()?[0] as usize;
        let arcs = gpu.buffer(n_arcs * self.kind.words_of_weight())?;
        let args: Vec<_> = of.into_iter().chain([(&counts).into(), (&arcs).into()]).collect();
        // SAFETY: `counts` has the places of the short arcs of these rows by this limit, and `arcs`
        // has room for all of them.
        unsafe { gpu.launch(&kernels.get("copy_short")?, all_threads(gpu), &args)? };
        Ok(DeviceRows { bounds, arcs, n_arcs })
    }
}

impl DeviceRows {
    /// Rows whose arrays are on the device.
    ///
    /// # Safety
    /// Bounds must lie inside the `n_arcs` arcs, which must end at vertices and have the width of
    /// the kernels that read them.
    pub unsafe fn new(bounds: Buffer<[u32; 2]>, arcs: Buffer<[u32; 2]>, n_arcs: usize) -> Self {
        Self { bounds, arcs, n_arcs }
    }

    /// First arc and end of each row.
    pub fn bounds(&self) -> &Buffer<[u32; 2]> {
        &self.bounds
    }

    /// End and weight of each arc, 32 bits each, or 64.
    pub fn arcs(&self) -> &Buffer<[u32; 2]> {
        &self.arcs
    }

    /// How many arcs there are.
    pub fn n_arcs(&self) -> usize {
        self.n_arcs
    }

    /// Rows that begin at these offsets, with these ends; `words` has the weights of some arcs as
    /// kernels take them.
    fn upload<'a>(
        gpu: &Gpu,
        kind: KeyKind,
        (offsets, ends): (&[u64], &[VertexId]),
        words: &dyn Fn(Range<usize>) -> Cow<'a, [u32]>,
    ) -> Result<Self, SearchError> {
        let kernels = row_kernels(gpu, kind)?;
        let (row_bounds, zip_arcs) = (kernels.get("row_bounds")?, kernels.get("zip_arcs")?);
        let bounds = gpu.buffer(offsets.len() - 1)?;
        let offsets = gpu.upload(offsets)?;
        let args = [(&offsets).into(), (&bounds).into(), (bounds.len() as u32).into()];
        // SAFETY: threads read `offsets`, one more than `bounds`, and write `bounds`.
        unsafe { gpu.launch(&row_bounds, all_threads(gpu), &args)? };
        drop(offsets);
        let n_arcs = ends.len();
        let arcs = gpu.buffer(n_arcs * kind.words_of_weight())?;
        for first in (0..n_arcs).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(n_arcs);
            let weights = gpu.upload(&words(chunk.clone()))?;
            let ends = gpu.upload(&ends[chunk.clone()])?;
            let (first, n) = (chunk.start as u64, ends.len() as u64);
            let args = [(&ends).into(), (&weights).into(), (&arcs).into(), first.into(), n.into()];
            // SAFETY: threads read `ends` and `weights`, `n` arcs each, and write `arcs` from
            // `first` on, which has an element for each arc.
            unsafe { gpu.launch(&zip_arcs, all_threads(gpu), &args)? };
        }
        Ok(Self { bounds, arcs, n_arcs })
    }

    /// Bytes of a graph of `n` vertices and `m` arcs.
    pub fn bytes(n: usize, m: usize, kind: KeyKind) -> u64 {
        ((n + m * kind.words_of_weight()) * size_of::<[u32; 2]>()) as u64
    }

    /// The addresses of the rows, for kernels.
    pub fn at(&self) -> RowsAt {
        RowsAt { bounds: self.bounds.address(), arcs: self.arcs.address() }
    }
}

/// The kernels of `rows.cu`.
fn row_kernels(gpu: &Gpu, kind: KeyKind) -> Result<Kernels<'_>, SearchError> {
    Kernels::of(gpu, &kernels::sssp::ROWS, kind)
}

/// The arcs of a graph on the device without their weights, fewer than 2^32.
pub struct DeviceArcs {
    /// The offset of each row, and the number of arcs: one more than the vertices.
    pub offsets: Buffer<u32>,
    /// The head of each arc.
    pub ends: Buffer<VertexId>,
}

impl DeviceArcs {
    /// Bytes of `n` vertices and `m` arcs.
    pub fn bytes(n: usize, m: usize) -> u64 {
        ((n + 1 + m) * size_of::<u32>()) as u64
    }

    /// Copies the arcs of `graph` to the device. O(n + m).
    ///
    /// # Errors
    /// When the device fails or has too little memory.
    pub fn upload<W: Weight>(gpu: &Gpu, graph: &Csr<W>) -> Result<Self, GpuError> {
        let offsets: Vec<u32> =
            graph.row_offsets().par_iter().map(|&offset| offset as u32).collect();
        Ok(Self { offsets: gpu.upload(&offsets)?, ends: gpu.upload(graph.column_indices())? })
    }
}

#[cfg(test)]
test_support::layout_test! {
    RowsAt as "Rows" of ["sssp/delta_stepping/search.cuh"]:
        bounds, arcs;
}

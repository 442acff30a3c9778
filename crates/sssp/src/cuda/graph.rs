//! A graph on the device: for every vertex the bounds of its row, and the arcs as pairs of
//! end and weight, so that an arc is one read.

use std::ops::Range;

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, Weight};

use super::kernels::PrepareKernels;
use super::words;

/// Arcs uploaded in one go.
const CHUNK: usize = 1 << 24;

/// Rows of arcs on the device.
pub(super) struct DeviceRows {
    /// First arc and end of each row.
    pub(super) bounds: Buffer<[u32; 2]>,
    /// End and weight of each arc.
    pub(super) arcs: Buffer<[u32; 2]>,
}

impl DeviceRows {
    /// Copies `graph`, which has fewer than 2^32 arcs, to the device. O(n + m).
    pub(super) fn upload<W: Weight>(
        gpu: &Gpu,
        kernels: &PrepareKernels,
        graph: &Csr<W>,
    ) -> Result<Self, GpuError> {
        let offsets = gpu.upload(graph.row_offsets())?;
        let mut bounds = gpu.buffer(graph.n_vertices())?;
        kernels.row_bounds(gpu, &offsets, &mut bounds)?;
        drop(offsets);
        let mut arcs = gpu.buffer(graph.n_arcs())?;
        for chunk in chunks(graph.n_arcs()) {
            let ends = gpu.upload(&graph.column_indices()[chunk.clone()])?;
            let weights = gpu.upload(&words::of_weights(&graph.weights()[chunk.clone()]))?;
            kernels.zip_arcs(gpu, &ends, &weights, &mut arcs, chunk.start)?;
        }
        Ok(Self { bounds, arcs })
    }

    /// The arcs shorter than `limit`, a word, row by row. O(n + m).
    pub(super) fn short(
        &self,
        gpu: &Gpu,
        kernels: &PrepareKernels,
        limit: u32,
    ) -> Result<Self, GpuError> {
        let mut bounds = gpu.buffer(self.bounds.len())?;
        let mut used = gpu.buffer::<u32>(1)?;
        kernels.count_short(gpu, self, limit, &mut used, &mut bounds)?;
        let n_short = used.download()?[0] as usize;
        let mut arcs = gpu.buffer(n_short)?;
        kernels.copy_short(gpu, self, limit, &bounds, &mut arcs)?;
        Ok(Self { bounds, arcs })
    }
}

fn chunks(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(CHUNK).map(move |first| first..(first + CHUNK).min(n))
}

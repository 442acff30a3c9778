//! The rows of a graph on the device, without weights.

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId};
use rayon::prelude::*;

/// The offsets of the rows, one more than rows, and the heads of the arcs.
pub(super) struct Rows {
    pub(super) offsets: Buffer<u32>,
    pub(super) ends: Buffer<VertexId>,
}

impl Rows {
    /// Bytes of `n` vertices and `m` arcs.
    pub(super) fn bytes(n: usize, m: usize) -> u64 {
        ((n + 1 + m) * size_of::<u32>()) as u64
    }

    /// Copies the rows of `graph` to the device. O(n + m).
    pub(super) fn upload(gpu: &Gpu, graph: &Csr<u32>) -> Result<Self, GpuError> {
        let offsets: Vec<u32> =
            graph.row_offsets().par_iter().map(|&offset| offset as u32).collect();
        Ok(Self { offsets: gpu.upload(&offsets)?, ends: gpu.upload(graph.column_indices())? })
    }
}

//! A graph on the device as its matrix is stored: offsets of rows, ends, weights.
//!
//! For kernels that take weights of any type and sign; those of [`super::graph`] are 32-bit
//! words beside the ends.

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::{Csr, VertexId, Weight};

/// Rows of arcs, of fewer than 2^32 arcs.
pub(super) struct DeviceCsr<W> {
    /// Where each row begins, and where the last one ends: one more than the vertices.
    pub(super) offsets: Buffer<u32>,
    pub(super) ends: Buffer<VertexId>,
    pub(super) weights: Buffer<W>,
}

impl<W: Weight> DeviceCsr<W> {
    /// Bytes of a graph of `n` vertices and `m` arcs.
    pub(super) fn bytes(n: usize, m: usize) -> u64 {
        ((n + 1) * size_of::<u32>() + m * (size_of::<VertexId>() + size_of::<W>())) as u64
    }

    /// Copies `graph` to the device. O(n + m).
    pub(super) fn upload(gpu: &Gpu, graph: &Csr<W>) -> Result<Self, GpuError> {
        let offsets: Vec<u32> = graph.row_offsets().iter().map(|&offset| offset as u32).collect();
        Ok(Self {
            offsets: gpu.upload(&offsets)?,
            ends: gpu.upload(graph.column_indices())?,
            weights: gpu.upload(graph.weights())?,
        })
    }
}

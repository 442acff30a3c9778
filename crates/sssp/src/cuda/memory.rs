//! What a search on the device works on: the structures that the kernel knows too, and the
//! buffers that they point to.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError};

/// `Rows` of `search.cuh`: addresses of bounds and arcs.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RowsAt {
    pub(super) bounds: u64,
    pub(super) arcs: u64,
}

/// `Search` of `search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Search {
    pub(super) graph: RowsAt,
    pub(super) near_arcs: RowsAt,
    pub(super) keys: u64,
    pub(super) near: [u64; 2],
    pub(super) far: [u64; 2],
    pub(super) visited: u64,
    pub(super) pieces: [u64; 2],
    pub(super) control: u64,
    pub(super) n_arcs: u64,
    pub(super) n_vertices: u32,
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) limit: u32,
    pub(super) delta: u32,
    pub(super) window: u32,
    pub(super) budget: u32,
    pub(super) capacity: u32,
    pub(super) piece_capacity: u32,
    pub(super) most_doublings: u32,
}

/// `Control` of `search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Control {
    pub(super) arrived: u32,
    pub(super) trouble: u32,
    near: [u32; 3],
    pieces: [u32; 3],
    far: [u32; 3],
    least: [u32; 3],
    visited: [u32; 2],
    least_beyond: [u32; 2],
    visited_arcs: [u64; 2],
    settled_arcs: u64,
    pub(super) relaxations: u64,
    pub(super) improvements: u64,
    pub(super) settled: u64,
    pub(super) steps: u32,
    pub(super) buckets: u32,
    pub(super) pushes: u32,
    pub(super) pulls: u32,
    pub(super) cycles: [u64; 4],
}

/// The lists and labels of one search.
pub(super) struct WorkSpace {
    pub(super) keys: Buffer<u32>,
    pub(super) control: Buffer<Control>,
    near: [Buffer<u64>; 2],
    far: [Buffer<u64>; 2],
    visited: Buffer<u64>,
    pieces: [Buffer<[u32; 4]>; 2],
}

impl WorkSpace {
    /// Bytes for `n_vertices` vertices, lists of `capacity` entries and `n_pieces` pieces.
    pub(super) fn bytes(n_vertices: usize, capacity: usize, n_pieces: usize) -> u64 {
        (n_vertices * 4 + capacity * 5 * 8 + n_pieces * 2 * 16 + size_of::<Control>()) as u64
    }

    pub(super) fn new(
        gpu: &Gpu,
        n_vertices: usize,
        capacity: usize,
        n_pieces: usize,
    ) -> Result<Self, GpuError> {
        Ok(Self {
            keys: gpu.buffer(n_vertices)?,
            control: gpu.buffer(1)?,
            near: [gpu.buffer(capacity)?, gpu.buffer(capacity)?],
            far: [gpu.buffer(capacity)?, gpu.buffer(capacity)?],
            visited: gpu.buffer(capacity)?,
            pieces: [gpu.buffer(n_pieces)?, gpu.buffer(n_pieces)?],
        })
    }

    /// Writes the addresses and capacities into `search`.
    pub(super) fn describe(&self, search: &mut Search) {
        let both = |pair: &[Buffer<u64>; 2]| [pair[0].address(), pair[1].address()];
        search.keys = self.keys.address();
        search.n_vertices = self.keys.len() as u32;
        search.control = self.control.address();
        search.near = both(&self.near);
        search.far = both(&self.far);
        search.visited = self.visited.address();
        search.capacity = self.visited.len() as u32;
        search.pieces = [self.pieces[0].address(), self.pieces[1].address()];
        search.piece_capacity = self.pieces[0].len() as u32;
    }
}

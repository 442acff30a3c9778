//! The work space of a search on the device: the structures that the kernel shares, and the buffers
//! that they point to.

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Buffer, Gpu, GpuError};
use search_parts::device::{KeyKind, RowsAt};

/// `Search` of `search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SteppingSearch {
    pub(super) graph: RowsAt,
    pub(super) near_arcs: RowsAt,
    pub(super) keys: u64,
    pub(super) near: [u64; 2],
    pub(super) far: [u64; 2],
    pub(super) visited: u64,
    pub(super) pieces: [u64; 2],
    pub(super) control: u64,
    pub(super) host: u64,
    pub(super) targets: u64,
    pub(super) others: u64,
    pub(super) n_arcs: u64,
    pub(super) limit: u64,
    pub(super) delta: u64,
    pub(super) short_limit: u64,
    pub(super) n_vertices: u32,
    pub(super) source: u32,
    pub(super) n_others: u32,
    pub(super) n_targets: u32,
    pub(super) budget: u32,
    pub(super) capacity: u32,
    pub(super) piece_capacity: u32,
    pub(super) most_doublings: u32,
}

/// `Control` of `search.cuh`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SteppingControl {
    arrived: u32,
    turn: u32,
    pub(super) trouble: u32,
    pub(super) steps: u32,
    stopped: u32,
    near: [u32; 3],
    pieces: [u32; 3],
    far: [u32; 3],
    visited: [u32; 2],
    least: [u64; 3],
    least_beyond: [u64; 2],
    visited_arcs: [u64; 2],
    settled_arcs: u64,
    pub(super) relaxations: u64,
    pub(super) improvements: u64,
    pub(super) settled: u64,
    pub(super) cycles: [u64; 4],
}

/// Lengths of the lists of a search.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    /// Entries in each near and far list and in the list of visited vertices; at least 1.
    pub(super) capacity: usize,
    /// Entries in each list of pieces of long rows.
    pub(super) n_pieces: usize,
}

impl Lists {
    /// Lists for a graph of `n` vertices and `m` arcs. Only the lists of pieces may be too short.
    pub(super) fn of(n: usize, m: usize) -> Self {
        Self { capacity: n, n_pieces: m / 64 + 1024 }
    }
}

/// The lists and keys of one search, or of several at a time: each buffer has the array of the
/// first search, then that of the second, and so on. With keys of two words, all are twice as long.
pub(super) struct WorkSpace {
    n_vertices: usize,
    pub(super) lists: Lists,
    pub(super) keys: Buffer<u32>,
    pub(super) control: Buffer<SteppingControl>,
    pub(super) near: [Buffer<u64>; 2],
    pub(super) far: [Buffer<u64>; 2],
    visited: Buffer<u64>,
    pub(super) pieces: [Buffer<[u32; 4]>; 2],
}

impl WorkSpace {
    /// Bytes of one search of `n_vertices` vertices.
    pub(super) fn bytes(n_vertices: usize, lists: Lists, kind: KeyKind) -> u64 {
        let Lists { capacity, n_pieces } = lists;
        let bytes_per_word = n_vertices * 4 + capacity * 5 * 8 + n_pieces * 2 * 16;
        (bytes_per_word * kind.words_of_key() + size_of::<SteppingControl>()) as u64
    }

    /// Allocates the buffers for `count` searches.
    pub(super) fn new(
        gpu: &Gpu,
        n_vertices: usize,
        lists: Lists,
        kind: KeyKind,
        count: usize,
    ) -> Result<Self, GpuError> {
        let words = kind.words_of_key() * count;
        let (capacity, n_pieces) = (lists.capacity * words, lists.n_pieces * words);
        Ok(Self {
            n_vertices,
            lists,
            keys: gpu.buffer(n_vertices * words)?,
            control: gpu.buffer(count)?,
            near: [gpu.buffer(capacity)?, gpu.buffer(capacity)?],
            far: [gpu.buffer(capacity)?, gpu.buffer(capacity)?],
            visited: gpu.buffer(capacity)?,
            pieces: [gpu.buffer(n_pieces)?, gpu.buffer(n_pieces)?],
        })
    }

    /// Writes the addresses and capacities for the first search into `search`.
    pub(super) fn describe(&self, search: &mut SteppingSearch) {
        let both = |pair: &[Buffer<u64>; 2]| [pair[0].address(), pair[1].address()];
        search.keys = self.keys.address();
        search.n_vertices = self.n_vertices as u32;
        search.control = self.control.address();
        search.near = both(&self.near);
        search.far = both(&self.far);
        search.visited = self.visited.address();
        search.capacity = self.lists.capacity as u32;
        search.pieces = [self.pieces[0].address(), self.pieces[1].address()];
        search.piece_capacity = self.lists.n_pieces as u32;
    }
}

#[cfg(test)]
test_support::layout_test! {
    SteppingSearch as "Search" of ["sssp/delta_stepping/search.cuh"]:
        graph, near_arcs, keys, near, far, visited, pieces, control, host, targets, others,
        n_arcs, limit, delta, short_limit, n_vertices, source, n_others, n_targets, budget,
        capacity, piece_capacity, most_doublings;
    SteppingControl as "Control" of ["sssp/delta_stepping/search.cuh"]:
        arrived, turn, trouble, steps, stopped, near, pieces, far, visited, least, least_beyond,
        visited_arcs, settled_arcs, relaxations, improvements, settled, cycles;
}

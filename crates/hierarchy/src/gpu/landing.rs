//! Copies rows of keys from a GPU to the CPU.
//!
//! Lanes become rows on the GPU, in one of two buffers, so that the next batch's do while this
//! one's are copied; a stream of its own copies them in pieces into pinned memory. O(cells).

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use gpu_runtime::{Arg, Buffer, Event, Gpu, Kernel, LaunchConfig, PinnedBuffer, Priority};

use super::batches::Batches;
use super::device_key::{DeviceKey, Part, kernel};
use crate::HierarchyError;

/// Bytes of a piece, unless a row has more.
const BYTES_PER_PIECE: usize = 16 << 20;
/// Pieces that are copied, or waited for, at once.
pub(super) const N_PIECES: usize = 3;
/// The side of the tiles that are transposed.
const TILE_SIDE: u32 = 32;
/// Threads of a block.
const THREADS: u32 = 256;

/// `Rows` of `results.cu`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Launch {
    found: u64,
    columns: u64,
    rows: u64,
    n_columns: u32,
    n_rows: u32,
    n_lanes: u32,
    padding: u32,
}

/// Where rows land, on both sides.
pub(super) struct Landing<K> {
    /// The stream of copies.
    copies: Gpu,
    kernel: Kernel,
    /// The rows of this batch and of the next, and what says that they are there, and copied.
    rows: [Buffer<K>; 2],
    made: [Event; 2],
    copied: [Event; 2],
    pieces: [PinnedBuffer<K>; N_PIECES],
    landed: [Event; N_PIECES],
}

impl<K: DeviceKey> Landing<K> {
    /// Buffers for batches of `n_rows` rows; those of an earlier call if they are large enough.
    pub(super) fn for_rows(
        before: Option<Self>,
        gpu: &Gpu,
        n_lanes: usize,
        n_columns: usize,
    ) -> Result<Self, HierarchyError> {
        let piece = n_columns * rows_per_piece::<K>(n_columns, n_lanes);
        let fits = |landing: &Self| {
            landing.rows[0].len() >= n_lanes * n_columns && landing.pieces[0].len() >= piece
        };
        if let Some(before) = before.filter(fits) {
            return Ok(before);
        }
        let (rows, event, pinned) =
            (|| gpu.buffer(n_lanes * n_columns), || gpu.event(), || gpu.pinned(piece));
        Ok(Self {
            copies: gpu.new_stream(Priority::Normal)?,
            kernel: kernel::<K>(gpu, Part::Results, "hierarchy_rows")?,
            rows: [rows()?, rows()?],
            made: [event()?, event()?],
            copied: [event()?, event()?],
            pieces: [pinned()?, pinned()?, pinned()?],
            landed: [event()?, event()?, event()?],
        })
    }

    /// Queues what makes the rows of a batch from what has been found.
    pub(super) fn make(
        &self,
        gpu: &Gpu,
        batches: &Batches<K>,
        columns: &Buffer<u32>,
        batch: usize,
        n_rows: usize,
    ) -> Result<(), HierarchyError> {
        let rows = Launch {
            found: batches.found.address(),
            columns: columns.address(),
            rows: self.rows[batch % 2].address(),
            n_columns: columns.len() as u32,
            n_rows: n_rows as u32,
            n_lanes: batches.n_lanes as u32,
            padding: 0,
        };
        let grid = (rows.n_columns.div_ceil(TILE_SIDE), rows.n_rows.div_ceil(TILE_SIDE), 1);
        let config = LaunchConfig { grid, ..LaunchConfig::new(1, THREADS) };
        gpu.wait_for(&self.copied[batch % 2])?;
        // SAFETY: columns are ranks that have been swept; there is room for the rows, which have
        // been copied if there were others.
        unsafe { gpu.launch(&self.kernel, config, &[Arg::structure(&rows)])? };
        Ok(self.made[batch % 2].record(gpu)?)
    }

    /// Waits for the copy of `n_cells` cells into a piece.
    pub(super) fn wait(&self, piece: usize, n_cells: usize) -> Result<&[K], HierarchyError> {
        self.landed[piece].wait()?;
        Ok(&self.pieces[piece][..n_cells])
    }

    /// Queues the copy of some rows of a batch into a piece.
    pub(super) fn copy(
        &mut self,
        batch: usize,
        rows: Range<usize>,
        n_columns: usize,
        piece: usize,
    ) -> Result<(), HierarchyError> {
        let cells = rows.start * n_columns..rows.end * n_columns;
        self.copies.wait_for(&self.made[batch % 2])?;
        // SAFETY: what was in the piece has been taken, and rows are not made anew before the
        // event that follows.
        unsafe {
            self.copies.queue_download(&self.rows[batch % 2], cells, &mut self.pieces[piece], 0)?;
        }
        self.landed[piece].record(&self.copies)?;
        Ok(self.copied[batch % 2].record(&self.copies)?)
    }
}

/// The number of rows of `n_columns` columns that are copied at a time.
pub(super) fn rows_per_piece<K>(n_columns: usize, n_lanes: usize) -> usize {
    (BYTES_PER_PIECE / (n_columns * size_of::<K>()).max(1)).clamp(1, n_lanes)
}

#[cfg(test)]
mod tests {
    use test_support::assert_same_layout;

    use super::Launch;

    #[test]
    fn the_structure_is_as_the_kernel_has_it() {
        assert_same_layout! { Launch as "Rows" of ["hierarchy/results.cu"]:
            found, columns, rows, n_columns, n_rows, n_lanes, padding
        }
    }
}

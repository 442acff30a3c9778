//! The launches of `kernels/apsp/published/tiles.cu`, and where tiles lie.

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::WeightKind;
use kernels::apsp::{PUBLISHED_TILES_F32, PUBLISHED_TILES_I32};
use search_parts::{Kernels, SearchError};

use super::parameters::Parameters;

/// Where tiles of a matrix lie: element (r, c) of tile (i, j) is at
/// i · `tile_row` + j · `tile_column` + r · `row` + c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    /// Tiles along a side that have vertices.
    pub(super) n: u32,
    pub(super) tile_row: u64,
    pub(super) tile_column: u64,
    pub(super) row: u32,
}

impl Tiles {
    /// Of side `t` in a matrix of this side, row by row.
    pub(super) fn row_major(t: u32, n: u32, side: u32) -> Self {
        Self { n, tile_row: u64::from(side) * u64::from(t), tile_column: t.into(), row: side }
    }

    /// Tile after tile, with nothing between.
    pub(super) fn blocked(t: u32, n: u32) -> Self {
        let area = u64::from(t) * u64::from(t);
        Self { n, tile_row: u64::from(n) * area, tile_column: area, row: t }
    }
}

/// A kernel that closes tiles.
pub(super) struct TileKernel {
    kernel: Kernel,
    /// Threads of a block, which closes a tile.
    block: u32,
}

impl TileKernel {
    /// That of the pivot tiles, or of the others in their rows and columns.
    pub(super) fn new(
        gpu: &Gpu,
        name: &str,
        parameters: &Parameters,
        kind: WeightKind,
    ) -> Result<Self, SearchError> {
        let kernels = Kernels::of(gpu, &[PUBLISHED_TILES_I32, PUBLISHED_TILES_F32], kind)?;
        let Parameters { tile, step_rows, .. } = parameters;
        let kernel = kernels.get(&format!("{name}_t{tile}_h{step_rows}"))?;
        Ok(Self { kernel, block: tile * step_rows })
    }

    /// That of the pivot tiles, of side 16, by one thread.
    pub(super) fn sequential(gpu: &Gpu, kind: WeightKind) -> Result<Self, SearchError> {
        let kernels = Kernels::of(gpu, &[PUBLISHED_TILES_I32, PUBLISHED_TILES_F32], kind)?;
        Ok(Self { kernel: kernels.get("pivot_sequential")?, block: 1 })
    }

    /// Queues `blocks` blocks for the tiles of this pivot.
    pub(super) fn launch(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<u32>,
        tiles: Tiles,
        pivot: u32,
        blocks: u32,
    ) -> Result<(), GpuError> {
        let Tiles { tile_row, tile_column, row, .. } = tiles;
        let args = [matrix.into(), tile_row.into(), tile_column.into(), row.into(), pivot.into()];
        // SAFETY: threads access tiles of `tiles` only, and the matrix holds all of them.
        unsafe { gpu.launch(&self.kernel, LaunchConfig::new(blocks, self.block), &args) }
    }
}

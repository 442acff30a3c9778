//! The launches of `two_level.cu`.

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::Tiles;
use crate::published::{Element, Parameters};

const CONVERT_BLOCK: u32 = 256;

/// The kernels of `two_level.cu` for a side of tiles.
#[derive(Debug)]
pub(in crate::cuda::published) struct TwoLevelKernels {
    bulk: Kernel,
    to_tiles: Kernel,
    from_tiles: Kernel,
    t: u32,
    block: u32,
    per_block: u32,
}

impl TwoLevelKernels {
    pub(in crate::cuda::published) fn load<E: Element>(
        gpu: &Gpu,
        parameters: &Parameters,
    ) -> Result<Self, GpuError> {
        let (names, t, u) = (E::names(), parameters.tile, parameters.small_tile);
        let known = names.two_levels.iter().find(|known| (known.0, known.1) == (t, u));
        Ok(Self {
            bulk: gpu.kernel(&names.two_level, known.map_or("", |known| known.2))?,
            to_tiles: gpu.kernel(&names.two_level, names.to_tiles)?,
            from_tiles: gpu.kernel(&names.two_level, names.from_tiles)?,
            t,
            block: t * u,
            per_block: parameters.per_block,
        })
    }

    /// All tiles but those in row and column `pivot`.
    pub(in crate::cuda::published) fn bulk<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        pivot: u32,
    ) -> Result<(), GpuError> {
        let Tiles { n, tile_row, tile_column, row, .. } = tiles;
        let args = [
            (&*matrix).into(),
            tile_row.into(),
            tile_column.into(),
            row.into(),
            pivot.into(),
            n.into(),
            self.per_block.into(),
        ];
        // SAFETY: threads touch tiles of `tiles` only, and the matrix holds all of them.
        unsafe { gpu.launch(&self.bulk, self.shape(n).1, &args) }
    }

    /// The kernel of [`bulk`](Self::bulk) and its shape.
    pub(in crate::cuda::published) fn shape(&self, n_tiles: u32) -> (&Kernel, LaunchConfig) {
        let parts = n_tiles.max(1).div_ceil(self.per_block);
        let grid = (parts, n_tiles.max(2) - 1, 1);
        (&self.bulk, LaunchConfig { grid, ..LaunchConfig::new(1, self.block) })
    }

    /// Copies `matrix` tile by tile to `blocked`.
    pub(in crate::cuda::published) fn tile_by_tile<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<E>,
        blocked: &mut Buffer<E>,
        side: u32,
        n_tiles: u32,
    ) -> Result<(), GpuError> {
        self.convert(gpu, &self.to_tiles, matrix, blocked, side, n_tiles)
    }

    /// Copies it back.
    pub(in crate::cuda::published) fn row_by_row<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        blocked: &Buffer<E>,
        side: u32,
        n_tiles: u32,
    ) -> Result<(), GpuError> {
        self.convert(gpu, &self.from_tiles, matrix, blocked, side, n_tiles)
    }

    fn convert<E: Element>(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        matrix: &Buffer<E>,
        blocked: &Buffer<E>,
        side: u32,
        n_tiles: u32,
    ) -> Result<(), GpuError> {
        let width = u64::from(n_tiles) * u64::from(self.t);
        let args = [matrix.into(), blocked.into(), side.into(), n_tiles.into(), self.t.into()];
        // SAFETY: both matrices hold all tiles, which is as many elements as are copied.
        unsafe { gpu.launch(kernel, LaunchConfig::covering(width * width, CONVERT_BLOCK), &args) }
    }
}

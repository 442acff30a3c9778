//! The launches: what each kernel of `kernels/apsp/published` takes, in Rust's types.
//!
//! Everybody who launches here has a matrix of side² elements that holds all tiles, as
//! [`Published`](super::Published) checks, or panels of one.

mod product;
mod two_level;

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::{Element, Parameters};
pub(super) use product::{ProductKernel, Products};
pub(super) use two_level::TwoLevelKernels;

/// The side of the square that a block of the plain form makes.
const SQUARE: u32 = 16;

/// Where tiles of a matrix lie: element (r, c) of tile (i, j) is at
/// i · `tile_row` + j · `tile_column` + r · `row` + c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    /// The side of one.
    pub(super) t: u32,
    /// Tiles along a side that have vertices.
    pub(super) n: u32,
    tile_row: u64,
    tile_column: u64,
    row: u32,
}

impl Tiles {
    pub(super) fn row_major(t: u32, n: u32, side: u32) -> Self {
        let tile_row = u64::from(side) * u64::from(t);
        Self { t, n, tile_row, tile_column: t.into(), row: side }
    }

    /// Tile after tile, with nothing between.
    pub(super) fn blocked(t: u32, n: u32) -> Self {
        let area = u64::from(t) * u64::from(t);
        Self { t, n, tile_row: u64::from(n) * area, tile_column: area, row: t }
    }
}

/// The kernel of `plain.cu`.
#[derive(Debug)]
pub(super) struct PlainKernel(Kernel);

impl PlainKernel {
    pub(super) fn load<E: Element>(gpu: &Gpu, keeps_last: bool) -> Result<Self, GpuError> {
        let names = E::names();
        let name = if keeps_last { names.plain_last } else { names.plain_kernel };
        Ok(Self(gpu.kernel(&names.plain, name)?))
    }

    /// Lets paths among the first `n` vertices lead through `k`; with `last`, which is as
    /// large as the matrix, where the kernel keeps last vertices.
    pub(super) fn launch<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        last: Option<&mut Buffer<u32>>,
        n: u32,
        k: u32,
    ) -> Result<(), GpuError> {
        let side = matrix.len().isqrt() as u32;
        let (numbers, shape) = ([side.into(), n.into(), k.into()], self.bulk(n).1);
        let args: Vec<_> = [(&*matrix).into()]
            .into_iter()
            .chain(last.as_deref().map(Into::into))
            .chain(numbers)
            .collect();
        // SAFETY: threads touch the first n rows and columns of matrices of side², and k
        // is below n.
        unsafe { gpu.launch(&self.0, shape, &args) }
    }

    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        let across = n.div_ceil(SQUARE).max(1);
        (&self.0, LaunchConfig::new(across * across, SQUARE * SQUARE))
    }
}

/// Rows of a panel of `out_of_core.cu`, and threads of a block.
const PANEL: u32 = 32;

/// The kernel of `out_of_core.cu`.
#[derive(Debug)]
pub(super) struct OutOfCoreKernel(Kernel);

impl OutOfCoreKernel {
    pub(super) fn load<E: Element>(gpu: &Gpu) -> Result<Self, GpuError> {
        let names = E::names();
        Ok(Self(gpu.kernel(&names.out_of_core, names.out_of_core_kernel)?))
    }

    /// Takes the first `n_blocks` · 32 columns of `rows` through pivot `k` of the block that begins
    /// with vertex `first`, whose rows are `pivots`, or else `rows` too. Both are panels of 32
    /// rows of one length, which holds those columns.
    pub(super) fn launch<E: Element>(
        &self,
        gpu: &Gpu,
        rows: &mut Buffer<E>,
        pivots: Option<&Buffer<E>>,
        n_blocks: u32,
        [first, k]: [u32; 2],
    ) -> Result<(), GpuError> {
        let side = (rows.len() / PANEL as usize) as u32;
        let matrices = [&*rows, pivots.unwrap_or(rows)].map(Into::into);
        let args: Vec<_> = matrices.into_iter().chain([side, first, k].map(Into::into)).collect();
        // SAFETY: threads touch 32 rows of a panel in the columns of their blocks, and in column
        // `first` + k, which is one of them.
        unsafe { gpu.launch(&self.0, LaunchConfig::new(n_blocks, PANEL), &args) }
    }
}

/// The kernels of `tiles.cu` for a side of tiles.
#[derive(Debug)]
pub(super) struct TileKernels {
    pivot: Kernel,
    panels: Kernel,
    /// Threads that close a pivot tile,
    closers: u32,
    /// and another one.
    block: u32,
}

impl TileKernels {
    pub(super) fn load<E: Element>(gpu: &Gpu, parameters: &Parameters) -> Result<Self, GpuError> {
        let (names, t, h) = (E::names(), parameters.tile, parameters.step_rows);
        let known = names.closings.iter().find(|known| (known.0, known.1) == (t, h));
        let (pivot, panels) = known.map_or(("", ""), |known| (known.2, known.3));
        Ok(Self {
            pivot: gpu.kernel(&names.tiles, pivot)?,
            panels: gpu.kernel(&names.tiles, panels)?,
            closers: t * h,
            block: t * h,
        })
    }

    /// For tiles of side 16, of which one thread closes those on the diagonal.
    pub(super) fn sequential<E: Element>(gpu: &Gpu) -> Result<Self, GpuError> {
        let names = E::names();
        let pivot = gpu.kernel(&names.tiles, names.pivot_sequential)?;
        Ok(Self { pivot, closers: 1, ..Self::load::<E>(gpu, &Parameters::of_tile(16))? })
    }

    /// Closes tile (pivot, pivot).
    pub(super) fn pivot<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        pivot: u32,
    ) -> Result<(), GpuError> {
        let shape = LaunchConfig::new(1, self.closers);
        self.launch(gpu, &self.pivot, shape, matrix, tiles, pivot)
    }

    /// Closes the others in its row and column, of which there are some.
    pub(super) fn panels<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        pivot: u32,
    ) -> Result<(), GpuError> {
        let shape = LaunchConfig::new(2 * (tiles.n - 1), self.block);
        self.launch(gpu, &self.panels, shape, matrix, tiles, pivot)
    }

    fn launch<E: Element>(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        shape: LaunchConfig,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        pivot: u32,
    ) -> Result<(), GpuError> {
        let Tiles { tile_row, tile_column, row, .. } = tiles;
        let args =
            [(&*matrix).into(), tile_row.into(), tile_column.into(), row.into(), pivot.into()];
        // SAFETY: threads touch tiles of `tiles` only, and the matrix holds all of them.
        unsafe { gpu.launch(kernel, shape, &args) }
    }
}

//! The launches of `product.cu`.

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::Tiles;
use crate::published::recursive::Span;
use crate::published::{Element, Parameters};

/// Rows and columns of a sub-matrix of the product.
const ROWS: u32 = 16;
const COLUMNS: u32 = 64;

/// Which products beside a closed part are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cuda::published) enum Products {
    Both,
    /// In its rows.
    Right,
    /// In its columns.
    Below,
}

/// The kernels of `product.cu` for a side of tiles.
#[derive(Debug)]
pub(in crate::cuda::published) struct ProductKernel {
    bulk: Kernel,
    sides: Kernel,
    corner: Kernel,
    t: u32,
    per_block: u32,
}

impl ProductKernel {
    pub(in crate::cuda::published) fn load<E: Element>(
        gpu: &Gpu,
        parameters: &Parameters,
    ) -> Result<Self, GpuError> {
        let (names, t) = (E::names(), parameters.tile);
        let bulk = names.products.iter().find(|known| known.0 == t).map_or("", |known| known.1);
        Ok(Self {
            bulk: gpu.kernel(&names.product, bulk)?,
            sides: gpu.kernel(&names.product, names.multiply_sides)?,
            corner: gpu.kernel(&names.product, names.multiply_corner)?,
            t,
            per_block: parameters.per_block,
        })
    }

    /// All tiles but those in row and column `pivot`, in a row-major matrix.
    pub(in crate::cuda::published) fn bulk<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        pivot: u32,
    ) -> Result<(), GpuError> {
        let args = [
            (&*matrix).into(),
            tiles.row.into(),
            pivot.into(),
            self.across(tiles.n).into(),
            self.per_block.into(),
        ];
        // SAFETY: threads touch rows of tiles, and columns up to a multiple of 64, which lie
        // inside a row-major matrix whose side is a multiple of 128.
        unsafe { gpu.launch(&self.bulk, self.shape(tiles.n).1, &args) }
    }

    /// The kernel of [`bulk`](Self::bulk) and its shape.
    pub(in crate::cuda::published) fn shape(&self, n_tiles: u32) -> (&Kernel, LaunchConfig) {
        let strips = (n_tiles.max(2) - 1) * self.t / ROWS;
        let parts = self.across(n_tiles).div_ceil(self.per_block);
        (&self.bulk, LaunchConfig { grid: (parts, strips, 1), ..LaunchConfig::new(1, COLUMNS) })
    }

    /// Sub-matrices in a row.
    fn across(&self, n_tiles: u32) -> u32 {
        (n_tiles.max(1) * self.t).div_ceil(COLUMNS)
    }

    /// Products beside the closed one of two parts of `matrix`, into `second`.
    pub(in crate::cuda::published) fn sides_out<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<E>,
        second: &mut Buffer<E>,
        tiles: Tiles,
        parts: [Span; 2],
        products: Products,
    ) -> Result<(), GpuError> {
        self.sides(gpu, [matrix, matrix, second], tiles, parts, products)
    }

    /// Products beside the closed one of two parts of `matrix`, of what `second` has there.
    pub(in crate::cuda::published) fn sides_back<E: Element>(
        &self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        second: &Buffer<E>,
        tiles: Tiles,
        parts: [Span; 2],
        products: Products,
    ) -> Result<(), GpuError> {
        self.sides(gpu, [matrix, second, matrix], tiles, parts, products)
    }

    /// Reads the first two matrices and writes the third.
    fn sides<E: Element>(
        &self,
        gpu: &Gpu,
        [closed, from, to]: [&Buffer<E>; 3],
        tiles: Tiles,
        parts: [Span; 2],
        products: Products,
    ) -> Result<(), GpuError> {
        let [p, n_p, q, n_q] = self.elements(parts);
        let (right, below) = (n_blocks(n_p, n_q), n_blocks(n_q, n_p));
        let (skip, blocks) = match products {
            Products::Both => (0, right + below),
            Products::Right => (0, right),
            Products::Below => (right, below),
        };
        let numbers = [tiles.row, p, n_p, q, n_q, skip].map(Into::into);
        let args: Vec<_> = [closed, from, to].map(Into::into).into_iter().chain(numbers).collect();
        // SAFETY: both parts lie in matrices of the same side, and what is written lies in
        // neither what is read of `from`, another matrix, nor in the closed part.
        unsafe { gpu.launch(&self.sides, LaunchConfig::new(blocks, COLUMNS), &args) }
    }

    /// The second part of `to` by way of the first; the ways from and to it are in `from`,
    /// or where there is none in the same matrix.
    pub(in crate::cuda::published) fn corner<E: Element>(
        &self,
        gpu: &Gpu,
        from: Option<&Buffer<E>>,
        to: &mut Buffer<E>,
        tiles: Tiles,
        parts: [Span; 2],
    ) -> Result<(), GpuError> {
        let [p, n_p, q, n_q] = self.elements(parts);
        let numbers = [tiles.row, p, n_p, q, n_q].map(Into::into);
        let matrices = [from.unwrap_or(to), to].map(Into::into);
        let args: Vec<_> = matrices.into_iter().chain(numbers).collect();
        // SAFETY: both parts lie in the matrices, and what is written is not what is read.
        unsafe { gpu.launch(&self.corner, self.corner_shape(n_q).1, &args) }
    }

    /// The kernel of [`corner`](Self::corner) and its shape for a part of so many vertices.
    pub(in crate::cuda::published) fn corner_shape(&self, n: u32) -> (&Kernel, LaunchConfig) {
        (&self.corner, LaunchConfig::new(n_blocks(n, n), COLUMNS))
    }

    /// First vertices and lengths.
    fn elements(&self, [p, q]: [Span; 2]) -> [u32; 4] {
        [p.first, p.n, q.first, q.n].map(|tiles| tiles * self.t)
    }
}

/// Sub-matrices that make up a matrix.
fn n_blocks(height: u32, width: u32) -> u32 {
    height / ROWS * width.div_ceil(COLUMNS)
}

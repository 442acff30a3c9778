//! Iterative blocked Floyd-Warshall, methods A and B: for each tile of the diagonal a launch
//! closes it, one the other tiles of its row and column, and one all others.
//!
//! The kernels are `tiles.cu`, and for the third launch `product.cu` (A) or `two_level.cu` (B),
//! in `kernels/apsp/published`. 3 n/t launches; 4 n³/t elements through memory. Method A has
//! the matrix as it is, row-major. Method B has it row-major, or else copies it into a
//! second one, tile by tile, and back.
//!
//! Tiles at the end are whole: the matrix is padded, and what lies beyond the vertices leads
//! nowhere.
//!
//! Reference: okuyama-2010, venkataraman-2003, katz-kider-2008, volkov-demmel-2008

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};

use super::kernels::{ProductKernel, TileKernels, Tiles, TwoLevelKernels};
use super::steps::{self, Launches, Phase};
use super::{Element, Layout, Parameters};
use crate::Algorithm;

#[derive(Debug)]
pub(super) struct Iterative<E> {
    tiles: TileKernels,
    bulk: Method,
    /// The matrix tile by tile.
    blocked: Option<Buffer<E>>,
    tile: u32,
    side: u32,
}

/// How all other tiles are made.
#[derive(Debug)]
enum Method {
    A(ProductKernel),
    B(TwoLevelKernels),
}

impl<E: Element> Iterative<E> {
    pub(super) fn new(
        gpu: &Gpu,
        algorithm: Algorithm,
        parameters: &Parameters,
        side: usize,
    ) -> Result<Self, GpuError> {
        let is_a = algorithm == Algorithm::BlockedProduct;
        let bulk = match is_a {
            true => Method::A(ProductKernel::load::<E>(gpu, parameters)?),
            false => Method::B(TwoLevelKernels::load::<E>(gpu, parameters)?),
        };
        let is_blocked = !is_a && parameters.layout == Layout::Blocked;
        Ok(Self {
            tiles: TileKernels::load::<E>(gpu, parameters)?,
            bulk,
            blocked: is_blocked.then(|| gpu.buffer(side * side)).transpose()?,
            tile: parameters.tile,
            side: side as u32,
        })
    }

    pub(super) fn launch(
        &mut self,
        gpu: &Gpu,
        matrix: &mut Buffer<E>,
        n: u32,
        launches: &mut Launches<'_>,
    ) -> Result<(), GpuError> {
        let n_tiles = n.div_ceil(self.tile);
        let (side, tile) = (self.side, self.tile);
        match (&self.bulk, &mut self.blocked) {
            (Method::B(kernels), Some(blocked)) if n_tiles > 0 => {
                kernels.tile_by_tile(gpu, matrix, blocked, side, n_tiles)?;
                let tiles = Tiles::blocked(tile, n_tiles);
                Self::close(gpu, &self.tiles, &self.bulk, blocked, tiles, launches)?;
                kernels.row_by_row(gpu, matrix, blocked, side, n_tiles)
            }
            _ => {
                let tiles = Tiles::row_major(tile, n_tiles, side);
                Self::close(gpu, &self.tiles, &self.bulk, matrix, tiles, launches)
            }
        }
    }

    fn close(
        gpu: &Gpu,
        kernels: &TileKernels,
        bulk: &Method,
        matrix: &mut Buffer<E>,
        tiles: Tiles,
        launches: &mut Launches<'_>,
    ) -> Result<(), GpuError> {
        launches.all(steps::iterative(tiles.n, tiles.t), |phase, pivot| match (phase, bulk) {
            (Phase::Pivot, _) => kernels.pivot(gpu, matrix, tiles, pivot),
            (Phase::Panels, _) => kernels.panels(gpu, matrix, tiles, pivot),
            (Phase::Bulk, Method::A(product)) => product.bulk(gpu, matrix, tiles, pivot),
            (Phase::Bulk, Method::B(levels)) => levels.bulk(gpu, matrix, tiles, pivot),
        })
    }

    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        let n_tiles = n.div_ceil(self.tile);
        match &self.bulk {
            Method::A(product) => product.shape(n_tiles),
            Method::B(levels) => levels.shape(n_tiles),
        }
    }
}

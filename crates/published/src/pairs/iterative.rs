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
use graph_formats::WeightKind;
use kernels::apsp::{
    PUBLISHED_PRODUCT_F32, PUBLISHED_PRODUCT_I32, PUBLISHED_TWO_LEVEL_F32, PUBLISHED_TWO_LEVEL_I32,
};
use search_parts::{Kernels, SearchError};

use super::parameters::{Form, Parameters};
use super::steps::{Clock, Launch, Phase};
use super::tiles::{TileKernel, Tiles};

/// Rows and columns of a sub-matrix of the product.
const ROWS: u32 = 16;
const COLUMNS: u32 = 64;
/// Threads of a block that copies between layouts.
const CONVERT_BLOCK: u32 = 256;

/// The launches in order, each with its tile of the diagonal; one where there are no others.
fn steps(n_tiles: u32) -> impl Iterator<Item = (Phase, u32)> {
    let phases = if n_tiles == 1 { &Phase::ALL[..1] } else { &Phase::ALL };
    (0..n_tiles).flat_map(move |pivot| phases.iter().map(move |&phase| (phase, pivot)))
}

/// The same for tiles of side `t`, each with its size.
pub(super) fn launches(n_tiles: u32, t: u32) -> impl Iterator<Item = Launch> {
    let (t, others) = (u64::from(t), u64::from(t) * u64::from(n_tiles.saturating_sub(1)));
    steps(n_tiles).map(move |(phase, _)| match phase {
        Phase::Pivot => Launch::of(phase, t, t, t),
        Phase::Panels => Launch::of(phase, 2 * others, t, t),
        Phase::Bulk => Launch::of(phase, others, t, others),
    })
}

pub(super) struct Iterative {
    pivot: TileKernel,
    panels: TileKernel,
    /// All other tiles, by method A, or else B.
    others: Kernel,
    is_a: bool,
    parameters: Parameters,
    side: u32,
    blocked: Option<Blocked>,
}

/// The matrix tile by tile, and the kernels that copy it there and back.
struct Blocked {
    matrix: Buffer<u32>,
    to_tiles: Kernel,
    from_tiles: Kernel,
}

impl Iterative {
    pub(super) fn new(
        gpu: &Gpu,
        form: Form,
        parameters: &Parameters,
        kind: WeightKind,
        side: usize,
    ) -> Result<Self, SearchError> {
        let Parameters { tile, small_tile, .. } = parameters;
        let is_a = form == Form::BlockedProduct;
        let (modules, name) = match is_a {
            true => ([PUBLISHED_PRODUCT_I32, PUBLISHED_PRODUCT_F32], format!("bulk_t{tile}")),
            false => (
                [PUBLISHED_TWO_LEVEL_I32, PUBLISHED_TWO_LEVEL_F32],
                format!("two_level_t{tile}_u{small_tile}"),
            ),
        };
        let kernels = Kernels::of(gpu, &modules, kind)?;
        let blocked = || -> Result<_, SearchError> {
            let (to_tiles, from_tiles) = (kernels.get("to_tiles")?, kernels.get("from_tiles")?);
            Ok(Blocked { matrix: gpu.buffer(side * side)?, to_tiles, from_tiles })
        };
        Ok(Self {
            pivot: TileKernel::new(gpu, "pivot", parameters, kind)?,
            panels: TileKernel::new(gpu, "panels", parameters, kind)?,
            others: kernels.get(&name)?,
            is_a,
            parameters: *parameters,
            side: side as u32,
            blocked: (!is_a && !parameters.row_major).then(blocked).transpose()?,
        })
    }

    pub(super) fn solve(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<u32>,
        n: u32,
        clock: Clock<'_>,
    ) -> Result<u64, GpuError> {
        let (t, n_tiles) = (self.parameters.tile, self.parameters.n_tiles(n as usize));
        let Some(blocked) = self.blocked.as_ref().filter(|_| n_tiles > 0) else {
            return self.close(gpu, matrix, Tiles::row_major(t, n_tiles, self.side), clock);
        };
        self.convert(gpu, &blocked.to_tiles, matrix, &blocked.matrix, n_tiles)?;
        let count = self.close(gpu, &blocked.matrix, Tiles::blocked(t, n_tiles), clock)?;
        self.convert(gpu, &blocked.from_tiles, matrix, &blocked.matrix, n_tiles)?;
        Ok(count)
    }

    fn close(
        &self,
        gpu: &Gpu,
        matrix: &Buffer<u32>,
        tiles: Tiles,
        clock: Clock<'_>,
    ) -> Result<u64, GpuError> {
        let Tiles { n, tile_row, tile_column, row } = tiles;
        let (l, (columns, shape)) = (self.parameters.per_block, self.others(n));
        clock.time(steps(n), |(phase, pivot)| match phase {
            Phase::Pivot => self.pivot.launch(gpu, matrix, tiles, pivot, 1),
            Phase::Panels => self.panels.launch(gpu, matrix, tiles, pivot, 2 * (n - 1)),
            Phase::Bulk if self.is_a => {
                let args = [matrix.into(), row.into(), pivot.into(), columns.into(), l.into()];
                // SAFETY: threads access rows of tiles, and columns up to a multiple of 64, which
                // lie inside a row-major matrix whose side is a multiple of 128.
                unsafe { gpu.launch(&self.others, shape, &args) }
            }
            Phase::Bulk => {
                let args = [
                    matrix.into(),
                    tile_row.into(),
                    tile_column.into(),
                    row.into(),
                    pivot.into(),
                    columns.into(),
                    l.into(),
                ];
                // SAFETY: threads access tiles of `tiles` only, and the matrix holds all of them.
                unsafe { gpu.launch(&self.others, shape, &args) }
            }
        })
    }

    /// The sub-matrices (method A) or tiles (B) in a row, and the launch for all other tiles.
    fn others(&self, n_tiles: u32) -> (u32, LaunchConfig) {
        let Parameters { tile, small_tile, per_block, .. } = self.parameters;
        let (all, others) = (n_tiles.max(1), n_tiles.max(2) - 1);
        let (columns, rows, block) = match self.is_a {
            true => ((all * tile).div_ceil(COLUMNS), others * tile / ROWS, COLUMNS),
            false => (all, others, tile * small_tile),
        };
        let grid = (columns.div_ceil(per_block), rows, 1);
        (columns, LaunchConfig { grid, ..LaunchConfig::new(1, block) })
    }

    pub(super) fn bulk(&self, n: u32) -> (&Kernel, LaunchConfig) {
        (&self.others, self.others(self.parameters.n_tiles(n as usize)).1)
    }

    /// Copies all tiles from one layout to the other.
    fn convert(
        &self,
        gpu: &Gpu,
        kernel: &Kernel,
        matrix: &Buffer<u32>,
        blocked: &Buffer<u32>,
        n_tiles: u32,
    ) -> Result<(), GpuError> {
        let t = self.parameters.tile;
        let width = u64::from(n_tiles) * u64::from(t);
        let args = [matrix.into(), blocked.into(), self.side.into(), n_tiles.into(), t.into()];
        // SAFETY: both matrices hold all tiles, which is as many elements as are copied.
        unsafe { gpu.launch(kernel, LaunchConfig::covering(width * width, CONVERT_BLOCK), &args) }
    }
}

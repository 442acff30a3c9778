//! The forms in which a GPU raises lines of bits, and which of them it is good at.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use kernels::{Module, closure};

use crate::{Algorithm, ClosureError};

static ARCS: Ptx = ptx(closure::ARCS);
static PANEL_LOP3: Ptx = ptx(closure::PANEL_LOP3);
static PANEL_MMA: Ptx = ptx(closure::PANEL_MMA);
static LOP3: Ptx = ptx(closure::LOP3);
static RUSSIANS: Ptx = ptx(closure::RUSSIANS);
static MMA: Ptx = ptx(closure::MMA);
static WGMMA: Ptx = ptx(closure::WGMMA);

const fn ptx(module: Module) -> Ptx {
    Ptx::new(module.name, module.ptx)
}

/// How lines are raised by a block of pivots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By functions of three bits, 32 at a time: every GPU's form.
    Lop3,
    /// By tables of unions.
    FourRussians,
    /// By matrix units, each warp for itself: from compute capability 8.0.
    MatrixUnits,
    /// By matrix units that four warps share: on compute capability 9.0 alone.
    SharedUnits,
}

/// Pivots of a chunk; sides of matrices are multiples of it.
pub(super) const CHUNK: usize = 256;

/// Side from which blocks of pivots are larger: going through the matrix less often saves more
/// than raising the block's own lines costs.
pub(super) const LARGE: usize = 32_768;

impl Form {
    /// That of an algorithm on this device, the fastest where it leaves the choice.
    ///
    /// # Errors
    /// [`ClosureError::NoMatrixUnits`] where they are asked for.
    pub(super) fn of(algorithm: Algorithm, gpu: &Gpu) -> Result<Self, ClosureError> {
        match algorithm {
            Algorithm::Auto | Algorithm::Components | Algorithm::Blocked => Ok(Self::best(gpu)),
            Algorithm::FourRussians => Ok(Self::FourRussians),
            Algorithm::Lop3 => Ok(Self::Lop3),
            Algorithm::MatrixUnits => Self::of_matrix_units(gpu).ok_or_else(|| {
                let (major, minor) = gpu.properties().compute_capability;
                ClosureError::NoMatrixUnits { major, minor }
            }),
        }
    }

    /// The matrix units' form on this device.
    fn of_matrix_units(gpu: &Gpu) -> Option<Self> {
        match gpu.properties().compute_capability {
            (9, 0) => Some(Self::SharedUnits),
            (major, _) if major >= 8 => Some(Self::MatrixUnits),
            _ => None,
        }
    }

    /// The fastest on this device, as far as that was measured. Generations after 9.0 emulate
    /// binary products by other instructions, and are taken to be better at bitwise ones.
    fn best(gpu: &Gpu) -> Self {
        match gpu.properties().compute_capability {
            (8 | 9, _) => Self::of_matrix_units(gpu).unwrap_or(Self::Lop3),
            _ => Self::Lop3,
        }
    }

    /// Chunks of a block of pivots for a matrix of this side.
    pub(super) fn chunks(self, side: usize) -> usize {
        let most = match self {
            Self::Lop3 | Self::FourRussians => 1,
            Self::MatrixUnits | Self::SharedUnits if side < LARGE => 4,
            Self::MatrixUnits | Self::SharedUnits => 8,
        };
        most.min(side / CHUNK)
    }

    /// Whether it needs the pivots' lines transposed.
    pub(super) fn turns(self) -> bool {
        matches!(self, Self::MatrixUnits | Self::SharedUnits)
    }

    /// Bit operations a second of large updates: those of an H200 for each multiprocessor.
    pub(super) fn rate(self, gpu: &Gpu) -> f64 {
        let of_h200 = match self {
            Self::Lop3 => 380e12,
            Self::FourRussians => 300e12,
            Self::MatrixUnits => 1400e12,
            Self::SharedUnits => 3600e12,
        };
        of_h200 * f64::from(gpu.properties().multiprocessors) / 132.0
    }

    /// The blocks of threads for `n_lines` lines of `n_words` words of 32 bits, the threads of a
    /// block, and its dynamic shared memory for `n_chunks` chunks.
    pub(super) fn launch(
        self,
        n_lines: usize,
        n_words: usize,
        n_chunks: usize,
        gpu: &Gpu,
    ) -> Launch {
        let (tiles, wide_tiles) = (n_words / 8, n_words.div_ceil(64));
        let (n_blocks, n_column_tiles, threads, shared) = match self {
            Self::Lop3 => (n_lines / 128 * wide_tiles, wide_tiles, 256, 0),
            Self::FourRussians => {
                (n_lines.div_ceil(512) * wide_tiles, wide_tiles, 512, TABLE_BYTES)
            }
            Self::MatrixUnits => (n_lines / 128 * tiles, tiles, 256, 0),
            Self::SharedUnits => {
                let pairs = (n_lines / 64 * tiles).div_ceil(2);
                let blocks = pairs.min(gpu.properties().multiprocessors as usize);
                (blocks, tiles, 256, n_chunks as u32 * SHARED_BYTES_A_CHUNK)
            }
        };
        Launch { n_blocks: n_blocks as u32, n_column_tiles: n_column_tiles as u32, threads, shared }
    }
}

/// The tables' 256 unions of 64 words.
const TABLE_BYTES: u32 = 256 * 64 * 4;

/// The transposed pivots of a tile of 256 columns, and three stages of selectors of 64 lines for
/// each of two groups of warps.
const SHARED_BYTES_A_CHUNK: u32 = 256 * 32 + 2 * 3 * 64 * 32;

/// The shape of an update.
pub(super) struct Launch {
    pub(super) n_blocks: u32,
    pub(super) n_column_tiles: u32,
    pub(super) threads: u32,
    pub(super) shared: u32,
}

/// The kernels of a form.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) arcs: Kernel,
    pub(super) panel: Kernel,
    /// Transposes pivots' lines, for forms that need that.
    pub(super) turn: Option<Kernel>,
    pub(super) update: Kernel,
}

impl Kernels {
    pub(super) fn load(gpu: &Gpu, form: Form) -> Result<Self, GpuError> {
        let (panel, turn) = if form.turns() {
            let turn = gpu.kernel(&PANEL_MMA, "closure_turn")?;
            (gpu.kernel(&PANEL_MMA, "closure_panel_mma")?, Some(turn))
        } else {
            (gpu.kernel(&PANEL_LOP3, "closure_panel_lop3")?, None)
        };
        let update = match form {
            Form::Lop3 => gpu.kernel(&LOP3, "closure_update_lop3"),
            Form::FourRussians => gpu.kernel(&RUSSIANS, "closure_update_russians"),
            Form::MatrixUnits => gpu.kernel(&MMA, "closure_update_mma"),
            Form::SharedUnits => gpu.kernel(&WGMMA, "closure_update_wgmma"),
        }?;
        let shared = match form {
            Form::FourRussians => TABLE_BYTES,
            Form::SharedUnits => 8 * SHARED_BYTES_A_CHUNK,
            Form::Lop3 | Form::MatrixUnits => 0,
        };
        if shared > 0 {
            update.allow_shared(shared)?;
        }
        Ok(Self { arcs: gpu.kernel(&ARCS, "closure_arcs")?, panel, turn, update })
    }
}

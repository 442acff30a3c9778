//! The numbers of a matrix on a GPU, and the kernels for them.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Csr, Weight, WeightKind};
use kernels::Module;

use crate::{ApspError, Number};

/// The type in which kernels add and compare distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    I32,
    /// Integers of 16 bits, two in a word; on devices of compute capability 9.0 or more.
    U16,
    /// Floats without negative ones, compared by their bits as integers.
    F32,
    /// Floats of any sign.
    F32Signed,
    I64,
    F64,
}

/// Rows of a kernel's tile, which one block of threads computes.
pub(super) const TILE_ROWS: usize = 128;

impl Arithmetic {
    /// The arithmetic for these numbers on any device; numbers of 16 bits are computed in 32.
    ///
    /// # Errors
    /// [`ApspError::NotOnGpu`] if no type of number is certain to hold all sums.
    pub(crate) fn of<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        match numbers {
            Some(Number::U16 | Number::I32) => Ok(Self::I32),
            Some(Number::I64) => Ok(Self::I64),
            Some(Number::F32) if graph.first_negative().is_none() => Ok(Self::F32),
            Some(Number::F32) => Ok(Self::F32Signed),
            Some(Number::F64) => Ok(Self::F64),
            None => refuse("sums may need more than 64 bits"),
        }
    }

    /// The arithmetic for a plan for GPUs, which takes 16 bits only where all devices compute in
    /// them.
    pub(crate) fn of_plan<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        match numbers {
            Some(Number::U16) => Ok(Self::U16),
            numbers => Self::of(numbers, graph),
        }
    }

    /// The arithmetic with numbers of 32 bits.
    ///
    /// # Errors
    /// [`ApspError::NotOnGpu`] for wider numbers.
    pub(super) fn of_words<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        match Self::of(numbers, graph)? {
            Self::I64 | Self::F64 => refuse("distances need 64 bits, and this form has 32"),
            narrow => Ok(narrow),
        }
    }

    /// The element type of a published form, which has [numbers of 32 bits](Self::of_words).
    pub(super) fn kind(self) -> WeightKind {
        if self == Self::I32 { WeightKind::I32 } else { WeightKind::F32 }
    }

    /// The type of these numbers on the host.
    pub(super) fn number(self) -> Number {
        match self {
            Self::U16 => Number::U16,
            Self::I32 => Number::I32,
            Self::I64 => Number::I64,
            Self::F32 | Self::F32Signed => Number::F32,
            Self::F64 => Number::F64,
        }
    }

    /// The name of a kernel for these numbers.
    pub(super) fn entry(self, name: &str) -> String {
        let sign = if self == Self::F32Signed { "_signed" } else { "" };
        format!("{name}_{}{sign}", self.number())
    }

    /// Elements in a word of the kernels.
    pub(super) fn lanes(self) -> usize {
        if self == Self::U16 { 2 } else { 1 }
    }

    /// Bytes of a word of the kernels.
    pub(super) fn word_bytes(self) -> usize {
        if matches!(self, Self::I64 | Self::F64) { 8 } else { 4 }
    }

    /// Words of the kernels that `n_elements` elements of a row take.
    pub(super) fn words(self, n_elements: usize) -> usize {
        n_elements / self.lanes()
    }

    /// The same in words of 32 bits, the unit of buffers.
    pub(super) fn stride(self, n_elements: usize) -> usize {
        self.words(n_elements) * self.word_bytes() / size_of::<u32>()
    }

    /// Words of 32 bits for `n_elements` elements of a transposed panel, each copied into all lanes
    /// of a word.
    pub(super) fn turned(self, n_elements: usize) -> usize {
        n_elements * self.word_bytes() / size_of::<u32>()
    }

    /// Tiles of [`TILE_ROWS`] rows in the width of a matrix.
    pub(super) fn tiles_across(self, side: usize) -> usize {
        self.words(side) * self.word_bytes() / 512
    }

    /// Elements in a row of a tile.
    pub(super) fn tile_width(self) -> usize {
        self.lanes() * 512 / self.word_bytes()
    }

    /// Pivots that the kernels load into shared memory at a time.
    pub(super) fn depth(self) -> usize {
        64 / self.word_bytes()
    }

    /// The sides of matrices are multiples of this, so that they have whole tiles.
    pub(super) fn side_step(self) -> usize {
        TILE_ROWS * self.lanes()
    }

    /// The side of a matrix for `n_vertices` vertices.
    pub(super) fn side(self, n_vertices: usize) -> usize {
        n_vertices.max(1).next_multiple_of(self.side_step())
    }
}

fn refuse(reason: &str) -> Result<Arithmetic, ApspError> {
    Err(ApspError::NotOnGpu { reason: reason.to_owned() })
}

/// Whether a device has instructions that add and take the minimum at once.
pub(super) fn adds_and_compares(gpu: &Gpu) -> bool {
    gpu.properties().compute_capability >= (9, 0)
}

/// The kernels for an arithmetic.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(super) clear_matrix: Kernel,
    pub(super) place_arcs: Kernel,
    pub(super) advance: Kernel,
    pub(super) update: Kernel,
    pub(super) turn_over: Kernel,
    pub(super) multiply: Kernel,
    pub(super) next_hops_narrow: Kernel,
    pub(super) next_hops_wide: Kernel,
    pub(super) settle_hops_narrow: Kernel,
    pub(super) settle_hops_wide: Kernel,
}

impl Kernels {
    pub(crate) fn load(gpu: &Gpu, arithmetic: Arithmetic) -> Result<Self, GpuError> {
        use Arithmetic::{F32, F32Signed, F64, I32, I64, U16};
        use kernels::apsp as of;
        let [matrix, blocked, strips, hops] = match (arithmetic, adds_and_compares(gpu)) {
            (I32, false) => [of::MATRIX_I32, of::BLOCKED_I32, of::STRIPS_I32, of::NEXT_HOPS_I32],
            (I32, true) => {
                [of::MATRIX_I32, of::BLOCKED_90_I32, of::STRIPS_90_I32, of::NEXT_HOPS_I32]
            }
            (U16, _) => [of::MATRIX_U16, of::BLOCKED_90_U16, of::STRIPS_90_U16, of::NEXT_HOPS_U16],
            (F32, false) => [of::MATRIX_F32, of::BLOCKED_F32, of::STRIPS_F32, of::NEXT_HOPS_F32],
            (F32, true) => {
                [of::MATRIX_F32, of::BLOCKED_90_F32, of::STRIPS_90_F32, of::NEXT_HOPS_F32]
            }
            (F32Signed, _) => {
                [of::MATRIX_F32, of::BLOCKED_F32_SIGNED, of::STRIPS_F32_SIGNED, of::NEXT_HOPS_F32]
            }
            (I64, false) => [of::MATRIX_I64, of::BLOCKED_I64, of::STRIPS_I64, of::NEXT_HOPS_I64],
            (I64, true) => {
                [of::MATRIX_I64, of::BLOCKED_90_I64, of::STRIPS_90_I64, of::NEXT_HOPS_I64]
            }
            (F64, false) => [of::MATRIX_F64, of::BLOCKED_F64, of::STRIPS_F64, of::NEXT_HOPS_F64],
            (F64, true) => {
                [of::MATRIX_F64, of::BLOCKED_90_F64, of::STRIPS_90_F64, of::NEXT_HOPS_F64]
            }
        };
        let plain = if arithmetic == F32Signed { F32 } else { arithmetic };
        let kernel = |module: Module, name: &str, arithmetic: Arithmetic| {
            gpu.kernel(&Ptx::new(module.name, module.ptx), &arithmetic.entry(name))
        };
        Ok(Self {
            clear_matrix: kernel(matrix, "clear_matrix", plain)?,
            place_arcs: kernel(matrix, "place_arcs", plain)?,
            advance: kernel(blocked, "advance", arithmetic)?,
            update: kernel(blocked, "update", arithmetic)?,
            turn_over: kernel(strips, "turn_over", arithmetic)?,
            multiply: kernel(strips, "multiply", arithmetic)?,
            next_hops_narrow: kernel(hops, "next_hops_narrow", plain)?,
            next_hops_wide: kernel(hops, "next_hops_wide", plain)?,
            settle_hops_narrow: kernel(hops, "settle_hops_narrow", plain)?,
            settle_hops_wide: kernel(hops, "settle_hops_wide", plain)?,
        })
    }
}

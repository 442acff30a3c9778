//! What a matrix on a GPU is of, and the kernels for it.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Csr, Weight, WeightKind};
use kernels::Module;

use crate::{ApspError, Number};

/// What distances are added and compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    I32,
    /// Two numbers a word; on devices of compute capability 9.0 and more.
    U16,
    /// Floats, none of them negative, compared as the integers of their bits.
    F32,
    /// Floats of any sign.
    F32Signed,
    I64,
    F64,
}

/// Rows of a tile of the kernels that has all the threads of a block.
pub(super) const TILE_ROWS: usize = 128;

impl Arithmetic {
    /// That for such numbers of a matrix on any device: those of 16 bits have 32 in it.
    ///
    /// # Errors
    /// [`ApspError::NotOnGpu`] where no numbers are sure to hold all sums.
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
            None => refuse("sums may need more than its 64 bits"),
        }
    }

    /// The same of a plan for GPUs, whose numbers are of 16 bits only where they can be.
    pub(crate) fn of_plan<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        match numbers {
            Some(Number::U16) => Ok(Self::U16),
            numbers => Self::of(numbers, graph),
        }
    }

    /// The same with numbers of 32 bits.
    ///
    /// # Errors
    /// [`ApspError::NotOnGpu`] for wider ones.
    pub(super) fn of_words<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        match Self::of(numbers, graph)? {
            Self::I64 | Self::F64 => refuse("its numbers have 64 bits, and 32 are for this"),
            narrow => Ok(narrow),
        }
    }

    /// The elements of a published form, where [its numbers have 32 bits](Self::of_words).
    pub(super) fn kind(self) -> WeightKind {
        if self == Self::I32 { WeightKind::I32 } else { WeightKind::F32 }
    }

    /// What numbers the host has of it.
    pub(super) fn number(self) -> Number {
        match self {
            Self::U16 => Number::U16,
            Self::I32 => Number::I32,
            Self::I64 => Number::I64,
            Self::F32 | Self::F32Signed => Number::F32,
            Self::F64 => Number::F64,
        }
    }

    /// Elements of a word of the kernels,
    pub(super) fn lanes(self) -> usize {
        if self == Self::U16 { 2 } else { 1 }
    }

    /// and bytes of one.
    pub(super) fn word_bytes(self) -> usize {
        if matches!(self, Self::I64 | Self::F64) { 8 } else { 4 }
    }

    /// Words of the kernels for so many elements of a row,
    pub(super) fn words(self, n_elements: usize) -> usize {
        n_elements / self.lanes()
    }

    /// and the 32 bits of these, which buffers are of.
    pub(super) fn stride(self, n_elements: usize) -> usize {
        self.words(n_elements) * self.word_bytes() / size_of::<u32>()
    }

    /// The 32 bits of so many elements, each spread over a word.
    pub(super) fn turned(self, n_elements: usize) -> usize {
        n_elements * self.word_bytes() / size_of::<u32>()
    }

    /// Tiles of the kernels, as [high](TILE_ROWS), beside each other.
    pub(super) fn tiles_across(self, side: usize) -> usize {
        self.words(side) * self.word_bytes() / 512
    }

    /// Elements of a row of such a tile,
    pub(super) fn tile_width(self) -> usize {
        self.lanes() * 512 / self.word_bytes()
    }

    /// and what the kernels take at a time of what is summed over.
    pub(super) fn depth(self) -> usize {
        64 / self.word_bytes()
    }

    /// What sides of matrices are multiples of: whole tiles, as many words as rows.
    pub(super) fn side_step(self) -> usize {
        TILE_ROWS * self.lanes()
    }

    /// The side for so many vertices.
    pub(super) fn side(self, n_vertices: usize) -> usize {
        n_vertices.max(1).next_multiple_of(self.side_step())
    }
}

fn refuse(reason: &str) -> Result<Arithmetic, ApspError> {
    Err(ApspError::NotOnGpu { reason: reason.to_owned() })
}

/// Whether a device has instructions that add and compare in one.
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
        let number = arithmetic.number();
        let sign = if arithmetic == F32Signed { "_signed" } else { "" };
        let kernel = |module: Module, name: &str, sign: &str| {
            gpu.kernel(&Ptx::new(module.name, module.ptx), &format!("{name}_{number}{sign}"))
        };
        Ok(Self {
            clear_matrix: kernel(matrix, "clear_matrix", "")?,
            place_arcs: kernel(matrix, "place_arcs", "")?,
            advance: kernel(blocked, "advance", sign)?,
            update: kernel(blocked, "update", sign)?,
            turn_over: kernel(strips, "turn_over", sign)?,
            multiply: kernel(strips, "multiply", sign)?,
            next_hops_narrow: kernel(hops, "next_hops_narrow", "")?,
            next_hops_wide: kernel(hops, "next_hops_wide", "")?,
            settle_hops_narrow: kernel(hops, "settle_hops_narrow", "")?,
        })
    }
}

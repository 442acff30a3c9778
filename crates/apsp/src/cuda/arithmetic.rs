//! What a matrix on a GPU is of, and the kernels for it.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use graph_formats::{Csr, Weight};

use super::published::SIDE_STEP;
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
}

impl Arithmetic {
    /// That in which an element is a word, for such numbers of a matrix.
    ///
    /// # Errors
    /// [`ApspError::NotOnGpu`] for numbers of 64 bits.
    pub(crate) fn of_words<W: Weight>(
        numbers: Option<Number>,
        graph: &Csr<W>,
    ) -> Result<Self, ApspError> {
        let refuse = |reason: &str| Err(ApspError::NotOnGpu { reason: reason.to_owned() });
        match numbers {
            Some(Number::U16 | Number::I32) => Ok(Self::I32),
            Some(Number::F32) if graph.first_negative().is_none() => Ok(Self::F32),
            Some(Number::F32) => Ok(Self::F32Signed),
            Some(Number::F64) => refuse("it adds floats in 32 bits, and these have 64"),
            Some(Number::I64) | None => refuse("sums may need more than its 32 bits"),
        }
    }

    /// Elements of a word.
    pub(super) fn lanes(self) -> usize {
        if self == Self::U16 { 2 } else { 1 }
    }

    /// What sides of matrices are multiples of: whole tiles of 128 words.
    pub(super) fn side_step(self) -> usize {
        SIDE_STEP * self.lanes()
    }

    /// The side for so many vertices.
    pub(super) fn side(self, n_vertices: usize) -> usize {
        n_vertices.max(1).next_multiple_of(self.side_step())
    }
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
    pub(super) close_pivot: Kernel,
    pub(super) panels: Kernel,
    pub(super) update: Kernel,
    pub(super) turn_over: Kernel,
    pub(super) multiply: Kernel,
    pub(super) next_hops_narrow: Kernel,
    pub(super) next_hops_wide: Kernel,
    pub(super) settle_hops_narrow: Kernel,
}

/// Modules and names of kernels.
struct Names {
    matrix: Ptx,
    blocked: Ptx,
    strips: Ptx,
    next_hops: Ptx,
    /// In the order of the fields of [`Kernels`].
    kernels: [&'static str; 10],
}

const fn ptx(module: kernels::Module) -> Ptx {
    Ptx::new(module.name, module.ptx)
}

macro_rules! names {
    ($element:literal of $plain:literal:
     $matrix:ident, $blocked:ident, $strips:ident, $next_hops:ident) => {
        Names {
            matrix: ptx(kernels::apsp::$matrix),
            blocked: ptx(kernels::apsp::$blocked),
            strips: ptx(kernels::apsp::$strips),
            next_hops: ptx(kernels::apsp::$next_hops),
            kernels: [
                concat!("clear_matrix_", $plain),
                concat!("place_arcs_", $plain),
                concat!("close_pivot_", $element),
                concat!("panels_", $element),
                concat!("update_", $element),
                concat!("turn_over_", $element),
                concat!("multiply_", $element),
                concat!("next_hops_narrow_", $plain),
                concat!("next_hops_wide_", $plain),
                concat!("settle_hops_narrow_", $plain),
            ],
        }
    };
}

static I32: Names = names!("i32" of "i32": MATRIX_I32, BLOCKED_I32, STRIPS_I32, NEXT_HOPS_I32);
static I32_90: Names =
    names!("i32" of "i32": MATRIX_I32, BLOCKED_90_I32, STRIPS_90_I32, NEXT_HOPS_I32);
static U16_90: Names =
    names!("u16" of "u16": MATRIX_U16, BLOCKED_90_U16, STRIPS_90_U16, NEXT_HOPS_U16);
static F32: Names = names!("f32" of "f32": MATRIX_F32, BLOCKED_F32, STRIPS_F32, NEXT_HOPS_F32);
static F32_90: Names =
    names!("f32" of "f32": MATRIX_F32, BLOCKED_90_F32, STRIPS_90_F32, NEXT_HOPS_F32);
static F32_SIGNED: Names = names!(
    "f32_signed" of "f32": MATRIX_F32, BLOCKED_F32_SIGNED, STRIPS_F32_SIGNED, NEXT_HOPS_F32
);

impl Kernels {
    pub(crate) fn load(gpu: &Gpu, arithmetic: Arithmetic) -> Result<Self, GpuError> {
        let names = match (arithmetic, adds_and_compares(gpu)) {
            (Arithmetic::I32, false) => &I32,
            (Arithmetic::I32, true) => &I32_90,
            (Arithmetic::U16, _) => &U16_90,
            (Arithmetic::F32, false) => &F32,
            (Arithmetic::F32, true) => &F32_90,
            (Arithmetic::F32Signed, _) => &F32_SIGNED,
        };
        let [clear, place, close, panels, update, turn, multiply, narrow, wide, settle] =
            names.kernels;
        Ok(Self {
            clear_matrix: gpu.kernel(&names.matrix, clear)?,
            place_arcs: gpu.kernel(&names.matrix, place)?,
            close_pivot: gpu.kernel(&names.blocked, close)?,
            panels: gpu.kernel(&names.blocked, panels)?,
            update: gpu.kernel(&names.blocked, update)?,
            turn_over: gpu.kernel(&names.strips, turn)?,
            multiply: gpu.kernel(&names.strips, multiply)?,
            next_hops_narrow: gpu.kernel(&names.next_hops, narrow)?,
            next_hops_wide: gpu.kernel(&names.next_hops, wide)?,
            settle_hops_narrow: gpu.kernel(&names.next_hops, settle)?,
        })
    }
}

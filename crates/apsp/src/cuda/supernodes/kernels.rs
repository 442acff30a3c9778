//! The kernels for supernodes, and the matrix that they work on.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use kernels::apsp as modules;

use super::layout::HEIGHTS;
use crate::cuda::arithmetic::{Arithmetic, adds_and_compares};

/// The names of the kernels for an element.
macro_rules! names {
    ($element:literal) => {
        [
            concat!("clear_matrix_", $element),
            concat!("lower_128_", $element),
            concat!("lower_64_", $element),
            concat!("lower_32_", $element),
            concat!("turn_patches_", $element),
            concat!("place_squares_", $element),
            concat!("rows_of_vertices_", $element),
        ]
    };
}
/// The kernels for an arithmetic.
pub(super) struct Kernels {
    pub(super) clear_matrix: Kernel,
    pub(super) lower: [Kernel; 3],
    pub(super) turn_patches: Kernel,
    pub(super) place_squares: Kernel,
    pub(super) rows_of_vertices: Kernel,
}

impl Kernels {
    pub(super) fn load(gpu: &Gpu, arithmetic: Arithmetic) -> Result<Self, GpuError> {
        let (matrix, module, name) = match (arithmetic, adds_and_compares(gpu)) {
            (Arithmetic::U16, _) => {
                (modules::MATRIX_U16, modules::SUPERNODES_90_U16, names!("u16"))
            }
            (Arithmetic::I32, true) => {
                (modules::MATRIX_I32, modules::SUPERNODES_90_I32, names!("i32"))
            }
            (Arithmetic::I32, false) => {
                (modules::MATRIX_I32, modules::SUPERNODES_I32, names!("i32"))
            }
            (Arithmetic::I64, _) => (modules::MATRIX_I64, modules::SUPERNODES_I64, names!("i64")),
            (Arithmetic::F64, _) => (modules::MATRIX_F64, modules::SUPERNODES_F64, names!("f64")),
            (_, true) => (modules::MATRIX_F32, modules::SUPERNODES_90_F32, names!("f32")),
            (_, false) => (modules::MATRIX_F32, modules::SUPERNODES_F32, names!("f32")),
        };
        let [clear, high, middle, low, turn, place, rows] = name;
        let [matrix, module] = [matrix, module].map(|module| Ptx::new(module.name, module.ptx));
        let kernel = |name| gpu.kernel(&module, name);
        Ok(Self {
            clear_matrix: gpu.kernel(&matrix, clear)?,
            lower: [kernel(high)?, kernel(middle)?, kernel(low)?],
            turn_patches: kernel(turn)?,
            place_squares: kernel(place)?,
            rows_of_vertices: kernel(rows)?,
        })
    }
}

/// How the matrix lies in memory.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) arithmetic: Arithmetic,
    /// Elements of a row, whole tiles,
    pub(super) side: usize,
    /// and rows, some more than there are, which tiles may read.
    n_rows: usize,
}

impl Shape {
    pub(super) fn of(arithmetic: Arithmetic, n: usize) -> Self {
        let side = n.max(1).next_multiple_of(arithmetic.tile_width());
        Self { arithmetic, side, n_rows: n + HEIGHTS[0] }
    }

    /// The 32 bits of all words.
    pub(super) fn len(&self) -> usize {
        self.n_rows * self.arithmetic.stride(self.side)
    }
}

//! The kernels for supernodes, and the matrix that they work on.

use gpu_runtime::{Gpu, GpuError, Kernel, Ptx};
use kernels::{Module, apsp as modules};

use super::layout::HEIGHTS;
use crate::cuda::arithmetic::{Arithmetic, adds_and_compares};

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
        let [matrix, module] = match (arithmetic, adds_and_compares(gpu)) {
            (Arithmetic::U16, _) => [modules::MATRIX_U16, modules::SUPERNODES_90_U16],
            (Arithmetic::I32, true) => [modules::MATRIX_I32, modules::SUPERNODES_90_I32],
            (Arithmetic::I32, false) => [modules::MATRIX_I32, modules::SUPERNODES_I32],
            (Arithmetic::I64, _) => [modules::MATRIX_I64, modules::SUPERNODES_I64],
            (Arithmetic::F64, _) => [modules::MATRIX_F64, modules::SUPERNODES_F64],
            (_, true) => [modules::MATRIX_F32, modules::SUPERNODES_90_F32],
            (_, false) => [modules::MATRIX_F32, modules::SUPERNODES_F32],
        };
        let number = arithmetic.number();
        let kernel = |module: Module, name: &str| {
            gpu.kernel(&Ptx::new(module.name, module.ptx), &format!("{name}_{number}"))
        };
        Ok(Self {
            clear_matrix: kernel(matrix, "clear_matrix")?,
            lower: [
                kernel(module, "lower_128")?,
                kernel(module, "lower_64")?,
                kernel(module, "lower_32")?,
            ],
            turn_patches: kernel(module, "turn_patches")?,
            place_squares: kernel(module, "place_squares")?,
            rows_of_vertices: kernel(module, "rows_of_vertices")?,
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

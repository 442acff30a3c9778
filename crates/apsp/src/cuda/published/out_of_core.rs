//! Blocked Floyd-Warshall of a matrix that stays in the host's memory: 32 of its rows at a time
//! pass through the GPU, which holds no more than these and 32 others.
//!
//! For each block of 32 pivots there are three phases. The CPU closes their square. The pivots'
//! rows are copied to the GPU, which takes paths through one pivot after the other, a launch for
//! each, and back; and then their columns. At last every other block of 32 rows goes there and
//! back, beside the closed rows of the pivots. The kernel is `out_of_core.cu` in
//! `kernels/apsp/published`. O(n³); n (n/32 + 1) launches, and about n³/4 bytes over the bus, for n
//! up to a multiple of 32. Every copy is waited for.
//!
//! What differs from the text: it has three kernels, of which it prints one, and here that is
//! all, for the pivots' columns go to the GPU turned over, as rows; and the last block is whole,
//! for the matrix is padded as that of the other forms. `crates/apsp/src/cuda/floyd_warshall.rs`
//! has what serves the same purpose by wider blocks, with copies beside the arithmetic.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use gpu_runtime::{Buffer, Gpu, GpuError};
use graph_formats::tell;
use sssp::Progress;

use super::kernels::OutOfCoreKernel;
use super::{Element, check_side};
use crate::ApspError;

/// Pivots of a block, and rows of a panel: a constant of the kernel.
const BLOCK: usize = 32;

/// The form for matrices of one side, with its kernel loaded and its memory taken.
///
/// ```
/// use apsp::published::{Element, OutOfCore};
/// use gpu_runtime::Gpu;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let (side, n) = (128, 3);
/// let mut matrix = vec![i32::NO_PATH; side * side];
/// (0..side).for_each(|v| matrix[v * side + v] = 0);
/// (matrix[1], matrix[side + 2]) = (4, 5); // arcs (0, 1) and (1, 2)
///
/// let gpu = gpu.with_memory_cap(OutOfCore::<i32>::bytes(side));
/// assert_eq!(OutOfCore::new(&gpu, side)?.solve(&mut matrix, n, None)?, 64);
/// assert_eq!(matrix[..n], [0, 4, 9]);
/// # Ok::<(), apsp::ApspError>(())
/// ```
#[derive(Debug)]
pub struct OutOfCore<E> {
    gpu: Gpu,
    kernel: OutOfCoreKernel,
    side: usize,
    /// The panel whose turn it is,
    rows: Buffer<E>,
    /// and the closed rows of the pivots.
    pivots: Buffer<E>,
}

impl<E: Element> OutOfCore<E> {
    /// Bytes of the GPU's memory that it takes, and all that it takes: two panels of 32 rows.
    #[must_use]
    pub const fn bytes(side: usize) -> u64 {
        2 * (BLOCK * size_of::<E>()) as u64 * side as u64
    }

    /// Loads the kernel and takes the memory.
    ///
    /// # Errors
    /// [`ApspError::Parameter`] for a side that is no multiple of [`SIDE_STEP`](super::SIDE_STEP),
    /// and [`ApspError::Gpu`].
    pub fn new(gpu: &Gpu, side: usize) -> Result<Self, ApspError> {
        check_side(side)?;
        let kernel = OutOfCoreKernel::load::<E>(gpu)?;
        let (rows, pivots) = (gpu.buffer(BLOCK * side)?, gpu.buffer(BLOCK * side)?);
        Ok(Self { gpu: gpu.clone(), kernel, side, rows, pivots })
    }

    /// Makes the first `n` rows and columns of `matrix`, which is as that of
    /// [`Published`](super::Published) but the host's, distances where they were arcs; returns how
    /// many launches that took. O(n³).
    ///
    /// # Errors
    /// [`ApspError::Gpu`], also where the matrix is of another side or less than n, and
    /// [`ApspError::Search`] where `progress` ends it, which leaves the matrix half done.
    pub fn solve(
        &mut self,
        matrix: &mut [E],
        n: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, ApspError> {
        let side = self.side;
        super::check_matrix(matrix.len(), n, side)?;
        let mut on_gpu = OnGpu { form: self, n_blocks: n.div_ceil(BLOCK), launches: 0 };
        close(matrix, side, n, &mut on_gpu, progress)?;
        Ok(on_gpu.launches)
    }
}

/// Whose rows paths lead through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pivots {
    /// The panel's own: it has the pivots' rows, or their columns turned over.
    Own,
    Kept,
}

/// What the GPU does.
trait Panels<E> {
    /// Keeps the closed rows of a block of pivots.
    fn keep(&mut self, pivots: &[E]) -> Result<(), GpuError>;

    /// Takes 32 rows through the 32 pivots from vertex `first` on, except in their columns.
    fn take_through(
        &mut self,
        rows: &mut [E],
        pivots: Pivots,
        first: usize,
    ) -> Result<(), GpuError>;
}

/// The algorithm, for the first `n` vertices of a matrix.
fn close<E: Element>(
    matrix: &mut [E],
    side: usize,
    n: usize,
    gpu: &mut impl Panels<E>,
    progress: Option<Progress<'_>>,
) -> Result<(), ApspError> {
    let n_blocks = n.div_ceil(BLOCK);
    let rows = |block: usize| block * BLOCK * side..(block + 1) * BLOCK * side;
    let mut columns = vec![E::NO_PATH; BLOCK * side];
    for pivot in 0..n_blocks {
        tell(progress, pivot as u64, n_blocks as u64)?;
        let first = pivot * BLOCK;
        close_square(matrix, side, first);

        gpu.take_through(&mut matrix[rows(pivot)], Pivots::Own, first)?;
        for (i, row) in matrix.chunks_exact(side).enumerate() {
            (0..BLOCK).for_each(|c| columns[c * side + i] = row[first + c]);
        }
        gpu.take_through(&mut columns, Pivots::Own, first)?;
        for (i, row) in matrix.chunks_exact_mut(side).enumerate() {
            (0..BLOCK).for_each(|c| row[first + c] = columns[c * side + i]);
        }

        gpu.keep(&matrix[rows(pivot)])?;
        for block in (0..n_blocks).filter(|&block| block != pivot) {
            gpu.take_through(&mut matrix[rows(block)], Pivots::Kept, first)?;
        }
    }
    Ok(())
}

/// The square of the pivots from `first` on, by the three loops.
fn close_square<E: Element>(matrix: &mut [E], side: usize, first: usize) {
    let pivots = first..first + BLOCK;
    for k in pivots.clone() {
        for i in pivots.clone() {
            let to = matrix[i * side + k];
            for j in pivots.clone() {
                let sum = to.sum(matrix[k * side + j]);
                if sum < matrix[i * side + j] {
                    matrix[i * side + j] = sum;
                }
            }
        }
    }
}

struct OnGpu<'a, E> {
    form: &'a mut OutOfCore<E>,
    n_blocks: usize,
    launches: u64,
}

impl<E: Element> Panels<E> for OnGpu<'_, E> {
    fn keep(&mut self, pivots: &[E]) -> Result<(), GpuError> {
        self.form.pivots.upload(pivots)
    }

    fn take_through(
        &mut self,
        rows: &mut [E],
        pivots: Pivots,
        first: usize,
    ) -> Result<(), GpuError> {
        let OutOfCore { gpu, kernel, rows: panel, pivots: kept, .. } = &mut *self.form;
        panel.upload(rows)?;
        let kept = (pivots == Pivots::Kept).then_some(&*kept);
        for k in 0..BLOCK {
            kernel.launch(gpu, panel, kept, self.n_blocks as u32, [first as u32, k as u32])?;
            self.launches += 1;
        }
        panel.download_into(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::super::tests::gpu;
    use super::super::tests::{Number, SIZES, distances, side_of, slope};
    use super::*;

    /// The kernel, on the host; and what it is asked to do.
    struct OnHost<E> {
        side: usize,
        pivots: Vec<E>,
        launches: u64,
        panels: u64,
    }

    impl<E: Number> Panels<E> for OnHost<E> {
        fn keep(&mut self, pivots: &[E]) -> Result<(), GpuError> {
            self.panels += 1;
            self.pivots = pivots.to_vec();
            Ok(())
        }

        fn take_through(
            &mut self,
            rows: &mut [E],
            pivots: Pivots,
            first: usize,
        ) -> Result<(), GpuError> {
            assert_eq!(rows.len(), BLOCK * self.side);
            self.panels += 2;
            self.launches += BLOCK as u64;
            let side = self.side;
            for k in 0..BLOCK {
                let own = rows[k * side..][..side].to_vec();
                let down = if pivots == Pivots::Own { &own[..] } else { &self.pivots[k * side..] };
                for row in rows.chunks_exact_mut(side) {
                    for j in (0..side).filter(|j| !(first..first + BLOCK).contains(j)) {
                        let sum = row[first + k].sum(down[j]);
                        row[j] = if sum < row[j] { sum } else { row[j] };
                    }
                }
            }
            Ok(())
        }
    }

    fn compare<E: Number>(found: &[E], n: usize, launches: u64) {
        let differs = |(a, b): (&E, &E)| a != b && (a.is_path() || b.is_path());
        assert!(!found.iter().zip(&distances::<E>(n)).any(differs), "{n} in {}", E::NAME);
        let n_blocks = n.div_ceil(BLOCK) as u64;
        assert_eq!(launches, 32 * n_blocks * (n_blocks + 1), "{n}");
    }

    /// The order of the phases, and how often the matrix passes.
    fn schedule<E: Number>() {
        for n in SIZES {
            let side = side_of(n);
            let mut matrix = slope::<E>(n);
            let mut host = OnHost { side, pivots: Vec::new(), launches: 0, panels: 0 };
            close(&mut matrix, side, n, &mut host, None).unwrap();
            compare(&matrix, n, host.launches);
            let n_blocks = n.div_ceil(BLOCK) as u64;
            assert_eq!(host.panels, n_blocks * (2 * n_blocks + 3), "{n}");
        }
    }

    #[test]
    fn phases_close_the_matrix() {
        schedule::<i32>();
        schedule::<f32>();
    }

    fn by_gpu<E: Number>(gpu: &Gpu) {
        for n in SIZES {
            let side = side_of(n);
            let gpu = gpu.with_memory_cap(OutOfCore::<E>::bytes(side));
            let mut matrix = slope::<E>(n);
            let mut form = OutOfCore::new(&gpu, side).unwrap();
            let launches = form.solve(&mut matrix, n, None).unwrap();
            compare(&matrix, n, launches);
        }
    }

    /// In as much memory as it says it takes.
    #[test]
    fn panels_pass_through_little_memory() {
        let Some(gpu) = gpu() else { return };
        by_gpu::<i32>(&gpu);
        by_gpu::<f32>(&gpu);
        let less = gpu.with_memory_cap(OutOfCore::<i32>::bytes(256) - 1);
        let refused = OutOfCore::<i32>::new(&less, 256);
        assert!(matches!(refused, Err(ApspError::Gpu(_))), "{refused:?}");
    }

    #[test]
    fn what_is_no_such_matrix_is_refused() {
        let Some(gpu) = gpu() else { return };
        assert!(matches!(OutOfCore::<i32>::new(&gpu, 100), Err(ApspError::Parameter { .. })));
        let mut form = OutOfCore::<i32>::new(&gpu, 128).unwrap();
        let mut matrix = slope(200);
        assert!(matches!(form.solve(&mut matrix, 5, None), Err(ApspError::Gpu(_))));
        assert!(matches!(form.solve(&mut slope(128), 129, None), Err(ApspError::Gpu(_))));
    }

    #[test]
    fn progress_ends_it() {
        let mut host = OnHost { side: 128, pivots: Vec::new(), launches: 0, panels: 0 };
        let stop = |done, _| match done {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let ended = close(&mut slope::<i32>(128), 128, 128, &mut host, Some(&stop));
        assert!(matches!(ended, Err(ApspError::Interrupted(_))));
        assert_eq!(host.launches, 2 * 32 * 5);
    }
}

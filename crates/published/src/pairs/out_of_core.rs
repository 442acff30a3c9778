//! Blocked Floyd-Warshall of a matrix that stays in the host's memory: 32 of its rows at a time
//! pass through the GPU, which holds no more than these and 32 others.
//!
//! For each block of 32 pivots there are three phases. The CPU closes their square. The pivots'
//! rows are copied to the GPU, updated there with one pivot after the other, a launch for each, and
//! copied back. Then the same is done with their columns. At last every other block of 32 rows goes
//! there and back, beside the closed rows of the pivots. The kernel is `out_of_core.cu` in
//! `kernels/apsp/published`. O(n³); n (n/32 + 1) launches, and about n³/4 bytes over the bus, for n
//! up to a multiple of 32. The CPU waits for every copy.
//!
//! Differences from the text: it has three kernels, and prints one of them. Here that one suffices,
//! because the pivots' columns go to the GPU transposed, as rows. The last block is a whole one,
//! because the matrix is padded as in the other forms. `crates/apsp/src/cuda/floyd_warshall.rs`
//! solves the same problem with wider blocks, and overlaps copies with the arithmetic.
//!
//! Reference: origin-out-of-core, katz-kider-2008, venkataraman-2003

use std::ops::Add;

use bytemuck::cast_slice_mut;
use gpu_runtime::{Arg, Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::{Weight, WeightKind, tell};
use kernels::apsp::{PUBLISHED_OUT_OF_CORE_F32, PUBLISHED_OUT_OF_CORE_I32};
use paths::Progress;
use search_parts::{Kernels, SearchError};

use super::parameters::{check_matrix, check_side};

/// Pivots of a block, rows of a panel and threads of a block: a constant of the kernel.
const BLOCK: usize = 32;

/// The form for matrices of one side, with its kernel loaded and its memory allocated.
///
/// ```
/// use gpu_runtime::Gpu;
/// use graph_formats::WeightKind;
/// use published::pairs::OutOfCore;
///
/// let Ok(gpu) = Gpu::open() else { return Ok(()) };
/// let (side, n) = (128, 3);
/// let mut matrix = vec![i32::MAX as u32 / 2; side * side];
/// (0..side).for_each(|v| matrix[v * side + v] = 0);
/// (matrix[1], matrix[side + 2]) = (4, 5); // arcs (0, 1) and (1, 2)
///
/// let gpu = gpu.with_memory_cap(OutOfCore::bytes(side));
/// let mut form = OutOfCore::new(&gpu, WeightKind::I32, side)?;
/// assert_eq!(form.solve(&mut matrix, n, None)?, 64);
/// assert_eq!(matrix[..n], [0, 4, 9]);
/// # Ok::<(), search_parts::SearchError>(())
/// ```
pub struct OutOfCore {
    gpu: Gpu,
    kernel: Kernel,
    kind: WeightKind,
    side: usize,
    /// The panel that passes,
    rows: Buffer<u32>,
    /// and the closed rows of the pivots.
    pivots: Buffer<u32>,
}

impl OutOfCore {
    /// Bytes of the GPU's memory that it takes, and all that it takes: two panels of 32 rows.
    #[must_use]
    pub const fn bytes(side: usize) -> u64 {
        2 * (BLOCK * size_of::<u32>()) as u64 * side as u64
    }

    /// Loads the kernel and allocates the memory.
    ///
    /// # Errors
    /// [`SearchError::UnknownName`] for a side that is no multiple of
    /// [`SIDE_STEP`](super::SIDE_STEP); [`SearchError::NotOnGpu`] for elements that are neither i32
    /// nor f32; [`SearchError::Gpu`] when the device fails or has too little memory.
    pub fn new(gpu: &Gpu, kind: WeightKind, side: usize) -> Result<Self, SearchError> {
        check_side(side)?;
        let modules = [PUBLISHED_OUT_OF_CORE_I32, PUBLISHED_OUT_OF_CORE_F32];
        let kernel = Kernels::of(gpu, &modules, kind)?.get("out_of_core")?;
        let (rows, pivots) = (gpu.buffer(BLOCK * side)?, gpu.buffer(BLOCK * side)?);
        Ok(Self { gpu: gpu.clone(), kernel, kind, side, rows, pivots })
    }

    /// Makes the first `n` rows and columns of `matrix`, which is as that of
    /// [`Solver`](super::Solver) but the host's, distances where they were arcs; returns how
    /// many launches that took. O(n³).
    ///
    /// # Errors
    /// [`SearchError::Gpu`] when the device fails, and where the matrix is of another side or less
    /// than n; [`SearchError::Interrupted`] where `progress` ends it, which leaves the matrix
    /// half done.
    pub fn solve(
        &mut self,
        matrix: &mut [u32],
        n: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<u64, SearchError> {
        let (side, kind) = (self.side, self.kind);
        check_matrix(matrix.len(), n, side)?;
        close(matrix, side, n, kind, self, progress)?;
        let n_blocks = n.div_ceil(BLOCK) as u64;
        Ok(BLOCK as u64 * n_blocks * (n_blocks + 1))
    }
}

/// Whose rows paths lead through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pivots {
    /// The panel's own: it has the pivots' rows, or their columns transposed.
    Own,
    Kept,
}

/// What the GPU does.
trait Panels {
    /// Keeps the closed rows of a block of pivots.
    fn keep(&mut self, pivots: &[u32]) -> Result<(), GpuError>;

    /// Lets paths of 32 rows lead through the 32 pivots from vertex `first` on, a launch each, in
    /// the columns of `n_blocks` blocks without their own.
    fn update(
        &mut self,
        rows: &mut [u32],
        pivots: Pivots,
        first: usize,
        n_blocks: usize,
    ) -> Result<(), GpuError>;
}

/// The algorithm, for the first `n` vertices of a matrix.
fn close(
    matrix: &mut [u32],
    side: usize,
    n: usize,
    kind: WeightKind,
    gpu: &mut impl Panels,
    progress: Option<Progress<'_>>,
) -> Result<(), SearchError> {
    let n_blocks = n.div_ceil(BLOCK);
    let rows = |block: usize| block * BLOCK * side..(block + 1) * BLOCK * side;
    let mut columns = vec![0; BLOCK * side];
    for pivot in 0..n_blocks {
        tell(progress, pivot as u64, n_blocks as u64)?;
        let first = pivot * BLOCK;
        match kind {
            WeightKind::I32 => {
                close_square(cast_slice_mut(matrix), side, first, i32::wrapping_add);
            }
            _ => close_square(cast_slice_mut(matrix), side, first, f32::add),
        }

        gpu.update(&mut matrix[rows(pivot)], Pivots::Own, first, n_blocks)?;
        for (i, row) in matrix.chunks_exact(side).enumerate() {
            (0..BLOCK).for_each(|c| columns[c * side + i] = row[first + c]);
        }
        gpu.update(&mut columns, Pivots::Own, first, n_blocks)?;
        for (i, row) in matrix.chunks_exact_mut(side).enumerate() {
            (0..BLOCK).for_each(|c| row[first + c] = columns[c * side + i]);
        }

        gpu.keep(&matrix[rows(pivot)])?;
        for block in (0..n_blocks).filter(|&block| block != pivot) {
            gpu.update(&mut matrix[rows(block)], Pivots::Kept, first, n_blocks)?;
        }
    }
    Ok(())
}

/// The square of the pivots from `first` on, by the three loops.
fn close_square<E: Weight>(matrix: &mut [E], side: usize, first: usize, sum: impl Fn(E, E) -> E) {
    let pivots = first..first + BLOCK;
    for k in pivots.clone() {
        for i in pivots.clone() {
            let to = matrix[i * side + k];
            for j in pivots.clone() {
                let sum = sum(to, matrix[k * side + j]);
                if sum < matrix[i * side + j] {
                    matrix[i * side + j] = sum;
                }
            }
        }
    }
}

impl Panels for OutOfCore {
    fn keep(&mut self, pivots: &[u32]) -> Result<(), GpuError> {
        self.pivots.upload(pivots)
    }

    fn update(
        &mut self,
        rows: &mut [u32],
        pivots: Pivots,
        first: usize,
        n_blocks: usize,
    ) -> Result<(), GpuError> {
        self.rows.upload(rows)?;
        let Self { gpu, kernel, side, rows: panel, pivots: kept, .. } = self;
        let from = if pivots == Pivots::Own { &*panel } else { &*kept };
        let shape = LaunchConfig::new(n_blocks as u32, BLOCK as u32);
        for k in 0..BLOCK as u32 {
            let numbers = [*side as u32, first as u32, k].map(Arg::from);
            let args: Vec<_> = [&*panel, from].map(Arg::from).into_iter().chain(numbers).collect();
            // SAFETY: threads access 32 rows of a panel in the columns of their blocks, and in
            // column `first` + k, which is one of them.
            unsafe { gpu.launch(kernel, shape, &args) }?;
        }
        self.rows.download_into(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use bytemuck::{cast_slice, cast_vec};
    use graph_formats::Interrupted;

    use super::super::tests::{Number, SIZES, distances, gpu, side_of, slope};
    use super::*;

    /// The kernel, on the host; and what it is asked to do.
    struct OnHost<E> {
        side: usize,
        pivots: Vec<E>,
        launches: u64,
        panels: u64,
    }

    impl<E: Number> Panels for OnHost<E> {
        fn keep(&mut self, pivots: &[u32]) -> Result<(), GpuError> {
            self.panels += 1;
            self.pivots = cast_slice(pivots).to_vec();
            Ok(())
        }

        fn update(
            &mut self,
            rows: &mut [u32],
            pivots: Pivots,
            first: usize,
            n_blocks: usize,
        ) -> Result<(), GpuError> {
            assert_eq!(rows.len(), BLOCK * self.side);
            self.panels += 2;
            self.launches += BLOCK as u64;
            let (side, rows) = (self.side, cast_slice_mut::<_, E>(rows));
            for k in 0..BLOCK {
                let own = rows[k * side..][..side].to_vec();
                let down = if pivots == Pivots::Own { &own[..] } else { &self.pivots[k * side..] };
                for row in rows.chunks_exact_mut(side) {
                    let columns = 0..n_blocks * BLOCK;
                    for j in columns.filter(|j| !(first..first + BLOCK).contains(j)) {
                        let sum = row[first + k] + down[j];
                        row[j] = if sum < row[j] { sum } else { row[j] };
                    }
                }
            }
            Ok(())
        }
    }

    fn compare<E: Number>(found: &[u32], n: usize, launches: u64) {
        let differs = |(a, b): (&E, &E)| a != b && (a.is_path() || b.is_path());
        let right = distances::<E>(n);
        let is_wrong = cast_slice(found).iter().zip(&right).any(differs);
        assert!(!is_wrong, "{n} in {}", E::KIND);
        let n_blocks = n.div_ceil(BLOCK) as u64;
        assert_eq!(launches, 32 * n_blocks * (n_blocks + 1), "{n}");
    }

    /// The order of the phases, and how often the matrix passes.
    fn schedule<E: Number>() {
        for n in SIZES {
            let side = side_of(n);
            let mut matrix = cast_vec(slope::<E>(n));
            let mut host = OnHost::<E> { side, pivots: Vec::new(), launches: 0, panels: 0 };
            close(&mut matrix, side, n, E::KIND, &mut host, None).unwrap();
            compare::<E>(&matrix, n, host.launches);
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
            let gpu = gpu.with_memory_cap(OutOfCore::bytes(side));
            let mut matrix = cast_vec(slope::<E>(n));
            let mut form = OutOfCore::new(&gpu, E::KIND, side).unwrap();
            let launches = form.solve(&mut matrix, n, None).unwrap();
            compare::<E>(&matrix, n, launches);
        }
    }

    /// In as much memory as it says it takes.
    #[test]
    fn panels_pass_through_little_memory() {
        let Some(gpu) = gpu() else { return };
        by_gpu::<i32>(&gpu);
        by_gpu::<f32>(&gpu);
        let less = gpu.with_memory_cap(OutOfCore::bytes(256) - 1);
        let refused = OutOfCore::new(&less, WeightKind::I32, 256);
        assert!(matches!(refused, Err(SearchError::Gpu(_))), "{:?}", refused.err());
    }

    #[test]
    fn what_is_no_such_matrix_is_refused() {
        let Some(gpu) = gpu() else { return };
        let new = |kind, side| OutOfCore::new(&gpu, kind, side);
        assert!(matches!(new(WeightKind::I32, 100), Err(SearchError::UnknownName(_))));
        assert!(matches!(new(WeightKind::U32, 128), Err(SearchError::NotOnGpu { .. })));
        let mut form = new(WeightKind::I32, 128).unwrap();
        let [mut large, mut small] = [200, 128].map(|n| cast_vec(slope::<i32>(n)));
        assert!(matches!(form.solve(&mut large, 5, None), Err(SearchError::Gpu(_))));
        assert!(matches!(form.solve(&mut small, 129, None), Err(SearchError::Gpu(_))));
    }

    #[test]
    fn progress_ends_it() {
        let mut host = OnHost::<i32> { side: 128, pivots: Vec::new(), launches: 0, panels: 0 };
        let stop = |done, _| match done {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let mut matrix = cast_vec(slope::<i32>(128));
        let ended = close(&mut matrix, 128, 128, WeightKind::I32, &mut host, Some(&stop));
        assert_eq!(ended, Err(Interrupted.into()));
        assert_eq!(host.launches, 2 * 32 * 5);
    }
}

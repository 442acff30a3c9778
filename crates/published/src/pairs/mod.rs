//! All pairs by Floyd-Warshall on a GPU in published forms.
//!
//! Four [forms](Form) work on a square matrix in the GPU's memory:
//!
//! * `floyd-warshall`: one launch a vertex;
//! * `blocked-product`, method A: iterative blocked, with the other tiles as a min-plus product in
//!   registers;
//! * `blocked-two-level`, method B: iterative blocked, with the other tiles on two levels of
//!   blocks;
//! * the recursive form, over the product of method A.
//!
//! [`OutOfCore`] is the fifth (`blocked-out-of-core`), on a matrix in the host's memory.
//! [`Parameters`] has all that the papers vary. A [`Solver`] has its kernels loaded and its memory
//! allocated, so that solving is launches only, as many as [`launches`] lists.
//!
//! The matrix is row-major, its side a multiple of [`SIDE_STEP`], and its elements are 32-bit
//! integers or floats, passed as words. What lies beyond the vertices is
//! [`NO_PATH`](Element::NO_PATH), with 0 on the diagonal, and stays so. Weights may be below zero,
//! but no cycle: the caller has checked. Arcs below zero may lower `NO_PATH` a little, so in i32 a
//! result of `i32::MAX / 4` or more means no path. Floats are added in an order that does not
//! depend on which thread is first.
//!
//! ```
//! use gpu_runtime::Gpu;
//! use graph_formats::WeightKind;
//! use published::pairs::{Element, Form, Parameters, Solver};
//!
//! let Ok(gpu) = Gpu::open() else { return Ok(()) };
//! let (side, n) = (128, 3);
//! let mut numbers = vec![i32::NO_PATH; side * side];
//! (0..side).for_each(|v| numbers[v * side + v] = 0);
//! (numbers[1], numbers[side + 2]) = (4, 5); // arcs (0, 1) and (1, 2)
//! let mut matrix = gpu.upload(&numbers)?.cast();
//!
//! let (form, parameters) = (Form::BlockedProduct, Parameters::of_tile(16));
//! let mut solver = Solver::new(&gpu, form, parameters, WeightKind::I32, side)?;
//! assert_eq!(solver.solve(&mut matrix, n)?, 1);
//! assert_eq!(matrix.download_range(0..n)?, [0, 4, 9]);
//! # Ok::<(), search_parts::SearchError>(())
//! ```

mod element;
mod iterative;
mod last_vertices;
mod out_of_core;
mod parameters;
mod plain;
mod recursive;
mod steps;
#[cfg(test)]
mod tests;
mod tiles;

use gpu_runtime::{Buffer, Gpu, GpuError, Kernel, LaunchConfig};
use graph_formats::WeightKind;
use search_parts::SearchError;

pub use element::Element;
use iterative::Iterative;
pub use last_vertices::path_of_last_vertices;
pub use out_of_core::OutOfCore;
pub use parameters::{Form, Parameters, SIDE_STEP};
use parameters::{check_matrix, check_side};
use plain::Plain;
use recursive::Recursive;
use steps::Clock;
pub use steps::{Launch, Phase};

/// A form over a matrix in the GPU's memory, ready for those of one side.
pub struct Solver {
    gpu: Gpu,
    form: Loaded,
    side: usize,
}

enum Loaded {
    Plain(Plain),
    Iterative(Iterative),
    Recursive(Recursive),
}

impl Solver {
    /// Loads the kernels and allocates what `form` needs beside a matrix of `side` with elements of
    /// this kind. The recursive form and a blocked layout need a second matrix, the plain form with
    /// last vertices needs a matrix of vertices, other forms need none.
    ///
    /// # Errors
    /// [`SearchError::NotOnGpu`] for [`Form::BlockedOutOfCore`], and for elements that are neither
    /// i32 nor f32. [`SearchError::UnknownName`] for a parameter or a side that there is no kernel
    /// for. [`SearchError::Gpu`] when the device fails or has too little memory.
    pub fn new(
        gpu: &Gpu,
        form: Form,
        parameters: Parameters,
        kind: WeightKind,
        side: usize,
    ) -> Result<Self, SearchError> {
        parameters.check(form)?;
        check_side(side)?;
        let loaded = match form {
            Form::FloydWarshall => Loaded::Plain(Plain::new(gpu, &parameters, kind, side)?),
            Form::Recursive => Loaded::Recursive(Recursive::new(gpu, &parameters, kind, side)?),
            Form::BlockedProduct | Form::BlockedTwoLevel => {
                Loaded::Iterative(Iterative::new(gpu, form, &parameters, kind, side)?)
            }
            Form::BlockedOutOfCore => {
                let reason = format!("{} needs a matrix in the host's memory", form.name());
                return Err(SearchError::NotOnGpu { reason });
            }
        };
        Ok(Self { gpu: gpu.clone(), form: loaded, side })
    }

    /// Makes the first `n` rows and columns of `matrix` distances where they were arcs;
    /// returns how many launches that took, without the two that convert to the blocked
    /// layout and back. They are queued, not waited for. O(n³).
    ///
    /// # Errors
    /// [`GpuError::Length`] where the matrix is of another side or less than n, and where the
    /// device fails.
    pub fn solve(&mut self, matrix: &mut Buffer<u32>, n: usize) -> Result<u64, GpuError> {
        self.launch(matrix, n, Clock::None)
    }

    /// The same, and waits after each launch: the milliseconds that each took, in the order of
    /// [`launches`]. In sum a little longer than [`solve`](Self::solve) takes.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_timed(
        &mut self,
        matrix: &mut Buffer<u32>,
        n: usize,
    ) -> Result<Vec<f64>, GpuError> {
        let (timer, mut times) = (self.gpu.timer()?, Vec::new());
        self.launch(matrix, n, Clock::Each(&timer, &mut times))?;
        Ok(times)
    }

    /// The same as [`solve`](Self::solve), and waits: the milliseconds that the counted
    /// launches took by the GPU's clock.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_ms(&mut self, matrix: &mut Buffer<u32>, n: usize) -> Result<f64, GpuError> {
        let timer = self.gpu.timer()?;
        self.launch(matrix, n, Clock::Whole(&timer))?;
        timer.elapsed_ms()
    }

    /// For each element of the matrix last solved, row-major, the largest vertex inside the
    /// path that was found; 2³² - 1 where the path is an arc or there is none.
    /// [`path_of_last_vertices`] follows them. Of the plain form with
    /// [last vertices](Parameters::last_vertices) only.
    #[must_use]
    pub fn last_vertices(&self) -> Option<&Buffer<u32>> {
        match &self.form {
            Loaded::Plain(plain) => plain.last.as_ref(),
            _ => None,
        }
    }

    /// The kernel that does nearly all of the work on `n` vertices, with its launch; the largest,
    /// where they differ.
    #[must_use]
    pub fn bulk(&self, n: usize) -> (&Kernel, LaunchConfig) {
        let n = n as u32;
        match &self.form {
            Loaded::Plain(plain) => plain.bulk(n),
            Loaded::Iterative(iterative) => iterative.bulk(n),
            Loaded::Recursive(recursive) => recursive.bulk(n),
        }
    }

    fn launch(
        &mut self,
        matrix: &mut Buffer<u32>,
        n: usize,
        clock: Clock<'_>,
    ) -> Result<u64, GpuError> {
        check_matrix(matrix.len(), n, self.side)?;
        let (gpu, n) = (&self.gpu, n as u32);
        match &mut self.form {
            Loaded::Plain(plain) => plain.solve(gpu, matrix, n, clock),
            Loaded::Iterative(iterative) => iterative.solve(gpu, matrix, n, clock),
            Loaded::Recursive(recursive) => recursive.solve(gpu, matrix, n, clock),
        }
    }
}

/// The launches of a [`Solver`] for `n` vertices in order, each with its kind and size. The plain
/// form has n; the iterative ones have 3 n/t, but 1 for one tile. The recursive one has 5 n/t - 4,
/// or 7 n/t - 6 if products are not fused. Launches that convert between layouts are not listed,
/// nor are those of [`OutOfCore`].
///
/// ```
/// use published::pairs::{Form, Parameters, launches};
///
/// let parameters = Parameters { fused: false, ..Parameters::of_tile(32) };
/// assert_eq!(launches(Form::BlockedProduct, &parameters, 8192).len(), 768);
/// let recursive = launches(Form::Recursive, &parameters, 8192);
/// let largest = recursive.iter().filter(|launch| launch.relaxations == 4096u64.pow(3));
/// assert_eq!((recursive.len(), largest.count()), (1786, 6));
/// ```
#[must_use]
pub fn launches(form: Form, parameters: &Parameters, n: usize) -> Vec<Launch> {
    let n_tiles = parameters.n_tiles(n);
    match form {
        Form::FloydWarshall => vec![Launch::of(Phase::Bulk, n as u64, 1, n as u64); n],
        Form::BlockedProduct | Form::BlockedTwoLevel => {
            iterative::launches(n_tiles, parameters.tile).collect()
        }
        Form::Recursive => {
            recursive::launches(n_tiles, parameters.tile, parameters.fused).collect()
        }
        Form::BlockedOutOfCore => Vec::new(),
    }
}

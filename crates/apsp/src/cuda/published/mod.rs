//! Floyd-Warshall on a GPU as it was published: for whoever studies the forms.
//!
//! Four of them are over a square matrix that lies in the GPU's memory: one launch a vertex
//! (`floyd-warshall`); iterative blocked with the other tiles as a min-plus product in
//! registers (`blocked-product`, method A) or on two levels of blocks (`blocked-two-level`,
//! method B); and recursive, over the same product. [`OutOfCore`] is the fifth
//! (`blocked-out-of-core`), over one in the host's memory. [`Parameters`] has all that the papers
//! vary. A [`Published`] has its kernels loaded and its memory taken, so that solving is
//! launches only, as many as [`Parameters::n_launches`] says.
//!
//! The matrix is row-major, its side a multiple of 128; what lies beyond the vertices is
//! [`NO_PATH`](Element::NO_PATH), with 0 on the diagonal, and stays so. Weights may be below
//! zero, but no cycle: the caller has checked. Then in i32 what is left at
//! `i32::MAX / 4` or more means no path, for such arcs lower it a little; and floats are
//! added in an order that does not depend on which thread is first.
//!
//! ```
//! use apsp::Algorithm;
//! use apsp::published::{Element, Parameters, Published};
//! use gpu_runtime::Gpu;
//!
//! let Ok(gpu) = Gpu::open() else { return Ok(()) };
//! let (side, n) = (128, 3);
//! let mut numbers = vec![i32::NO_PATH; side * side];
//! (0..side).for_each(|v| numbers[v * side + v] = 0);
//! (numbers[1], numbers[side + 2]) = (4, 5); // arcs (0, 1) and (1, 2)
//! let mut matrix = gpu.upload(&numbers)?;
//!
//! let parameters = Parameters::of_tile(16);
//! let mut solver = Published::new(&gpu, Algorithm::BlockedProduct, parameters, side)?;
//! assert_eq!(solver.solve(&mut matrix, n)?, 1);
//! assert_eq!(matrix.download_range(0..n)?, [0, 4, 9]);
//! # Ok::<(), apsp::ApspError>(())
//! ```

mod element;
mod iterative;
mod kernels;
mod last_vertices;
mod names;
mod out_of_core;
mod parameters;
mod plain;
mod recursive;
mod steps;
#[cfg(test)]
mod tests;

use gpu_runtime::{Buffer, Gpu, GpuError, KernelAttributes};

use crate::{Algorithm, ApspError};
pub use element::Element;
use iterative::Iterative;
pub use last_vertices::path_of_last_vertices;
pub use out_of_core::OutOfCore;
pub use parameters::{Layout, Parameters};
use plain::Plain;
use recursive::Recursive;
use steps::{Clock, Launches};
pub use steps::{Launch, Phase, PhaseTimes};

/// Sides of matrices are multiples of it.
pub const SIDE_STEP: usize = 128;

/// A published form, ready for matrices of one side.
#[derive(Debug)]
pub struct Published<E> {
    gpu: Gpu,
    form: Form<E>,
    side: usize,
}

#[derive(Debug)]
enum Form<E> {
    Plain(Plain),
    Iterative(Iterative<E>),
    Recursive(Recursive<E>),
}

/// The kernel that does nearly all of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulk {
    /// Its name.
    pub name: &'static str,
    /// What the compiler made of it.
    pub attributes: KernelAttributes,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of a launch; the largest launch's, where they differ.
    pub blocks: u64,
    /// Blocks side by side on a multiprocessor.
    pub resident: u32,
    /// Threads side by side on a multiprocessor, by all that it could have.
    pub occupancy: f64,
}

impl<E: Element> Published<E> {
    /// Loads the kernels and takes the memory that `algorithm` needs beside a matrix of
    /// `side`: a second one for the recursive form and for a blocked layout, one of vertices
    /// for the plain form with last vertices, none otherwise.
    ///
    /// # Errors
    /// [`ApspError::NotHere`] for an algorithm that is none of these four,
    /// [`ApspError::Parameter`] for a parameter that there is no kernel for, and
    /// [`ApspError::Gpu`].
    pub fn new(
        gpu: &Gpu,
        algorithm: Algorithm,
        parameters: Parameters,
        side: usize,
    ) -> Result<Self, ApspError> {
        parameters.check(algorithm)?;
        check_side(side)?;
        let form = match algorithm {
            Algorithm::FloydWarshall => Form::Plain(Plain::new::<E>(gpu, &parameters, side)?),
            Algorithm::Recursive => Form::Recursive(Recursive::new(gpu, &parameters, side)?),
            _ => Form::Iterative(Iterative::new(gpu, algorithm, &parameters, side)?),
        };
        Ok(Self { gpu: gpu.clone(), form, side })
    }

    /// Makes the first `n` rows and columns of `matrix` distances where they were arcs;
    /// returns how many launches that took, without the two that convert to the blocked
    /// layout and back. They are queued, not waited for. O(n³).
    ///
    /// # Errors
    /// [`ApspError::Gpu`], also where the matrix is of another side or less than n.
    pub fn solve(&mut self, matrix: &mut Buffer<E>, n: usize) -> Result<u64, ApspError> {
        let mut launches = Launches::default();
        self.launch(matrix, n, &mut launches)?;
        Ok(launches.count)
    }

    /// The same, and waits after each launch, to tell how long each took: in sum a little
    /// longer than [`solve`](Self::solve) takes.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_timed(
        &mut self,
        matrix: &mut Buffer<E>,
        n: usize,
    ) -> Result<PhaseTimes, ApspError> {
        let timer = self.gpu.timer()?;
        let mut launches = Launches { clock: Clock::Each(&timer), ..Launches::default() };
        self.launch(matrix, n, &mut launches)?;
        Ok(launches.times)
    }

    /// The same as [`solve`](Self::solve), and waits: the milliseconds that the counted
    /// launches took by the GPU's clock.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_ms(&mut self, matrix: &mut Buffer<E>, n: usize) -> Result<f64, ApspError> {
        let timer = self.gpu.timer()?;
        let mut launches = Launches { clock: Clock::Whole(&timer), ..Launches::default() };
        self.launch(matrix, n, &mut launches)?;
        Ok(timer.elapsed_ms()?)
    }

    /// For each element of the matrix last solved, row-major, the largest vertex inside the
    /// path that was found; 2³² - 1 where the path is an arc or there is none.
    /// [`path_of_last_vertices`] follows them. Of the plain form with
    /// [last vertices](Parameters::last_vertices) only.
    #[must_use]
    pub fn last_vertices(&self) -> Option<&Buffer<u32>> {
        match &self.form {
            Form::Plain(plain) => plain.last_vertices(),
            _ => None,
        }
    }

    /// The kernel that does nearly all of the work on `n` vertices, with its launch.
    ///
    /// # Errors
    /// [`ApspError::Gpu`].
    pub fn bulk(&self, n: usize) -> Result<Bulk, ApspError> {
        let n = n as u32;
        let (kernel, shape) = match &self.form {
            Form::Plain(plain) => plain.bulk(n),
            Form::Iterative(iterative) => iterative.bulk(n),
            Form::Recursive(recursive) => recursive.bulk(n),
        };
        let resident = kernel.occupancy(shape.block, shape.shared_bytes)?;
        let most = self.gpu.properties().max_threads_per_multiprocessor.max(1);
        Ok(Bulk {
            name: kernel.name(),
            attributes: kernel.attributes()?,
            threads: shape.block,
            blocks: u64::from(shape.grid.0) * u64::from(shape.grid.1),
            resident,
            occupancy: f64::from(resident * shape.block) / f64::from(most),
        })
    }

    fn launch(
        &mut self,
        matrix: &mut Buffer<E>,
        n: usize,
        launches: &mut Launches<'_>,
    ) -> Result<(), GpuError> {
        check_matrix(matrix.len(), n, self.side)?;
        let (gpu, n) = (&self.gpu, n as u32);
        match &mut self.form {
            Form::Plain(plain) => plain.launch(gpu, matrix, n, launches),
            Form::Iterative(iterative) => iterative.launch(gpu, matrix, n, launches),
            Form::Recursive(recursive) => recursive.launch(gpu, matrix, n, launches),
        }
    }
}

/// That a matrix may have this side.
fn check_side(side: usize) -> Result<(), ApspError> {
    if side.is_multiple_of(SIDE_STEP) && u32::try_from(side).is_ok() {
        return Ok(());
    }
    let value = u32::try_from(side).unwrap_or(u32::MAX);
    let expected = format!("a multiple of {SIDE_STEP} below 2^32");
    Err(ApspError::Parameter { name: "the side of the matrix", value, expected })
}

/// That one of so many elements has it, and `n` vertices.
fn check_matrix(len: usize, n: usize, side: usize) -> Result<(), GpuError> {
    let length =
        |expected, found| GpuError::Length { operation: "solving all pairs", expected, found };
    match (len == side * side, n <= side) {
        (true, true) => Ok(()),
        (false, _) => Err(length(side * side, len)),
        (true, false) => Err(length(side, n)),
    }
}

/// Solves once: loads what `algorithm` needs, and makes the first `n` rows and columns of
/// `matrix` distances; returns how many launches that took. The side of the matrix is the root
/// of its length.
///
/// # Errors
/// As [`Published::new`] and [`Published::solve`].
pub fn solve<E: Element>(
    gpu: &Gpu,
    algorithm: Algorithm,
    parameters: Parameters,
    matrix: &mut Buffer<E>,
    n: usize,
) -> Result<u64, ApspError> {
    let side = matrix.len().isqrt();
    Published::new(gpu, algorithm, parameters, side)?.solve(matrix, n)
}

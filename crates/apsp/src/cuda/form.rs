//! A form of Floyd-Warshall on a matrix in the GPU's memory: the default one, or a published
//! one.

use gpu_runtime::{Buffer, Gpu};
use sssp::Progress;

use super::arithmetic::{Arithmetic, Kernels};
use super::blocked::{Closer, Rows};
use super::published::{Parameters, Published};
use crate::{Algorithm, ApspError};

/// A form with its kernels loaded and its memory taken, so that what is timed is launches.
#[derive(Debug)]
pub(super) enum Form {
    Default(Closer),
    /// The published ones have matrices of numbers.
    I32(Published<i32>),
    F32(Published<f32>),
}

impl Form {
    pub(super) fn new(
        gpu: &Gpu,
        algorithm: Algorithm,
        parameters: Parameters,
        arithmetic: Arithmetic,
        side: usize,
    ) -> Result<Self, ApspError> {
        Ok(match (algorithm, arithmetic) {
            (Algorithm::Blocked, _) => Self::Default(Closer::new(gpu, arithmetic, side)?),
            (_, Arithmetic::I32) => Self::I32(Published::new(gpu, algorithm, parameters, side)?),
            _ => Self::F32(Published::new(gpu, algorithm, parameters, side)?),
        })
    }

    /// Makes distances of the arcs between the first `n` vertices of a matrix of this side;
    /// returns it, and how many launches that took, which are queued.
    pub(super) fn solve(
        &mut self,
        gpu: &Gpu,
        kernels: &Kernels,
        matrix: Buffer<u32>,
        (n, side): (usize, usize),
        progress: Option<Progress<'_>>,
    ) -> Result<(Buffer<u32>, u64), ApspError> {
        match self {
            Self::Default(closer) => {
                let rows = Rows { address: matrix.address(), n_rows: side, side, first: 0 };
                let launches = closer.close(gpu, kernels, rows, progress)?;
                Ok((matrix, launches))
            }
            Self::I32(form) => {
                let mut numbers = matrix.cast();
                let launches = form.solve(&mut numbers, n)?;
                Ok((numbers.cast(), launches))
            }
            Self::F32(form) => {
                let mut numbers = matrix.cast();
                let launches = form.solve(&mut numbers, n)?;
                Ok((numbers.cast(), launches))
            }
        }
    }
}

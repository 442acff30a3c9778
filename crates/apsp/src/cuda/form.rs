//! A form of Floyd-Warshall on a matrix in the GPU's memory: the default one, or a published
//! one.

use gpu_runtime::{Buffer, Gpu};
use sssp::Progress;

use super::arithmetic::{Arithmetic, Kernels};
use super::floyd_warshall::{Cut, FloydWarshall};
use super::published::{Parameters, Published};
use super::rows::OnGpu;
use crate::{Algorithm, ApspError};

/// A form with its kernels loaded and its memory taken, so that what is timed is launches.
#[derive(Debug)]
pub(super) enum Form {
    Default(Cut, FloydWarshall),
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
        n: usize,
    ) -> Result<Self, ApspError> {
        let side = arithmetic.side(n);
        Ok(match (algorithm, arithmetic) {
            (Algorithm::Blocked, _) => {
                let cut = Cut::on_gpu(arithmetic, n);
                Self::Default(cut, FloydWarshall::new(gpu, cut)?)
            }
            (_, Arithmetic::I32) => Self::I32(Published::new(gpu, algorithm, parameters, side)?),
            _ => Self::F32(Published::new(gpu, algorithm, parameters, side)?),
        })
    }

    /// Makes distances of the arcs between the first `n` vertices of the matrix; returns it, and
    /// how many launches that took, of which some may be under way.
    pub(super) fn solve(
        &mut self,
        kernels: &Kernels,
        matrix: Buffer<u32>,
        n: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<(Buffer<u32>, u64), ApspError> {
        match self {
            Self::Default(cut, form) => {
                let mut rows = OnGpu { matrix: &matrix, cut: *cut };
                let (launches, _) = form.close(kernels, &mut rows, progress)?;
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

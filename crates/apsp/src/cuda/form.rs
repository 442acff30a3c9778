//! A form of Floyd-Warshall on a matrix in the memory of GPUs: the default one, or a published
//! one.

use gpu_runtime::{Buffer, Gpu};
use sssp::Progress;

use super::arithmetic::{Arithmetic, Kernels};
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::published::{Element, Parameters, Published};
use super::rows::OnGpu;
use crate::{Algorithm, ApspError, Phases};

/// A form with its kernels loaded and its memory taken, so that what is timed is launches.
pub(super) enum Form {
    /// Room for the work on each GPU.
    Default(Vec<FloydWarshall>),
    /// The published ones have matrices of numbers.
    I32(Published<i32>),
    F32(Published<f32>),
}

/// A GPU, and what it keeps of a matrix.
pub(super) struct GpuShare {
    pub(super) gpu: Gpu,
    pub(super) kernels: Kernels,
    /// Its blocks of rows, one after the other.
    pub(super) matrix: Buffer<u32>,
}

impl Form {
    pub(super) fn new(
        gpus: &[Gpu],
        algorithm: Algorithm,
        parameters: Parameters,
        cut: Cut,
    ) -> Result<Self, ApspError> {
        let (gpu, side) = (&gpus[0], cut.side());
        Ok(match (algorithm, cut.arithmetic) {
            (Algorithm::Blocked, _) => {
                let forms = gpus.iter().map(|gpu| FloydWarshall::new(gpu, cut));
                Self::Default(forms.collect::<Result<_, _>>()?)
            }
            (_, Arithmetic::I32) => Self::I32(Published::new(gpu, algorithm, parameters, side)?),
            _ => Self::F32(Published::new(gpu, algorithm, parameters, side)?),
        })
    }

    /// Makes distances of the arcs between the first `n` vertices of the matrix; returns its
    /// shares, how many launches that took, of which some may be under way, and the phases.
    pub(super) fn solve(
        &mut self,
        mut shares: Vec<GpuShare>,
        cut: Cut,
        n: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<(Vec<GpuShare>, u64, Phases), ApspError> {
        let mut phases = Phases::default();
        let launches = match self {
            Self::Default(forms) => {
                let mut parts = Vec::new();
                for (number, (form, share)) in forms.iter().zip(&shares).enumerate() {
                    let rows = OnGpu::new(&share.matrix, form.panels(), cut, number);
                    let kernels = &share.kernels;
                    parts.push(Part { number, form, kernels, rows, link: None });
                }
                let (counts, of_parts) = close(&parts, progress)?;
                phases = of_parts;
                counts.launches
            }
            Self::I32(form) => published(form, &mut shares, n)?,
            Self::F32(form) => published(form, &mut shares, n)?,
        };
        Ok((shares, launches, phases))
    }
}

/// The same by a published form, for a matrix that is one share.
fn published<E: Element>(
    form: &mut Published<E>,
    shares: &mut Vec<GpuShare>,
    n: usize,
) -> Result<u64, ApspError> {
    let Some(GpuShare { gpu, kernels, matrix }) = shares.pop() else { return Ok(0) };
    let mut numbers = matrix.cast();
    let launches = form.solve(&mut numbers, n)?;
    shares.push(GpuShare { gpu, kernels, matrix: numbers.cast() });
    Ok(launches)
}

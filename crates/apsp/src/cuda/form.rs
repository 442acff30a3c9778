//! A form of Floyd-Warshall on a matrix in the memory of GPUs: the default one, or a published
//! one.

use gpu_runtime::{Buffer, Gpu};
use published::pairs::{Parameters, Solver};
use sssp::Progress;

use super::arithmetic::Kernels;
use super::cut::Cut;
use super::floyd_warshall::{FloydWarshall, Part, close};
use super::rows::OnGpu;
use crate::{Algorithm, ApspError, Phases};

/// A form with its kernels loaded and its memory taken, so that what is timed is launches.
pub(super) enum Loaded {
    /// Room for the work on each GPU.
    Default(Vec<FloydWarshall>),
    /// The published ones have the matrix on one GPU.
    Published(Box<Solver>),
}

/// The kernels of a GPU, and what it keeps of a matrix.
pub(super) struct GpuShare {
    pub(super) kernels: Kernels,
    /// Its blocks of rows, one after the other.
    pub(super) matrix: Buffer<u32>,
}

impl Loaded {
    pub(super) fn new(
        gpus: &[Gpu],
        algorithm: Algorithm,
        parameters: Parameters,
        cut: Cut,
    ) -> Result<Self, ApspError> {
        let Algorithm::Published(form) = algorithm else {
            let forms = gpus.iter().map(|gpu| FloydWarshall::new(gpu, cut));
            return Ok(Self::Default(forms.collect::<Result<_, _>>()?));
        };
        let kind = cut.arithmetic.kind();
        let solver = Solver::new(&gpus[0], form, parameters, kind, cut.side())?;
        Ok(Self::Published(Box::new(solver)))
    }

    /// Makes distances of the arcs between the first `n` vertices of the matrix, which has these
    /// shares; returns how many launches that took, of which some may be under way, and the phases.
    pub(super) fn solve(
        &mut self,
        shares: &mut [GpuShare],
        cut: Cut,
        n: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<(u64, Phases), ApspError> {
        match self {
            Self::Default(forms) => {
                let mut parts = Vec::new();
                for (number, (form, share)) in forms.iter().zip(shares.iter()).enumerate() {
                    let rows = OnGpu::new(&share.matrix, form.panels(), cut, number);
                    let kernels = &share.kernels;
                    parts.push(Part { number, form, kernels, rows, link: None });
                }
                let (counts, phases) = close(&parts, progress)?;
                Ok((counts.launches, phases))
            }
            Self::Published(form) => Ok((form.solve(&mut shares[0].matrix, n)?, Phases::default())),
        }
    }
}

//! All pairs of a graph that stay in the memory of the GPUs that found them.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::cast_slice;
use gpu_runtime::Gpu;
use graph_formats::{Distance, VertexId, Weight};

use super::solve::{Shares, Work, jit_ms, narrow, plan, reach_each_other};
use crate::element::{Element, with_element};
use crate::job::Job;
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Number, Plan, Report};

/// The distances of all pairs of vertices, in the memory of GPUs: n² numbers of 2 to 8 bytes in
/// all. A row is copied to the host when the caller reads it.
pub struct DevicePairs<W: Weight> {
    /// The algorithm that found them, and why.
    pub plan: Plan,
    /// The time that it took.
    pub report: Report,
    pub(super) n_vertices: usize,
    pub(super) found: Shares,
    weights: PhantomData<W>,
}

/// Solves on these GPUs, in one process.
pub(crate) fn solve<W: RaisedWeight>(
    gpus: &[Gpu],
    job: &Job<'_, W>,
) -> Result<DevicePairs<W>, ApspError> {
    // the matrix is not checked as a whole afterwards, so 16 bits must not be tried without proof
    let narrow = match narrow(job.ranks, gpus)? {
        Narrow::Tried { .. } => Narrow::Proven,
        other => other,
    };
    let plan = plan(gpus.len(), narrow, job)?;
    solve_by(plan, gpus, job)
}

/// Solves by a plan for these GPUs.
pub(super) fn solve_by<W: RaisedWeight>(
    plan: Plan,
    gpus: &[Gpu],
    job: &Job<'_, W>,
) -> Result<DevicePairs<W>, ApspError> {
    let Job { ranks, graph, config, .. } = *job;
    if !matches!(config.algorithm, Algorithm::Auto | Algorithm::Blocked) || config.next_hops {
        let reason =
            "only distances by the algorithm blocked stay on GPUs, without next hops".to_owned();
        return Err(ApspError::NotOnGpu { reason });
    }
    reach_each_other(gpus)?;
    job.potentials()?;
    let jit_before = jit_ms(gpus);
    let work = Work::new(gpus, job, &plan)?;
    let kernels = work.kernels()?;
    let mut report = Report { jit_ms: jit_ms(gpus) - jit_before, ..Report::default() };
    let found = work.shares(ranks, kernels, &mut report)?;
    Ok(DevicePairs { plan, report, n_vertices: graph.n_vertices(), found, weights: PhantomData })
}

impl<W: Weight> DevicePairs<W> {
    /// The number of vertices, which is that of rows and columns.
    pub fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    /// The distances from `source` in the order of the vertices, `None` for no path; empty when
    /// there is no such vertex. O(n), which are copied from the GPU.
    ///
    /// # Errors
    /// [`ApspError::Gpu`] if the copy fails.
    pub fn row(&self, source: VertexId) -> Result<Vec<Option<W::Distance>>, ApspError> {
        let source = source as usize;
        if source >= self.n_vertices {
            return Ok(Vec::new());
        }
        if self.found.is_released() {
            let reason = "it failed, and has lost the pairs until they are found again".to_owned();
            return Err(ApspError::NotOnGpu { reason });
        }
        let words = self.found.words(source..source + 1)?;
        let number = self.plan.number.unwrap_or(Number::I32);
        Ok(with_element!(W, number, E => {
            let numbers = &cast_slice::<u32, E>(&words)[..self.n_vertices];
            let distances = numbers.iter().map(|number| number.decode::<W::Distance>());
            distances.map(|d| Some(d).filter(|&d| d != W::Distance::UNREACHED)).collect()
        }))
    }
}

impl<W: Weight> fmt::Debug for DevicePairs<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, report, n_vertices, .. } = self;
        f.debug_struct("DevicePairs")
            .field("n_vertices", n_vertices)
            .field("plan", plan)
            .field("report", report)
            .finish_non_exhaustive()
    }
}

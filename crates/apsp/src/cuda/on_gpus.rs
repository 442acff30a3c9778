//! All pairs of a graph that stay in the memory of the GPUs that found them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use gpu_runtime::{Buffer, Gpu};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::NextHops;

use super::next_hops;
use super::solve::{Shares, Work, jit_ms, narrow, plan, reach_each_other};
use crate::element::{Element, with_element};
use crate::error::check_memory;
use crate::host::all_rows;
use crate::host::useful_arcs::rounds;
use crate::job::Job;
use crate::pairs::{Rows, Table, milliseconds};
use crate::potentials::RaisedWeight;
use crate::width::Narrow;
use crate::{Algorithm, ApspError, Number, Pairs, Plan, Report, hops};

/// The distances of all pairs of vertices, in the memory of GPUs: n² numbers of 2 to 8 bytes in
/// all. On one GPU next hops, too, 4 n² bytes, if the configuration asks for them. A row is copied to
/// the host when the caller reads it.
pub struct DevicePairs<W: Weight> {
    /// The algorithm that found them, and why.
    pub plan: Plan,
    /// The time that it took.
    pub report: Report,
    pub(super) n_vertices: usize,
    pub(super) found: Shares,
    /// A row for each row of the matrix, as long.
    pub(super) hops: Option<Buffer<VertexId>>,
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
    let refused = match (config.algorithm, gpus) {
        (Algorithm::Auto | Algorithm::Blocked, [_]) => None,
        (Algorithm::Auto | Algorithm::Blocked, _) if !config.next_hops => None,
        (Algorithm::Auto | Algorithm::Blocked, _) => Some("next hops stay on one GPU, not several"),
        _ => Some("only distances by the algorithm blocked stay on GPUs"),
    };
    if let Some(reason) = refused {
        return Err(ApspError::NotOnGpu { reason: reason.to_owned() });
    }
    reach_each_other(gpus)?;
    job.potentials()?;
    let jit_before = jit_ms(gpus);
    let work = Work::new(gpus, job, &plan)?;
    let hops = config.next_hops.then(|| work.room_for_hops()).transpose()?;
    let kernels = work.kernels()?;
    let mut report = Report { jit_ms: jit_ms(gpus) - jit_before, ..Report::default() };
    let found = work.shares(ranks, kernels, &mut report)?;
    let (n_vertices, weights) = (graph.n_vertices(), PhantomData);
    let mut pairs = DevicePairs { plan, report, n_vertices, found, hops, weights };
    let start = Instant::now();
    match rounds(graph) {
        _ if !config.next_hops => {}
        true => pairs.settle(job)?,
        false => pairs.find_hops(&gpus[0], graph)?,
    }
    pairs.report.next_hops_ms = milliseconds(start);
    Ok(pairs)
}

impl<W: RaisedWeight> DevicePairs<W> {
    /// Finds all next hops from the distances, whose sums are exact.
    pub(super) fn find_hops(&mut self, gpu: &Gpu, graph: &Csr<W>) -> Result<(), ApspError> {
        let Some(hops) = self.hops.take() else { return Ok(()) };
        let (kernels, matrix) = (&self.found.of_gpus()[0].kernels, self.found.tile());
        self.hops = Some(next_hops::of_matrix(gpu, kernels, &matrix, graph, hops)?);
        Ok(())
    }

    /// Finds all next hops on the host, where sums are rounded, and with them settled distances.
    fn settle(&mut self, job: &Job<'_, W>) -> Result<(), ApspError> {
        let Some(room) = &mut self.hops else { return Ok(()) };
        let Job { ranks, graph, progress, .. } = *job;
        let (n, side, share) = (self.n_vertices, self.found.side(), all_rows(self.n_vertices));
        let pool = job.pool(&self.plan)?;
        let table = pool.install(|| self.found.table(share))?;
        let work = hops::Work { ranks, graph, share, pool: &pool, progress };
        let (table, hops) = work.find(table, &mut self.report)?;
        let mut words = self.found.matrix().download()?;
        with_element!(W, self.found.arithmetic().number(), E => {
            let rows = cast_slice_mut::<u32, E>(&mut words).chunks_mut(side);
            for (row, distances) in rows.zip(table.as_storage().rows()) {
                let cells = row.iter_mut().zip(distances);
                cells.for_each(|(number, &distance)| *number = E::encode(distance));
            }
        });
        self.found.matrix_mut().upload(&words)?;
        let (hops, mut all) = (NextHops::from_storage(hops), vec![VertexId::MAX; room.len()]);
        let hops = hops.expect("vertices of the graph");
        for (from, row) in (0..n as VertexId).zip(all.chunks_mut(side)) {
            let cells = (0..n as VertexId).zip(row);
            cells.for_each(|(to, cell)| *cell = hops.get(from, to).unwrap_or(VertexId::MAX));
        }
        room.upload(&all)?;
        Ok(())
    }

    /// Gives the memory back. The pairs are lost.
    pub(super) fn release(&mut self) {
        self.found.release();
        self.hops = None;
    }
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
        self.check_there()?;
        let words = self.found.words(source..source + 1)?;
        let number = self.plan.number.unwrap_or(Number::I32);
        Ok(with_element!(W, number, E => {
            let numbers = &cast_slice::<u32, E>(&words)[..self.n_vertices];
            let distances = numbers.iter().map(|number| number.decode::<W::Distance>());
            distances.map(|d| Some(d).filter(|&d| d != W::Distance::UNREACHED)).collect()
        }))
    }

    /// For all vertices in their order the first vertex after `source` on the path there; `None` for
    /// no path, and for `source` itself. Empty when there is no such vertex, or no next hops. O(n),
    /// which are copied from the GPU.
    ///
    /// # Errors
    /// [`ApspError::Gpu`] if the copy fails.
    pub fn next_hops(&self, source: VertexId) -> Result<Vec<Option<VertexId>>, ApspError> {
        self.hops(source, 0..self.n_vertices)
    }

    /// The vertices of a shortest path, both ends included. `None` if there is no path, no such
    /// vertex, or no next hops. A number is copied from the GPU for each arc of the path.
    ///
    /// # Errors
    /// [`ApspError::Gpu`] if a copy fails.
    pub fn path(
        &self,
        source: VertexId,
        target: VertexId,
    ) -> Result<Option<Vec<VertexId>>, ApspError> {
        self.check_there()?;
        let at = target as usize;
        if self.hops.is_none() || source.max(target) as usize >= self.n_vertices {
            return Ok(None);
        }
        let mut path = vec![source];
        while let Some(&last) = path.last().filter(|&&last| last != target) {
            match self.hops(last, at..at + 1)?[..] {
                [Some(hop)] => path.push(hop),
                _ => return Ok(None),
            }
        }
        Ok(Some(path))
    }

    /// The next hops from a vertex to some.
    fn hops(&self, from: VertexId, to: Range<usize>) -> Result<Vec<Option<VertexId>>, ApspError> {
        self.check_there()?;
        let first = from as usize * self.found.side();
        let Some(hops) = self.hops.as_ref().filter(|_| (from as usize) < self.n_vertices) else {
            return Ok(Vec::new());
        };
        let hops = hops.download_range(first + to.start..first + to.end)?;
        Ok(hops.into_iter().map(|hop| Some(hop).filter(|&hop| hop != VertexId::MAX)).collect())
    }

    /// A copy of all of them in the host's memory. O(n²), in parallel.
    ///
    /// ```
    /// use apsp::{Config, Solver};
    /// use gpu_runtime::Gpu;
    /// use graph_formats::Csr;
    ///
    /// let Ok(gpu) = Gpu::open() else { return Ok(()) };
    /// let graph = Csr::from_arcs(2, &[(0, 1, 4u32)])?;
    /// let config = Config { next_hops: true, ..Config::default() };
    /// let pairs = Solver::new(&graph, &config).on(&[gpu]).solve_on_gpus(None)?;
    /// assert_eq!(pairs.to_host()?.path(0, 1), Some(vec![0, 1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the host has no memory for them, and [`ApspError::Gpu`] if the copy fails.
    pub fn to_host(&self) -> Result<Pairs<W>, ApspError> {
        self.check_there()?;
        let share = all_rows(self.n_vertices);
        let of_hops = if self.hops.is_some() { hops::bytes_of_hops(share) } else { 0 };
        check_memory(self.n_vertices, Table::<W>::bytes(share) + of_hops, None)?;
        let distances = self.found.table(share)?;
        let copied = |hops| next_hops::copied(hops, self.found.side(), self.n_vertices);
        let next_hops = self.hops.as_ref().map(copied).transpose()?;
        let (plan, report) = (self.plan.clone(), self.report);
        Ok(Pairs { plan, report, rows: Rows::in_memory(distances, next_hops) })
    }

    fn check_there(&self) -> Result<(), ApspError> {
        if !self.found.is_released() {
            return Ok(());
        }
        let reason = "it failed, and has lost the pairs until they are found again".to_owned();
        Err(ApspError::NotOnGpu { reason })
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

//! Δ-stepping on a GPU as an engine: searches, trees and tables.

use std::ops::ControlFlow;
use std::time::Instant;

use gpu_runtime::GpuError;
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Predecessors};

use super::MOST_VERTICES;
use super::delta_stepping::{self, DeltaSteppingOnGpu, Outcome};
use super::instead::HostInstead;
use crate::engine::{self, Engine, Found, Request, TableRequest};
use crate::{Config, DeviceTimes, Plan, SsspError, Work, solver};

/// Δ-stepping, and what it takes to do without the device where a sum does not fit.
pub(super) struct DeltaSteppingEngine<'g, W: Weight> {
    device: DeltaSteppingOnGpu,
    graph: &'g Csr<W>,
    instead: HostInstead<'g, W>,
    /// The source whose words the device holds.
    searched: Option<VertexId>,
}

impl<'g, W: Weight> DeltaSteppingEngine<'g, W> {
    pub(super) fn new(device: DeltaSteppingOnGpu, graph: &'g Csr<W>, config: &Config) -> Self {
        Self { device, graph, instead: HostInstead::new(graph, config), searched: None }
    }

    /// A search on the CPU, which adds in wider numbers, and its plan.
    fn fall_back(&mut self, request: &Request<'_, W>) -> Result<(Found<W>, &Plan), SsspError> {
        let start = Instant::now();
        let found = self.instead.search(request);
        self.device.add_solve_time(start.elapsed());
        found
    }

    /// The row of a table, on the CPU.
    fn fill_row(
        &mut self,
        request: &Request<'_, W>,
        cells: &mut [W::Distance],
    ) -> Result<Work, SsspError> {
        let graph = self.graph;
        let ((found, work), plan) = self.fall_back(request)?;
        for (cell, &target) in cells.iter_mut().zip(request.targets) {
            *cell = found[target as usize];
        }
        if !plan.bounded && cells.contains(&W::Distance::UNREACHED) {
            solver::check_overflow(graph, &Distances::from_storage(found))?;
        }
        Ok(work)
    }
}

impl<W: Weight> Engine<W> for DeltaSteppingEngine<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.searched = None;
        if request.limit.is_some_and(|limit| limit < W::Distance::ZERO) {
            return Ok(engine::nothing::<W>(self.graph.n_vertices()));
        }
        let target = match request.targets {
            &[target] => Some(target),
            _ => None,
        };
        let limit = delta_stepping::limit_word::<W>(request.limit);
        match self.device.solve(request.source, target, limit, request.progress)? {
            Outcome::Found(words, work) => {
                self.searched = Some(request.source);
                Ok((delta_stepping::distances::<W>(&words), work))
            }
            Outcome::Overflow => Ok(self.fall_back(request)?.0),
        }
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        if self.searched != Some(source) {
            return Ok(None);
        }
        let chosen = self.device.predecessors(source, delta_stepping::limit_word::<W>(limit))?;
        Ok(Some(Predecessors::from_storage(chosen)))
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        let &TableRequest { sources, targets, progress } = request;
        if targets.len() > MOST_VERTICES {
            return Ok(None);
        }
        let mut work = Work::default();
        let mut overflowed = Vec::new();
        let filled = self.device.table(sources, targets, progress, |rows, words| {
            let cells = &mut cells[rows.start * targets.len()..rows.end * targets.len()];
            delta_stepping::write_distances::<W>(&words.table, cells);
            work.add(&words.work);
            overflowed.extend(rows.zip(&words.overflowed).filter(|row| *row.1).map(|row| row.0));
        });
        match filled {
            // one search at a time needs no more than there is
            Err(SsspError::Gpu(error)) if matches!(*error, GpuError::OutOfMemory { .. }) => {
                self.device.dismiss_teams();
                return Ok(None);
            }
            filled => filled?,
        }
        let total = sources.len() as u64;
        for (done, row) in (total - overflowed.len() as u64..).zip(overflowed) {
            let tell = |_, _| progress.map_or(ControlFlow::Continue(()), |tell| tell(done, total));
            let source = sources[row];
            let request = Request { source, limit: None, targets, progress: Some(&tell) };
            let cells = &mut cells[row * targets.len()..(row + 1) * targets.len()];
            work.add(&self.fill_row(&request, cells)?);
        }
        Ok(Some(work))
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        Some(self.device.times())
    }
}

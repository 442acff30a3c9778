//! What comes of a trial: engines that were chosen, with what the choice has taken.

use graph_formats::{VertexId, Weight};
use paths::Predecessors;

use super::stepping_engine::DeltaSteppingEngine;
use crate::engine::{Engine, Found, Request, TableRequest};
use crate::{DeviceTimes, SsspError, Work};

/// An engine, and the trial's time as part of its preparation.
pub(super) struct Tried<E> {
    engine: E,
    trial_ms: f64,
}

impl<E> Tried<E> {
    pub(super) fn new(engine: E, trial_ms: f64) -> Self {
        Self { engine, trial_ms }
    }
}

impl<W: Weight, E: Engine<W>> Engine<W> for Tried<E> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.engine.search(request)
    }

    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        self.engine.predecessors(source, limit)
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        self.engine.table(request, cells)
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        let times = self.engine.device_times()?;
        Some(DeviceTimes { prepare_ms: times.prepare_ms + self.trial_ms, ..times })
    }
}

/// An algorithm for all distances from a vertex; Δ-stepping for those that can be had sooner,
/// for tables, and for the tree.
pub(super) struct Both<'g, W: Weight> {
    whole: Box<dyn Engine<W> + Send + 'g>,
    stepping: DeltaSteppingEngine<'g, W>,
    was_whole: bool,
}

impl<'g, W: Weight> Both<'g, W> {
    pub(super) fn new(
        whole: Box<dyn Engine<W> + Send + 'g>,
        stepping: DeltaSteppingEngine<'g, W>,
    ) -> Self {
        Self { whole, stepping, was_whole: false }
    }
}

impl<W: Weight> Engine<W> for Both<'_, W> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.was_whole = request.limit.is_none() && request.targets.is_empty();
        if self.was_whole { self.whole.search(request) } else { self.stepping.search(request) }
    }

    /// The distances are found once more by Δ-stepping, which knows how to go on from there on
    /// the device: that is quicker than a pass over all arcs on the CPU.
    fn predecessors(
        &mut self,
        source: VertexId,
        limit: Option<W::Distance>,
    ) -> Result<Option<Predecessors>, SsspError> {
        if self.was_whole {
            self.stepping.search(&Request { source, limit, targets: &[], progress: None })?;
        }
        self.stepping.predecessors(source, limit)
    }

    fn table(
        &mut self,
        request: &TableRequest<'_>,
        cells: &mut [W::Distance],
    ) -> Result<Option<Work>, SsspError> {
        self.was_whole = false;
        self.stepping.table(request, cells)
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        match self.was_whole {
            true => self.whole.device_times(),
            false => self.stepping.device_times(),
        }
    }
}

//! Searches over distances of the weights' own type as engines: what a solver needs beside
//! the search itself.

use std::time::Instant;

use graph_formats::{Csr, VertexId, Weight};

use crate::engine::{Engine, Found, Request};
use crate::host::bellman_ford::rounds::BellmanFord;
use crate::{DeviceTimes, Progress, SsspError};

/// An algorithm on a device that adds weights of any sign in their own type.
pub(super) trait TypedSearch<W: Weight> {
    /// The distances of all vertices from `source`, which there is; `None` where a negative
    /// cycle can be reached or a distance may not fit.
    fn solve(
        &mut self,
        source: VertexId,
        progress: Option<Progress<'_>>,
    ) -> Result<Option<Found<W>>, SsspError>;

    /// Where the time went, of the last search and of what was done before it.
    fn times(&self) -> DeviceTimes;
}

/// Such an algorithm. Where it has no answer, the CPU's Bellman-Ford finds the negative
/// cycle, or adds in wider numbers.
pub(super) struct TypedEngine<'g, W: Weight, S> {
    device: S,
    graph: &'g Csr<W>,
    /// What the CPU took for the last search, in milliseconds.
    instead_ms: f64,
}

impl<'g, W: Weight, S: TypedSearch<W>> TypedEngine<'g, W, S> {
    pub(super) fn new(device: S, graph: &'g Csr<W>) -> Self {
        Self { device, graph, instead_ms: 0.0 }
    }
}

impl<W: Weight, S: TypedSearch<W>> Engine<W> for TypedEngine<'_, W, S> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.instead_ms = 0.0;
        if let Some(found) = self.device.solve(request.source, request.progress)? {
            return Ok(found);
        }
        let start = Instant::now();
        let found = BellmanFord::new(self.graph).search(request);
        self.instead_ms = start.elapsed().as_secs_f64() * 1e3;
        found
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        let times = self.device.times();
        Some(DeviceTimes { solve_ms: times.solve_ms + self.instead_ms, ..times })
    }
}

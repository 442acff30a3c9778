//! Searches over 32-bit words as engines: what a solver needs beside the search itself.

use std::time::Instant;

use graph_formats::{Csr, Distance, VertexId, Weight};

use super::delta_stepping::{Outcome, distances, limit_word};
use super::instead::HostInstead;
use crate::engine::{self, Engine, Found, Request};
use crate::{Config, DeviceTimes, Progress, SsspError};

/// An algorithm on a device that adds weights as 32-bit words, none of them negative.
pub(super) trait WordSearch {
    /// The words of the distances from `source`, which there is: all up to `limit`, or all
    /// that are no farther than `target`. It may find more.
    fn solve(
        &mut self,
        source: VertexId,
        target: Option<VertexId>,
        limit: u32,
        progress: Option<Progress<'_>>,
    ) -> Result<Outcome, SsspError>;

    /// Where the time went, of the last search and of what was done before it.
    fn times(&self) -> DeviceTimes;
}

/// Such an algorithm, and the CPU where a sum does not fit 32 bits.
pub(super) struct WordEngine<'g, W: Weight, S> {
    device: S,
    n_vertices: usize,
    instead: HostInstead<'g, W>,
    /// What the CPU took for the last search, in milliseconds.
    instead_ms: f64,
}

impl<'g, W: Weight, S: WordSearch> WordEngine<'g, W, S> {
    pub(super) fn new(device: S, graph: &'g Csr<W>, config: &Config) -> Self {
        let instead = HostInstead::new(graph, config);
        Self { device, n_vertices: graph.n_vertices(), instead, instead_ms: 0.0 }
    }
}

impl<W: Weight, S: WordSearch> Engine<W> for WordEngine<'_, W, S> {
    fn search(&mut self, request: &Request<'_, W>) -> Result<Found<W>, SsspError> {
        self.instead_ms = 0.0;
        if request.limit.is_some_and(|limit| limit < W::Distance::ZERO) {
            return Ok(engine::nothing::<W>(self.n_vertices));
        }
        let target = match request.targets {
            &[target] => Some(target),
            _ => None,
        };
        let limit = limit_word::<W>(request.limit);
        match self.device.solve(request.source, target, limit, request.progress)? {
            Outcome::Found(words, work) => Ok((distances::<W>(&words), work)),
            Outcome::Overflow => {
                let start = Instant::now();
                let (found, _) = self.instead.search(request)?;
                self.instead_ms = start.elapsed().as_secs_f64() * 1e3;
                Ok(found)
            }
        }
    }

    fn device_times(&self) -> Option<DeviceTimes> {
        let times = self.device.times();
        Some(DeviceTimes { solve_ms: times.solve_ms + self.instead_ms, ..times })
    }
}

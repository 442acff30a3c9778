//! The times of a GPU's phases while it closes its part of a matrix, by events on its streams.

use std::cell::RefCell;
use std::mem::take;

use gpu_runtime::{Event, Gpu, GpuError};

use crate::{ApspError, Phases};

/// A phase of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Closing,
    Sending,
    Updating,
}

/// Measures the work that is queued between its start and a wait for all streams.
#[derive(Debug)]
pub(super) struct Clock {
    start: Event,
    spans: RefCell<Vec<(Phase, [Event; 2])>>,
}

impl Clock {
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { start: gpu.timed_event()?, spans: RefCell::default() })
    }

    /// Starts the clock when the stream reaches this point.
    pub(super) fn start(&self, gpu: &Gpu) -> Result<(), GpuError> {
        self.start.record(gpu)
    }

    /// Measures the work that `queue` queues on the stream.
    pub(super) fn time<T>(
        &self,
        phase: Phase,
        gpu: &Gpu,
        queue: impl FnOnce() -> Result<T, ApspError>,
    ) -> Result<T, ApspError> {
        let span = [gpu.timed_event()?, gpu.timed_event()?];
        span[0].record(gpu)?;
        let queued = queue()?;
        span[1].record(gpu)?;
        self.spans.borrow_mut().push((phase, span));
        Ok(queued)
    }

    /// The times of the phases until the last span ended. The caller has waited for all streams.
    pub(super) fn phases(&self) -> Result<Phases, GpuError> {
        let since_start = |event: &Event| event.ms_since(&self.start);
        let mut spans = Vec::new();
        for (phase, [begin, end]) in take(&mut *self.spans.borrow_mut()) {
            spans.push((phase, since_start(&begin)?, since_start(&end)?));
        }
        let of = |is_it: fn(Phase) -> bool| {
            covered(spans.iter().filter(|span| is_it(span.0)).map(|&(_, begin, end)| (begin, end)))
        };
        let end = spans.iter().map(|span| span.2).fold(0.0, f64::max);
        Ok(Phases {
            closing_ms: of(|phase| phase == Phase::Closing),
            sending_ms: of(|phase| phase == Phase::Sending),
            updating_ms: of(|phase| phase == Phase::Updating),
            waiting_ms: (end - of(|phase| phase != Phase::Sending)).max(0.0),
        })
    }
}

/// The length of the union of these time spans.
fn covered(spans: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut spans: Vec<_> = spans.collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, f64::NEG_INFINITY);
    for (begin, end) in spans {
        sum += (end - begin.max(until)).max(0.0);
        until = until.max(end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let of = |spans: &[(f64, f64)]| covered(spans.iter().copied());
        assert_eq!(of(&[]), 0.0);
        assert_eq!(of(&[(5.0, 6.0), (0.0, 2.0)]), 3.0);
        assert_eq!(of(&[(0.0, 4.0), (1.0, 2.0), (3.0, 5.0), (5.0, 5.5)]), 5.5);
    }
}

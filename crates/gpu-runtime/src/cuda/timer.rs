//! Time measured on the GPU.

use cust::event::{Event, EventFlags, EventStatus};

use super::Gpu;
use super::status::failed;
use crate::GpuError;

/// A stopwatch on the stream of a [`Gpu`]: it starts and stops when the work queued before
/// is done, so it measures the GPU and not the queueing.
#[derive(Debug)]
pub struct Timer {
    start: Event,
    stop: Event,
    gpu: Gpu,
}

impl Gpu {
    /// A stopwatch.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn timer(&self) -> Result<Timer, GpuError> {
        self.make_current()?;
        let event = || Event::new(EventFlags::DEFAULT).map_err(failed("making a timer"));
        Ok(Timer { start: event()?, stop: event()?, gpu: self.clone() })
    }
}

impl Timer {
    /// Starts it when all work queued before is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn start(&self) -> Result<(), GpuError> {
        self.record(&self.start)
    }

    /// Stops it when all work queued before is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn stop(&self) -> Result<(), GpuError> {
        self.record(&self.stop)
    }

    /// Whether all work queued before the stop is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn is_done(&self) -> Result<bool, GpuError> {
        self.gpu.make_current()?;
        let status = self.stop.query().map_err(failed("looking at a timer"))?;
        Ok(status == EventStatus::Ready)
    }

    /// Milliseconds from start to stop, to about half a microsecond. Waits for the stop.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also if it was not started and stopped.
    pub fn elapsed_ms(&self) -> Result<f64, GpuError> {
        self.gpu.make_current()?;
        self.stop.synchronize().map_err(failed("waiting for a timer"))?;
        let time = self.stop.elapsed_time_f32(&self.start);
        time.map(f64::from).map_err(failed("reading a timer"))
    }

    fn record(&self, event: &Event) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        event.record(self.gpu.stream()).map_err(failed("queueing a timer"))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // For the events, which are dropped next. A context that cannot be made current has failed
        // for good, and its events with it.
        let _ = self.gpu.make_current();
    }
}

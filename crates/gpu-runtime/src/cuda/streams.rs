//! Further streams, and events that order them.

use std::ptr;
use std::sync::Arc;

use cust::stream::{Stream, StreamFlags};
use cust::sys::{self, CUevent, CUevent_flags_enum as Flags, CUstream};

use super::Gpu;
use super::status::{check, failed};
use crate::{GpuError, Priority};

/// A point in the work of a stream that other streams, and the host, can wait for. It can be
/// recorded again and again; a wait is for the last recording before the wait.
#[derive(Debug)]
pub struct Event {
    event: CUevent,
    gpu: Gpu,
}

// SAFETY: the driver's handles are valid on every thread that has made their context current.
unsafe impl Send for Event {}
// SAFETY: as above; the driver has locks of its own.
unsafe impl Sync for Event {}

impl Gpu {
    /// Another stream of this GPU. Work of the two may overlap, except where an [`Event`] orders
    /// it. They share buffers and the memory budget.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn new_stream(&self, priority: Priority) -> Result<Self, GpuError> {
        self.make_current()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the driver writes two integers, to places that are such.
        let result = unsafe { sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest) };
        check("asking for the priorities of streams", result)?;
        // greater priorities are smaller numbers
        let number = match priority {
            Priority::Normal => least,
            Priority::Raised => i32::midpoint(least, greatest),
            Priority::High => greatest,
        };
        let stream = Stream::new(StreamFlags::DEFAULT, Some(number));
        self.on_stream(stream.map_err(failed("making a stream"))?)
    }

    /// An event that counts as done until it is recorded.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn event(&self) -> Result<Event, GpuError> {
        self.event_of(Flags::CU_EVENT_DISABLE_TIMING)
    }

    /// As [`event`](Self::event), but it also records the time, which takes a little longer.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn timed_event(&self) -> Result<Event, GpuError> {
        self.event_of(Flags::CU_EVENT_DEFAULT)
    }

    fn event_of(&self, kind: Flags) -> Result<Event, GpuError> {
        self.make_current()?;
        let mut event = ptr::null_mut();
        // SAFETY: the driver writes one handle, to a place that is one.
        let result = unsafe { sys::cuEventCreate(&raw mut event, kind as u32) };
        check("making an event", result)?;
        Ok(Event { event, gpu: self.clone() })
    }

    /// Makes all work that this stream queues from now on wait for the event.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn wait_for(&self, event: &Event) -> Result<(), GpuError> {
        self.make_current()?;
        // SAFETY: stream and event are open.
        let result = unsafe { sys::cuStreamWaitEvent(self.raw_stream(), event.event, 0) };
        check("waiting for an event", result)
    }
}

impl Event {
    /// Records it: it is done when all work queued before on the stream of `gpu` is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn record(&self, gpu: &Gpu) -> Result<(), GpuError> {
        // SAFETY: the stream is this session's own and open.
        unsafe { self.record_on(gpu.raw_stream()) }
    }

    /// The same on a stream that may be another library's.
    ///
    /// # Safety
    /// It must be an open stream of the event's GPU.
    pub(super) unsafe fn record_on(&self, stream: CUstream) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        // SAFETY: the event is open, and the caller guarantees that the stream is.
        check("recording an event", unsafe { sys::cuEventRecord(self.event, stream) })
    }

    /// Waits, on the host, until it is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also if an earlier launch has failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.gpu.make_current()?;
        // SAFETY: the event is open.
        check("waiting for an event", unsafe { sys::cuEventSynchronize(self.event) })
    }

    /// Milliseconds from the last recording of `earlier` to its own, on any streams of one GPU, to
    /// about half a microsecond; negative if `earlier` was recorded later.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also if one of them is not done, or not a [timed
    /// one](Gpu::timed_event).
    pub fn ms_since(&self, earlier: &Self) -> Result<f64, GpuError> {
        self.gpu.make_current()?;
        let mut ms = 0.0f32;
        // SAFETY: both events are open, and the driver writes one number, to a place that is one.
        let result = unsafe { sys::cuEventElapsedTime(&raw mut ms, earlier.event, self.event) };
        check("reading the time between events", result)?;
        Ok(ms.into())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.make_current().is_ok() {
            // SAFETY: the event is open and not used any more; a stream that waits for its
            // recording still does.
            unsafe { sys::cuEventDestroy_v2(self.event) };
        }
    }
}

impl Gpu {
    /// This GPU with another stream.
    fn on_stream(&self, stream: Stream) -> Result<Self, GpuError> {
        Ok(Self { session: Arc::new(self.session.with(stream)), budget: Arc::clone(&self.budget) })
    }
}

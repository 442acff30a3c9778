//! An opened device.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use cust::context::CurrentContext;
use cust::stream::{Stream, StreamFlags};
use cust::sys::{self, CUresult, CUstream};

use super::budget::Budget;
use super::context::Context;
use super::status::{check, failed};
use crate::{DeviceProperties, GpuError};

/// An opened GPU with one stream, which runs all work in the order in which it is queued.
///
/// Cheap to clone; clones share the stream and the memory budget. [`new_stream`](Self::new_stream)
/// makes another stream. The GPU closes when it, its clones and all that was made from them are
/// dropped.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(super) session: Arc<Session>,
    pub(super) budget: Arc<Budget>,
}

#[derive(Debug)]
pub(super) struct Session {
    /// The same for all streams that may share buffers, and for no others.
    family: usize,
    /// Time spent on loading modules, in nanoseconds.
    jit_nanos: AtomicU64,
    // Dropped before its context.
    stream: Stream,
    context: Arc<Context>,
}

/// The number of families of streams so far.
static FAMILIES: AtomicUsize = AtomicUsize::new(0);

impl Gpu {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// [`GpuError::NotCompiled`] in a build without GPU support, [`GpuError::NoDriver`] or
    /// [`GpuError::NoDevice`] on a machine without a GPU, [`GpuError::Driver`] where the
    /// driver refuses.
    pub fn open() -> Result<Self, GpuError> {
        Self::open_ordinal(0)
    }

    /// How many GPUs there are.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn count() -> Result<u32, GpuError> {
        Context::count()
    }

    /// Opens the GPU with this number, counted from 0.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_ordinal(ordinal: u32) -> Result<Self, GpuError> {
        let context = Context::open(ordinal)?;
        context.make_current()?;
        let stream = Stream::new(StreamFlags::DEFAULT, None).map_err(failed("making a stream"))?;
        let family = FAMILIES.fetch_add(1, Ordering::Relaxed);
        let session = Session { family, jit_nanos: AtomicU64::new(0), stream, context };
        Ok(Self { session: Arc::new(session), budget: Arc::default() })
    }

    /// The properties of the device.
    #[must_use]
    pub fn properties(&self) -> &DeviceProperties {
        &self.session.context.properties
    }

    /// The same GPU and stream with at most `bytes` of memory, for what is made from the result and
    /// its clones. An existing cap stays if it is lower.
    ///
    /// A test can so behave as on a small GPU.
    #[must_use]
    pub fn with_memory_cap(&self, bytes: u64) -> Self {
        Self { session: Arc::clone(&self.session), budget: Arc::new(self.budget.capped(bytes)) }
    }

    /// Enables direct copies between this GPU and another, as over NVLink; false if they are not
    /// possible and copies pass through host memory.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn reach(&self, other: &Self) -> Result<bool, GpuError> {
        self.session.context.reach(&other.session.context)
    }

    /// An identifier that no other GPU has, on this machine or another.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn uuid(&self) -> Result<[u8; 16], GpuError> {
        self.session.context.uuid()
    }

    /// The stream, a `CUstream`, for another library that queues work on it; its GPU becomes the
    /// current one of this thread. Valid while this GPU or a clone lives.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn stream_handle(&self) -> Result<*mut c_void, GpuError> {
        self.make_current()?;
        Ok(self.raw_stream().cast())
    }

    /// Waits until all queued work is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also if an earlier launch failed.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.make_current()?;
        // SAFETY: the stream is this session's own and open.
        check("waiting for the GPU", unsafe { sys::cuStreamSynchronize(self.raw_stream()) })
    }

    /// Whether it has failed for good, as after an illegal memory access by a kernel: this process
    /// cannot use it any more. Does not wait.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        // SAFETY: the stream is this session's own and open.
        let status = || unsafe { sys::cuStreamQuery(self.raw_stream()) };
        self.make_current().is_err()
            || !matches!(status(), CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_NOT_READY)
    }

    /// Waits until all queued work of all streams is done.
    pub(super) fn synchronize_all(&self) -> Result<(), GpuError> {
        self.make_current()?;
        CurrentContext::synchronize().map_err(failed("waiting for the GPU"))
    }

    /// Milliseconds that this GPU and its clones spent on loading modules, most of it on
    /// compiling them for the device. A module that another `Gpu` of the process has
    /// loaded costs nothing.
    #[must_use]
    pub fn jit_ms(&self) -> f64 {
        self.session.jit_nanos.load(Ordering::Relaxed) as f64 / 1e6
    }

    pub(super) fn add_jit_time(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.session.jit_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(super) fn context(&self) -> &Context {
        &self.session.context
    }

    pub(super) fn make_current(&self) -> Result<(), GpuError> {
        self.session.context.make_current()
    }

    /// Bytes of GPU memory that can still be taken: what is free, or what is left below
    /// the cap where that is less.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn available_bytes(&self) -> Result<u64, GpuError> {
        self.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two sizes, to places that are sizes.
        let result = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        check("asking for free memory", result)?;
        Ok(self.budget.left().min(free as u64))
    }

    /// Checks that `required` bytes can be taken now, so that a solver can refuse before it starts.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] if not, with `what` in its message, or [`GpuError::Driver`].
    pub fn check_fits(&self, what: &'static str, required: u64) -> Result<(), GpuError> {
        let available = self.available_bytes()?;
        if required > available {
            return Err(GpuError::OutOfMemory { what, required, available });
        }
        Ok(())
    }

    pub(super) fn stream(&self) -> &Stream {
        &self.session.stream
    }

    pub(super) fn raw_stream(&self) -> CUstream {
        self.session.stream.as_inner()
    }

    /// The number of its family of streams, unique in the process.
    pub(super) fn stream_id(&self) -> usize {
        self.session.family
    }
}

impl Session {
    /// One of the same family with another stream.
    pub(super) fn with(&self, stream: Stream) -> Self {
        let jit_nanos = AtomicU64::new(0);
        Self { family: self.family, jit_nanos, stream, context: Arc::clone(&self.context) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // For the stream, which is dropped next. A context that cannot be made current has failed
        // for good, and the driver ends its streams itself.
        let _ = self.context.make_current();
    }
}

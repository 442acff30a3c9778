//! The twin of `cuda/` in a build without it: the same names, and a door that never opens.
//!
//! No value of these types exists, so nothing here runs but [`Gpu::open`]. What the
//! functions do where there is a GPU is documented there (`cargo doc --features cuda`).

#![expect(clippy::missing_errors_doc, reason = "nothing here is ever called")]

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::AtomicU32;

use crate::{Arg, DeviceFacts, GpuError, KernelFacts, Plain, Priority, Ptx, Shape};

/// What no value has. Dropping it counts as work, as dropping the twins does.
#[derive(Clone, Debug)]
struct Never(Infallible);

impl Drop for Never {
    fn drop(&mut self) {
        match self.0 {}
    }
}

/// An opened GPU, with one stream. No value of it exists in this build.
#[derive(Clone, Debug)]
pub struct Gpu {
    never: Never,
}

/// An array in the memory of a GPU. No value of it exists in this build.
#[derive(Debug)]
pub struct Buffer<T> {
    never: Never,
    element: PhantomData<T>,
}

/// An array in the host's memory for fast copies. No value of it exists in this build.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    never: Never,
    element: PhantomData<T>,
}

/// Words that a running kernel and the host tell each other things by. No value of it
/// exists in this build.
#[derive(Debug)]
pub struct Mailbox {
    never: Never,
}

/// A kernel, ready to be launched. No value of it exists in this build.
#[derive(Clone, Debug)]
pub struct Kernel {
    never: Never,
}

/// A stopwatch on a GPU's stream. No value of it exists in this build.
#[derive(Debug)]
pub struct Timer {
    never: Never,
}

/// A point in the work of a stream. No value of it exists in this build.
#[derive(Debug)]
pub struct Signal {
    never: Never,
}

impl Gpu {
    /// Opens the first GPU: [`GpuError::NotCompiled`], always.
    pub fn open() -> Result<Self, GpuError> {
        Err(GpuError::NotCompiled)
    }

    /// Opens the GPU with this number: [`GpuError::NotCompiled`], always.
    pub fn open_nth(_ordinal: u32) -> Result<Self, GpuError> {
        Err(GpuError::NotCompiled)
    }

    /// What is known of the device.
    #[must_use]
    pub fn facts(&self) -> &DeviceFacts {
        match self.never.0 {}
    }

    /// The same GPU and stream with at most so many bytes of memory.
    #[must_use]
    pub fn with_memory_cap(&self, _bytes: u64) -> Self {
        match self.never.0 {}
    }

    /// Bytes of GPU memory that can still be taken.
    pub fn available_bytes(&self) -> Result<u64, GpuError> {
        match self.never.0 {}
    }

    /// Whether so many bytes can be taken now.
    pub fn check_fits(&self, _what: &'static str, _required: u64) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// An array of zeros.
    pub fn buffer<T: Plain>(&self, _len: usize) -> Result<Buffer<T>, GpuError> {
        match self.never.0 {}
    }

    /// A copy of these values.
    pub fn upload<T: Plain>(&self, _values: &[T]) -> Result<Buffer<T>, GpuError> {
        match self.never.0 {}
    }

    /// An array of zeros in pinned memory of the host.
    pub fn pinned<T: Plain>(&self, _len: usize) -> Result<PinnedBuffer<T>, GpuError> {
        match self.never.0 {}
    }

    /// Words of zero that a kernel reaches while it runs.
    pub fn mailbox(&self, _len: usize) -> Result<Mailbox, GpuError> {
        match self.never.0 {}
    }

    /// The kernel of this name.
    pub fn kernel(&self, _module: &Ptx, _name: &str) -> Result<Kernel, GpuError> {
        match self.never.0 {}
    }

    /// Queues a launch.
    ///
    /// # Safety
    /// The arguments must mean what the kernel takes them for.
    pub unsafe fn launch(
        &self,
        _kernel: &Kernel,
        _shape: Shape,
        _args: &[Arg<'_>],
    ) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Waits until everything that was asked for is done.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Another stream of this GPU.
    pub fn beside(&self, _priority: Priority) -> Result<Self, GpuError> {
        match self.never.0 {}
    }

    /// A signal, set from the start.
    pub fn signal(&self) -> Result<Signal, GpuError> {
        match self.never.0 {}
    }

    /// Lets all that is asked of this stream from now on wait for the signal.
    pub fn wait_for(&self, _signal: &Signal) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Queues a copy to the GPU.
    ///
    /// # Safety
    /// Nobody may meddle with either side until it is done.
    pub unsafe fn queue_upload<T: Plain>(
        &self,
        _source: &PinnedBuffer<T>,
        _range: Range<usize>,
        _target: &Buffer<T>,
        _at: usize,
    ) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Queues a copy from the GPU.
    ///
    /// # Safety
    /// Nobody may meddle with either side until it is done.
    pub unsafe fn queue_download<T: Plain>(
        &self,
        _source: &Buffer<T>,
        _range: Range<usize>,
        _target: &mut PinnedBuffer<T>,
        _at: usize,
    ) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// A stopwatch.
    pub fn timer(&self) -> Result<Timer, GpuError> {
        match self.never.0 {}
    }

    /// Milliseconds spent on loading modules.
    #[must_use]
    pub fn jit_ms(&self) -> f64 {
        match self.never.0 {}
    }
}

impl<T> Buffer<T> {
    /// Where it lies in the GPU's memory; 0 if it is empty. For the pointers of a
    /// [structure](crate::Arg::structure) passed to a kernel; good while the buffer lives.
    #[must_use]
    pub fn address(&self) -> u64 {
        match self.never.0 {}
    }

    pub(crate) fn stream(&self) -> usize {
        match self.never.0 {}
    }

    /// Elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.never.0 {}
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self.never.0 {}
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self.never.0 {}
    }
}

impl<T: Plain> Buffer<T> {
    /// The same memory with elements of another type.
    #[must_use]
    pub fn cast<U: Plain>(self) -> Buffer<U> {
        match self.never.0 {}
    }

    /// Overwrites all elements.
    pub fn upload(&mut self, _values: &[T]) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// A copy of all elements.
    pub fn download(&self) -> Result<Vec<T>, GpuError> {
        match self.never.0 {}
    }

    /// A copy of the elements at these positions.
    pub fn download_range(&self, _range: Range<usize>) -> Result<Vec<T>, GpuError> {
        match self.never.0 {}
    }

    /// Copies all elements over these values.
    pub fn download_into(&self, _values: &mut [T]) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Sets every byte.
    pub fn fill_bytes(&mut self, _byte: u8) -> Result<(), GpuError> {
        match self.never.0 {}
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self.never.0 {}
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self.never.0 {}
    }
}

impl Mailbox {
    /// Where a kernel finds it.
    pub fn address(&self) -> Result<u64, GpuError> {
        match self.never.0 {}
    }
}

impl Deref for Mailbox {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        match self.never.0 {}
    }
}

impl Kernel {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.never.0 {}
    }

    /// What the compiler made of it.
    pub fn facts(&self) -> Result<KernelFacts, GpuError> {
        match self.never.0 {}
    }

    /// How many blocks fit on one multiprocessor at once.
    pub fn occupancy(&self, _block: u32, _shared_bytes: u32) -> Result<u32, GpuError> {
        match self.never.0 {}
    }

    /// Lets launches have more dynamic shared memory.
    pub fn allow_shared(&self, _bytes: u32) -> Result<(), GpuError> {
        match self.never.0 {}
    }
}

impl Signal {
    /// Sets it to the time when all that was asked of the stream before is done.
    pub fn set(&self, _gpu: &Gpu) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Waits, on the host, until the time it was set to.
    pub fn wait(&self) -> Result<(), GpuError> {
        match self.never.0 {}
    }
}

impl Timer {
    /// Starts it when all that was asked for before is done.
    pub fn start(&self) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Stops it when all that was asked for before is done.
    pub fn stop(&self) -> Result<(), GpuError> {
        match self.never.0 {}
    }

    /// Whether all that was asked for before the stop is done.
    pub fn is_done(&self) -> Result<bool, GpuError> {
        match self.never.0 {}
    }

    /// Milliseconds from start to stop.
    pub fn elapsed_ms(&self) -> Result<f64, GpuError> {
        match self.never.0 {}
    }
}

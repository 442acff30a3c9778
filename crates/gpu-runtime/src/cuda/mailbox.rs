//! Words through which a running kernel and the host communicate.

use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::AtomicU32;

use cust::sys;

use super::Gpu;
use super::status::check;
use crate::GpuError;

/// A few words in the host's memory that a kernel reaches while it runs, for a flag that ends it
/// early or a count of what it has done. The host uses them as atomics; a kernel must read and
/// write them as volatile, and seldom, because each access takes a microsecond.
#[derive(Debug)]
pub struct Mailbox {
    start: NonNull<AtomicU32>,
    len: usize,
    gpu: Gpu,
}

// SAFETY: it owns its words, which are atomics.
unsafe impl Send for Mailbox {}
// SAFETY: a shared reference gives shared references to atomics and no more.
unsafe impl Sync for Mailbox {}

impl Gpu {
    /// `len` words of zero, or one if `len` is 0.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn mailbox(&self, len: usize) -> Result<Mailbox, GpuError> {
        const MAPPED: u32 = 2;
        let len = len.max(1);
        let n_bytes = len.saturating_mul(size_of::<AtomicU32>());
        self.make_current()?;
        let mut start = std::ptr::null_mut();
        // SAFETY: the driver writes one address, to a place that is one.
        let result = unsafe { sys::cuMemHostAlloc(&raw mut start, n_bytes, MAPPED) };
        check("taking memory that host and GPU share", result)?;
        // SAFETY: `n_bytes` bytes were allocated there.
        unsafe { start.cast::<u8>().write_bytes(0, n_bytes) };
        let start = NonNull::new(start.cast()).expect("the driver succeeded");
        Ok(Mailbox { start, len, gpu: self.clone() })
    }
}

impl Mailbox {
    /// Its address for a kernel, for the pointers of a [structure](crate::Arg::structure); valid
    /// while the mailbox lives.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn address(&self) -> Result<u64, GpuError> {
        self.gpu.make_current()?;
        let mut address = 0;
        let start = self.start.as_ptr().cast();
        // SAFETY: the driver writes one address, to a place that is one; the memory was
        // allocated as mapped.
        let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, start, 0) };
        check("asking where shared memory is", result)?;
        Ok(address)
    }
}

impl Deref for Mailbox {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        // SAFETY: `len` words were allocated and set to zero; all writes, here or in a kernel, are
        // of whole words.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        // A kernel that was launched on it may still run. Errors are ignored; one that occurs here
        // fails the next call too.
        if self.gpu.synchronize().is_ok() {
            // SAFETY: the memory was allocated in this context and nothing else frees it.
            unsafe { sys::cuMemFreeHost(self.start.as_ptr().cast()) };
        }
    }
}

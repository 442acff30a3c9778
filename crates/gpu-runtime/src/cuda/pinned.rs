//! Arrays of the host from and to which the GPU copies directly, and which kernels can read.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use cust::sys::{self, CUresult};

use super::Gpu;
use super::status::check;
use crate::{GpuError, Pod};

/// An array in the host's memory whose pages stay where they are, which lets copies run at the full
/// speed of the bus. It is used as a slice. Kernels of its GPU reach it by its [address](Self::address),
/// at the speed of the bus where they go through it in order. Such memory is scarce, and taking it is
/// slow, about a second for 3 GB: use it for what is copied or read often.
#[derive(Debug)]
pub struct PinnedBuffer<T> {
    /// Dangling if it takes no memory.
    start: NonNull<T>,
    len: usize,
    gpu: Gpu,
}

// SAFETY: it owns its elements, as a `Vec` does.
unsafe impl<T: Send> Send for PinnedBuffer<T> {}
// SAFETY: a shared reference gives shared references to the elements and no more.
unsafe impl<T: Sync> Sync for PinnedBuffer<T> {}

impl Gpu {
    /// An array of `len` zeros in pinned memory of the host. It does not count as GPU
    /// memory.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also if there is too little memory.
    pub fn pinned<T: Pod>(&self, len: usize) -> Result<PinnedBuffer<T>, GpuError> {
        const PORTABLE_AND_MAPPED: u32 = 1 | 2;
        // The driver gives whole pages.
        const { assert!(align_of::<T>() <= 4096, "pinned memory is aligned to pages only") };
        let gpu = self.clone();
        if len == 0 || size_of::<T>() == 0 {
            return Ok(PinnedBuffer { start: NonNull::dangling(), len, gpu });
        }
        let n_bytes = len.saturating_mul(size_of::<T>());
        self.make_current()?;
        let mut start = std::ptr::null_mut();
        let result = match isize::try_from(n_bytes) {
            // SAFETY: the driver writes one address, to a place that is one.
            Ok(_) => unsafe { sys::cuMemHostAlloc(&raw mut start, n_bytes, PORTABLE_AND_MAPPED) },
            // No slice may be so large.
            Err(_) => CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        };
        check("taking pinned memory", result)?;
        // SAFETY: `n_bytes` bytes were allocated there.
        unsafe { start.cast::<u8>().write_bytes(0, n_bytes) };
        let start = NonNull::new(start.cast()).expect("the driver succeeded");
        Ok(PinnedBuffer { start, len, gpu })
    }
}

impl<T> PinnedBuffer<T> {
    /// Its address for a kernel, 0 if it takes no memory, for the pointers of a
    /// [structure](crate::Arg::structure); valid while the array lives. What a kernel writes is seen by
    /// the host when it has waited for the kernel.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn address(&self) -> Result<u64, GpuError> {
        let mut address = 0;
        if self.len == 0 || size_of::<T>() == 0 {
            return Ok(address);
        }
        self.gpu.make_current()?;
        let start = self.start.as_ptr().cast();
        // SAFETY: the driver writes one address, to a place that is one; the memory was
        // allocated as mapped.
        let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, start, 0) };
        check("asking where pinned memory is", result)?;
        Ok(address)
    }
}

impl<T> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements were allocated and set to zero, which is a plain value;
        // copies of the GPU from here or to here are waited for, and so are kernels that write it.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the reference to the owner is the only one.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let is_allocated = self.len > 0 && size_of::<T>() > 0;
        if is_allocated && self.gpu.synchronize_all().is_ok() {
            // SAFETY: no copy uses it any more; the memory was allocated in this context and nothing else frees it.
            unsafe { sys::cuMemFreeHost(self.start.as_ptr().cast()) };
        }
    }
}

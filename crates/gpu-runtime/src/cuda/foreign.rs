//! Arrays that other libraries of the process have put in a GPU's memory.
//!
//! All libraries that use the CUDA runtime share a device's primary context, which is the one that
//! is [opened](super::context) here too, so that their addresses are valid in our kernels.

use std::ffi::c_void;
use std::ptr;

use cust::sys::{self, CUcontext, CUmemorytype, CUpointer_attribute as Attribute, CUresult};

use super::status::check;
use super::{Buffer, Gpu};
use crate::{GpuError, Pod};

impl Gpu {
    /// The number of the GPU in whose memory this address lies.
    ///
    /// # Errors
    /// [`GpuError::NotThere`] where it lies in no GPU's; as [`open`](Self::open).
    pub fn ordinal_at(address: u64) -> Result<u32, GpuError> {
        // the driver must be started before the first call
        Self::count()?;
        let kind = attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)?;
        let ordinal = attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)?;
        let is_on_gpu = kind == Some(CUmemorytype::CU_MEMORYTYPE_DEVICE as u32);
        let ordinal = ordinal.filter(|_| is_on_gpu);
        ordinal.ok_or_else(|| GpuError::NotThere { address, place: "a GPU".to_owned() })
    }

    /// The array of another library at `address`, which that library still owns: dropping the
    /// buffer frees nothing. It does not count towards the budget.
    ///
    /// # Errors
    /// [`GpuError::NotThere`] if it does not begin and end in this GPU's memory, or is not aligned
    /// for its elements.
    ///
    /// # Safety
    /// The array must have `len` elements and exist as long as the buffer. Meanwhile it may be
    /// written only by work that the streams order ([`wait_for_stream`](Self::wait_for_stream)).
    pub unsafe fn foreign<T: Pod>(&self, address: u64, len: usize) -> Result<Buffer<T>, GpuError> {
        if len == 0 {
            return Ok(Buffer::new(self, 0, 0, None));
        }
        let ordinal = self.properties().ordinal;
        let last = (len as u64).checked_mul(size_of::<T>() as u64);
        let last = last.and_then(|bytes| address.checked_add(bytes - 1));
        let is_here = |address| Self::ordinal_at(address).is_ok_and(|found| found == ordinal);
        if !address.is_multiple_of(align_of::<T>() as u64)
            || !last.is_some_and(|last| is_here(address) && is_here(last))
        {
            return Err(GpuError::NotThere { address, place: format!("GPU {ordinal}") });
        }
        Ok(Buffer::new(self, address, len, None))
    }

    /// Makes all work that this stream queues from now on wait for the work queued on another
    /// library's stream, a `CUstream` of this GPU.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// The stream must be open.
    pub unsafe fn wait_for_stream(&self, stream: *mut c_void) -> Result<(), GpuError> {
        let event = self.event()?;
        // SAFETY: the caller guarantees that the stream is open.
        unsafe { event.record_on(stream.cast()) }?;
        self.wait_for(&event)
    }
}

/// Restores, when it is dropped, the context that was current on this thread. Other libraries of
/// the process choose their GPU by it, and every call of this crate makes its own GPU's context
/// current.
#[derive(Debug)]
pub struct KeptContext {
    /// `None` if the driver has not started.
    context: Option<CUcontext>,
}

impl KeptContext {
    /// Keeps the context that is current now.
    #[must_use]
    pub fn keep() -> Self {
        let mut context = ptr::null_mut();
        // SAFETY: the driver writes one handle, to a place that is one.
        let result = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
        Self { context: (result == CUresult::CUDA_SUCCESS).then_some(context) }
    }
}

impl Drop for KeptContext {
    fn drop(&mut self) {
        if let Some(context) = self.context {
            // Errors are ignored; another library may have destroyed its context.
            // SAFETY: it was current on this thread, or none was.
            unsafe { sys::cuCtxSetCurrent(context) };
        }
    }
}

/// A 32-bit attribute of an address; `None` if the driver has no memory there.
fn attribute(which: Attribute, address: u64) -> Result<Option<u32>, GpuError> {
    let mut value = 0u32;
    // SAFETY: the driver writes the attribute, to a place that has 32 bits.
    match unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), which, address) } {
        CUresult::CUDA_ERROR_INVALID_VALUE => Ok(None),
        result => check("asking where an array lies", result).map(|()| Some(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn current() -> CUcontext {
        let mut context = ptr::null_mut();
        // SAFETY: the driver writes one handle, to a place that is one.
        unsafe { sys::cuCtxGetCurrent(&raw mut context) };
        context
    }

    /// Runs in a thread of its own, on which no context is current.
    #[test]
    fn what_was_current_is_so_again() {
        let Ok(gpu) = Gpu::open() else { return println!("SKIPPED: no GPU") };
        let look = move || {
            assert!(current().is_null());
            let kept = KeptContext::keep();
            assert_eq!(gpu.upload(&[1u8]).unwrap().download().unwrap(), [1]);
            let ours = current();
            assert!(!ours.is_null());
            drop(kept);
            assert!(current().is_null());
        };
        std::thread::spawn(look).join().unwrap();
    }
}

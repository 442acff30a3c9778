//! Arrays in the memory of a GPU.
//!
//! Copies are queued on the stream of the [`Gpu`] like everything else, and copies from or to the
//! host are waited for, so that neither side can change during a copy.

use std::marker::PhantomData;
use std::ops::Range;

use cust::sys::{self, CUresult};

use super::Gpu;
use super::budget::Reservation;
use super::status::check;
use crate::{GpuError, Pod};

/// An array in the memory of a GPU, freed on drop.
///
/// It may be empty. Kernels change it through a shared reference: the caller of the launches orders
/// their writes, and copies see the results of all launches before them.
#[derive(Debug)]
pub struct Buffer<T> {
    memory: Memory,
    len: usize,
    element: PhantomData<T>,
}

/// Memory of a GPU, freed on drop if it is ours.
#[derive(Debug)]
struct Memory {
    /// 0 if it takes no memory.
    address: u64,
    gpu: Gpu,
    /// Given back after `drop` has freed the memory; `None` if another library frees it.
    reservation: Option<Reservation>,
}

impl Gpu {
    /// An array of `len` zeros.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] or [`GpuError::Driver`].
    pub fn buffer<T: Pod>(&self, len: usize) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.allocate(len)?;
        buffer.fill_bytes(0)?;
        Ok(buffer)
    }

    /// A copy of `values`.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] or [`GpuError::Driver`].
    pub fn upload<T: Pod>(&self, values: &[T]) -> Result<Buffer<T>, GpuError> {
        let mut buffer = self.allocate(values.len())?;
        buffer.upload(values)?;
        Ok(buffer)
    }

    /// An array with undefined contents.
    fn allocate<T: Pod>(&self, len: usize) -> Result<Buffer<T>, GpuError> {
        let required = (len as u64).saturating_mul(size_of::<T>() as u64);
        let refusal = |available| GpuError::OutOfMemory { what: "a buffer", required, available };
        self.make_current()?;
        let reservation = self.budget.reserve(required).map_err(refusal)?;
        // More than the device has is not requested from the driver, which may report a wrong
        // value.
        if required > self.properties().memory_bytes {
            drop(reservation);
            return Err(refusal(self.available_bytes()?));
        }
        let mut address = 0;
        if required > 0 {
            let bytes = len * size_of::<T>();
            // SAFETY: the driver writes one address, to a place that is one.
            match unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) } {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    drop(reservation);
                    return Err(refusal(self.available_bytes()?));
                }
                result => check("taking GPU memory", result)?,
            }
        }
        Ok(Buffer::new(self, address, len, Some(reservation)))
    }
}

impl<T> Buffer<T> {
    /// `len` elements at an address, which are freed on drop if there is a reservation.
    pub(super) fn new(gpu: &Gpu, address: u64, len: usize, own: Option<Reservation>) -> Self {
        let memory = Memory { address, gpu: gpu.clone(), reservation: own };
        Self { memory, len, element: PhantomData }
    }

    /// Its address in the GPU's memory, 0 if it is empty, for the pointers of a
    /// [structure](crate::Arg::structure) passed to a kernel; valid while the buffer lives.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.memory.address
    }

    /// The number of the stream that its copies are queued on.
    pub(crate) fn stream(&self) -> usize {
        self.memory.gpu.stream_id()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        // Cannot wrap: this number of bytes was allocated.
        self.len as u64 * size_of::<T>() as u64
    }
}

impl<T: Pod> Buffer<T> {
    /// The same memory with elements of another type, as large as these.
    #[must_use]
    pub fn cast<U: Pod>(self) -> Buffer<U> {
        const { assert!(size_of::<T>() == size_of::<U>(), "elements differ in size") };
        Buffer { memory: self.memory, len: self.len, element: PhantomData }
    }

    /// Overwrites all elements with `values`.
    ///
    /// # Errors
    /// [`GpuError::Length`] if their number differs, or [`GpuError::Driver`].
    pub fn upload(&mut self, values: &[T]) -> Result<(), GpuError> {
        const OPERATION: &str = "copying to the GPU";
        self.expect_len(OPERATION, values.len())?;
        if self.bytes() == 0 {
            return Ok(());
        }
        self.memory.gpu.make_current()?;
        // SAFETY: `values` has as many bytes as this buffer has been allocated with, and is
        // borrowed until `synchronize` has waited for the copy.
        let result = unsafe {
            sys::cuMemcpyHtoDAsync_v2(
                self.memory.address,
                values.as_ptr().cast(),
                size_of_val(values),
                self.memory.gpu.raw_stream(),
            )
        };
        check(OPERATION, result)?;
        self.memory.gpu.synchronize()
    }

    /// A copy of all elements.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn download(&self) -> Result<Vec<T>, GpuError> {
        self.download_range(0..self.len)
    }

    /// A copy of the elements at these positions; none if the range ends before it starts.
    ///
    /// # Errors
    /// [`GpuError::Length`] where the range ends beyond the buffer, or [`GpuError::Driver`].
    pub fn download_range(&self, range: Range<usize>) -> Result<Vec<T>, GpuError> {
        if range.end > self.len {
            let operation = "copying a range from the GPU";
            return Err(GpuError::Length { operation, expected: self.len, found: range.end });
        }
        let mut values: Vec<T> = Vec::with_capacity(range.len());
        // SAFETY: the range lies in the buffer, and the vector has room for it.
        unsafe { self.copy_out(&range, values.as_mut_ptr()) }?;
        // SAFETY: the copy has written that many elements, and any bytes are a plain value.
        unsafe { values.set_len(range.len()) };
        Ok(values)
    }

    /// Copies all elements over `values`.
    ///
    /// # Errors
    /// [`GpuError::Length`] if the lengths differ, or [`GpuError::Driver`].
    pub fn download_into(&self, values: &mut [T]) -> Result<(), GpuError> {
        self.expect_len("copying from the GPU", values.len())?;
        // SAFETY: `values` has as many elements as the buffer.
        unsafe { self.copy_out(&(0..self.len), values.as_mut_ptr()) }
    }

    /// Sets every byte to `byte`.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn fill_bytes(&mut self, byte: u8) -> Result<(), GpuError> {
        if self.bytes() == 0 {
            return Ok(());
        }
        self.memory.gpu.make_current()?;
        let n_bytes = self.len * size_of::<T>();
        // SAFETY: `n_bytes` bytes were allocated at this address.
        let result = unsafe {
            sys::cuMemsetD8Async(self.memory.address, byte, n_bytes, self.memory.gpu.raw_stream())
        };
        check("filling GPU memory", result)
    }

    /// Copies the elements in `range` to `target` and waits until they are there.
    ///
    /// # Safety
    /// The range ends in the buffer; `target` has room for its elements.
    unsafe fn copy_out(&self, range: &Range<usize>, target: *mut T) -> Result<(), GpuError> {
        let n_bytes = range.len() * size_of::<T>();
        if n_bytes == 0 {
            return Ok(());
        }
        self.memory.gpu.make_current()?;
        let from = self.memory.address + (range.start * size_of::<T>()) as u64;
        // SAFETY: the caller guarantees both sides, and `synchronize` waits for the copy before
        // either of them can be dropped.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(target.cast(), from, n_bytes, self.memory.gpu.raw_stream())
        };
        check("copying from the GPU", result)?;
        self.memory.gpu.synchronize()
    }

    fn expect_len(&self, operation: &'static str, found: usize) -> Result<(), GpuError> {
        if found != self.len {
            return Err(GpuError::Length { operation, expected: self.len, found });
        }
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.address == 0 || self.reservation.is_none() {
            return;
        }
        // A kernel that was launched on it may still run, on any stream. Errors are ignored; one
        // that occurs here fails the next call too.
        let _ = self.gpu.synchronize_all();
        // SAFETY: the memory was allocated in this context and nothing else frees it.
        unsafe { sys::cuMemFree_v2(self.address) };
    }
}

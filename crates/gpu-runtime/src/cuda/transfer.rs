//! Asynchronous copies between pinned memory of the host and GPUs, concurrent with the work of
//! other streams.

use std::ops::Range;
use std::ptr;

use cust::sys;

use super::status::check;
use super::{Buffer, Gpu, PinnedBuffer};
use crate::{GpuError, Pod, Rectangle};

impl Gpu {
    /// Queues a copy of `range` of the pinned memory to the buffer, from element `at` on.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, the range of `source` must not be written, and its target in the
    /// buffer may be used only by work that is ordered after it.
    pub unsafe fn queue_upload<T: Pod>(
        &self,
        source: &PinnedBuffer<T>,
        range: Range<usize>,
        target: &Buffer<T>,
        at: usize,
    ) -> Result<(), GpuError> {
        const OPERATION: &str = "copying to the GPU";
        let n_bytes =
            check_ends(OPERATION, source.len(), &range, target.len(), at)? * size_of::<T>();
        self.make_current()?;
        let to = target.address() + (at * size_of::<T>()) as u64;
        let from = source[range].as_ptr().cast();
        // SAFETY: both sides have `n_bytes` bytes there. The caller guarantees their use until the
        // copy is done, and dropping either of them waits for the copy.
        let result = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, n_bytes, self.raw_stream()) };
        check(OPERATION, result)
    }

    /// Queues a copy of `range` of the buffer to the pinned memory, from element `at` on.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, its target in the pinned memory must not be used, and the range of
    /// `source` may be written only by work that is ordered after it.
    pub unsafe fn queue_download<T: Pod>(
        &self,
        source: &Buffer<T>,
        range: Range<usize>,
        target: &mut PinnedBuffer<T>,
        at: usize,
    ) -> Result<(), GpuError> {
        const OPERATION: &str = "copying from the GPU";
        let len = check_ends(OPERATION, source.len(), &range, target.len(), at)?;
        self.make_current()?;
        let from = source.address() + (range.start * size_of::<T>()) as u64;
        let to = target[at..at + len].as_mut_ptr().cast();
        let n_bytes = len * size_of::<T>();
        // SAFETY: as in `queue_upload`.
        let result = unsafe { sys::cuMemcpyDtoHAsync_v2(to, from, n_bytes, self.raw_stream()) };
        check(OPERATION, result)
    }

    /// Queues a copy of `range` of one buffer to another, from element `at` on. One of them may be
    /// another GPU's: the copy is direct if this GPU [reaches](Self::reach) it, and passes through
    /// host memory otherwise.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, the range of `source` may be written, and its target used, only by
    /// work that is ordered after it.
    pub unsafe fn queue_copy<T: Pod>(
        &self,
        source: &Buffer<T>,
        range: Range<usize>,
        target: &Buffer<T>,
        at: usize,
    ) -> Result<(), GpuError> {
        const OPERATION: &str = "copying between buffers";
        let n_bytes =
            check_ends(OPERATION, source.len(), &range, target.len(), at)? * size_of::<T>();
        self.make_current()?;
        let from = source.address() + (range.start * size_of::<T>()) as u64;
        let to = target.address() + (at * size_of::<T>()) as u64;
        // SAFETY: both ranges lie in their buffers, whose addresses are unique among all
        // devices; the caller does not change them meanwhile.
        let result = unsafe { sys::cuMemcpyAsync(to, from, n_bytes, self.raw_stream()) };
        check(OPERATION, result)
    }

    /// Queues a copy of a rectangle of the pinned memory to one of the buffer, of as many rows and
    /// columns.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a rectangle ends beyond its side, or they differ, or
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// As [`queue_upload`](Self::queue_upload).
    pub unsafe fn queue_upload_rectangle<T: Pod>(
        &self,
        source: &PinnedBuffer<T>,
        from: Rectangle,
        target: &Buffer<T>,
        to: Rectangle,
    ) -> Result<(), GpuError> {
        let ends = [(source.as_ptr() as u64, source.len()), (target.address(), target.len())];
        // SAFETY: as in `queue_upload`; pinned memory has the same address for the device.
        unsafe { self.copy_rectangle::<T>("copying to the GPU", ends, [from, to]) }
    }

    /// Queues a copy of a rectangle of one buffer to one of another, of as many rows and columns.
    /// One of them may be another GPU's.
    ///
    /// # Errors
    /// As [`queue_upload_rectangle`](Self::queue_upload_rectangle).
    ///
    /// # Safety
    /// As [`queue_copy`](Self::queue_copy).
    pub unsafe fn queue_copy_rectangle<T: Pod>(
        &self,
        source: &Buffer<T>,
        from: Rectangle,
        target: &Buffer<T>,
        to: Rectangle,
    ) -> Result<(), GpuError> {
        let ends = [(source.address(), source.len()), (target.address(), target.len())];
        // SAFETY: as in `queue_copy`.
        unsafe { self.copy_rectangle::<T>("copying between buffers", ends, [from, to]) }
    }

    /// Queues the copy between two arrays, given by addresses and lengths.
    ///
    /// # Safety
    /// The arrays must exist until the copy is done, and the caller must not change them meanwhile.
    unsafe fn copy_rectangle<T: Pod>(
        &self,
        operation: &'static str,
        ends: [(u64, usize); 2],
        [from, to]: [Rectangle; 2],
    ) -> Result<(), GpuError> {
        for (expected, found) in [(from.n_rows, to.n_rows), (from.n_columns, to.n_columns)] {
            if expected != found {
                return Err(GpuError::Length { operation, expected, found });
            }
        }
        if from.n_rows == 0 || from.n_columns == 0 {
            return Ok(());
        }
        check_rectangle(operation, ends[0].1, &from)?;
        check_rectangle(operation, ends[1].1, &to)?;
        let bytes = |elements: usize| elements * size_of::<T>();
        let [source, target] = [(ends[0].0, from), (ends[1].0, to)]
            .map(|(address, rectangle)| address + bytes(rectangle.first) as u64);
        let copy = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            srcHost: ptr::null(),
            srcDevice: source,
            srcArray: ptr::null_mut(),
            srcPitch: bytes(from.stride),
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            dstHost: ptr::null_mut(),
            dstDevice: target,
            dstArray: ptr::null_mut(),
            dstPitch: bytes(to.stride),
            WidthInBytes: bytes(from.n_columns),
            Height: from.n_rows,
        };
        self.make_current()?;
        // SAFETY: both rectangles lie in their arrays, whose addresses are unique among the host
        // and all devices; the caller does not change them meanwhile.
        check(operation, unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, self.raw_stream()) })
    }
}

/// The number of elements of the range, if it lies in the source and fits into the target.
fn check_ends(
    operation: &'static str,
    source: usize,
    range: &Range<usize>,
    target: usize,
    at: usize,
) -> Result<usize, GpuError> {
    let refuse = |expected, found| Err(GpuError::Length { operation, expected, found });
    if range.start > range.end || range.end > source {
        return refuse(source, range.end);
    }
    match at.checked_add(range.len()) {
        Some(end) if end <= target => Ok(range.len()),
        end => refuse(target, end.unwrap_or(usize::MAX)),
    }
}

/// An error if a rectangle ends beyond `len` elements, or its rows overlap.
fn check_rectangle(
    operation: &'static str,
    len: usize,
    rectangle: &Rectangle,
) -> Result<(), GpuError> {
    let &Rectangle { first, n_rows, n_columns, stride } = rectangle;
    let refuse = |expected, found| Err(GpuError::Length { operation, expected, found });
    let rows = stride.checked_mul(n_rows.saturating_sub(1));
    match rows.and_then(|rows| rows.checked_add(n_columns)?.checked_add(first)) {
        _ if n_columns > stride => refuse(stride, n_columns),
        Some(end) if end <= len => Ok(()),
        end => refuse(len, end.unwrap_or(usize::MAX)),
    }
}

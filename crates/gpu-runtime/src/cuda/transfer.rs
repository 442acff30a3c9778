//! Copies that nobody waits for: between pinned memory of the host and the GPU, beside other
//! streams' work.

use std::ops::Range;

use cust::sys;

use super::status::check;
use super::{Buffer, Gpu, PinnedBuffer};
use crate::{GpuError, Pod};

impl Gpu {
    /// Queues a copy of `range` of the pinned memory to the buffer, from element `at` on.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, nobody may write the range of `source`, or use its target in
    /// the buffer without being ordered after it.
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
        // SAFETY: both sides have so many bytes there; the caller vouches for what happens
        // to them until the copy is done, and dropping either of them waits for that.
        let result = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, n_bytes, self.raw_stream()) };
        check(OPERATION, result)
    }

    /// Queues a copy of `range` of the buffer to the pinned memory, from element `at` on.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, nobody may use its target in the pinned memory, or write the
    /// range of `source` without being ordered after it.
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

    /// Queues a copy of `range` of one buffer to another, from element `at` on. One of them may
    /// be another GPU's: the copy goes from memory to memory where this GPU
    /// [reaches](Self::reach) it, and through the host's else.
    ///
    /// # Errors
    /// [`GpuError::Length`] where a side is too short, or [`GpuError::Driver`].
    ///
    /// # Safety
    /// Until the copy is done, nobody may write the range of `source`, or use its target,
    /// without being ordered after it.
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
        // devices; the caller keeps them as they are meanwhile.
        let result = unsafe { sys::cuMemcpyAsync(to, from, n_bytes, self.raw_stream()) };
        check(OPERATION, result)
    }
}

/// How many elements the range has, if it lies in the source and fits into the target.
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

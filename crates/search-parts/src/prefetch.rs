//! Asking for memory before it is needed.
//!
//! A bucket lists the vertices that come next, each in another place of memory, and a
//! processor does not look far enough ahead to see them. On the R-MAT graphs of the
//! benchmarks the waiting is more than half of a search.

/// Bytes that come at one time.
const LINE: usize = 64;

/// Brings `slice[index]` towards the processor; does nothing where that cannot be asked
/// for. The index need not be in range.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch is a hint that reads nothing into the program and faults at
        // no address; `wrapping_add` makes none that must be in bounds.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// Brings the lines that the first `most` elements of `slice` begin in.
#[inline(always)]
pub fn prefetch_first<T>(slice: &[T], most: usize) {
    for index in (0..slice.len().min(most)).step_by(LINE / size_of::<T>()) {
        prefetch(slice, index);
    }
}

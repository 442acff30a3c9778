//! Prefetching of memory.
//!
//! A bucket lists vertices whose data lie anywhere in memory, and the CPU does not read far enough
//! ahead to load them in time. On the R-MAT graphs of the benchmarks, waiting for memory takes more
//! than half of a search.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Loads `slice[index]` into the cache; does nothing on CPUs other than x86-64. The index need not
/// be in range.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch is a hint: it reads nothing into the program and faults at no address.
        // `wrapping_add` does not require an address in bounds.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// Loads the cache lines in which the first `most` elements of `slice` begin.
#[inline(always)]
pub fn prefetch_first<T>(slice: &[T], most: usize) {
    for index in (0..slice.len().min(most)).step_by(LINE / size_of::<T>()) {
        prefetch(slice, index);
    }
}

//! Prefetching of memory.
//!
//! A bucket lists vertices whose data lie anywhere in memory, and the CPU does not read far enough
//! ahead to load them in time. On the R-MAT graphs of the benchmarks, waiting for memory takes more
//! than half of a search.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Loads `slice[index]` into the cache; does nothing on CPUs other than x86-64 and ARM of 64 bits.
/// The index need not be in range.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let address = slice.as_ptr().wrapping_add(index);
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint: it reads nothing into the program and faults at no address.
        // `wrapping_add` does not require an address in bounds.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the instruction changes no register, flag or memory.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Loads the cache lines in which the first `most` elements of `slice` begin.
#[inline(always)]
pub fn prefetch_first<T>(slice: &[T], most: usize) {
    for index in (0..slice.len().min(most)).step_by(LINE / size_of::<T>()) {
        prefetch(slice, index);
    }
}

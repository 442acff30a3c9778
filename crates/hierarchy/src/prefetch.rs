//! A hint to the processor that an entry of an array is read soon.

/// Has `values[index]` brought into the caches; nothing where there is no such entry.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = values.as_ptr().wrapping_add(index).cast::<i8>();
        // SAFETY: a prefetch of any address is allowed and changes no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}

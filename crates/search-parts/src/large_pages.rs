//! Memory in large pages.
//!
//! A read at a random place of an array of many megabytes waits for the address of its page as well
//! as for memory. For the processor keeps the addresses of a few thousand pages, small or large.

/// Asks the system to hold an array that has not been written to yet in large pages, with all that it
/// has room for. Only Linux does.
///
/// ```
/// let numbers = search_parts::in_large_pages(vec![0u64; 1 << 20]);
/// assert_eq!(numbers, vec![0; 1 << 20]);
/// ```
pub fn in_large_pages<T>(array: Vec<T>) -> Vec<T> {
    #[cfg(target_os = "linux")]
    advise(array.as_ptr().cast(), array.capacity().saturating_mul(size_of::<T>()));
    array
}

#[cfg(target_os = "linux")]
fn advise(start: *const u8, bytes: usize) {
    // a shorter array gains nothing
    const MIN_BYTES: usize = 1 << 22;
    // small pages start at multiples of this on every Linux
    const ALIGNMENT: usize = 1 << 16;
    if bytes < MIN_BYTES {
        return;
    }
    let skipped = start.align_offset(ALIGNMENT);
    let bytes = bytes.saturating_sub(skipped) / ALIGNMENT * ALIGNMENT;
    if bytes == 0 {
        return;
    }
    // SAFETY: the range is whole pages within the memory of the array. The advice changes which pages
    // hold its bytes, and none of the bytes; it may be refused.
    let _ =
        unsafe { libc::madvise(start.add(skipped).cast_mut().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_keeps_its_elements() {
        for length in [0, 1, 1 << 22, (1 << 22) + 12_345] {
            let numbers: Vec<u8> = (0..length).map(|i| i as u8).collect();
            assert_eq!(in_large_pages(numbers.clone()), numbers);
            let mut again = in_large_pages(Vec::with_capacity(length));
            again.extend_from_slice(&numbers);
            assert_eq!(again, numbers);
        }
    }
}

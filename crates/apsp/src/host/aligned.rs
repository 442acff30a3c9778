//! Numbers that begin at a cache line.

use std::ops::{Deref, DerefMut};

use bytemuck::allocation::try_zeroed_vec;

use crate::element::Element;

/// Bytes of a cache line.
const LINE: usize = 64;

/// A vector of fixed length whose first number begins a cache line, so that a register's
/// worth of numbers lies in one line where its index says so.
pub(crate) struct Aligned<E> {
    numbers: Vec<E>,
    start: usize,
    len: usize,
}

impl<E: Element> Aligned<E> {
    /// Zeros, which the system gives out when they are first touched; `None` if there is no
    /// memory.
    pub(crate) fn zeros(len: usize) -> Option<Self> {
        let whole = len.checked_add(line::<E>())?;
        let numbers: Vec<E> = try_zeroed_vec(whole).ok()?;
        // where alignment cannot be told, any place is right
        let start = numbers.as_ptr().align_offset(LINE).min(line::<E>());
        Some(Self { numbers, start, len })
    }
}

impl<E> Deref for Aligned<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.numbers[self.start..][..self.len]
    }
}

impl<E> DerefMut for Aligned<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        &mut self.numbers[self.start..][..self.len]
    }
}

/// How many numbers a cache line holds.
pub(crate) const fn line<E>() -> usize {
    LINE / size_of::<E>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_begins_a_line() {
        let mut numbers = Aligned::<u16>::zeros(1000).unwrap();
        assert_eq!((numbers.len(), numbers.as_ptr().addr() % LINE), (1000, 0));
        numbers[999] = 7;
        assert_eq!(numbers.iter().map(|&n| u32::from(n)).sum::<u32>(), 7);
        assert!(Aligned::<f64>::zeros(usize::MAX).is_none());
        assert!(Aligned::<f64>::zeros(usize::MAX / 8).is_none());
    }
}

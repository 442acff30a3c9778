//! The bits of a vertex, one for each source of a batch, in `N` words.

use std::array::from_fn;

use bytemuck::{Pod, Zeroable};

/// A bit for each source.
pub(super) type Bits<const N: usize> = [u64; N];

#[inline(always)]
pub(super) fn or<const N: usize>(a: &Bits<N>, b: &Bits<N>) -> Bits<N> {
    from_fn(|w| a[w] | b[w])
}

/// The bits of `a` that are not in `b`.
#[inline(always)]
pub(super) fn without<const N: usize>(a: &Bits<N>, b: &Bits<N>) -> Bits<N> {
    from_fn(|w| a[w] & !b[w])
}

#[inline(always)]
pub(super) fn and<const N: usize>(a: &Bits<N>, b: &Bits<N>) -> Bits<N> {
    from_fn(|w| a[w] & b[w])
}

#[inline(always)]
pub(super) fn is_empty<const N: usize>(bits: &Bits<N>) -> bool {
    bits.iter().fold(0, |any, word| any | word) == 0
}

#[inline(always)]
pub(super) fn count<const N: usize>(bits: &Bits<N>) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// A cache line.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// The bits of every vertex; those of one vertex lie on one cache line.
pub(super) struct BitField(Vec<Line>);

impl BitField {
    /// Zeros for `n_vertices` and at least one more, of `N` words each; `N` divides 8.
    pub(super) fn new<const N: usize>(n_vertices: usize) -> Self {
        Self(bytemuck::zeroed_vec(n_vertices * N / 8 + 1))
    }

    /// The bits of each vertex, then those of vertices that do not exist, which stay zero.
    pub(super) fn bits<const N: usize>(&mut self) -> &mut [Bits<N>] {
        bytemuck::cast_slice_mut(&mut self.0).as_chunks_mut().0
    }
}

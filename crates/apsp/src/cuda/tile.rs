//! Views of matrices on a GPU.

use std::ops::Range;

use gpu_runtime::{Buffer, Rectangle};

use super::arithmetic::Arithmetic;

/// Some columns of some rows of a matrix in a GPU's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile<'a> {
    pub(super) buffer: &'a Buffer<u32>,
    /// Where it begins there.
    first: usize,
    pub(super) n_rows: usize,
    pub(super) n_columns: usize,
    /// Elements from row to row.
    pub(super) stride: usize,
    /// What they are of.
    pub(super) arithmetic: Arithmetic,
}

impl<'a> Tile<'a> {
    /// Whole rows of a matrix with `n_columns` columns, of which the buffer has the first row on.
    ///
    /// # Panics
    /// If they do not lie there.
    pub(super) fn rows_of(
        buffer: &'a Buffer<u32>,
        arithmetic: Arithmetic,
        n_columns: usize,
        rows: Range<usize>,
    ) -> Self {
        let stride = arithmetic.stride(n_columns);
        assert!(rows.start <= rows.end && rows.end * stride <= buffer.len(), "rows of a matrix");
        let (first, n_rows) = (rows.start * stride, rows.len());
        Self { buffer, first, n_rows, n_columns, stride: n_columns, arithmetic }
    }

    /// Some of its columns, whole words of the kernels.
    pub(super) fn columns(self, columns: Range<usize>) -> Self {
        assert!(columns.end <= self.n_columns, "columns of a tile");
        let first = self.first + self.arithmetic.stride(columns.start);
        Self { first, n_columns: columns.len(), ..self }
    }

    /// Where its rows are among the 32 bits of its buffer.
    pub(super) fn rectangle(&self) -> Rectangle {
        let Self { first, n_rows, .. } = *self;
        let [n_columns, stride] = [self.n_columns, self.stride].map(|n| self.arithmetic.stride(n));
        Rectangle { first, n_rows, n_columns, stride }
    }

    /// Where it begins.
    pub(super) fn address(&self) -> u64 {
        self.buffer.address() + (self.first * size_of::<u32>()) as u64
    }

    /// The 32 bits that it has in its buffer; of whole rows only.
    pub(super) fn range(&self) -> Range<usize> {
        debug_assert_eq!(self.n_columns, self.stride, "what lies between is not the tile's");
        self.first..self.first + self.n_rows * self.arithmetic.stride(self.stride)
    }
}

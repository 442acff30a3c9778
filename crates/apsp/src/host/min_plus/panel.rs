//! Copies of a and b in the order in which the kernels read them, and the loop over blocks.

use std::ops::{Deref, DerefMut, Range};

use bytemuck::allocation::try_zeroed_vec;
use graph_formats::parallel;

use super::kernel::{Kernel, copies};
use crate::element::Element;

/// Strips that a thread copies at a time, so that it reads as many consecutive cache lines of a
/// row.
const STRIPS_A_TASK: usize = 16;
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
        // if the alignment is not known, any offset is right
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

/// Rows of b in strips as wide as the kernel's block: strip after strip, and in each row after row.
pub(crate) struct Panel<E> {
    pub(crate) kernel: Kernel<E>,
    numbers: Aligned<E>,
    /// Rows that it has.
    depth: usize,
    n_columns: usize,
}

impl<E: Element> Panel<E> {
    /// The numbers in a panel of `depth` rows and `n_columns` columns, with padding.
    pub(crate) fn len_of(kernel: &Kernel<E>, depth: usize, n_columns: usize) -> usize {
        depth * n_columns.next_multiple_of(kernel.columns)
    }

    /// A panel for `depth` rows and `n_columns` columns; `None` if there is no memory.
    pub(crate) fn new(kernel: Kernel<E>, depth: usize, n_columns: usize) -> Option<Self> {
        let numbers = Aligned::zeros(Self::len_of(&kernel, depth, n_columns))?;
        Some(Self { kernel, numbers, depth, n_columns })
    }

    /// Uses the same memory for other numbers of rows and columns, which must fit.
    pub(crate) fn reshape(&mut self, depth: usize, n_columns: usize) -> &mut Self {
        (self.depth, self.n_columns) = (depth, n_columns);
        self
    }

    /// All numbers, strip after strip.
    pub(crate) fn strips(&self) -> &[E] {
        &self.numbers[..Self::len_of(&self.kernel, self.depth, self.n_columns)]
    }

    pub(crate) fn strips_mut(&mut self) -> &mut [E] {
        &mut self.numbers[..Self::len_of(&self.kernel, self.depth, self.n_columns)]
    }

    /// Copies some of its rows, of which `row` has each from the first column on. Where it ends
    /// before the last strip, there is no path.
    pub(crate) fn pack<'r>(&mut self, rows: Range<usize>, row: impl Fn(usize) -> &'r [E] + Sync)
    where
        E: 'r,
    {
        let width = self.kernel.columns;
        let strip = (width * self.depth).max(1);
        let tasks = self.strips_mut().chunks_mut(strip * STRIPS_A_TASK).enumerate();
        parallel::for_each_of(tasks, &|(task, strips)| {
            for k in rows.clone() {
                let row = row(k);
                let row = &row[(task * STRIPS_A_TASK * width).min(row.len())..];
                for (s, strip) in strips.chunks_exact_mut(strip).enumerate() {
                    let from = &row[(s * width).min(row.len())..];
                    let from = &from[..from.len().min(width)];
                    let to = &mut strip[k * width..][..width];
                    to[..from.len()].copy_from_slice(from);
                    to[from.len()..].fill(E::INFINITE);
                }
            }
        });
    }

    /// The number in a row and a column.
    pub(crate) fn number_mut(&mut self, row: usize, column: usize) -> &mut E {
        let place = self.place(row, column);
        &mut self.numbers[place]
    }

    fn place(&self, row: usize, column: usize) -> usize {
        let width = self.kernel.columns;
        (column / width * self.depth + row) * width + column % width
    }

    /// Copies a row back, from the first column of a strip on.
    pub(crate) fn unpack(&self, number: usize, first: usize, row: &mut [E]) {
        let width = self.kernel.columns;
        for (part, column) in row.chunks_mut(width).zip((first..).step_by(width)) {
            part.copy_from_slice(&self.numbers[self.place(number, column)..][..part.len()]);
        }
    }

    /// Relaxes rows of c, which begin `stride` apart, from `column` on, by the groups of a.
    pub(crate) fn relax(&self, c: &mut [E], stride: usize, column: usize, groups: &[E]) {
        let (kernel, strips) = (&self.kernel, self.strips());
        if strips.is_empty() {
            return;
        }
        let (height, width) = (stride * kernel.rows, kernel.columns);
        let (strip, group) = (width * self.depth, self.depth * kernel.rows * copies::<E>());
        let n_blocks = groups.len() / group;
        for (s, through) in strips.chunks_exact(strip).enumerate() {
            // each block fetches its part of the next strip
            let mut ahead = strips.get((s + 1) * strip..(s + 2) * strip).unwrap_or(&[]);
            let part = ahead.len().div_ceil(n_blocks);
            let blocks = c.chunks_exact_mut(height).zip(groups.chunks_exact(group));
            for (i, (rows, group)) in blocks.enumerate() {
                // below the last block of a strip comes the first of the next one
                let back = width.wrapping_sub((n_blocks - 1) * height);
                let next = if i + 1 < n_blocks { height } else { back };
                let (soon, later) = ahead.split_at(part.min(ahead.len()));
                ahead = later;
                kernel.relax(&mut rows[column + s * width..], stride, group, through, next, soon);
            }
        }
    }
}

/// Copies these columns of rows of a, which begin `stride` apart, and as many of which are
/// taken as are whole blocks: group after group as high as the kernel's block.
pub(crate) fn pack_groups<E: Element>(
    kernel: &Kernel<E>,
    groups: &mut Vec<E>,
    a: &[E],
    stride: usize,
    columns: &Range<usize>,
) {
    groups.clear();
    for rows in a.chunks_exact(stride * kernel.rows) {
        for k in columns.clone() {
            for r in 0..kernel.rows {
                groups.extend(std::iter::repeat_n(rows[r * stride + k], copies::<E>()));
            }
        }
    }
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

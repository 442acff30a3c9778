//! Copies of a and b in the order in which the kernels read them, and the loop over blocks.

use graph_formats::parallel;
use std::ops::Range;

use super::kernel::{Kernel, copies};
use crate::element::Element;

/// Strips that a thread copies at one time: of each row so many lines in sequence.
const STRIPS_A_TASK: usize = 16;

/// How many numbers [`pack`] writes for so many rows of b.
pub(crate) fn packed_len<E>(kernel: &Kernel<E>, depth: usize, n_columns: usize) -> usize {
    depth * n_columns.next_multiple_of(kernel.columns)
}

/// Copies these columns of `rows`, which begin `stride` apart, and some more if they do not
/// fill the last strip: strip after strip as wide as the kernel's block, and in each row
/// after row.
pub(crate) fn pack<E: Element>(
    kernel: &Kernel<E>,
    strips: &mut [E],
    rows: &[E],
    stride: usize,
    columns: &Range<usize>,
) {
    pack_some(kernel, strips, (0, rows.len() / stride), rows, stride, columns);
}

/// The same of `rows` that are the `first` and following ones of `depth`.
pub(crate) fn pack_some<E: Element>(
    kernel: &Kernel<E>,
    strips: &mut [E],
    (first, depth): (usize, usize),
    rows: &[E],
    stride: usize,
    columns: &Range<usize>,
) {
    let width = kernel.columns;
    let strip = width * depth;
    let tasks = strips.chunks_mut(strip * STRIPS_A_TASK).enumerate();
    parallel::for_each_of(tasks, &|(task, strips)| {
        let column = columns.start + task * STRIPS_A_TASK * width;
        for (k, row) in (first..).zip(rows.chunks_exact(stride)) {
            for (s, strip) in strips.chunks_exact_mut(strip).enumerate() {
                let from = &row[column + s * width..][..width];
                strip[k * width..][..width].copy_from_slice(from);
            }
        }
    });
}

/// Where [`pack`] puts the number in a row and a column, counted from the first that it takes, of
/// `depth` rows.
pub(crate) fn packed_place<E>(
    kernel: &Kernel<E>,
    depth: usize,
    (row, column): (usize, usize),
) -> usize {
    (column / kernel.columns * depth + row) * kernel.columns + column % kernel.columns
}

/// Copies a row back that [`pack`] has taken as one of `depth`.
pub(crate) fn unpack_row<E: Element>(
    kernel: &Kernel<E>,
    strips: &[E],
    depth: usize,
    number: usize,
    row: &mut [E],
) {
    for (s, part) in row.chunks_mut(kernel.columns).enumerate() {
        let place = packed_place(kernel, depth, (number, s * kernel.columns));
        part.copy_from_slice(&strips[place..][..part.len()]);
    }
}

/// Relaxes rows of c, which begin `stride` apart, from `column` on through the strips of b;
/// a is in the same rows as c, in the columns `pivots`. `groups` is a work space.
pub(crate) fn relax_rows<E: Element>(
    kernel: &Kernel<E>,
    c: &mut [E],
    stride: usize,
    column: usize,
    pivots: &Range<usize>,
    strips: &[E],
    groups: &mut Vec<E>,
) {
    groups.clear();
    pack_groups(kernel, groups, c, stride, pivots);
    relax_packed(kernel, c, stride, column, pivots.len(), strips, groups);
}

/// Appends these columns of rows of a, which begin `stride` apart, and as many of which are
/// taken as are whole blocks: group after group as high as the kernel's block.
pub(crate) fn pack_groups<E: Element>(
    kernel: &Kernel<E>,
    groups: &mut Vec<E>,
    a: &[E],
    stride: usize,
    columns: &Range<usize>,
) {
    for rows in a.chunks_exact(stride * kernel.rows) {
        for k in columns.clone() {
            for r in 0..kernel.rows {
                groups.extend(std::iter::repeat_n(rows[r * stride + k], copies::<E>()));
            }
        }
    }
}

/// Relaxes rows of c, which begin `stride` apart, from `column` on, through `depth` pivots
/// by the groups of a and the strips of b.
pub(crate) fn relax_packed<E: Element>(
    kernel: &Kernel<E>,
    c: &mut [E],
    stride: usize,
    column: usize,
    depth: usize,
    strips: &[E],
    groups: &[E],
) {
    let (height, width) = (stride * kernel.rows, kernel.columns);
    let group = depth * kernel.rows * copies::<E>();
    let n_blocks = groups.len() / group;
    let strip = width * depth;
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

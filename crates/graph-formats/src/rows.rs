//! Arrays of rows: row offsets, and blocks of whole rows for parallel passes.

use std::ops::Range;

use crate::{NoMemory, VertexId, parallel};

/// Rows per task of a parallel pass, at most.
const ROWS_PER_TASK: usize = 4096;
/// Arcs from which on a task takes no further row.
const ARCS_PER_TASK: u64 = 1 << 16;

/// Collects the elements into memory that is allocated once.
pub(crate) fn collected<T>(elements: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let (length, mut array) = (elements.len(), Vec::new());
    array.try_reserve_exact(length).map_err(|_| NoMemory::of::<T>(length))?;
    array.extend(elements);
    Ok(array)
}

/// An array of zeros whose pages are not touched yet.
pub(crate) fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Result<Vec<T>, NoMemory> {
    bytemuck::allocation::try_zeroed_vec(length).map_err(|()| NoMemory::of::<T>(length))
}

/// Where each row starts, and, last, the number of arcs.
pub(crate) fn count_rows(
    n_vertices: usize,
    sources: impl Iterator<Item = VertexId>,
) -> Result<Vec<u64>, NoMemory> {
    let mut offsets: Vec<u64> = zeroed(n_vertices + 1)?;
    sources.for_each(|source| offsets[source as usize + 1] += 1);
    for row in 0..n_vertices {
        offsets[row + 1] += offsets[row];
    }
    Ok(offsets)
}

/// Turns the ends of rows into their starts.
pub(crate) fn step_back(cursors: &mut [u64]) {
    let n_vertices = cursors.len() - 1;
    cursors.copy_within(..n_vertices, 1);
    cursors[0] = 0;
}

/// Cuts `arcs`, laid out by `row_offsets`, into blocks of whole rows: the rows and arcs of each.
pub(crate) fn row_blocks<'a, T>(
    row_offsets: &[u64],
    arcs: &'a mut [T],
) -> Vec<(Range<usize>, &'a mut [T])> {
    let n_rows = row_offsets.len() - 1;
    let mut blocks = Vec::with_capacity(n_rows / ROWS_PER_TASK + 1);
    let (mut start, mut rest) = (0, arcs);
    while start < n_rows {
        let ends = &row_offsets[start + 1..n_rows.min(start + ROWS_PER_TASK)];
        let full = row_offsets[start] + ARCS_PER_TASK;
        let end = start + 1 + ends.partition_point(|&end| end < full);
        let (block, tail) = rest.split_at_mut((row_offsets[end] - row_offsets[start]) as usize);
        blocks.push((start..end, block));
        (start, rest) = (end, tail);
    }
    blocks
}

/// The range of each row in a block that starts with the first of `rows`.
pub(crate) fn ranges(
    row_offsets: &[u64],
    rows: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let base = row_offsets[rows.start];
    rows.map(move |row| (row_offsets[row] - base) as usize..(row_offsets[row + 1] - base) as usize)
}

/// Runs `visit` on blocks of whole rows of `arcs`, laid out by `row_offsets` (the rows of
/// each and its arcs), in parallel.
pub(crate) fn for_each_row_block<T: Send>(
    row_offsets: &[u64],
    arcs: &mut [T],
    visit: &(dyn Fn(Range<usize>, &mut [T]) + Sync),
) {
    let blocks = row_blocks(row_offsets, arcs).into_iter();
    parallel::for_each_of(blocks, &|(rows, block)| visit(rows, block));
}

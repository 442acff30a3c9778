//! Arcs in any order, sorted into rows: each is put into its row, and every row is then
//! sorted by destination and weight, so that the result does not depend on the order.
//!
//! Nothing but the arrays of the result is allocated: the row offsets serve as cursors
//! while arcs are put into rows, each of them ending where the next row starts.
//! O(n + m log d) with d the largest out-degree.

use std::alloc::{Layout, handle_alloc_error};
use std::ops::Range;

use rayon::prelude::*;

use crate::{Csr, Direction, VertexId, Weight};

/// Rows that one task of a parallel pass takes.
const ROWS_PER_TASK: usize = 4096;

/// Memory that the system does not give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutOfMemory(Layout);

impl OutOfMemory {
    /// How many bytes were asked for.
    pub(crate) fn bytes(self) -> usize {
        self.0.size()
    }

    /// Ends the program as a failed allocation does.
    pub(crate) fn abort(self) -> ! {
        handle_alloc_error(self.0)
    }
}

/// An array of zeros, of which no page is touched yet.
fn zeroed<T: bytemuck::Zeroable>(length: usize) -> Result<Vec<T>, OutOfMemory> {
    bytemuck::allocation::try_zeroed_vec(length)
        .map_err(|()| OutOfMemory(Layout::array::<T>(length).unwrap_or(Layout::new::<T>())))
}

impl<W: Weight> Csr<W> {
    /// The graph of arcs that are known to be valid; they are asked for twice.
    pub(crate) fn from_valid_arcs<I: Iterator<Item = (VertexId, VertexId, W)>>(
        n_vertices: usize,
        list: impl Fn() -> I,
    ) -> Result<Self, OutOfMemory> {
        let mut row_offsets = count_rows(n_vertices, list().map(|arc| arc.0))?;
        let n_arcs = row_offsets[n_vertices] as usize;
        let mut columns: Vec<VertexId> = zeroed(n_arcs)?;
        let mut weights: Vec<W> = zeroed(n_arcs)?;
        list().for_each(|(source, destination, weight)| {
            let cursor = &mut row_offsets[source as usize];
            (columns[*cursor as usize], weights[*cursor as usize]) = (destination, weight);
            *cursor += 1;
        });
        step_back(&mut row_offsets);
        let blocks = row_blocks(&row_offsets, &mut columns).into_par_iter();
        blocks.zip(row_blocks(&row_offsets, &mut weights)).for_each_init(
            Vec::new,
            |row, ((rows, columns), (_, weights))| {
                for range in ranges(&row_offsets, rows) {
                    let (columns, weights) = (&mut columns[range.clone()], &mut weights[range]);
                    row.clear();
                    row.extend(columns.iter().copied().zip(weights.iter().copied()));
                    row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.order(b.1)));
                    for (at, &(column, weight)) in row.iter().enumerate() {
                        (columns[at], weights[at]) = (column, weight);
                    }
                }
            },
        );
        Ok(Self::from_valid(row_offsets, columns, weights, Direction::Directed))
    }

    /// The graph of the arcs with these ends, which are known to be valid, all of
    /// weight 1. The ends are given back before there are weights: at most 12 bytes an
    /// arc and 8 a vertex are in use at once.
    pub(crate) fn from_valid_ends(
        n_vertices: usize,
        parts: Vec<Vec<(VertexId, VertexId)>>,
    ) -> Result<Self, OutOfMemory> {
        let ends = || parts.iter().flatten();
        let mut row_offsets = count_rows(n_vertices, ends().map(|ends| ends.0))?;
        let n_arcs = row_offsets[n_vertices] as usize;
        let mut columns: Vec<VertexId> = zeroed(n_arcs)?;
        ends().for_each(|&(source, destination)| {
            let cursor = &mut row_offsets[source as usize];
            columns[*cursor as usize] = destination;
            *cursor += 1;
        });
        drop(parts);
        step_back(&mut row_offsets);
        row_blocks(&row_offsets, &mut columns).into_par_iter().for_each(|(rows, columns)| {
            for range in ranges(&row_offsets, rows) {
                columns[range].sort_unstable();
            }
        });
        let mut weights: Vec<W> = zeroed(n_arcs)?;
        weights.par_iter_mut().for_each(|weight| *weight = W::ONE);
        Ok(Self::from_valid(row_offsets, columns, weights, Direction::Directed))
    }
}

/// Where each row starts, and, last, the number of arcs.
fn count_rows(
    n_vertices: usize,
    sources: impl Iterator<Item = VertexId>,
) -> Result<Vec<u64>, OutOfMemory> {
    let mut offsets: Vec<u64> = zeroed(n_vertices + 1)?;
    sources.for_each(|source| offsets[source as usize + 1] += 1);
    for row in 0..n_vertices {
        offsets[row + 1] += offsets[row];
    }
    Ok(offsets)
}

/// Turns the ends of rows into their starts.
fn step_back(cursors: &mut [u64]) {
    let n_vertices = cursors.len() - 1;
    cursors.copy_within(..n_vertices, 1);
    cursors[0] = 0;
}

/// `arcs`, laid out by `row_offsets`, cut into blocks of whole rows: the rows of each
/// and its arcs.
pub(crate) fn row_blocks<'a, T>(
    row_offsets: &[u64],
    arcs: &'a mut [T],
) -> Vec<(Range<usize>, &'a mut [T])> {
    let n_rows = row_offsets.len() - 1;
    let mut blocks = Vec::with_capacity(n_rows / ROWS_PER_TASK + 1);
    let mut rest = arcs;
    for start in (0..n_rows).step_by(ROWS_PER_TASK) {
        let end = (start + ROWS_PER_TASK).min(n_rows);
        let (block, tail) = rest.split_at_mut((row_offsets[end] - row_offsets[start]) as usize);
        blocks.push((start..end, block));
        rest = tail;
    }
    blocks
}

/// Where each of the rows lies in a block that starts with the first of them.
fn ranges(row_offsets: &[u64], rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let base = row_offsets[rows.start];
    rows.map(move |row| (row_offsets[row] - base) as usize..(row_offsets[row + 1] - base) as usize)
}

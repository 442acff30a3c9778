//! Sorts arcs in any order into rows. Each arc is put into its row, then each row is sorted by
//! destination and weight, so that the result does not depend on the order.
//!
//! Only the arrays of the result are allocated. The row offsets are the cursors while arcs are put
//! into rows; each cursor ends where the next row starts. O(n + m log d) with d the largest
//! out-degree.

use crate::rows::{count_rows, ranges, row_blocks, step_back, zeroed};
use crate::{Csr, Direction, NoMemory, VertexId, Weight, parallel};

impl<W: Weight> Csr<W> {
    /// The graph of valid arcs. `list` is called twice and must give the same arcs.
    pub(crate) fn from_valid_arcs<I: Iterator<Item = (VertexId, VertexId, W)>>(
        n_vertices: usize,
        list: impl Fn() -> I,
    ) -> Result<Self, NoMemory> {
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
        let blocks = row_blocks(&row_offsets, &mut columns).into_iter();
        let blocks = blocks.zip(row_blocks(&row_offsets, &mut weights));
        parallel::for_each_of(blocks, &|((rows, columns), (_, weights))| {
            let mut row = Vec::new();
            for range in ranges(&row_offsets, rows) {
                let (columns, weights) = (&mut columns[range.clone()], &mut weights[range]);
                row.clear();
                row.extend(columns.iter().copied().zip(weights.iter().copied()));
                row.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.order(b.1)));
                for (at, &(column, weight)) in row.iter().enumerate() {
                    (columns[at], weights[at]) = (column, weight);
                }
            }
        });
        Ok(Self::from_valid(row_offsets, columns, weights, Direction::Directed))
    }
}

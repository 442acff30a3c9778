//! Compressed sparse rows: the arcs that leave a vertex lie side by side.
//!
//! The arcs of vertex `v` are the positions `row_offsets[v] .. row_offsets[v + 1]` of
//! `column_indices` (where each ends) and `weights` (what it costs). The two arrays are separate,
//! not interleaved, because a solver may read a weight and then not need its column. A weight that
//! all arcs share, as in an unweighted graph, is stored once; the array of weights is then made at
//! its first use.

mod induced;
mod other_weights;

use std::ops::Range;
use std::sync::OnceLock;

use crate::arc_pass::{ArcPass, Found};
use crate::checks::{validate_columns, validate_offsets, validate_weights};
use crate::rows::for_each_row_block;
use crate::{Buffer, Coo, GraphError, VertexId, Weight, WeightSummary};

/// Whether every arc is known to have its reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Directed, or not checked.
    #[default]
    Directed,
    /// Each arc (u, v, w) has its reverse (v, u, w), with the same multiplicity.
    Undirected,
}

/// A directed multigraph with weighted arcs, stored by rows.
///
/// Hard invariants, checked by [`Csr::new`]: offsets ascend from 0 to the number of arcs, every
/// column is a vertex, every weight is finite. Parallel arcs and self-loops are legal. Columns
/// ascend within a row if this crate built the graph; see [`Csr::rows_ascend`].
#[derive(Clone, Debug)]
pub struct Csr<W: Weight> {
    row_offsets: Buffer<u64>,
    column_indices: Buffer<VertexId>,
    /// Empty if all weights are equal, until the first use of the array.
    weights: OnceLock<Buffer<W>>,
    /// Empty after a change of weights, until its first use.
    weight_summary: OnceLock<WeightSummary<W>>,
    rows_ascend: bool,
    direction: Direction,
}

/// The weights of a new graph.
pub(crate) enum Weights<W> {
    /// All arcs have this one.
    Equal(W),
    /// One for each arc.
    Each(Buffer<W>),
}

impl<W: Weight> Csr<W> {
    /// A directed graph from its three arrays. The array of weights is freed if all are equal and
    /// positive.
    ///
    /// # Errors
    /// When an invariant of the type does not hold; the error names the entry. O(n + m).
    pub fn new(
        row_offsets: impl Into<Buffer<u64>>,
        column_indices: impl Into<Buffer<VertexId>>,
        weights: impl Into<Buffer<W>>,
    ) -> Result<Self, GraphError> {
        let (row_offsets, column_indices) = (row_offsets.into(), column_indices.into());
        let weights: Buffer<W> = weights.into();
        if weights.len() != column_indices.len() {
            let (expected, found) = (column_indices.len(), weights.len());
            return Err(GraphError::LengthMismatch { what: "weights", expected, found });
        }
        validate_offsets(&row_offsets, column_indices.len())?;
        let found = ArcPass::of(&row_offsets).over(&column_indices, &weights);
        Self::of_pass(row_offsets, column_indices, Weights::Each(weights), found)
    }

    /// A directed graph whose arcs all weigh `weight`; an unweighted graph has `W::ONE`. It takes
    /// half the memory of a graph with an array of 4-byte weights.
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let triangle = Csr::with_equal_weights(vec![0, 1, 2, 3], vec![1, 2, 0], 1u32)?;
    /// assert_eq!(triangle, Csr::from_arcs(3, &[(0, 1, 1), (1, 2, 1), (2, 0, 1)])?);
    /// assert_eq!(triangle.stored_weights(), [1]);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Csr::new`]. O(n + m).
    pub fn with_equal_weights(
        row_offsets: impl Into<Buffer<u64>>,
        column_indices: impl Into<Buffer<VertexId>>,
        weight: W,
    ) -> Result<Self, GraphError> {
        let (row_offsets, column_indices) = (row_offsets.into(), column_indices.into());
        validate_offsets(&row_offsets, column_indices.len())?;
        let found = ArcPass::of(&row_offsets).over(&column_indices, &[]);
        Self::of_pass(row_offsets, column_indices, Weights::Equal(weight), found)
    }

    /// A directed graph of these arrays, in which `found` was found. The offsets have been checked.
    ///
    /// # Errors
    /// When an end is no vertex, or a weight is not finite.
    pub(crate) fn of_pass(
        row_offsets: Buffer<u64>,
        column_indices: Buffer<VertexId>,
        weights: Weights<W>,
        found: Found<W>,
    ) -> Result<Self, GraphError> {
        let n_vertices = row_offsets.len() - 1;
        if !found.ends_are_below(n_vertices) {
            validate_columns(n_vertices, &column_indices)?;
        }
        match &weights {
            Weights::Equal(weight) if !weight.is_finite() => {
                return Err(GraphError::WeightNotFinite { arc: 0, weight: weight.to_string() });
            }
            Weights::Each(weights) if !found.weights_are_finite() => validate_weights(weights)?,
            _ => {}
        }
        Ok(Self::of_valid(row_offsets, column_indices, weights, found, Direction::Directed))
    }

    /// The graph of arrays that are valid by construction.
    pub(crate) fn from_valid(
        row_offsets: Vec<u64>,
        column_indices: Vec<VertexId>,
        weights: Vec<W>,
        direction: Direction,
    ) -> Self {
        let found = ArcPass::of(&row_offsets).over(&column_indices, &weights);
        let (row_offsets, weights) = (row_offsets.into(), Weights::Each(weights.into()));
        Self::of_valid(row_offsets, column_indices.into(), weights, found, direction)
    }

    /// The same, where all arcs weigh `weight`.
    pub(crate) fn of_valid_ends(
        row_offsets: Vec<u64>,
        column_indices: Vec<VertexId>,
        weight: W,
        direction: Direction,
    ) -> Self {
        let found = ArcPass::of(&row_offsets).over(&column_indices, &[]);
        let (row_offsets, weights) = (row_offsets.into(), Weights::Equal(weight));
        Self::of_valid(row_offsets, column_indices.into(), weights, found, direction)
    }

    /// The graph of valid arrays, in which `found` was found.
    fn of_valid(
        row_offsets: Buffer<u64>,
        column_indices: Buffer<VertexId>,
        weights: Weights<W>,
        found: Found<W>,
        direction: Direction,
    ) -> Self {
        debug_assert_eq!(row_offsets.last(), Some(&(column_indices.len() as u64)));
        let (weight, array) = match weights {
            Weights::Equal(weight) => (weight, None),
            Weights::Each(array) => (W::ONE, Some(array)),
        };
        let graph = Self {
            weights: OnceLock::new(),
            weight_summary: WeightSummary::of_equal(weight, column_indices.len()).into(),
            rows_ascend: found.rows_ascend,
            row_offsets,
            column_indices,
            direction,
        };
        match array {
            Some(array) => {
                let summary = WeightSummary::of_extremes(found.extremes, &array);
                graph.with_array(array, summary)
            }
            None => graph,
        }
    }

    /// The same rows and columns with other weights; `weights` is empty if all are equal.
    fn with_weights<V: Weight>(
        self,
        weights: OnceLock<Buffer<V>>,
        weight_summary: WeightSummary<V>,
    ) -> Csr<V> {
        let Self { row_offsets, column_indices, rows_ascend, direction, .. } = self;
        let weight_summary = weight_summary.into();
        Csr { row_offsets, column_indices, weights, weight_summary, rows_ascend, direction }
    }

    /// The same rows and columns with these weights, which must be finite.
    fn with_array<V: Weight>(self, weights: Buffer<V>, summary: WeightSummary<V>) -> Csr<V> {
        match summary.common() {
            Some(weight) => {
                let summary = WeightSummary::of_equal(weight, weights.len());
                self.with_weights(OnceLock::new(), summary)
            }
            None => self.with_weights(weights.into(), summary),
        }
    }

    /// Marks the graph as undirected. The caller has made it of arcs and their reverses, or has
    /// checked it.
    pub(crate) fn made_undirected(self) -> Self {
        Self { direction: Direction::Undirected, ..self }
    }

    /// The arcs as triples, in row order. O(n + m).
    pub fn to_coo(&self) -> Coo<W> {
        let mut sources = vec![0; self.n_arcs()];
        for_each_row_block(&self.row_offsets, &mut sources, &|rows, block| {
            let base = self.row_offsets[rows.start];
            for row in rows {
                let range = self.row_offsets[row] - base..self.row_offsets[row + 1] - base;
                block[range.start as usize..range.end as usize].fill(row as VertexId);
            }
        });
        let (columns, weights) = (self.column_indices.to_vec(), self.weights().to_vec());
        Coo::from_valid(self.n_vertices(), sources, columns, weights)
    }

    /// The graph with every arc reversed. O(n + m) time, and the memory of another graph.
    pub fn transposed(&self) -> Self {
        let row_offsets = offsets_of(self.n_vertices(), self.column_indices.iter().copied());
        let mut next = row_offsets.clone();
        let mut columns = vec![0; self.n_arcs()];
        let unequal = self.unequal_weights();
        let mut weights = vec![W::ZERO; unequal.map_or(0, <[W]>::len)];
        for source in self.vertices() {
            for arc in self.row(source) {
                let slot = &mut next[self.column_indices[arc] as usize];
                columns[*slot as usize] = source;
                if let Some(unequal) = unequal {
                    weights[*slot as usize] = unequal[arc];
                }
                *slot += 1;
            }
        }
        self.with_rows(row_offsets, columns, weights, self.direction)
    }

    /// A graph of other rows with the same weights; `weights` is unused if all are equal.
    pub(crate) fn with_rows(
        &self,
        row_offsets: Vec<u64>,
        columns: Vec<VertexId>,
        weights: Vec<W>,
        direction: Direction,
    ) -> Self {
        match self.weight_summary().common() {
            Some(weight) => Self::of_valid_ends(row_offsets, columns, weight, direction),
            None => Self::from_valid(row_offsets, columns, weights, direction),
        }
    }

    /// Bytes that another graph of this size takes, with its cursors while it is made. Pass them to
    /// [`ensure_granted`](crate::ensure_granted) before a method that makes a graph and returns no
    /// error.
    pub fn bytes(&self) -> usize {
        let bytes_of_arcs = self.n_arcs() * (size_of::<VertexId>() + size_of::<W>());
        2 * size_of::<u64>() * self.n_vertices() + bytes_of_arcs
    }

    /// How many vertices, those without arcs included.
    #[inline]
    pub fn n_vertices(&self) -> usize {
        self.row_offsets.len() - 1
    }

    /// How many arcs are stored (an undirected edge counts twice).
    #[inline]
    pub fn n_arcs(&self) -> usize {
        self.column_indices.len()
    }

    /// Whether every arc is known to have its reverse.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// All vertices, ascending.
    pub fn vertices(&self) -> Range<VertexId> {
        0..self.n_vertices() as VertexId
    }

    /// Where each row starts, and, last, the number of arcs: n + 1 entries.
    #[inline]
    pub fn row_offsets(&self) -> &[u64] {
        &self.row_offsets
    }

    /// Where each arc ends, row by row.
    #[inline]
    pub fn column_indices(&self) -> &[VertexId] {
        &self.column_indices
    }

    /// The weight of each arc, row by row. If all are equal, the first call makes the array in O(m)
    /// and keeps it.
    #[inline]
    pub fn weights(&self) -> &[W] {
        self.weights.get_or_init(|| vec![self.weight_summary().greatest; self.n_arcs()].into())
    }

    /// The weights as stored: one per arc, or a single one that all arcs share.
    pub fn stored_weights(&self) -> &[W] {
        self.unequal_weights().unwrap_or(std::slice::from_ref(&self.weight_summary().greatest))
    }

    /// The weights, unless all are equal and positive.
    pub(crate) fn unequal_weights(&self) -> Option<&[W]> {
        if self.weight_summary().common().is_some() { None } else { Some(self.weights()) }
    }

    /// The weight of the arc at this position.
    ///
    /// # Panics
    /// When the graph has no such arc; never if all weights are equal and have no array yet.
    #[inline]
    pub fn weight(&self, arc: usize) -> W {
        match self.weights.get() {
            Some(weights) => weights[arc],
            None => self.weight_summary().greatest,
        }
    }

    /// The summary of the weights. It is computed when the graph is made, and again, in O(m), at
    /// the first call after a [change](Self::set_weights).
    #[inline]
    pub fn weight_summary(&self) -> &WeightSummary<W> {
        self.weight_summary.get().unwrap_or_else(|| {
            // not inside `get_or_init`: while it waits for the pass over the weights, a thread may
            // run another task that calls this method
            let summary = WeightSummary::of(self.weights());
            self.weight_summary.get_or_init(|| summary)
        })
    }

    /// Whether columns ascend within every row, so that parallel arcs are adjacent.
    #[inline]
    pub fn rows_ascend(&self) -> bool {
        self.rows_ascend
    }

    /// The positions of the arcs that leave `vertex`.
    ///
    /// # Panics
    /// When the graph has no such vertex. So do the methods below.
    #[inline(always)]
    pub fn row(&self, vertex: VertexId) -> Range<usize> {
        let v = vertex as usize;
        self.row_offsets[v] as usize..self.row_offsets[v + 1] as usize
    }

    /// How many arcs leave `vertex`.
    #[inline]
    pub fn out_degree(&self, vertex: VertexId) -> usize {
        self.row(vertex).len()
    }

    /// Where the arcs that leave `vertex` end.
    #[inline(always)]
    pub fn ends_from(&self, vertex: VertexId) -> &[VertexId] {
        &self.column_indices[self.row(vertex)]
    }

    /// The arcs that leave `vertex`, as (destination, weight).
    #[inline(always)]
    pub fn arcs_from(&self, vertex: VertexId) -> impl ExactSizeIterator<Item = (VertexId, W)> + '_ {
        let row = self.row(vertex);
        self.column_indices[row.clone()].iter().copied().zip(self.weights()[row].iter().copied())
    }

    /// All arcs as (source, destination, weight), in row order.
    pub fn arcs(&self) -> impl Iterator<Item = (VertexId, VertexId, W)> + '_ {
        let arc_at = |u, arc| (u, self.column_indices[arc], self.weight(arc));
        self.vertices().flat_map(move |u| self.row(u).map(move |arc| arc_at(u, arc)))
    }

    /// The first arc of negative weight: its position, source and destination. O(log n).
    pub fn first_negative(&self) -> Option<(usize, VertexId, VertexId)> {
        let arc = self.weight_summary().first_negative?;
        let (source, destination) = self.ends(arc);
        Some((arc, source, destination))
    }

    /// Where the arc at this position starts, and where it ends. O(log n).
    ///
    /// # Panics
    /// When the graph has no such arc.
    pub fn ends(&self, arc: usize) -> (VertexId, VertexId) {
        let source = self.row_offsets.partition_point(|&offset| offset <= arc as u64) - 1;
        (source as VertexId, self.column_indices[arc])
    }
}

/// Row offsets by counting how often each vertex occurs. O(n + m).
fn offsets_of(n_vertices: usize, tails: impl Iterator<Item = VertexId>) -> Vec<u64> {
    let mut offsets = vec![0u64; n_vertices + 1];
    tails.for_each(|tail| offsets[tail as usize + 1] += 1);
    for row in 0..n_vertices {
        offsets[row + 1] += offsets[row];
    }
    offsets
}

impl<W: Weight> PartialEq for Csr<W> {
    fn eq(&self, other: &Self) -> bool {
        self.row_offsets == other.row_offsets
            && self.column_indices == other.column_indices
            && self.weight_summary().common() == other.weight_summary().common()
            && self.stored_weights() == other.stored_weights()
            && self.direction == other.direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_complete() {
        let arcs = [(2, 0, 4i64), (0, 2, 1), (0, 1, 9), (0, 1, 3), (2, 2, 0)];
        let graph = Csr::from_arcs(4, &arcs).unwrap();
        assert_eq!(graph.row_offsets(), [0, 3, 3, 5, 5]);
        assert_eq!(graph.arcs_from(0).collect::<Vec<_>>(), [(1, 3), (1, 9), (2, 1)]);
        assert_eq!(Csr::from_coo(&graph.to_coo()).unwrap(), graph);
        assert_eq!(graph.transposed().transposed(), graph);
        assert!(graph.rows_ascend());
    }

    #[test]
    fn broken_arrays_are_named() {
        let new = |offsets: &[u64], columns: &[u32], weights: &[f32]| {
            Csr::new(offsets.to_vec(), columns.to_vec(), weights.to_vec()).unwrap_err()
        };
        assert!(matches!(new(&[], &[], &[]), GraphError::LengthMismatch { .. }));
        assert!(matches!(new(&[0, 2], &[0], &[1.0]), GraphError::OffsetsEnds { last: 2, .. }));
        assert!(matches!(
            new(&[0, 2, 1], &[0], &[1.0]),
            GraphError::OffsetsNotMonotone { index: 2, value: 1, previous: 2 }
        ));
        assert!(matches!(
            new(&[0, 1], &[1], &[1.0]),
            GraphError::VertexOutOfRange { arc: 0, vertex: 1, n_vertices: 1 }
        ));
        assert!(matches!(
            new(&[0, 1], &[0], &[f32::NAN]),
            GraphError::WeightNotFinite { arc: 0, .. }
        ));
    }

    #[test]
    fn first_negative_names_the_arc() {
        let graph = Csr::from_arcs(4, &[(0, 1, 1i32), (2, 3, -1), (2, 1, 5)]).unwrap();
        assert_eq!(graph.first_negative(), Some((2, 2, 3)));
    }
}

//! ELLPACK storage: rows padded to one length, laid out column by column.
//!
//! Slot `k · n + v` holds the k-th arc of vertex `v`, so that lanes that take one row each read
//! adjacent slots. Row lengths are stored. A slot past the end of its row is a loop of weight 0 at
//! its vertex, which lock-step code may relax like any arc without changing a distance.
//!
//! Memory and time are O(n · width), where the width is the length of the longest row. One vertex
//! of high degree makes them large, so [`Ell::from_csr`] takes a limit.
//!
//! Reference: rice-boisvert-1985

use crate::{Csr, Direction, GraphError, VertexId, Weight, parallel};

/// A graph in ELLPACK storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Ell<W: Weight> {
    width: usize,
    row_lengths: Vec<u32>,
    column_indices: Vec<VertexId>,
    weights: Vec<W>,
    direction: Direction,
}

impl<W: Weight> Ell<W> {
    /// The graph with every row padded to the longest, in `max_slots` at most. O(n · width).
    ///
    /// ```
    /// use graph_formats::{Csr, Ell};
    ///
    /// let graph = Csr::from_arcs(3, &[(0, 1, 5u32), (0, 2, 9), (2, 1, 7)])?;
    /// let ell = Ell::from_csr(&graph, 100)?;
    /// assert_eq!((ell.width(), ell.row_lengths()), (2, &[2, 0, 1][..]));
    /// assert_eq!(ell.column_indices(), [1, 1, 1, 2, 1, 2]); // column by column
    /// assert_eq!(ell.to_csr(), graph);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::EllTooWide`], which names the longest row, when more slots are needed; nothing
    /// is allocated then.
    pub fn from_csr(graph: &Csr<W>, max_slots: usize) -> Result<Self, GraphError> {
        let longest = graph.vertices().rev().max_by_key(|&v| graph.out_degree(v));
        let width = longest.map_or(0, |v| graph.out_degree(v));
        let slots = graph.n_vertices() as u128 * width as u128;
        if slots > max_slots as u128 || u32::try_from(width).is_err() {
            return Err(GraphError::EllTooWide {
                slots: slots.into(),
                n_arcs: graph.n_arcs(),
                row: longest.map_or(0, |v| v as usize),
                width,
            });
        }
        let n_rows = graph.n_vertices();
        let mut column_indices: Vec<VertexId> = vec![0; n_rows * width];
        let mut weights = vec![W::ZERO; n_rows * width];
        let columns = column_indices.chunks_mut(n_rows.max(1));
        let slots = columns.zip(weights.chunks_mut(n_rows.max(1))).enumerate();
        parallel::for_each_of(slots, &|(k, (columns, weights))| {
            for v in graph.vertices() {
                let (column, weight) = graph.arcs_from(v).nth(k).unwrap_or((v, W::ZERO));
                columns[v as usize] = column;
                weights[v as usize] = weight;
            }
        });
        Ok(Self {
            width,
            row_lengths: graph.vertices().map(|v| graph.out_degree(v) as u32).collect(),
            column_indices,
            weights,
            direction: graph.direction(),
        })
    }

    /// The same graph by rows, each in the order it had. O(n + m).
    pub fn to_csr(&self) -> Csr<W> {
        let mut row_offsets = Vec::with_capacity(self.n_vertices() + 1);
        let (mut column_indices, mut weights) = (Vec::new(), Vec::new());
        row_offsets.push(0);
        for v in 0..self.n_vertices() as VertexId {
            for (destination, weight) in self.arcs_from(v) {
                column_indices.push(destination);
                weights.push(weight);
            }
            row_offsets.push(column_indices.len() as u64);
        }
        Csr::from_valid(row_offsets, column_indices, weights, self.direction)
    }

    /// The number of vertices, which is that of rows.
    pub fn n_vertices(&self) -> usize {
        self.row_lengths.len()
    }

    /// How many arcs are stored, padding not counted. O(n).
    pub fn n_arcs(&self) -> usize {
        self.row_lengths.iter().map(|&length| length as usize).sum()
    }

    /// The padded length of every row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether every arc is known to have its reverse.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// How many slots of each row hold arcs: n entries.
    pub fn row_lengths(&self) -> &[u32] {
        &self.row_lengths
    }

    /// Where the arc of each slot ends, column by column: n · width entries. Padding
    /// names the row's own vertex.
    pub fn column_indices(&self) -> &[VertexId] {
        &self.column_indices
    }

    /// What the arc of each slot weighs, column by column: n · width entries. Padding
    /// weighs 0.
    pub fn weights(&self) -> &[W] {
        &self.weights
    }

    /// The arcs that leave `vertex`, as (destination, weight), without the padding.
    ///
    /// # Panics
    /// When the graph has no such vertex.
    pub fn arcs_from(&self, vertex: VertexId) -> impl ExactSizeIterator<Item = (VertexId, W)> + '_ {
        let (n_rows, v) = (self.n_vertices(), vertex as usize);
        let slot = move |k| k as usize * n_rows + v;
        (0..self.row_lengths[v]).map(move |k| (self.column_indices[slot(k)], self.weights[slot(k)]))
    }
}

//! The arcs of a graph without their weights.

use std::ops::Range;

use graph_formats::{Csr, Direction, VertexId, Weight};

/// Rows of arcs, as a graph stores them.
#[derive(Clone, Copy)]
pub(crate) struct Arcs<'g> {
    pub(crate) offsets: &'g [u64],
    pub(crate) ends: &'g [VertexId],
}

impl<'g> Arcs<'g> {
    pub(crate) fn of_graph<W: Weight>(graph: &'g Csr<W>) -> Self {
        Self { offsets: graph.row_offsets(), ends: graph.column_indices() }
    }

    pub(crate) fn n_vertices(self) -> usize {
        self.offsets.len() - 1
    }

    /// The positions of the arcs out of `vertex`.
    #[inline(always)]
    pub(crate) fn range(self, vertex: usize) -> Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }

    /// The heads of the arcs out of `vertex`.
    #[inline(always)]
    pub(crate) fn of(self, vertex: usize) -> &'g [VertexId] {
        &self.ends[self.range(vertex)]
    }
}

/// The arcs grouped by their heads, in ascending rows. An undirected graph whose rows ascend is its
/// own transpose. Any other graph is transposed if `turns_arcs`, at 4 bytes an arc; otherwise the
/// result is `None`. O(n + m).
pub fn incoming<W: Weight>(graph: &Csr<W>, turns_arcs: bool) -> Option<Csr<u32>> {
    let unweighted = || graph.clone().unweighted();
    if graph.direction() == Direction::Undirected && graph.rows_ascend() {
        return Some(unweighted());
    }
    turns_arcs.then(|| unweighted().transposed())
}

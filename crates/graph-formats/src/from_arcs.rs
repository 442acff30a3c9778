//! Graphs from arcs and edges in any order: from a list, an iterator, or arrays; between vertices
//! or names.
//!
//! Each arc is put into its row, then each row is sorted by destination and weight, so that the
//! result does not depend on the order.
//!
//! Only the arrays of the result are allocated. The row offsets are the cursors while arcs are put
//! into rows; each cursor ends where the next row starts. O(n + m log d) with d the largest
//! out-degree.

use crate::checks::{validate_vertex_count, validate_weight};
use crate::rows::{count_rows, ranges, row_blocks, step_back, zeroed};
use crate::{
    Coo, Csr, Direction, GraphError, Ids, Name, NoMemory, Numbering, VertexId, Weight, parallel,
};

impl<W: Weight> Csr<W> {
    /// The graph of a list of (source, destination, weight), in any order. The list is not copied.
    ///
    /// # Errors
    /// When an end is out of range or a weight is not finite: the first such arc. When there are
    /// more vertices than 32-bit ids can number. [`GraphError::NoMemory`]. O(n + m log d) with d the
    /// largest out-degree.
    pub fn from_arcs(
        n_vertices: usize,
        arcs: &[(VertexId, VertexId, W)],
    ) -> Result<Self, GraphError> {
        check_arcs(n_vertices, arcs)?;
        Ok(Self::from_valid_arcs(n_vertices, || arcs.iter().copied())?)
    }

    /// The undirected graph of a list of weighted edges {u, v}. Each is stored as two arcs, a
    /// self-loop as one. The list is not copied.
    ///
    /// # Errors
    /// As [`Csr::from_arcs`]. O(n + m log d).
    pub fn from_edges(
        n_vertices: usize,
        edges: &[(VertexId, VertexId, W)],
    ) -> Result<Self, GraphError> {
        check_arcs(n_vertices, edges)?;
        Ok(Self::from_valid_edges(n_vertices, || edges.iter().copied())?)
    }

    /// As [`Csr::from_arcs`], from an iterator, whose arcs are copied once. Without a number of
    /// vertices, there are as many as the greatest id needs: that id + 1. Sparse ids are
    /// [names](Csr::from_named_arcs).
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let line = |n: u32| (1..n).map(|v| (v - 1, v, 2 * v));
    /// assert_eq!(Csr::from_arc_iter(None, line(3))?, Csr::from_arcs(3, &[(0, 1, 2), (1, 2, 4)])?);
    /// // a vertex without arcs
    /// assert_eq!(Csr::from_arc_iter(4, line(3))?.n_vertices(), 4);
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Csr::from_arcs`].
    pub fn from_arc_iter(
        n_vertices: impl Into<Option<usize>>,
        arcs: impl IntoIterator<Item = (VertexId, VertexId, W)>,
    ) -> Result<Self, GraphError> {
        let arcs = gathered(arcs)?;
        Self::from_arcs(n_vertices.into().unwrap_or_else(|| n_found(&arcs)), &arcs)
    }

    /// As [`Csr::from_edges`], from an iterator, as [`Csr::from_arc_iter`] does it.
    ///
    /// # Errors
    /// As [`Csr::from_arcs`].
    pub fn from_edge_iter(
        n_vertices: impl Into<Option<usize>>,
        edges: impl IntoIterator<Item = (VertexId, VertexId, W)>,
    ) -> Result<Self, GraphError> {
        let edges = gathered(edges)?;
        Self::from_edges(n_vertices.into().unwrap_or_else(|| n_found(&edges)), &edges)
    }

    /// The graph of arcs between names, words or any 64-bit numbers, and the names of its vertices,
    /// in [ascending order](Numbering). The arcs are copied once.
    ///
    /// ```
    /// use graph_formats::Csr;
    ///
    /// let (graph, ids) = Csr::from_named_arcs([("b", "c", 7u32), ("a", "b", 5)])?;
    /// assert_eq!(graph, Csr::from_arcs(3, &[(0, 1, 5), (1, 2, 7)])?);
    /// assert_eq!(ids.vertex("c", 3), Some(2));
    ///
    /// let (graph, ids) = Csr::from_named_arcs([(8_419_602, 700, 0.5), (700, 10, 2.5)])?;
    /// assert_eq!((graph.n_vertices(), ids.vertex(8_419_602, 3)), (3, Some(2)));
    /// # Ok::<(), graph_formats::GraphError>(())
    /// ```
    ///
    /// # Errors
    /// A weight that is not finite; a name that is empty; more vertices than 32-bit ids can number;
    /// [`GraphError::NoMemory`].
    pub fn from_named_arcs<'a, N: Into<Name<'a>>>(
        arcs: impl IntoIterator<Item = (N, N, W)>,
    ) -> Result<(Self, Ids), GraphError> {
        let mut names = Numbering::default();
        let numbered = arcs.into_iter().map(|(source, destination, weight)| {
            Ok((names.number(source)?, names.number(destination)?, weight))
        });
        let mut failed = None;
        let arcs = gathered(numbered.map_while(|arc| arc.map_err(|e| failed = Some(e)).ok()))?;
        if let Some(error) = failed {
            return Err(error);
        }
        check_arcs(names.len(), &arcs)?;
        let (ids, vertices) = names.into_ids();
        let vertex = |number: u32| vertices[number as usize];
        let named = || arcs.iter().map(|&(u, v, weight)| (vertex(u), vertex(v), weight));
        Ok((Self::from_valid_arcs(vertices.len(), named)?, ids))
    }

    /// Sorts arcs into rows, and each row by destination and then weight, so that the
    /// result does not depend on the order of the input. O(n + m log d).
    ///
    /// # Errors
    /// [`GraphError::NoMemory`].
    pub fn from_coo(coo: &Coo<W>) -> Result<Self, GraphError> {
        Ok(Self::from_valid_arcs(coo.n_vertices(), || coo.arcs())?)
    }

    /// The undirected graph of valid edges. `list` is called often and must give the same edges.
    pub(crate) fn from_valid_edges<I: Iterator<Item = (VertexId, VertexId, W)>>(
        n_vertices: usize,
        list: impl Fn() -> I,
    ) -> Result<Self, NoMemory> {
        let reverses = || list().filter(|&(u, v, _)| u != v).map(|(u, v, w)| (v, u, w));
        Ok(Self::from_valid_arcs(n_vertices, || list().chain(reverses()))?.made_undirected())
    }

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

/// As many vertices as the greatest id needs.
fn n_found<W>(arcs: &[(VertexId, VertexId, W)]) -> usize {
    arcs.iter().map(|arc| arc.0.max(arc.1) as usize + 1).max().unwrap_or(0)
}

/// Refuses an end that is no vertex, and a weight that is not finite.
fn check_arcs<W: Weight>(
    n_vertices: usize,
    arcs: &[(VertexId, VertexId, W)],
) -> Result<(), GraphError> {
    validate_vertex_count(n_vertices)?;
    for (arc, &(source, destination, weight)) in arcs.iter().enumerate() {
        if let Some(v) = [source, destination].into_iter().find(|&v| v as usize >= n_vertices) {
            return Err(GraphError::VertexOutOfRange { arc, vertex: u64::from(v), n_vertices });
        }
        validate_weight(arc, weight)?;
    }
    Ok(())
}

/// Collects the elements; memory that the system refuses is an error.
fn gathered<T>(elements: impl IntoIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let (mut elements, mut list) = (elements.into_iter(), Vec::new());
    while let Some(element) = elements.next() {
        if list.len() == list.capacity() {
            let more = elements.size_hint().0.saturating_add(1);
            let length = list.len().saturating_add(more);
            list.try_reserve(more).map_err(|_| NoMemory::of::<T>(length))?;
        }
        list.push(element);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arcs_are_named_however_they_come() {
        let named = |result: Result<Csr<f64>, GraphError>| match result.unwrap_err() {
            GraphError::VertexOutOfRange { arc, vertex, .. } => (arc, vertex),
            GraphError::WeightNotFinite { arc, .. } => (arc, u64::MAX),
            other => panic!("{other}"),
        };
        let far = [(0, 1, 1.0), (1, 7, 1.0), (9, 0, 1.0)];
        let bad = [(0, 1, 1.0), (1, 2, f64::NAN)];
        assert_eq!(named(Csr::from_arcs(3, &far)), (1, 7));
        assert_eq!(named(Csr::from_edges(3, &far)), (1, 7));
        assert_eq!(named(Csr::from_arc_iter(3, far)), (1, 7));
        assert_eq!(named(Csr::from_edge_iter(None, bad)), (1, u64::MAX));
        assert_eq!(
            named(Csr::from_named_arcs([(5, 7, f64::INFINITY)]).map(|g| g.0)),
            (0, u64::MAX)
        );
        let greatest = Csr::from_arc_iter(None, [(VertexId::MAX, 0, 1u32)]);
        assert!(matches!(greatest, Err(GraphError::TooManyVertices { .. })));
        assert!(Csr::from_named_arcs([("a", "", 1u32)]).is_err());
        assert!(Csr::from_named_arcs::<u64>(std::iter::empty::<(u64, u64, u32)>()).is_ok());
        // an iterator that claims more than there is memory
        let endless = std::iter::repeat_n((0, 1, 1u32), usize::MAX);
        assert!(matches!(Csr::from_arc_iter(None, endless), Err(GraphError::NoMemory(_))));
    }
}

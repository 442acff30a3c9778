//! New numbers for vertices.
//!
//! The numbering decides which vertices share a cache line. By descending degree, the few vertices
//! of high degree share lines. In breadth-first order, neighbours in the graph are near in memory.
//! A random order shows how much an algorithm depends on the numbering.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::check_length;
use crate::checks::validate_vertex_count;
use crate::generate::random::{Purpose, Stream};
use crate::{Csr, GraphError, VertexId, Weight};

/// A bijection on the vertices of a graph, old numbers to new.
///
/// ```
/// use graph_formats::Csr;
/// use graph_formats::permute::Relabelling;
///
/// let graph = Csr::from_arcs(3, &[(0, 2, 4u32), (2, 1, 5)])?;
/// let turned = Relabelling::from_new_ids(vec![1, 2, 0])?;
/// let renamed = turned.apply(&graph)?;
/// assert_eq!(renamed.arcs().collect::<Vec<_>>(), [(0, 2, 5), (1, 0, 4)]);
/// // distances from old vertex 0, which is vertex 1 of the new graph
/// assert_eq!(turned.restore(&[4, 0, 9])?, [0, 9, 4]);
/// assert_eq!(turned.inverse().apply(&renamed)?, graph);
/// # Ok::<(), graph_formats::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relabelling {
    new_ids: Vec<VertexId>,
    old_ids: Vec<VertexId>,
}

impl Relabelling {
    /// Vertex `v` becomes `new_ids[v]`. O(n).
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] unless the list has each of 0 … n − 1 once;
    /// [`GraphError::TooManyVertices`].
    pub fn from_new_ids(new_ids: Vec<VertexId>) -> Result<Self, GraphError> {
        Ok(Self { old_ids: inverted(&new_ids)?, new_ids })
    }

    /// A seeded random order. O(n log n).
    ///
    /// # Errors
    /// [`GraphError::TooManyVertices`].
    pub fn random(n_vertices: usize, seed: u64) -> Result<Self, GraphError> {
        validate_vertex_count(n_vertices)?;
        let stream = Stream::new(seed, Purpose::Numbering);
        let mut old_ids: Vec<VertexId> = (0..n_vertices as VertexId).collect();
        old_ids.par_sort_by_cached_key(|&v| (stream.at(u64::from(v)), v));
        Self::from_old_ids(old_ids)
    }

    /// The first `n` vertices of [this order](Self::random), ascending; all where there are fewer.
    /// So they are a sample without repetition, and a part of a larger one. O(`n_vertices` + n log n).
    ///
    /// # Errors
    /// [`GraphError::TooManyVertices`].
    pub fn first_of_random(
        n_vertices: usize,
        n: usize,
        seed: u64,
    ) -> Result<Vec<VertexId>, GraphError> {
        validate_vertex_count(n_vertices)?;
        let stream = Stream::new(seed, Purpose::Numbering);
        let n = n.min(n_vertices);
        // numbers are even over 64 bits, so only those of about `expected` vertices are kept
        let mut expected = n + n / 8 + 64;
        loop {
            let bound = ((expected as u128) << 64) / n_vertices.max(1) as u128;
            let numbered = (0..n_vertices as VertexId).into_par_iter();
            let numbered = numbered.map(|v| (stream.at(u64::from(v)), v));
            let mut first: Vec<_> = numbered.filter(|&(x, _)| u128::from(x) < bound).collect();
            if first.len() >= n {
                first.sort_unstable();
                let mut drawn: Vec<_> = first.into_iter().take(n).map(|(_, v)| v).collect();
                drawn.sort_unstable();
                return Ok(drawn);
            }
            expected *= 2;
        }
    }

    /// Vertices of high degree first; equal degrees keep their order. O(n log n).
    pub fn by_descending_degree<W: Weight>(graph: &Csr<W>) -> Self {
        let mut old_ids: Vec<VertexId> = graph.vertices().collect();
        old_ids.par_sort_by_key(|&v| std::cmp::Reverse(graph.out_degree(v)));
        Self::from_old_ids(old_ids).expect("sorting keeps every vertex once")
    }

    /// Vertices in the order in which a breadth-first search from `source` finds them. Vertices
    /// that it does not reach follow, searched from the lowest of them, and so on. O(n + m), on one
    /// thread.
    ///
    /// # Errors
    /// [`GraphError::BadParameter`] when the graph has no vertex `source`.
    pub fn breadth_first<W: Weight>(graph: &Csr<W>, source: VertexId) -> Result<Self, GraphError> {
        if source as usize >= graph.n_vertices() {
            return Err(GraphError::BadParameter {
                name: "source",
                value: source.to_string(),
                expected: format!("a vertex below {}", graph.n_vertices()),
            });
        }
        let mut met = vec![false; graph.n_vertices()];
        let mut old_ids = Vec::with_capacity(graph.n_vertices());
        let mut queue = VecDeque::new();
        for start in std::iter::once(source).chain(graph.vertices()) {
            if met[start as usize] {
                continue;
            }
            met[start as usize] = true;
            queue.push_back(start);
            while let Some(u) = queue.pop_front() {
                old_ids.push(u);
                for &v in graph.ends_from(u) {
                    if !std::mem::replace(&mut met[v as usize], true) {
                        queue.push_back(v);
                    }
                }
            }
        }
        Self::from_old_ids(old_ids)
    }

    fn from_old_ids(old_ids: Vec<VertexId>) -> Result<Self, GraphError> {
        Ok(Self::from_new_ids(old_ids)?.inverse())
    }

    /// New numbers to old.
    pub fn inverse(self) -> Self {
        Self { new_ids: self.old_ids, old_ids: self.new_ids }
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.new_ids.len()
    }

    /// The new number of each vertex, by old number.
    pub fn new_ids(&self) -> &[VertexId] {
        &self.new_ids
    }

    /// The old number of each vertex, by new number.
    pub fn old_ids(&self) -> &[VertexId] {
        &self.old_ids
    }

    /// The same graph under the new numbers: that [of all vertices](Csr::induced) in their order.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] for a graph of another number of vertices, and
    /// [`GraphError::NoMemory`]. O(n + m log d) with d the largest out-degree.
    pub fn apply<W: Weight>(&self, graph: &Csr<W>) -> Result<Csr<W>, GraphError> {
        check_length("vertices of the graph", self.n_vertices(), graph.n_vertices())?;
        graph.induced(&self.old_ids)
    }

    /// The old number of each vertex, by new number.
    pub fn into_old_ids(self) -> Vec<VertexId> {
        self.old_ids
    }

    /// Values that belong to vertices, from the old numbers to the new.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] unless there is one for each vertex. O(n).
    pub fn permute<T: Clone>(&self, values: &[T]) -> Result<Vec<T>, GraphError> {
        gather(values, &self.old_ids)
    }

    /// Values that belong to vertices, from the new numbers back to the old.
    ///
    /// # Errors
    /// [`GraphError::LengthMismatch`] unless there is one for each vertex. O(n).
    pub fn restore<T: Clone>(&self, values: &[T]) -> Result<Vec<T>, GraphError> {
        gather(values, &self.new_ids)
    }
}

fn gather<T: Clone>(values: &[T], from: &[VertexId]) -> Result<Vec<T>, GraphError> {
    check_length("values of vertices", from.len(), values.len())?;
    Ok(from.iter().map(|&v| values[v as usize].clone()).collect())
}

/// The inverse of a permutation; an error if `ids` is not one.
fn inverted(ids: &[VertexId]) -> Result<Vec<VertexId>, GraphError> {
    validate_vertex_count(ids.len())?;
    // no vertex has the greatest 32-bit number
    let mut inverse = vec![VertexId::MAX; ids.len()];
    for (v, &id) in (0..).zip(ids) {
        match inverse.get_mut(id as usize) {
            Some(place) if *place == VertexId::MAX => *place = v,
            found => {
                let fault = if found.is_some() { "a second time" } else { "but there is none" };
                return Err(GraphError::BadParameter {
                    name: "new_ids",
                    value: format!("{id} for vertex {v}, {fault}"),
                    expected: format!("each number below {} once", ids.len()),
                });
            }
        }
    }
    Ok(inverse)
}

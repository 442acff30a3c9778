//! A shortest-path tree: what every single-source solver returns.

use graph_formats::{VertexId, Weight};

use crate::Distances;

/// The code for "no predecessor" in storage; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// For every vertex the vertex before it on its path from the source, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predecessors(Vec<VertexId>);

impl Predecessors {
    /// Predecessors as solvers store them, where `VertexId::MAX` stands for none.
    pub fn from_storage(predecessors: Vec<VertexId>) -> Self {
        Self(predecessors)
    }

    /// Predecessors as solvers store them, where `VertexId::MAX` stands for none.
    pub fn as_storage(&self) -> &[VertexId] {
        &self.0
    }

    /// The same, with their memory.
    pub fn into_storage(self) -> Vec<VertexId> {
        self.0
    }

    /// How many vertices the graph has.
    pub fn n_vertices(&self) -> usize {
        self.0.len()
    }

    /// The vertex before `vertex`; `None` for the source, for unreached vertices and
    /// for vertices that do not exist.
    #[inline]
    pub fn get(&self, vertex: VertexId) -> Option<VertexId> {
        self.0.get(vertex as usize).copied().filter(|&u| u != NO_VERTEX)
    }
}

impl FromIterator<Option<VertexId>> for Predecessors {
    fn from_iter<I: IntoIterator<Item = Option<VertexId>>>(iter: I) -> Self {
        Self(iter.into_iter().map(|u| u.unwrap_or(NO_VERTEX)).collect())
    }
}

/// Distances from one source and the paths that have them.
///
/// A solver asked to stop early leaves out every vertex beyond
/// [`limit`](Tree::limit), and has all those within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree<W: Weight> {
    /// Where the paths start.
    pub source: VertexId,
    /// The greatest distance of the search, if it did not search for all.
    pub limit: Option<W::Distance>,
    /// How far each vertex is.
    pub distances: Distances<W::Distance>,
    /// The vertex before each vertex.
    pub predecessors: Predecessors,
}

impl<W: Weight> Tree<W> {
    /// How far `vertex` is; `None` when it was not reached.
    pub fn distance(&self, vertex: VertexId) -> Option<W::Distance> {
        self.distances.get(vertex)
    }

    /// The vertices of a shortest path from the source to `vertex`, both included;
    /// `None` when there is none. O(length of the path).
    ///
    /// Predecessors that run in a cycle, which no solver returns, give `None` too.
    ///
    /// ```
    /// use paths::{Distances, Predecessors, Tree};
    ///
    /// let tree = Tree::<u32> {
    ///     source: 0,
    ///     limit: None,
    ///     distances: Distances::from_iter([Some(0), Some(5), Some(7)]),
    ///     predecessors: Predecessors::from_iter([None, Some(0), Some(1)]),
    /// };
    /// assert_eq!(tree.path_to(2), Some(vec![0, 1, 2]));
    /// ```
    pub fn path_to(&self, vertex: VertexId) -> Option<Vec<VertexId>> {
        self.distances.get(vertex)?;
        path_to(self.source, &self.predecessors, vertex)
    }
}

/// The path from `source` that predecessors lead back along from `vertex`.
pub(crate) fn path_to(
    source: VertexId,
    predecessors: &Predecessors,
    vertex: VertexId,
) -> Option<Vec<VertexId>> {
    let mut path = vec![vertex];
    let mut at = vertex;
    while at != source {
        at = predecessors.get(at)?;
        path.push(at);
        if path.len() > predecessors.n_vertices() {
            return None;
        }
    }
    path.reverse();
    Some(path)
}

//! The vertices within a radius of a source.

use graph_formats::{Distance, VertexId, Weight};

use crate::{Distances, Predecessors, Tree};

/// The code for "no predecessor" in storage; no graph has this many vertices.
const NO_VERTEX: VertexId = VertexId::MAX;

/// The vertices no farther from a source than a limit, with their distances and paths, in the order
/// of their numbers. It takes memory for these vertices only.
///
/// ```
/// use paths::Within;
///
/// let within = Within::<u32>::from_storage(4, 7, vec![2, 4, 9], vec![5, 0, 7], vec![4, u32::MAX, 2]);
/// assert_eq!(within.iter().collect::<Vec<_>>(), [(2, 5), (4, 0), (9, 7)]);
/// assert_eq!((within.distance(9), within.distance(3)), (Some(7), None));
/// assert_eq!(within.path_to(9), Some(vec![4, 2, 9]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Within<W: Weight> {
    /// Where the paths start.
    pub source: VertexId,
    /// The greatest distance.
    pub limit: W::Distance,
    vertices: Vec<VertexId>,
    distances: Vec<W::Distance>,
    predecessors: Vec<VertexId>,
}

impl<W: Weight> Within<W> {
    /// Ascending vertices with their distances and predecessors, where `VertexId::MAX` stands for
    /// none; as many of each.
    pub fn from_storage(
        source: VertexId,
        limit: W::Distance,
        vertices: Vec<VertexId>,
        distances: Vec<W::Distance>,
        predecessors: Vec<VertexId>,
    ) -> Self {
        Self { source, limit, vertices, distances, predecessors }
    }

    /// The vertices, their distances and predecessors, as [`from_storage`](Self::from_storage)
    /// takes them.
    pub fn into_storage(self) -> (Vec<VertexId>, Vec<W::Distance>, Vec<VertexId>) {
        (self.vertices, self.distances, self.predecessors)
    }

    /// The vertices within the limit, ascending.
    pub fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// The distances of the [`vertices`](Self::vertices).
    pub fn distances(&self) -> &[W::Distance] {
        &self.distances
    }

    /// The vertices before the [`vertices`](Self::vertices); `VertexId::MAX` stands for none.
    pub fn predecessors_as_storage(&self) -> &[VertexId] {
        &self.predecessors
    }

    /// The vertices with their distances, ascending by vertex.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (VertexId, W::Distance)> + '_ {
        self.vertices.iter().copied().zip(self.distances.iter().copied())
    }

    /// How far `vertex` is; `None` when it is beyond the limit. O(log r) for r vertices within.
    pub fn distance(&self, vertex: VertexId) -> Option<W::Distance> {
        self.position(vertex).map(|at| self.distances[at])
    }

    /// The vertex before `vertex`; `None` for the source and for vertices beyond the limit.
    /// O(log r) for r vertices within.
    pub fn predecessor(&self, vertex: VertexId) -> Option<VertexId> {
        let tail = self.position(vertex).map(|at| self.predecessors[at]);
        tail.filter(|&tail| tail != NO_VERTEX)
    }

    /// The vertices of a shortest path from the source to `vertex`, both included; `None` when it
    /// is beyond the limit. O(l log r) for l vertices on the path and r within.
    pub fn path_to(&self, vertex: VertexId) -> Option<Vec<VertexId>> {
        self.position(vertex)?;
        let mut path = vec![vertex];
        let mut at = vertex;
        while at != self.source {
            at = self.predecessor(at)?;
            path.push(at);
            // a cycle, which no solver returns
            if path.len() > self.vertices.len() {
                return None;
            }
        }
        path.reverse();
        Some(path)
    }

    /// The same as a tree of a graph of `n_vertices`; see [`Tree`]. O(n).
    pub fn to_tree(&self, n_vertices: usize) -> Tree<W> {
        let mut predecessors = vec![NO_VERTEX; n_vertices];
        for (&vertex, &tail) in self.vertices.iter().zip(&self.predecessors) {
            predecessors[vertex as usize] = tail;
        }
        Tree {
            source: self.source,
            limit: Some(self.limit),
            distances: self.to_distances(n_vertices),
            predecessors: Predecessors::from_storage(predecessors),
        }
    }

    /// The distances of all vertices of a graph of `n_vertices`. O(n).
    pub fn to_distances(&self, n_vertices: usize) -> Distances<W::Distance> {
        let mut distances = vec![W::Distance::UNREACHED; n_vertices];
        for (vertex, distance) in self.iter() {
            distances[vertex as usize] = distance;
        }
        Distances::from_storage(distances)
    }

    fn position(&self, vertex: VertexId) -> Option<usize> {
        self.vertices.binary_search(&vertex).ok()
    }
}

impl<W: Weight> From<&Tree<W>> for Within<W> {
    /// The reached vertices of a search; without a limit, the limit is the greatest distance of
    /// its type.
    fn from(tree: &Tree<W>) -> Self {
        let (vertices, distances): (Vec<_>, Vec<_>) = tree.distances.reached().unzip();
        let predecessors = tree.predecessors.as_storage();
        let tails = vertices.iter().map(|&vertex| predecessors[vertex as usize]).collect();
        let limit = tree.limit.unwrap_or(W::Distance::UNREACHED);
        Self::from_storage(tree.source, limit, vertices, distances, tails)
    }
}

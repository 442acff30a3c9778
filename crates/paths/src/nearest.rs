//! For every vertex, which of several sources is nearest and how far it is.

use graph_formats::{Distance, VertexId, Weight};

use crate::Distances;

/// The code for "no source reaches it" in storage; no graph has this many vertices.
const NO_SOURCE: VertexId = VertexId::MAX;

/// The distance of every vertex from the nearest of several sources, and its owner:
/// the nearest source, the smallest where several are equally near.
///
/// Exactly: call an arc (u, v, w) tight when distance(u) + w = distance(v). The owner
/// of v is the smallest source at distance zero from which tight arcs lead to v. In
/// exact arithmetic those are the nearest sources and no others. Floats may round the
/// sums of two paths to the same distance; then a source counts as nearest when it has
/// a path that is shortest up to each of its vertices.
///
/// ```
/// use graph_formats::Csr;
/// use paths::{certificate, oracle};
///
/// let graph = Csr::from_edges(4, &[(0, 1, 2u32), (1, 2, 2), (2, 3, 1)])?;
/// let nearest = oracle::nearest(&graph, &[3, 0])?;
/// assert_eq!((nearest.distance(1), nearest.source_of(1)), (Some(2), Some(0)));
/// assert_eq!((nearest.distance(2), nearest.source_of(2)), (Some(1), Some(3)));
/// certificate::check_nearest(&graph, &[3, 0], &nearest)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest<W: Weight> {
    /// How far each vertex is from its nearest source.
    pub distances: Distances<W::Distance>,
    owners: Vec<VertexId>,
}

impl<W: Weight> Nearest<W> {
    /// Distances, and owners as solvers store them, where `VertexId::MAX` stands for
    /// none.
    pub fn from_storage(distances: Distances<W::Distance>, owners: Vec<VertexId>) -> Self {
        Self { distances, owners }
    }

    /// The same without the vertices farther than `limit` from their owners. O(n).
    pub fn within(mut self, limit: W::Distance) -> Self {
        self.distances = self.distances.within(limit);
        for (owner, distance) in self.owners.iter_mut().zip(self.distances.as_storage()) {
            if *distance == W::Distance::UNREACHED {
                *owner = NO_SOURCE;
            }
        }
        self
    }

    /// The distances and the owners.
    pub fn into_storage(self) -> (Distances<W::Distance>, Vec<VertexId>) {
        (self.distances, self.owners)
    }

    /// Owners as solvers store them, where `VertexId::MAX` stands for none.
    pub fn owners_as_storage(&self) -> &[VertexId] {
        &self.owners
    }

    /// How far `vertex` is from its nearest source; `None` when none reaches it.
    pub fn distance(&self, vertex: VertexId) -> Option<W::Distance> {
        self.distances.get(vertex)
    }

    /// The nearest source of `vertex`; `None` when none reaches it.
    #[inline]
    pub fn source_of(&self, vertex: VertexId) -> Option<VertexId> {
        self.owners.get(vertex as usize).copied().filter(|&s| s != NO_SOURCE)
    }
}

//! What waits in the queue: a class of paths by a bound on them, or its shortest path.

use std::cmp::Ordering;
use std::rc::Rc;

use graph_formats::{DistanceKey, VertexId};

/// A class of paths: those that begin as `path` does as far as its spur vertex, and go on from
/// there to none of the `banned` vertices, nor to the next of `path`, unless that is found to be
/// the shortest of them.
pub(crate) struct Candidate<K> {
    /// The length of its shortest path, or one that none of them is below.
    pub(crate) key: K,
    /// A path that has all vertices up to the spur vertex.
    pub(crate) path: Rc<[VertexId]>,
    /// The place of the spur vertex on it.
    pub(crate) spur: usize,
    /// The length up to there.
    pub(crate) to_spur: K,
    /// Ascending.
    pub(crate) banned: Vec<VertexId>,
    /// The least vertex that comes next on a path as long as the bound; `None` where `path` is the
    /// shortest of the class.
    pub(crate) next: Option<VertexId>,
}

impl<K: DistanceKey> Candidate<K> {
    /// Whether it is known by its shortest path.
    pub(crate) fn is_found(&self) -> bool {
        self.next.is_none()
    }

    /// Vertices that no path of the class is before.
    fn vertices(&self) -> impl Iterator<Item = &VertexId> {
        let known = if self.is_found() { &self.path[..] } else { &self.path[..=self.spur] };
        known.iter().chain(&self.next)
    }
}

/// By length, then by vertices. No two have the same: classes have no path in common.
impl<K: DistanceKey> Ord for Candidate<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key).then_with(|| self.vertices().cmp(other.vertices()))
    }
}

impl<K: DistanceKey> PartialOrd for Candidate<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: DistanceKey> PartialEq for Candidate<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: DistanceKey> Eq for Candidate<K> {}

//! An entry of the queue: a class of paths with a lower bound, or with its shortest path.

use std::cmp::Ordering;
use std::rc::Rc;

use graph_formats::{DistanceKey, VertexId};

/// A class of paths. Each begins like `path` up to the spur vertex. Its next vertex is neither one
/// of `banned` nor the one after the spur vertex on `path`, unless `path` is the shortest of the
/// class.
pub(crate) struct Candidate<K> {
    /// The length of the shortest path, or a lower bound of it.
    pub(crate) key: K,
    /// A path that contains all vertices up to the spur vertex.
    pub(crate) path: Rc<[VertexId]>,
    /// The index of the spur vertex in `path`.
    pub(crate) spur: usize,
    /// The length of `path` up to the spur vertex.
    pub(crate) to_spur: K,
    /// The banned vertices, ascending.
    pub(crate) banned: Vec<VertexId>,
    /// The smallest vertex after the spur vertex on a path as long as the bound; `None` if `path`
    /// is the shortest of the class.
    pub(crate) next: Option<VertexId>,
}

impl<K: DistanceKey> Candidate<K> {
    /// Whether `path` is the shortest of the class.
    pub(crate) fn is_found(&self) -> bool {
        self.next.is_none()
    }

    /// The first vertices of the class's paths, in lexicographic order no greater than any of them.
    fn vertices(&self) -> impl Iterator<Item = &VertexId> {
        let known = if self.is_found() { &self.path[..] } else { &self.path[..=self.spur] };
        known.iter().chain(&self.next)
    }
}

/// By length, then by vertices. No two are equal: classes have no path in common.
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

//! The k shortest simple paths from one vertex to another.
//!
//! Yen's algorithm. The paths that are not found yet are divided into classes: those of a class
//! begin with the same vertices, as far as a spur vertex, and do not go on from it to some others.
//! The shortest path of a class is found by a search from the spur vertex, which leaves out what
//! is before it. The shortest of these is the next of the k paths; what is left of its class is
//! divided by the vertex at which paths leave it, from the spur vertex of the class on, as those
//! that leave it before are in other classes (Lawler).
//!
//! One search from the target, against the arcs, has the distance of every vertex to it. It bounds
//! the paths of a class from below, so that a class waits in the queue by its bound and is searched
//! only when that is the least: for k paths there are about k searches, not one for each vertex of
//! each path. It guides [each search](spur) too.
//!
//! Beside the search from the target, O(k·l) rows of arcs for paths of l arcs, and in the worst
//! case as many searches, O(k·l·(m + n log n)), where classes have no path or much longer ones than
//! their bounds. 8 bytes a vertex for the distances, 8 or 12 for the searches, and up to k·l
//! classes of some 80 bytes. How it differs from the papers: they search each class when it is made,
//! and without a bound.
//!
//! Reference: yen-1971, lawler-1972, hart-1968

mod candidate;
mod spur;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{Distance, DistanceKey, VertexId, Weight};
use search_parts::Query;

use self::candidate::Candidate;
pub(crate) use self::spur::SpurSearches;
use crate::SsspError;

/// A path and its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<D> {
    /// The sum of the weights of its arcs, added from its first vertex on.
    pub length: D,
    /// Its vertices in the order of travel, both ends included.
    pub vertices: Vec<VertexId>,
}

/// The first `k` paths from `source`, told to the progress callback of `query`.
pub(crate) fn shortest<W: Weight, F: FnMut(VertexId) -> W::Distance>(
    searches: &mut SpurSearches<'_, W, F>,
    source: VertexId,
    k: usize,
    query: &Query<'_, W::Distance>,
) -> Result<Vec<Path<W::Distance>>, SsspError> {
    let mut paths = Vec::new();
    let mut queue: BinaryHeap<_> = searches.all_from(source).map(Reverse).into_iter().collect();
    // the lengths of the k shortest paths found so far: no longer one is needed
    let mut lengths = BinaryHeap::new();
    while paths.len() < k
        && !searches.is_misled
        && let Some(Reverse(candidate)) = queue.pop()
    {
        query.report(paths.len() as u64, k as u64)?;
        let longest = match lengths.peek() {
            Some(&longest) if lengths.len() == k => longest,
            _ => DistanceKey::GREATEST,
        };
        if candidate.is_found() {
            searches.divide(&candidate, |class| {
                if class.key <= longest {
                    queue.push(Reverse(class));
                }
            });
            let Candidate { key, path, .. } = candidate;
            paths.push(Path { length: Distance::from_key(key), vertices: path.to_vec() });
        } else if let Some(found) = searches.shortest(candidate, longest) {
            lengths.push(found.key);
            if lengths.len() > k {
                lengths.pop();
            }
            queue.push(Reverse(found));
        }
    }
    Ok(paths)
}

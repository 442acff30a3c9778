//! Yen's algorithm for the k shortest simple paths.
//!
//! The paths that are not found yet are divided into classes. The paths of a class begin with the
//! same vertices, up to a spur vertex, and do not continue with certain banned vertices. The
//! shortest path of a class is found by a search from the spur vertex that leaves out the vertices
//! before it. The shortest path of all classes is the next of the k paths. The rest of its class is
//! divided by the vertex at which a path leaves it. This starts at the spur vertex of the class,
//! since paths that leave earlier are in other classes (Lawler).
//!
//! The distances of vertices to the target give a lower bound for a class. A class is queued by its
//! bound and searched only when that is the least: k paths take about k searches, not one for each
//! vertex of each path. The distances guide [each search](crate::spur) too.
//!
//! O(k·l) rows of arcs for paths of l arcs. In the worst case there are as many searches, if
//! classes have no path or paths much longer than their bounds: O(k·l·(m + n log n)). Searches take
//! 8 or 12 bytes a vertex, and up to k·l classes some 80 bytes each. Difference from the papers:
//! they search each class when it is created, without a bound.
//!
//! Reference: yen-1971, lawler-1972, hart-1968

use std::any::type_name;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use graph_formats::{Csr, Distance, DistanceKey, Progress, VertexId, Weight, tell};
use paths::Number;
use search_parts::{SearchError, Work, check_not_negative, check_vertices};

use crate::candidate::Candidate;
use crate::overflow::{arcs_to, holds_all};
use crate::spur::{SpurSearches, ToTarget};

/// A path and its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<D> {
    /// The sum of the weights of its arcs, added from its first vertex on.
    pub length: D,
    /// Its vertices in the order of travel, both ends included.
    pub vertices: Vec<VertexId>,
}

impl<D: Distance> Path<D> {
    /// The same path, with a length of any type.
    pub fn any(self) -> Path<Number> {
        let Self { length, vertices } = self;
        Path { length: Number::of(length), vertices }
    }
}

/// The paths found, and the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<D> {
    /// The paths, in order.
    pub paths: Vec<Path<D>>,
    /// Counts of all searches.
    pub work: Work,
}

/// The paths found, or an error.
pub(crate) type Answer<W> = Result<Found<<W as Weight>::Distance>, SearchError>;

/// A query for the `k` shortest paths; `progress` gets the number found.
pub struct Question<'a, W: Weight> {
    pub(crate) graph: &'a Csr<W>,
    pub(crate) source: VertexId,
    pub(crate) target: VertexId,
    pub(crate) k: usize,
    pub(crate) progress: Option<Progress<'a>>,
}

impl<W: Weight> Question<'_, W> {
    pub(crate) fn answer(&self, to_target: ToTarget<'_, W>) -> Answer<W> {
        let &Self { graph, source, target, k, progress } = self;
        check(graph, source, target)?;
        let mut searches = SpurSearches::new(graph, target, to_target)?;
        let mut paths = Vec::new();
        let mut queue: BinaryHeap<_> = searches.all_from(source).map(Reverse).into_iter().collect();
        // the lengths of the k shortest paths found so far: longer paths are not needed
        let mut lengths = BinaryHeap::new();
        while paths.len() < k
            && !searches.has_bad_distances
            && let Some(Reverse(candidate)) = queue.pop()
        {
            tell(progress, paths.len() as u64, k as u64)?;
            let longest = lengths.peek().filter(|_| lengths.len() == k);
            let longest = longest.copied().unwrap_or(DistanceKey::GREATEST);
            if candidate.is_found() {
                let classes = searches.divide(&candidate).into_iter();
                queue.extend(classes.filter(|class| class.key <= longest).map(Reverse));
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
        if searches.has_bad_distances {
            return Err(SearchError::NoDistances { target });
        }
        if paths.len() < k && !holds_all(graph) {
            // searches for one more path, by the fewest arcs instead of weights
            let (graph, k) = (&graph.clone().unweighted::<u32>(), paths.len() + 1);
            let n_arcs = arcs_to(target, graph)?;
            let question = Question { graph, source, target, k, progress };
            if question.answer(&mut |vertex| n_arcs.get(vertex))?.paths.len() == k {
                let kind = type_name::<W::Distance>();
                return Err(SearchError::Overflow { vertex: target, kind });
            }
        }
        Ok(Found { paths, work: searches.work })
    }
}

/// Checks the arguments of [`k_shortest_paths`](crate::k_shortest_paths()), before distances are
/// searched for.
///
/// # Errors
/// [`SearchError::NoSuchVertex`] and [`SearchError::NegativeWeight`].
pub fn check<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
) -> Result<(), SearchError> {
    check_vertices(graph.n_vertices(), "source", &[source])?;
    check_vertices(graph.n_vertices(), "target", &[target])?;
    // a longer path may turn out shorter
    check_not_negative(graph, "more than one path", "ask for one path")
}

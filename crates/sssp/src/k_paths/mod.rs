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

use graph_formats::{Csr, Direction, Distance, DistanceKey, VertexId, Weight, ensure_granted};
use paths::Distances;

use self::candidate::Candidate;
use self::spur::SpurSearches;
use crate::cpu::{self, Chosen, Prepared};
use crate::key::distance_bound;
use crate::plan::is_far_below_greatest;
use crate::query::{Query, check_vertices};
use crate::weights::SearchWeight;
use crate::{Config, Found, Plan, Progress, Solver, SsspError};

/// A path and its length.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<D> {
    /// The sum of the weights of its arcs, added from its first vertex on.
    pub length: D,
    /// Its vertices in the order of travel, both ends included.
    pub vertices: Vec<VertexId>,
}

/// A directed graph, transposed, and how to search it.
pub(crate) struct Reversed<W: Weight> {
    graph: Csr<W>,
    chosen: Chosen,
    plan: Plan,
}

impl<W: Weight> Reversed<W> {
    fn of(graph: &Csr<W>, config: &Option<Config>) -> Result<Self, SsspError> {
        ensure_granted(graph.bytes())?;
        let graph = graph.transposed();
        let (plan, chosen) = Plan::on_cpu(&graph, &config.clone().unwrap_or_default())?;
        Ok(Self { graph, chosen, plan })
    }
}

impl<W: SearchWeight> Solver<'_, W> {
    /// The `k` shortest simple paths from `source` to `target`, or all where there are fewer: by
    /// length, and those of equal length in the order of their vertices, compared one by one.
    ///
    /// A simple path passes no vertex twice, and is its sequence of vertices: of parallel arcs it
    /// takes the lightest. From a vertex to itself there is one, which has no arcs. The same paths
    /// in the same order with every algorithm and any number of threads. Lengths of floats are the
    /// least sums; where sums that differ are rounded to the same, the order is fixed, but not by
    /// vertices.
    ///
    /// The distances to `target` are found first, on a GPU where the solver is on one and the graph
    /// is undirected; a directed graph is transposed, once a solver. The rest
    /// is done by one thread of the CPU. With l arcs on a path, O(k·l) rows of arcs and about k
    /// searches as a rule; at most O(k·l) of O(m + n log n). O(n + k·l) memory.
    ///
    /// # Errors
    /// When a vertex does not exist, a weight is negative, or the progress callback, which is told
    /// of paths, ended the work. [`SsspError::Overflow`] where one of the `k` paths has a length
    /// that its type cannot hold, and [`SsspError::NoMemory`].
    ///
    /// ```
    /// use graph_formats::Csr;
    /// use sssp::{Config, Solver};
    ///
    /// let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 3, 4), (0, 2, 2), (2, 3, 1), (1, 2, 1)])?;
    /// let paths = Solver::new(&graph, &Config::default())?.k_shortest_paths(0, 3, 3)?;
    /// let found: Vec<_> = paths.iter().map(|path| (path.length, &path.vertices[..])).collect();
    /// assert_eq!(found, [(3, &[0, 1, 2, 3][..]), (3, &[0, 2, 3]), (5, &[0, 1, 3])]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn k_shortest_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<W::Distance>>>, SsspError> {
        W::paths(self, source, target, k)
    }

    pub(crate) fn find_paths(
        &mut self,
        source: VertexId,
        target: VertexId,
        k: usize,
    ) -> Result<Found<Vec<Path<W::Distance>>>, SsspError> {
        check_vertices(self.graph, "source", &[source])?;
        check_vertices(self.graph, "target", &[target])?;
        if let Some((arc, from, to)) = self.plan.negative {
            let weight = self.graph.weights()[arc].to_string();
            return Err(SsspError::PathsWithNegativeWeight { from, to, weight });
        }
        let progress = self.progress;
        let all = Query { source: target, targets: &[], limit: W::Distance::UNREACHED, progress };
        let found = match self.graph.direction() {
            Direction::Undirected => self.search.search(&all),
            Direction::Directed => {
                let reversed = match &mut self.reversed {
                    Some(reversed) => reversed,
                    none => none.insert(Reversed::of(self.graph, &self.cpu)?),
                };
                let Reversed { graph, chosen, plan } = &*reversed;
                let mut search = cpu::search(graph, *chosen, plan.narrow, Prepared::Nothing);
                search.search(&all)
            }
        };
        let (to_target, mut work) = found.map_err(|error| error.named(&self.gpus))?;
        let to_target = Distances::from_storage(to_target);
        let distance = |vertex: VertexId| to_target.as_storage()[vertex as usize];
        let mut searches = SpurSearches::new(self.graph, target, distance)?;
        let paths = shortest(&mut searches, source, k, &all)?;
        if paths.len() < k && !self.plan.bounded {
            check_lengths(self.graph, [source, target], paths.len(), progress)?;
        }
        work.add(&searches.work);
        Ok(match &self.reversed {
            None => self.found(paths, work),
            Some(Reversed { plan, .. }) => {
                Found { plan: plan.clone(), ..self.found_elsewhere(paths, work) }
            }
        })
    }
}

/// The `k` shortest simple paths from `source` to `target`, as [`Solver::k_shortest_paths`] has
/// them, by distances to the target that come from elsewhere: `to_target` has that of any vertex,
/// `None` where there is no path, or none whose length the distance type can hold. It is asked about
/// those that the searches come to, each several times.
///
/// No weight may be negative. Distances are the least sums, of floats in any order of additions.
/// Other numbers are an error when a search notices them: where the number of an arc's tail exceeds
/// the arc's weight plus the number of its head, or where no path has the length that they promise.
/// Numbers that are too small cost time, but change no path. O(k) searches as a rule.
///
/// # Errors
/// When a vertex does not exist. [`SsspError::NoDistances`] when a search notices numbers that are no
/// distances. [`SsspError::Overflow`] where one of the `k` paths has a length that its type cannot
/// hold. [`SsspError::NoMemory`] when the system refuses the memory.
///
/// ```
/// use graph_formats::Csr;
///
/// let graph = Csr::from_edges(4, &[(0, 1, 1u32), (1, 3, 4), (0, 2, 2), (2, 3, 1), (1, 2, 1)])?;
/// let to_target = |vertex| Some([3, 2, 1, 0][vertex as usize]);
/// let paths = sssp::k_shortest_paths(&graph, 0, 3, 2, to_target)?;
/// let found: Vec<_> = paths.iter().map(|path| (path.length, &path.vertices[..])).collect();
/// assert_eq!(found, [(3, &[0, 1, 2, 3][..]), (3, &[0, 2, 3])]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn k_shortest_paths<W: SearchWeight>(
    graph: &Csr<W>,
    source: VertexId,
    target: VertexId,
    k: usize,
    mut to_target: impl FnMut(VertexId) -> Option<W::Distance>,
) -> Result<Vec<Path<W::Distance>>, SsspError> {
    W::paths_by(graph, [source, target], k, &mut to_target)
}

pub(crate) fn by_distances<W: SearchWeight>(
    graph: &Csr<W>,
    [source, target]: [VertexId; 2],
    k: usize,
    to_target: &mut dyn FnMut(VertexId) -> Option<W::Distance>,
) -> Result<Vec<Path<W::Distance>>, SsspError> {
    check_vertices(graph, "source", &[source])?;
    check_vertices(graph, "target", &[target])?;
    let distance = |vertex| to_target(vertex).unwrap_or(W::Distance::UNREACHED);
    let mut searches = SpurSearches::new(graph, target, distance)?;
    let limit = W::Distance::UNREACHED;
    let query = Query { source, targets: &[target], limit, progress: None };
    let paths = shortest(&mut searches, source, k, &query)?;
    if searches.is_misled {
        return Err(SsspError::NoDistances { target });
    }
    let bound = distance_bound(graph.n_vertices(), graph.weight_summary());
    if paths.len() < k && !is_far_below_greatest::<W>(graph.n_vertices(), bound) {
        check_lengths(graph, [source, target], paths.len(), None)?;
    }
    Ok(paths)
}

/// An error unless there are no more than `n` paths: of those with the fewest arcs, whatever they
/// weigh, one more is looked for.
fn check_lengths<W: SearchWeight>(
    graph: &Csr<W>,
    [source, target]: [VertexId; 2],
    n: usize,
    progress: Option<Progress<'_>>,
) -> Result<(), SsspError> {
    let arcs = graph.clone().unweighted::<u32>();
    let mut solver = Solver::new(&arcs, &Config::default())?;
    solver.progress = progress;
    if solver.k_shortest_paths(source, target, n + 1)?.len() == n {
        return Ok(());
    }
    Err(SsspError::Overflow { vertex: target, kind: std::any::type_name::<W::Distance>() })
}

/// The first `k` paths, told to the progress callback of `query`.
fn shortest<W: Weight, F: FnMut(VertexId) -> W::Distance>(
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

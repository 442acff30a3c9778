//! The certificate of a tree by the list of edges that its graph was made of: the rules of
//! Graph500, which do not trust the graph that a benchmark has made.
//!
//! Reference: graph500-2010

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use graph_formats::{VertexId, Weight, parallel};

use super::Violation;
use super::arcs::Verdict::{Broken, Slack};
use super::distances::{improvement, judge};
use super::tree::check_vertices;
use crate::Tree;

/// Edges that a task judges.
const EDGES_PER_TASK: usize = 1 << 14;
/// Stands for no walk.
const NONE: VertexId = VertexId::MAX;

/// Proves that `tree` has all shortest paths from its source along undirected edges. The ends and
/// the weight of the i-th are `edge(i)`; no weight is negative.
///
/// Returns how many of the edges have reached ends. That is what Graph500 counts as traversed,
/// loops and parallel edges included.
///
/// These are the five rules of Graph500. Predecessors have no cycle. An edge joins each vertex to
/// its predecessor, and is as long as their distances differ. No edge has ends that differ by more
/// than its weight, or of which one alone is reached. O(n + m) time on all threads, 5 n bytes.
///
/// ```
/// use graph_formats::Csr;
/// use paths::certificate::check_edge_list;
/// use paths::oracle;
///
/// let edges = [(0, 1, 0.5), (2, 1, 0.25), (1, 1, 0.0), (3, 4, 1.0)];
/// let tree = oracle::tree(&Csr::from_edges(5, &edges)?, 0, None)?;
/// assert_eq!(check_edge_list(edges.len(), &|i| edges[i], &tree)?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first [`Violation`] of the first kind of these, the same in every run.
pub fn check_edge_list<W: Weight>(
    n_edges: usize,
    edge: &(dyn Fn(usize) -> (VertexId, VertexId, W) + Sync),
    tree: &Tree<W>,
) -> Result<u64, Violation> {
    let (distances, predecessors) = (&tree.distances, &tree.predecessors);
    check_vertices(distances.n_vertices(), tree)?;

    let is_confirmed = |v: VertexId| AtomicBool::new(predecessors.get(v).is_none());
    let confirmed: Vec<_> = (0..distances.n_vertices()).map(|v| is_confirmed(v as _)).collect();
    let n_tasks = n_edges.div_ceil(EDGES_PER_TASK);
    let parts = parallel::map(n_tasks, &|task| {
        let first = task * EDGES_PER_TASK;
        let mut n_traversed = 0;
        for i in first..n_edges.min(first + EDGES_PER_TASK) {
            let (u, v, weight) = edge(i);
            for (from, to) in [(u, v), (v, u)] {
                match judge(distances, tree.limit, from, to, weight) {
                    Broken => return Err(improvement(distances, from, to, weight)),
                    Slack => {}
                    _ if predecessors.get(to) == Some(from) => {
                        confirmed[to as usize].store(true, Relaxed);
                    }
                    _ => {}
                }
            }
            n_traversed += u64::from(distances.get(u).is_some());
        }
        Ok(n_traversed)
    });
    let n_traversed = parts.into_iter().sum::<Result<u64, _>>()?;
    if let Some(vertex) = confirmed.into_iter().position(|vertex| !vertex.into_inner()) {
        return Err(unconfirmed(n_edges, edge, tree, vertex as VertexId));
    }
    check_acyclic(tree)?;
    Ok(n_traversed)
}

/// Why no edge confirms the distance of `vertex` from that of its predecessor. O(m).
fn unconfirmed<W: Weight>(
    n_edges: usize,
    edge: &dyn Fn(usize) -> (VertexId, VertexId, W),
    tree: &Tree<W>,
    vertex: VertexId,
) -> Violation {
    let Some(predecessor) = tree.predecessors.get(vertex) else {
        return Violation::NoPredecessor { vertex };
    };
    let (Some(distance), Some(from)) = (tree.distance(vertex), tree.distance(predecessor)) else {
        return Violation::PredecessorUnreached { vertex, predecessor };
    };
    let joins = |(u, v, _)| [(u, v), (v, u)].contains(&(predecessor, vertex));
    if !(0..n_edges).any(|i| joins(edge(i))) {
        return Violation::PredecessorWithoutArc { vertex, predecessor };
    }
    Violation::PredecessorNotTight {
        vertex,
        distance: distance.to_string(),
        predecessor,
        predecessor_distance: from.to_string(),
    }
}

/// Walks from every vertex to its predecessor and on, until where a walk has been. O(n).
fn check_acyclic<W: Weight>(tree: &Tree<W>) -> Result<(), Violation> {
    let n = tree.predecessors.n_vertices();
    let mut walk_at = vec![NONE; n];
    for start in 0..n as VertexId {
        let mut next = Some(start);
        while let Some(vertex) = next {
            next = match walk_at[vertex as usize] {
                NONE => tree.predecessors.get(vertex),
                walk if walk == start => return Err(Violation::PredecessorCycle { vertex }),
                _ => None,
            };
            walk_at[vertex as usize] = start;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use graph_formats::Csr;

    use super::*;
    use crate::oracle;
    use crate::{Distances, Predecessors};

    type Edge = (VertexId, VertexId, f32);

    /// A cycle of weights 0 beside a path, with a loop, parallel edges and another component.
    const EDGES: [Edge; 8] = [
        (0, 1, 0.5),
        (2, 1, 0.25),
        (2, 1, 0.75),
        (2, 2, 0.125),
        (2, 3, 0.0),
        (3, 4, 0.0),
        (4, 2, 0.0),
        (5, 6, 1.0),
    ];

    fn tree() -> Tree<f32> {
        oracle::tree(&Csr::from_edges(8, &EDGES).unwrap(), 0, None).unwrap()
    }

    fn check(tree: &Tree<f32>) -> Result<u64, Violation> {
        check_edge_list(EDGES.len(), &|i| EDGES[i], tree)
    }

    /// The tree with another distance and predecessor of a vertex.
    fn wrong(vertex: usize, distance: Option<f32>, predecessor: Option<VertexId>) -> Tree<f32> {
        let Tree { source, limit, distances, predecessors } = tree();
        let mut distances: Vec<_> = (0..8).map(|v| distances.get(v)).collect();
        let mut predecessors: Vec<_> = (0..8).map(|v| predecessors.get(v)).collect();
        (distances[vertex], predecessors[vertex]) = (distance, predecessor);
        let distances = Distances::from_iter(distances);
        Tree { source, limit, distances, predecessors: Predecessors::from_iter(predecessors) }
    }

    #[test]
    fn right_trees_pass_and_their_edges_are_counted() {
        assert_eq!(check(&tree()).unwrap(), 7);
        let far = oracle::tree(&Csr::from_edges(8, &EDGES).unwrap(), 7, None).unwrap();
        assert_eq!(check(&far).unwrap(), 0);
        // 4 may as well come from 3
        assert_eq!(check(&wrong(4, Some(0.75), Some(3))).unwrap(), 7);
    }

    #[test]
    fn each_way_to_be_wrong_is_refused() {
        use Violation as V;
        let refused = |vertex, distance, predecessor| {
            check(&wrong(vertex, distance, predecessor)).unwrap_err()
        };
        assert!(matches!(refused(0, Some(1.0), None), V::SourceDistance { .. }));
        assert!(matches!(refused(0, Some(0.0), Some(1)), V::SourcePredecessor { .. }));
        assert!(matches!(refused(1, Some(0.5), None), V::NoPredecessor { vertex: 1 }));
        assert!(matches!(refused(7, None, Some(1)), V::UnreachedPredecessor { .. }));
        assert!(matches!(refused(1, Some(0.75), Some(0)), V::TooFar { from: 0, to: 1, .. }));
        assert!(matches!(refused(1, None, None), V::Missed { from: 0, to: 1, .. }));
        assert!(matches!(refused(1, Some(0.25), Some(0)), V::TooFar { from: 1, to: 2, .. }));
        assert!(matches!(refused(5, Some(3.0), Some(2)), V::Missed { from: 5, to: 6, .. }));
        assert!(matches!(refused(7, Some(3.0), Some(2)), V::PredecessorWithoutArc { .. }));
        assert!(matches!(refused(7, Some(3.0), Some(6)), V::PredecessorUnreached { .. }));
        assert!(matches!(refused(7, Some(3.0), Some(99)), V::PredecessorUnreached { .. }));
        assert!(matches!(refused(2, Some(0.75), Some(3)), V::PredecessorCycle { .. }));
        // no arc improves a distance that is too small
        let edges = [(0, 1, 0.5)];
        let mut near = oracle::tree(&Csr::from_edges(2, &edges).unwrap(), 0, None).unwrap();
        near.distances = Distances::from_iter([Some(0.0), Some(0.25)]);
        let violation = check_edge_list(1, &|i| edges[i], &near).unwrap_err();
        assert!(matches!(violation, V::PredecessorNotTight { vertex: 1, .. }));
    }
}

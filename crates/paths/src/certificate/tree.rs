//! The certificate of a shortest-path tree.

use graph_formats::{Csr, VertexId, Weight};

use super::Violation;
use super::arcs::{Fault, Verdict, check_labels};
use super::distances::{check_ends, check_length, improvement, judge};
use crate::Tree;

/// Proves that `tree` has the right distances, all or those up to its limit, and that
/// its predecessors are a tree of shortest paths from its source.
///
/// The condition on distances is the one of [`check_distances`](super::check_distances), but only
/// tight arcs to a vertex from its predecessor count. Such an arc is (p, v, w), with p the
/// predecessor of v and d(p) + w = d(v). If they lead from the source to every reached vertex, the
/// distances are realised, each predecessor has its arc, and no predecessors form a cycle. O(n + m)
/// time, n bytes.
///
/// # Errors
/// The first [`Violation`], the same in every run.
///
/// The crate's [front page](crate) has an example.
pub fn check_tree<W: Weight>(graph: &Csr<W>, tree: &Tree<W>) -> Result<(), Violation> {
    let (distances, predecessors) = (&tree.distances, &tree.predecessors);
    check_vertices(graph.n_vertices(), tree)?;
    check_labels(
        graph,
        |v| v == tree.source,
        |v| distances.get(v).is_some(),
        |u, v, w| match judge(distances, tree.limit, u, v, w) {
            Verdict::Tight | Verdict::TightFromNearer if predecessors.get(v) != Some(u) => {
                Verdict::Slack
            }
            verdict => verdict,
        },
    )
    .map_err(|fault| match fault {
        Fault::Arc(from, to, weight) => improvement(distances, from, to, weight),
        Fault::Vertex(vertex) => lost(graph, tree, vertex),
    })
}

/// The checks that need no arcs: sizes, the source, and that the reached vertices have predecessors.
pub(super) fn check_vertices<W: Weight>(
    n_vertices: usize,
    tree: &Tree<W>,
) -> Result<(), Violation> {
    let (distances, predecessors) = (&tree.distances, &tree.predecessors);
    check_length("predecessors", n_vertices, predecessors.n_vertices())?;
    check_ends(n_vertices, tree.source, tree.limit, distances)?;
    if let Some(predecessor) = predecessors.get(tree.source) {
        return Err(Violation::SourcePredecessor { source_vertex: tree.source, predecessor });
    }
    for vertex in (0..n_vertices as VertexId).filter(|&v| v != tree.source) {
        match (distances.get(vertex), predecessors.get(vertex)) {
            (Some(_), None) => return Err(Violation::NoPredecessor { vertex }),
            (None, Some(predecessor)) => {
                return Err(Violation::UnreachedPredecessor { vertex, predecessor });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Why the predecessors of `vertex` do not lead to the source. O(n + m).
fn lost<W: Weight>(graph: &Csr<W>, tree: &Tree<W>, mut vertex: VertexId) -> Violation {
    let mut passed = vec![false; graph.n_vertices()];
    while !passed[vertex as usize] {
        passed[vertex as usize] = true;
        let Some(predecessor) = tree.predecessors.get(vertex) else {
            return Violation::NoPredecessor { vertex };
        };
        let Some(from) = tree.distances.get(predecessor) else {
            return Violation::PredecessorUnreached { vertex, predecessor };
        };
        let mut arcs = graph.arcs_from(predecessor).filter(|arc| arc.0 == vertex).peekable();
        if arcs.peek().is_none() {
            return Violation::PredecessorWithoutArc { vertex, predecessor };
        }
        let distance = tree.distances.as_storage()[vertex as usize];
        if !arcs.any(|(_, weight)| weight.after(from) == Some(distance)) {
            return Violation::PredecessorNotTight {
                vertex,
                distance: distance.to_string(),
                predecessor,
                predecessor_distance: from.to_string(),
            };
        }
        vertex = predecessor;
    }
    Violation::PredecessorCycle { vertex }
}

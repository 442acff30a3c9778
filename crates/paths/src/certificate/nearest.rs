//! The certificate of the nearest of several sources.

use graph_formats::{Csr, VertexId, Weight};

use super::Violation;
use super::arcs::{Fault, Verdict, check_labels};
use super::distances::{check_length, check_source, improvement, overflow, unrealised};
use crate::Nearest;

/// Proves that `nearest` has for every vertex the distance from the nearest of `sources`
/// and the smallest of the sources that are so near, as [`Nearest`] defines it.
///
/// A vertex's label is the pair (distance, owner), ordered first by distance and then by owner, and
/// an arc of weight w takes (d, s) to (d + w, s). The two conditions of the [module](super) are
/// checked for labels in place of distances. *No arc improves*: the label of a source s is at most
/// (0, s), and along any path from s labels are at most (sum so far, s). So distances are at most
/// those of the nearest sources. Along tight arcs owners never grow, so no smaller source has tight
/// arcs to v. *Every label is realised*: tight arcs between equal owners lead to v from its owner,
/// whose label is (0, itself). O(n + m) time, 2n bytes.
///
/// # Errors
/// The first [`Violation`], the same in every run.
pub fn check_nearest<W: Weight>(
    graph: &Csr<W>,
    sources: &[VertexId],
    nearest: &Nearest<W>,
) -> Result<(), Violation> {
    let distances = &nearest.distances;
    check_length("distances", graph.n_vertices(), distances.n_vertices())?;
    check_length("owners", graph.n_vertices(), nearest.owners_as_storage().len())?;
    let mut is_source = vec![false; graph.n_vertices()];
    for &source in sources {
        check_source(source, graph.n_vertices())?;
        is_source[source as usize] = true;
    }
    for vertex in graph.vertices() {
        check_vertex(nearest, vertex, &is_source)?;
    }
    let label = |v| Some((distances.get(v)?, nearest.source_of(v)?));
    check_labels(
        graph,
        |v| is_source[v as usize] && label(v) == Some((W::Distance::ZERO, v)),
        |v| distances.get(v).is_some(),
        |u, v, w| {
            let Some((from, owner)) = label(u) else { return Verdict::Slack };
            let Some(through) = w.after(from) else { return overflow(w) };
            match label(v) {
                None => Verdict::Broken,
                Some((to, _)) if to > through => Verdict::Broken,
                Some((to, kept)) if to == through && kept > owner => Verdict::Broken,
                Some((to, kept)) if to == through && kept == owner => {
                    if from < to {
                        Verdict::TightFromNearer
                    } else {
                        Verdict::Tight
                    }
                }
                Some(_) => Verdict::Slack,
            }
        },
    )
    .map_err(|fault| match fault {
        Fault::Arc(from, to, weight) => {
            let through = distances.get(from).and_then(|d| weight.after(d));
            match (label(to), nearest.source_of(from)) {
                (Some((distance, owner)), Some(smaller)) if through == Some(distance) => {
                    Violation::TieToLarger { vertex: to, owner, smaller }
                }
                _ => improvement(distances, from, to, weight),
            }
        }
        Fault::Vertex(vertex) => {
            unrealised(distances, vertex, nearest.owners_as_storage()[vertex as usize])
        }
    })
}

/// The checks of a vertex that need no arcs.
fn check_vertex<W: Weight>(
    nearest: &Nearest<W>,
    vertex: VertexId,
    is_source: &[bool],
) -> Result<(), Violation> {
    let (distance, owner) = (nearest.distance(vertex), nearest.source_of(vertex));
    if distance.is_some() != owner.is_some() {
        let distance = distance.map(|d| d.to_string());
        return Err(Violation::HalfOwned { vertex, owner, distance });
    }
    if let Some(owner) = owner
        && !is_source.get(owner as usize).is_some_and(|&is| is)
    {
        return Err(Violation::OwnerNotSource { vertex, owner });
    }
    if !is_source[vertex as usize] {
        return Ok(());
    }
    match (distance, owner) {
        (Some(d), Some(owner)) if d == W::Distance::ZERO && owner > vertex => {
            Err(Violation::TieToLarger { vertex, owner, smaller: vertex })
        }
        (Some(d), _) if d <= W::Distance::ZERO => Ok(()),
        _ => {
            let distance = distance.map(|d| d.to_string());
            Err(Violation::SourceDistance { source_vertex: vertex, distance })
        }
    }
}

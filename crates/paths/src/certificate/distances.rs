//! The certificate of distances from one source.

use graph_formats::{Csr, Distance, VertexId, Weight};
use rayon::prelude::*;

use super::Violation;
use super::arcs::{Fault, Verdict, check_labels};
use crate::Distances;

/// Proves that `distances` are those from `source`: all of them, or those up to `limit`.
///
/// O(n + m) time, n bytes; the pass over the arcs runs on all threads. The
/// [module](super) says why the answer is right when this passes.
///
/// # Errors
/// The first [`Violation`], the same in every run.
///
/// ```
/// use graph_formats::Csr;
/// use paths::Distances;
/// use paths::certificate::{Violation, check_distances};
///
/// let graph = Csr::from_arcs(3, &[(0, 1, 5i32), (1, 2, -2)])?;
/// check_distances(&graph, 0, None, &Distances::from_iter([Some(0), Some(5), Some(3)]))?;
/// let wrong = Distances::from_iter([Some(0), Some(5), Some(4)]);
/// let violation = check_distances(&graph, 0, None, &wrong).unwrap_err();
/// assert!(matches!(violation, Violation::TooFar { from: 1, to: 2, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_distances<W: Weight>(
    graph: &Csr<W>,
    source: VertexId,
    limit: Option<W::Distance>,
    distances: &Distances<W::Distance>,
) -> Result<(), Violation> {
    check_ends(graph.n_vertices(), source, limit, distances)?;
    check_labels(
        graph,
        |v| v == source,
        |v| distances.get(v).is_some(),
        |u, v, w| judge(distances, limit, u, v, w),
    )
    .map_err(|fault| match fault {
        Fault::Arc(from, to, weight) => improvement(distances, from, to, weight),
        Fault::Vertex(vertex) => unrealised(distances, vertex, source),
    })
}

/// The checks that need no arcs: sizes, the source, the limit.
pub(super) fn check_ends<D: Distance>(
    n_vertices: usize,
    source: VertexId,
    limit: Option<D>,
    distances: &Distances<D>,
) -> Result<(), Violation> {
    check_length("distances", n_vertices, distances.n_vertices())?;
    check_source(source, n_vertices)?;
    if distances.get(source) != Some(D::ZERO) {
        let distance = distances.get(source).map(|d| d.to_string());
        return Err(Violation::SourceDistance { source_vertex: source, distance });
    }
    let Some(limit) = limit else { return Ok(()) };
    // A limit that is negative or NaN excludes even the source.
    let beyond = |&d: &D| d.partial_cmp(&limit).is_none_or(|order| order.is_gt());
    let storage = distances.as_storage();
    match storage.par_iter().position_first(|d| *d != D::UNREACHED && beyond(d)) {
        None => Ok(()),
        Some(v) => Err(Violation::BeyondLimit {
            vertex: v as VertexId,
            distance: storage[v].to_string(),
            limit: limit.to_string(),
        }),
    }
}

pub(super) fn check_length(
    what: &'static str,
    expected: usize,
    found: usize,
) -> Result<(), Violation> {
    if expected == found {
        return Ok(());
    }
    Err(Violation::WrongLength { what, expected, found })
}

pub(super) fn check_source(source: VertexId, n_vertices: usize) -> Result<(), Violation> {
    if (source as usize) < n_vertices {
        return Ok(());
    }
    Err(Violation::SourceOutOfRange { source_vertex: source, n_vertices })
}

/// Comparisons are written so that a NaN among the distances supports nothing.
pub(super) fn judge<W: Weight>(
    distances: &Distances<W::Distance>,
    limit: Option<W::Distance>,
    u: VertexId,
    v: VertexId,
    weight: W,
) -> Verdict {
    let Some(from) = distances.get(u) else { return Verdict::Slack };
    let Some(through) = weight.after(from) else { return overflow(weight) };
    match distances.get(v) {
        None if limit.is_none_or(|limit| through <= limit) => Verdict::Broken,
        Some(to) if to > through => Verdict::Broken,
        Some(to) if to == through && from < to => Verdict::TightFromNearer,
        Some(to) if to == through => Verdict::Tight,
        _ => Verdict::Slack,
    }
}

/// A sum that is too large for the distance type is no constraint; one that is too small cannot be
/// satisfied.
pub(super) fn overflow<W: Weight>(weight: W) -> Verdict {
    if weight.is_negative() { Verdict::Broken } else { Verdict::Slack }
}

/// What a broken arc violates.
pub(super) fn improvement<W: Weight>(
    distances: &Distances<W::Distance>,
    from: VertexId,
    to: VertexId,
    weight: W,
) -> Violation {
    let weight = weight.to_string();
    match distances.get(to) {
        None => Violation::Missed { from, to, weight },
        Some(d) => Violation::TooFar { from, to, weight, distance: d.to_string() },
    }
}

/// What an unsupported vertex violates.
pub(super) fn unrealised<D: Distance>(
    distances: &Distances<D>,
    vertex: VertexId,
    source_vertex: VertexId,
) -> Violation {
    let distance = distances.as_storage()[vertex as usize].to_string();
    Violation::Unrealised { vertex, source_vertex, distance }
}

//! The pass that all certificates share: judge every arc, then make sure that tight arcs
//! lead from the roots to every reached vertex.
//!
//! The [module](super) says why that is a proof.

use std::sync::atomic::{AtomicBool, Ordering};

use graph_formats::{Csr, VertexId, Weight};
use rayon::prelude::*;

/// The state of an arc, from the labels of its two ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It supports nothing and breaks nothing.
    Slack,
    /// The label of its end is that of its start plus the arc.
    Tight,
    /// The same, and it starts strictly nearer than it ends.
    TightFromNearer,
    /// The label of its end is too large.
    Broken,
}

/// Why labels are wrong.
pub(super) enum Fault<W> {
    /// The first arc that is broken.
    Arc(VertexId, VertexId, W),
    /// The first reached vertex that tight arcs do not lead to.
    Vertex(VertexId),
}

/// Judges every arc in parallel, and that tight arcs lead from the vertices that are
/// `root` to all that are `reached`. O(n + m).
pub(super) fn check_labels<W: Weight>(
    graph: &Csr<W>,
    root: impl Fn(VertexId) -> bool,
    reached: impl Fn(VertexId) -> bool,
    verdict: impl Fn(VertexId, VertexId, W) -> Verdict + Sync,
) -> Result<(), Fault<W>> {
    let supported: Vec<_> = graph.vertices().map(|v| AtomicBool::new(root(v))).collect();
    let broken = graph.vertices().into_par_iter().find_map_first(|u| {
        graph.arcs_from(u).find_map(|(v, w)| match verdict(u, v, w) {
            Verdict::Broken => Some(Fault::Arc(u, v, w)),
            Verdict::TightFromNearer => {
                supported[v as usize].store(true, Ordering::Relaxed);
                None
            }
            Verdict::Slack | Verdict::Tight => None,
        })
    });
    if let Some(fault) = broken {
        return Err(fault);
    }
    let supported: Vec<bool> = supported.into_iter().map(AtomicBool::into_inner).collect();
    let unsupported =
        |supported: &[bool]| graph.vertices().find(|&v| reached(v) && !supported[v as usize]);
    if unsupported(&supported).is_none() {
        return Ok(());
    }
    let supported = search(graph, &root, &verdict);
    unsupported(&supported).map_or(Ok(()), |v| Err(Fault::Vertex(v)))
}

/// The vertices that tight arcs lead to from the roots.
fn search<W: Weight>(
    graph: &Csr<W>,
    root: impl Fn(VertexId) -> bool,
    verdict: impl Fn(VertexId, VertexId, W) -> Verdict,
) -> Vec<bool> {
    let mut found: Vec<bool> = graph.vertices().map(&root).collect();
    let mut stack: Vec<_> = graph.vertices().filter(|&v| root(v)).collect();
    while let Some(u) = stack.pop() {
        for (v, w) in graph.arcs_from(u) {
            let tight = matches!(verdict(u, v, w), Verdict::Tight | Verdict::TightFromNearer);
            if tight && !found[v as usize] {
                found[v as usize] = true;
                stack.push(v);
            }
        }
    }
    found
}

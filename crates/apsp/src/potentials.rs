//! Potentials that make weights non-negative, and the proof that there is no negative cycle.
//!
//! The potential of a vertex is the length of a shortest walk that ends there, wherever it
//! starts: its distance from one more vertex with an arc of no weight to each. Then
//! h(u) + w ≥ h(v) for every arc. Bellman-Ford with a queue, O(n m) at the worst.
//!
//! Reference: johnson-1977

use graph_formats::{Csr, Distance, VertexId, Weight};
use sssp::{Algorithm, Config, Goal, Progress, Solver, SsspError};

/// The potential of each vertex, none of them above zero.
pub(crate) fn potentials<W: Weight>(
    graph: &Csr<W>,
    progress: Option<Progress<'_>>,
) -> Result<Vec<W::Distance>, SsspError> {
    let n = graph.n_vertices();
    let source = n as VertexId;
    let starts = graph.vertices().map(|v| (source, v, W::ZERO));
    let arcs: Vec<_> = graph.arcs().chain(starts).collect();
    // one vertex more than a graph that there is room for
    let graph = Csr::from_arcs(n + 1, &arcs)
        .map_err(|_| SsspError::Overflow { vertex: 0, kind: std::any::type_name::<VertexId>() })?;
    drop(arcs);
    let solver = Solver::new(&graph, &Config::with(Algorithm::BellmanFordQueue))?;
    let mut solver = match progress {
        Some(progress) => solver.with_progress(progress),
        None => solver,
    };
    let distances = solver.distances(source, Goal::All)?;
    let potential = |v| distances.get(v).unwrap_or(W::Distance::ZERO);
    Ok((0..source).map(potential).collect())
}

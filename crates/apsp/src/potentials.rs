//! Potentials that make weights non-negative, and the proof that there is no negative cycle.
//!
//! The potential of a vertex is the length of a shortest walk that ends there, wherever it
//! starts: its distance from one more vertex with an arc of no weight to each. Then
//! h(u) + w ≥ h(v) for every arc. Bellman-Ford with a queue, O(n m) at the worst.
//!
//! Reference: johnson-1977

use std::num::NonZeroUsize;

use graph_formats::{Csr, VertexId, Weight};
use sssp::{Algorithm, Config, Goal, Progress, QueueRule, SearchWeight, Solver};

use crate::ApspError;

/// A weight with the type that it has when potentials have raised it. The trait is sealed.
pub trait RaisedWeight: SearchWeight {
    /// The type of raised weights, which are not negative: as wide as distances.
    #[doc(hidden)]
    type Raised: SearchWeight;
}

macro_rules! raised_weights {
    ($($weight:ty: $raised:ty;)*) => {$(
        impl RaisedWeight for $weight {
            type Raised = $raised;
        }
    )*};
}

raised_weights! {
    u32: u64;
    i32: i64;
    u64: u64;
    i64: u64;
    f32: f32;
    f64: f64;
}

/// The potential of each vertex, none of them above zero.
pub(crate) fn potentials<W: RaisedWeight>(
    graph: &Csr<W>,
    threads: Option<NonZeroUsize>,
    progress: Option<Progress<'_>>,
) -> Result<Vec<W::Distance>, ApspError> {
    let n = graph.n_vertices();
    let source = n as VertexId;
    let starts = graph.vertices().map(|v| (source, v, W::ZERO));
    let arcs: Vec<_> = graph.arcs().chain(starts).collect();
    // of a graph that has no number left for one vertex more, nothing holds the table either
    let bytes = n as u128 * n as u128 * size_of::<W::Distance>() as u128;
    let graph = Csr::from_arcs(n + 1, &arcs).map_err(|_| ApspError::too_large(n, bytes))?;
    drop(arcs);
    let algorithm = Algorithm::BellmanFordQueue(QueueRule::Fifo);
    let config = Config { threads, ..Config::with(algorithm) };
    let solver = Solver::new(&graph, &config)?;
    let mut solver = match progress {
        Some(progress) => solver.with_progress(progress),
        None => solver,
    };
    let distances = solver.distances(source, Goal::All)?;
    let potential = |v| distances.get(v).unwrap_or(W::Distance::ZERO);
    Ok((0..source).map(potential).collect())
}

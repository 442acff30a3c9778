//! Other people's libraries, given the same graph in the form that suits them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ::graph::prelude::{
    CsrLayout, DeltaSteppingConfig, DirectedCsrGraph, GraphBuilder, delta_stepping,
};
use graph_formats::{Csr, VertexId};
use paths::Distances;
use petgraph::Directed;

use crate::measure::Solved;

type GraphCrateGraph = DirectedCsrGraph<u32, (), f32>;
type PetgraphGraph = petgraph::csr::Csr<(), u32, Directed, u32>;

/// A graph and how long it took to make.
type Built<G> = (Arc<G>, Duration);

/// One graph as the peers store it, each made when it is first asked for.
pub struct Peers<'g> {
    graph: &'g Csr<u32>,
    graph_crate: OnceLock<Built<GraphCrateGraph>>,
    petgraph: OnceLock<Built<PetgraphGraph>>,
}

impl<'g> Peers<'g> {
    /// The same graph for the peers; nothing is made yet.
    pub fn of(graph: &'g Csr<u32>) -> Self {
        Self { graph, graph_crate: OnceLock::new(), petgraph: OnceLock::new() }
    }

    /// For the crate `graph`: both directions, rows sorted, as its documentation has it.
    pub(crate) fn graph_crate(&self) -> &Built<GraphCrateGraph> {
        self.graph_crate.get_or_init(|| {
            built(|| {
                // Weights too large for f32 would make distances too large, which the
                // caller refuses.
                let arcs = self.graph.arcs().map(|(from, to, weight)| (from, to, weight as f32));
                GraphBuilder::new()
                    .csr_layout(CsrLayout::Sorted)
                    .edges_with_values(arcs.collect::<Vec<_>>())
                    .node_values(vec![(); self.graph.n_vertices()])
                    .build()
            })
        })
    }

    /// For petgraph: its compressed rows, which take one arc a pair, so that only the
    /// lightest of parallel arcs is there. Its adjacency lists would be slower.
    pub(crate) fn petgraph(&self) -> &Built<PetgraphGraph> {
        self.petgraph.get_or_init(|| {
            built(|| {
                let mut arcs: Vec<_> = self.graph.arcs().collect();
                if !arcs.is_sorted() {
                    arcs.sort_unstable();
                }
                arcs.dedup_by_key(|arc| (arc.0, arc.1));
                PetgraphGraph::from_sorted_edges(&arcs).expect("sorted, and no pair twice")
            })
        })
    }
}

fn built<G>(make: impl FnOnce() -> G) -> Built<G> {
    let start = Instant::now();
    let graph = Arc::new(make());
    (graph, start.elapsed())
}

/// Δ-stepping by the crate `graph`, on all threads of the pool.
pub(crate) fn solve_with_graph(graph: &GraphCrateGraph, source: VertexId, delta: f32) -> Solved {
    let start = Instant::now();
    let found = delta_stepping(graph, DeltaSteppingConfig::new(source as usize, delta));
    let elapsed = start.elapsed();
    let distance = |d: f32| (d != f32::MAX).then_some(d as u64);
    let distances = found.iter().map(|d| distance(d.load(Ordering::Relaxed))).collect();
    Solved { elapsed, distances, work: None }
}

/// Dijkstra's algorithm by petgraph.
pub(crate) fn solve_with_petgraph(
    graph: &PetgraphGraph,
    source: VertexId,
    n_vertices: usize,
) -> Solved {
    let start = Instant::now();
    let found = petgraph::algo::dijkstra(graph, source, None, |arc| u64::from(*arc.weight()));
    let elapsed = start.elapsed();
    let distances: Distances<u64> =
        (0..n_vertices as VertexId).map(|vertex| found.get(&vertex).copied()).collect();
    Solved { elapsed, distances, work: None }
}

//! Kernels of Graph500 over ranks: parts of edges, their trees, and the check by the edges.

use collectives::{Communicator, Threads};
use graph_formats::AnyCsr;
use graph_formats::generate::{Graph500Config, graph500};
use partitioned::{Part, PartitionedError, TreePart, check_edges, tree_part};
use paths::certificate::{Violation, check_edge_list};
use paths::{AnyDistances, Distances, Predecessors, oracle};
use sssp::Goal;

type Edge = (u32, u32, f32);

/// The edges that a rank draws.
fn share(edges: &[Edge], ranks: &Threads) -> Vec<Edge> {
    edges.iter().copied().skip(ranks.rank()).step_by(ranks.size()).collect()
}

#[test]
fn parts_of_edges_are_those_of_their_graph() {
    let config = Graph500Config { scale: 7, ..Default::default() };
    let edges = config.draws().unwrap().edges().unwrap();
    let graph: AnyCsr = graph500(&config).unwrap().into();
    let levels = AnyCsr::from(graph500(&config).unwrap().unweighted::<f32>());
    for n_ranks in 1..=4 {
        let parts = Threads::run(n_ranks, |ranks| {
            let part = Part::of_edges(ranks, graph.n_vertices(), &share(&edges, ranks))?;
            let expected = Part::of_graph(ranks, Some(&graph))?;
            assert_eq!(format!("{part:?}"), format!("{expected:?}"));
            let expected = Part::of_graph(ranks, Some(&levels))?;
            assert_eq!(format!("{:?}", part.unweighted(ranks)?), format!("{expected:?}"));
            Ok::<_, PartitionedError>(())
        });
        parts.unwrap();
    }
}

#[test]
fn trees_are_checked_by_the_edges() {
    let config = Graph500Config { scale: 6, edge_factor: 4, ..Default::default() };
    let edges = config.draws().unwrap().edges().unwrap();
    let graph = graph500(&config).unwrap();
    let roots = config.draws().unwrap().roots(&graph, 3);
    for (n_ranks, &root) in [1, 3, 4].into_iter().zip(&roots) {
        for unweighted in [false, true] {
            let weight = |edge: Edge| (edge.0, edge.1, if unweighted { 1.0 } else { edge.2 });
            let counts = Threads::run(n_ranks, |ranks| {
                let own = share(&edges, ranks);
                let part = Part::of_edges(ranks, 64, &own)?;
                let part = if unweighted { part.unweighted(ranks)? } else { part };
                let found = tree_part(ranks, &part, root, Goal::All, None)?;
                check_edges(ranks, &part, &found.tree, own.into_iter().map(weight))
            });
            let graph = if unweighted { graph.clone().unweighted() } else { graph.clone() };
            let tree = oracle::tree(&graph, root, None).unwrap();
            let expected = check_edge_list(edges.len(), &|i| weight(edges[i]), &tree).unwrap();
            assert_eq!(counts.unwrap(), vec![expected; n_ranks]);
        }
    }
}

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

/// What is said of the tree from 0 with another distance and predecessor of a vertex.
fn refused(vertex: u32, distance: Option<f32>, predecessor: Option<u32>) -> Violation {
    let checked = Threads::run(2, |ranks| {
        let own = share(&EDGES, ranks);
        let part = Part::of_edges(ranks, 8, &own)?;
        let TreePart { distances, predecessors, .. } =
            tree_part(ranks, &part, 0, Goal::All, None)?.tree;
        let (rank, place) = part.deal().place_of(vertex);
        let AnyDistances::F32(distances) = distances else { panic!("of another type") };
        let n = part.deal().len(ranks.rank()) as u32;
        let mut distances: Vec<_> = (0..n).map(|v| distances.get(v)).collect();
        let mut predecessors: Vec<_> = (0..n).map(|v| predecessors.get(v)).collect();
        if rank == ranks.rank() {
            (distances[place], predecessors[place]) = (distance, predecessor);
        }
        let mut tree = tree_part(ranks, &part, 0, Goal::All, None)?.tree;
        tree.distances = Distances::from_iter(distances).into();
        tree.predecessors = Predecessors::from_iter(predecessors);
        let error = check_edges(ranks, &part, &tree, own.into_iter()).unwrap_err();
        Ok::<_, PartitionedError>(match error {
            PartitionedError::Wrong(violation) => Some(violation),
            PartitionedError::OnRank { .. } => None,
            error => panic!("{error}"),
        })
    });
    let mut checked = checked.unwrap().into_iter().flatten();
    checked.next().expect("one rank says what is wrong")
}

#[test]
fn each_way_to_be_wrong_is_refused() {
    use Violation as V;
    assert!(matches!(refused(0, Some(1.0), None), V::SourceDistance { .. } | V::TooFar { .. }));
    assert!(matches!(refused(0, Some(0.0), Some(1)), V::SourcePredecessor { .. }));
    assert!(matches!(refused(1, Some(0.5), None), V::NoPredecessor { vertex: 1 }));
    assert!(matches!(refused(7, None, Some(1)), V::UnreachedPredecessor { .. }));
    assert!(matches!(refused(1, Some(0.75), Some(0)), V::TooFar { from: 0, to: 1, .. }));
    assert!(matches!(refused(1, None, None), V::Missed { .. }));
    assert!(matches!(refused(5, Some(3.0), Some(2)), V::Missed { from: 5, to: 6, .. }));
    assert!(matches!(refused(7, Some(3.0), Some(2)), V::PredecessorNotTight { .. }));
    assert!(matches!(refused(7, Some(3.0), Some(6)), V::PredecessorUnreached { .. }));
    assert!(matches!(refused(7, Some(3.0), Some(99)), V::PredecessorUnreached { .. }));
    assert!(matches!(refused(2, Some(0.75), Some(3)), V::PredecessorCycle { .. }));
}

//! All shortest paths to a sink: the definition, the oracle, and wrong answers.

use graph_formats::{Csr, VertexId, Weight};
use paths::certificate::{Violation, check_shortest_path_subgraph};
use paths::oracle::{self, OracleError};
use paths::{Distances, ShortestPathSubgraph};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

/// Arc by arc, from the distances of all pairs: the arc and the rest are as short as any path.
fn is_by_definition<W: Weight>(graph: &Csr<W>, subgraph: &ShortestPathSubgraph<W>) -> bool {
    let table = oracle::floyd_warshall(graph).unwrap();
    let sink = subgraph.sink as usize;
    let to_sink = |v: VertexId| table.get(v as usize, sink);
    graph.vertices().all(|v| subgraph.distances.get(v) == to_sink(v))
        && graph.vertices().all(|u| {
            graph.vertices().all(|v| {
                let parallel = graph.arcs_from(u).filter(|arc| arc.0 == v).map(|arc| arc.1);
                let lightest = parallel.min_by(|a, b| a.order(*b));
                let through = lightest.zip(to_sink(v)).and_then(|(w, rest)| w.after(rest));
                let is_tight = u as usize != sink && through.is_some() && through == to_sink(u);
                subgraph.arcs.contains(&(u, v)) == is_tight
            })
        })
}

proptest! {
    #[test]
    fn the_oracle_goes_by_the_definition(
        graph in arbitrary_graph::<u32>(9, 30, 0..=4),
        sink in 0..9u32,
    ) {
        let sink = sink % graph.n_vertices() as VertexId;
        let subgraph = oracle::shortest_path_subgraph(&graph, sink).unwrap();
        prop_assert!(is_by_definition(&graph, &subgraph));
        check_shortest_path_subgraph(&graph, &subgraph).unwrap();
    }

    /// Each distance one more or less, each pair of vertices put in or left out.
    #[test]
    fn nothing_else_passes(graph in arbitrary_graph::<f64>(7, 20, 0..=3), sink in 0..7u32) {
        let sink = sink % graph.n_vertices() as VertexId;
        let right = oracle::shortest_path_subgraph(&graph, sink).unwrap();
        check_shortest_path_subgraph(&graph, &right).unwrap();
        for (u, v) in graph.vertices().flat_map(|u| graph.vertices().map(move |v| (u, v))) {
            let mut wrong = right.clone();
            let (from, to) = (u, v);
            let expected = if wrong.arcs.remove(&(u, v)) {
                Violation::ArcLeftOut { from, to, sink }
            } else {
                wrong.arcs.insert((u, v));
                Violation::ArcOnNoShortestPath { from, to, sink }
            };
            prop_assert_eq!(check_shortest_path_subgraph(&graph, &wrong), Err(expected));
        }
        for v in graph.vertices() {
            for change in [Some(1.0), Some(-1.0), None] {
                let mut distances: Vec<_> = right.distances.iter().collect();
                let known = distances[v as usize];
                distances[v as usize] = change.map(|change| known.unwrap_or(9.0) + change);
                if distances[v as usize] != known {
                    let wrong =
                        ShortestPathSubgraph { distances: distances.into_iter().collect(), ..right.clone() };
                    prop_assert!(check_shortest_path_subgraph(&graph, &wrong).is_err());
                }
            }
        }
    }
}

#[test]
fn corner_cases_pass() {
    for (name, graph) in corner_cases::<i64>() {
        for sink in graph.vertices().take(3) {
            let subgraph = oracle::shortest_path_subgraph(&graph, sink).unwrap();
            let verdict = check_shortest_path_subgraph(&graph, &subgraph);
            assert_eq!(verdict, Ok(()), "{name}");
            assert!(graph.n_vertices() > 70 || is_by_definition(&graph, &subgraph), "{name}");
        }
    }
}

#[test]
fn wrong_answers_say_what_is_wrong() {
    // 0 →1 1 →2 2 and a heavier copy of the second arc, 0 →3 2, 2 →1 0; 3 is apart
    let arcs = [(0, 1, 1u32), (1, 2, 2), (1, 2, 5), (0, 2, 3), (2, 0, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let right = oracle::shortest_path_subgraph(&graph, 2).unwrap();
    assert!(right.arcs.iter().eq(&[(0, 1), (0, 2), (1, 2)]));
    let with = |storage: &[u64]| {
        let distances = Distances::from_storage(storage.to_vec());
        let wrong = ShortestPathSubgraph { distances, ..right.clone() };
        check_shortest_path_subgraph(&graph, &wrong).unwrap_err()
    };
    let far = u64::MAX;
    assert!(matches!(with(&[4, 2, 0, far]), Violation::PairTooFar { from: 0, to: 2, .. }));
    assert!(matches!(with(&[far, 2, 0, far]), Violation::PairMissed { from: 0, to: 2, .. }));
    assert!(matches!(with(&[3, 2, 1, far]), Violation::SourceDistance { source_vertex: 2, .. }));
    let unrealised = with(&[3, 2, 0, 7]);
    assert!(matches!(unrealised, Violation::Unrealised { vertex: 2, source_vertex: 3, .. }));
    assert!(matches!(with(&[3, 2, 0]), Violation::WrongLength { .. }));
    let other = ShortestPathSubgraph { sink: 4, ..right.clone() };
    let verdict = check_shortest_path_subgraph(&graph, &other);
    assert!(matches!(verdict, Err(Violation::SourceOutOfRange { source_vertex: 4, .. })));
    let no_sink = oracle::shortest_path_subgraph(&graph, 4);
    assert!(matches!(no_sink, Err(OracleError::SourceOutOfRange { .. })));
    let negative = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let refused = oracle::shortest_path_subgraph(&negative, 1);
    assert!(matches!(refused, Err(OracleError::NegativeWeight { from: 0, to: 1, .. })));
    let beyond = Csr::from_arcs(3, &[(0, 1, u64::MAX - 1), (1, 2, 1)]).unwrap();
    let refused = oracle::shortest_path_subgraph(&beyond, 2);
    assert_eq!(refused, Err(OracleError::Overflow { source_vertex: 0, vertex: 2 }));
}

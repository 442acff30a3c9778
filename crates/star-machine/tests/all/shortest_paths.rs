//! Shortest paths on the machine, against oracles.

use graph_formats::Csr;
use paths::corner_cases::{arbitrary_graph, corner_cases};
use paths::oracle;
use proptest::prelude::*;
use star_machine::algorithms::{Runner, WeightMatrix, dijkstra};
use star_machine::{Counting, Host};

fn arcs(graph: &Csr<u32>) -> Vec<(u32, u32, i64)> {
    graph.arcs().map(|(u, v, w)| (u, v, w.into())).collect()
}

fn check_dijkstra(graph: &Csr<u32>, source: u32) {
    let out = WeightMatrix::leaving(graph.n_vertices(), &arcs(graph)).unwrap();
    let task = dijkstra(&out, source).unwrap();
    let mut m = Counting::new(Host::new());
    let mut run = task.on(&mut m).unwrap();
    run.run().unwrap();
    let expected = oracle::dijkstra(graph, source).unwrap();
    let (reached, distances) =
        (run.slice("Z").unwrap(), run.table("D").unwrap().to_values().unwrap());
    for v in graph.vertices() {
        let found = reached.get(v as usize).unwrap().then_some(distances[v as usize]);
        assert_eq!(found, expected.get(v), "{v}");
    }
}

#[test]
fn dijkstra_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        println!("{name}");
        graph.vertices().take(3).for_each(|source| check_dijkstra(graph, source));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn dijkstra_of_arbitrary_graphs(graph in arbitrary_graph::<u32>(20, 60, 0..=9)) {
        check_dijkstra(&graph, 0);
    }
}

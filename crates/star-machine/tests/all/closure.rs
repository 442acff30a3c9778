//! The closure against the oracle, and by its laws.

use std::ops::ControlFlow;

use apsp::{ApspError, closure};
use graph_formats::Csr;
use paths::zoo::{arbitrary_graph, zoo};
use paths::{Closure, oracle};
use proptest::prelude::*;
use sssp::SsspError;

#[test]
fn zoo_agrees() {
    for (name, graph) in zoo::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 1000) {
        assert!(closure(graph, None).unwrap() == oracle::closure(graph), "{name}");
    }
}

#[test]
fn long_paths_need_no_deep_stack() {
    let n = 10_000;
    let arcs: Vec<_> = (0..n - 1).map(|v| (v, v + 1, 1u32)).collect();
    let path = closure(&Csr::from_arcs(n as usize, &arcs).unwrap(), None).unwrap();
    assert_eq!(path.n_pairs(), (n as usize - 1) * n as usize / 2);
    assert!(path.reaches(0, n - 1) && !path.reaches(n - 1, 0) && !path.reaches(7, 7));
}

#[test]
fn progress_can_end_it() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1u32)]).unwrap();
    let stopped = closure(&graph, Some(&|_, _| ControlFlow::Break(())));
    assert!(matches!(stopped, Err(ApspError::Search(SsspError::Interrupted))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<u32>(150, 250, 0..=1)) {
        let found = closure(&graph, None).unwrap();
        prop_assert!(found == oracle::closure(&graph));
        for u in graph.vertices() {
            let row = graph.vertices().filter(|&v| found.reaches(u, v));
            prop_assert!(found.reached_from(u).eq(row));
        }
        prop_assert_eq!(found.reached_from(150).count(), 0);
    }
}

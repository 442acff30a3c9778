//! Trees, tables and nearest sources by all GPUs of this machine, and by one of them, against those of a CPU.

use graph_formats::{AnyCsr, VertexId};
use partitioned::gpu::SearchesOnGpus;
use paths::Number;
use sssp::{Config, Goal, any};
use test_support::corner_cases;

use crate::{sets_of_gpus, some_graphs, turn};

/// The answers to all questions about this graph.
fn check(graph: &AnyCsr, sources: &[VertexId], targets: &[VertexId]) {
    for gpus in sets_of_gpus() {
        let mut searches = SearchesOnGpus::new(&gpus, graph).unwrap();
        for cutoff in [None, Some(Number::F64(9.0)), Some(Number::F64(0.0))] {
            let mut solver = any::solver(graph, &Config::default(), None).unwrap();
            if let Some(cutoff) = cutoff {
                solver.set_cutoff(cutoff).unwrap();
            }
            let expected = solver.table(sources, targets).unwrap().answer;
            let found = searches.table(sources, targets, cutoff, None).unwrap().tree;
            assert_eq!(found, expected, "{cutoff:?}");
            let expected = solver.nearest(sources).unwrap().answer;
            let found = searches.nearest(sources, cutoff, None).unwrap().tree;
            assert!(found == expected, "{cutoff:?}");
        }
        let mut solver = any::solver(graph, &Config::default(), None).unwrap();
        for &source in sources {
            let goals = [Goal::All, Goal::Target(targets[0]), Goal::Within(Number::F64(9.0))];
            for goal in goals {
                let expected = solver.tree(source, goal).unwrap().answer;
                let found = searches.tree(source, goal, None).unwrap().tree;
                assert!(found == expected, "from {source} as far as {goal:?}");
            }
        }
        let none = searches.nearest(&[], None, None).unwrap().tree;
        assert_eq!(none.distances.n_reached(), 0);
        assert_eq!(searches.table(&[], targets, None, None).unwrap().tree.distances.len(), 0);
        let beyond = [graph.n_vertices() as VertexId];
        assert!(searches.nearest(&beyond, None, None).is_err());
        assert!(searches.table(sources, &beyond, None, None).is_err());
    }
}

#[test]
fn all_answers_are_those_of_a_cpu() {
    let _turn = turn();
    for (name, graph) in corner_cases::<u32>() {
        let n = graph.n_vertices() as VertexId;
        if n > 0 {
            println!("{name}");
            let (first, last) = (0, n - 1);
            check(&graph.into(), &[last, first, n / 2, last], &[n / 3, first, last, first]);
        }
    }
    let (sources, targets) = ([1, 700, 3, 700], [1999, 1, 5, 2000, 300, 300]);
    for graph in some_graphs(20).into_iter().filter(|graph| graph.n_vertices() > 2000) {
        check(&graph.map_weights(|_| 2u32).unwrap().into(), &sources, &targets);
        check(&graph.map_weights(|weight| weight as f32 / 8.0).unwrap().into(), &sources, &targets);
        check(&graph.map_weights(u64::from).unwrap().into(), &sources, &targets);
        check(&graph.map_weights(|weight| weight as i32).unwrap().into(), &sources, &targets);
        check(&graph.into(), &sources, &targets);
    }
}

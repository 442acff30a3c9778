//! Trees from many sources equal those from each source, and searches of a graph of any weight type
//! have the results of the typed searches.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{AnyCsr, Csr, Interrupted, VertexId, Weight};
use paths::{AnyTree, Number};
use sssp::{Config, Goal, SearchWeight, Solver, SsspError, any};
use test_support::{corner_cases, some_vertices};

/// Configurations with one search after the other, and with one on each thread.
fn configs() -> [Config; 2] {
    [1, 3].map(|n| Config { threads: NonZeroUsize::new(n), ..Config::default() })
}

fn check_trees<W: SearchWeight>(graph: &Csr<W>, goal: Goal<W::Distance>) {
    let sources = some_vertices(graph, 5);
    for config in configs() {
        let mut solver = Solver::new(graph, &config).unwrap();
        let (distances, predecessors) = solver.trees(&sources, goal).unwrap().answer;
        let n = graph.n_vertices();
        assert_eq!((distances.n_sources(), predecessors.len()), (sources.len(), sources.len() * n));
        for (row, &source) in sources.iter().enumerate() {
            let tree = solver.tree(source, goal).unwrap();
            assert!(distances.row(row).eq(tree.distances.iter()));
            assert_eq!(predecessors[row * n..][..n], *tree.predecessors.as_storage());
        }
    }
}

#[test]
fn trees_are_those_from_each_source() {
    for (_, graph) in corner_cases::<u32>() {
        check_trees(&graph, Goal::All);
        check_trees(&graph, Goal::Within(3));
    }
    for (_, graph) in corner_cases::<f32>() {
        check_trees(&graph, Goal::All);
    }
    let negative = Csr::from_arcs(3, &[(0, 1, 4i64), (1, 2, -3)]).unwrap();
    check_trees(&negative, Goal::All);
}

#[test]
fn trees_from_many_sources_are_refused_as_one_is() {
    let graph = grid(&GridConfig { side: 40, ..GridConfig::default() }).unwrap();
    let all: Vec<VertexId> = graph.vertices().collect();
    for config in configs() {
        let absent = Solver::new(&graph, &config).unwrap().trees(&[0, 1600], Goal::All);
        assert!(matches!(absent, Err(SsspError::NoSuchVertex { vertex: 1600, .. })));
        let stop =
            |done, _| if done < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let mut solver = Solver::new(&graph, &config).unwrap().with_progress(&stop);
        assert_eq!(solver.trees(&all, Goal::All).err(), Some(Interrupted.into()));
        // the callback stays with the solver
        assert_eq!(solver.table(&all, &all).err(), Some(Interrupted.into()));
    }
    let cycle = Csr::from_arcs(2, &[(0, 1, 1i32), (1, 0, -2)]).unwrap();
    for config in configs() {
        let found = Solver::new(&cycle, &config).unwrap().trees(&[1, 0], Goal::All);
        assert!(matches!(found, Err(SsspError::NegativeCycle { .. })));
    }
}

fn check_any<W: SearchWeight>()
where
    AnyCsr: From<Csr<W>>,
{
    for (name, graph) in corner_cases::<W>() {
        let any_graph = AnyCsr::from(graph.clone());
        let config = Config::default();
        let mut typed = Solver::new(&graph, &config).unwrap();
        let mut solver = any::solver(&any_graph, &config, None).unwrap();
        assert_eq!(solver.plan(), typed.plan());
        let vertices = some_vertices(&graph, 4);
        let limit = <W::Distance as Weight>::from_i128(3).unwrap();
        for &source in &vertices {
            let goals = [Goal::All, Goal::Target(vertices[0]), Goal::Within(limit)];
            for goal in goals {
                let any_goal = match goal {
                    Goal::All => Goal::All,
                    Goal::Target(target) => Goal::Target(target),
                    Goal::Within(limit) => Goal::Within(Number::of(limit)),
                };
                let (found, expected) = (solver.tree(source, any_goal), typed.tree(source, goal));
                let (found, expected) = match (found, expected) {
                    (Err(found), Err(expected)) => {
                        assert_eq!(found, expected, "{name}");
                        continue;
                    }
                    (found, expected) => (found.unwrap().answer, expected.unwrap().answer),
                };
                let distances = solver.distances(source, any_goal).unwrap().answer;
                assert_eq!(distances, found.distances, "{name}");
                assert_eq!(found, AnyTree::from(expected), "{name}");
            }
            let found = solver.k_shortest_paths(source, vertices[0], 2).map(|found| found.answer);
            let expected = typed.k_shortest_paths(source, vertices[0], 2);
            let expected = expected.map(|found| found.answer.into_iter().map(sssp::Path::any));
            assert_eq!(found, expected.map(Iterator::collect::<Vec<_>>), "{name}");
        }
        let found = solver.table(&vertices, &vertices).map(|found| found.answer);
        let expected = typed.table(&vertices, &vertices);
        assert_eq!(found, expected.map(|found| found.answer.into()), "{name}");
        let found = solver.nearest(&vertices).map(|found| found.answer);
        let expected = typed.nearest(&vertices);
        assert_eq!(found, expected.map(|found| found.answer.into()), "{name}");
        let found = solver.trees(&vertices, Goal::All).map(|found| found.answer);
        let expected = typed.trees(&vertices, Goal::All).map(|found| found.answer);
        assert_eq!(found, expected.map(|(distances, trees)| (distances.into(), trees)), "{name}");
    }
}

#[test]
fn answers_of_any_type_are_those_of_the_type() {
    check_any::<u32>();
    check_any::<i32>();
    check_any::<u64>();
    check_any::<i64>();
    check_any::<f32>();
    check_any::<f64>();
}

//! Searches within a limit, against whole searches of which the rest is left out.

use std::num::NonZeroUsize;

use graph_formats::generate::{GraphOptions, GridConfig, grid};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Within, oracle};
use proptest::prelude::*;
use sssp::{Algorithm, Config, Delta, Goal, SearchWeight, Solver, SsspError, shortest_path};
use test_support::arbitrary_graph;

/// The distances from `source`, and limits between, at and beyond them.
fn limits<W: SearchWeight>(graph: &Csr<W>, source: VertexId) -> Vec<W::Distance> {
    let all = oracle::tree(graph, source, None).unwrap().distances;
    let mut limits: Vec<_> = all.reached().map(|(_, distance)| distance).collect();
    limits.extend([W::Distance::ZERO, W::Distance::ONE, W::Distance::UNREACHED]);
    limits
}

/// Checks every call that takes a limit, with it, on a graph without negative weights.
fn check<W: SearchWeight>(graph: &Csr<W>, target: VertexId) {
    let stepping = Config::with(Algorithm::DeltaStepping(Delta::Auto));
    let vertices: Vec<_> = graph.vertices().collect();
    for limit in limits(graph, 0) {
        let trees = vertices.iter().map(|&v| oracle::tree(graph, v, Some(limit)).unwrap());
        let trees: Vec<_> = trees.collect();
        for config in [Config::default(), stepping.clone()] {
            let mut solver = Solver::new(graph, &config).unwrap();
            for tree in &trees {
                let goal = Goal::Within(limit);
                let found = solver.tree(tree.source, goal).unwrap().answer;
                assert_eq!(found.distances, tree.distances);
                assert_eq!(found.predecessors, tree.predecessors);
                assert_eq!(solver.distances(tree.source, goal).unwrap().answer, tree.distances);
            }
            let near = solver.within(&vertices, limit).unwrap().answer;
            for (near, tree) in near.iter().zip(&trees) {
                assert_eq!((near.source, near.limit), (tree.source, limit));
                assert_eq!(near, &Within::from(tree));
                for &vertex in &vertices {
                    assert_eq!(near.path_to(vertex), tree.path_to(vertex));
                    assert_eq!(near.distance(vertex), tree.distance(vertex));
                }
            }
            let mut solver = solver.with_cutoff(limit).unwrap();
            let table = solver.table(&vertices, &vertices).unwrap();
            for (row, tree) in trees.iter().enumerate() {
                assert!(table.row(row).eq(tree.distances.iter()));
                assert_eq!(solver.tree(tree.source, Goal::All).unwrap().distances, tree.distances);
            }
            let nearest = solver.nearest(&[0, target]).unwrap().answer;
            let all = oracle::nearest(graph, &[0, target]).unwrap();
            for &vertex in &vertices {
                let is_near = all.distance(vertex).is_some_and(|distance| distance <= limit);
                assert_eq!(nearest.distance(vertex), all.distance(vertex).filter(|_| is_near));
                assert_eq!(nearest.source_of(vertex), all.source_of(vertex).filter(|_| is_near));
            }
            let paths = solver.k_shortest_paths(0, target, 3).unwrap().answer;
            let mut unlimited = Solver::new(graph, &config).unwrap();
            let mut expected = unlimited.k_shortest_paths(0, target, 3).unwrap().answer;
            expected.retain(|path| path.length <= limit);
            assert_eq!(paths, expected);
        }
    }
    let tree = oracle::tree(graph, 0, None).unwrap();
    let path = shortest_path(graph, 0, target).unwrap();
    assert_eq!(path.as_ref().map(|path| path.length), tree.distance(target));
    assert_eq!(path.map(|path| path.vertices), tree.path_to(target));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn integers(graph in arbitrary_graph::<u32>(16, 50, 0..=3), target in 0u32..16) {
        check(&graph, target % graph.n_vertices() as u32);
    }

    #[test]
    fn signed(graph in arbitrary_graph::<i64>(16, 50, 0..=9), target in 0u32..16) {
        check(&graph, target % graph.n_vertices() as u32);
    }

    #[test]
    fn floats(graph in arbitrary_graph::<u32>(16, 50, 0..=3), target in 0u32..16) {
        let target = target % graph.n_vertices() as u32;
        // sums are rounded, and small weights vanish in them
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, 1e8f32 * (w / 2) as f32)).collect();
        check(&Csr::from_arcs(graph.n_vertices(), &arcs).unwrap(), target);
        let third: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, f64::from(w) / 3.0)).collect();
        check(&Csr::from_arcs(graph.n_vertices(), &third).unwrap(), target);
    }
}

/// In a graph in which a whole search settles 160,000 vertices.
#[test]
fn a_search_costs_what_lies_within() {
    for weights in [1..=9, 1..=1, 0..=3] {
        let options = GraphOptions { weights: weights.clone(), ..GraphOptions::default() };
        let square = grid(&GridConfig { side: 400, options, ..GridConfig::default() }).unwrap();
        let source = 200 * 400 + 200;
        let expected = oracle::tree(&square, source, Some(6)).unwrap();
        let mut solver = Solver::new(&square, &Config::default()).unwrap();
        let found = solver.within(&[source], 6).unwrap();
        assert_eq!(found.plan.algorithm, "dijkstra", "{weights:?}: {}", found.plan);
        assert_eq!(found.work.settled, expected.distances.n_reached() as u64);
        assert_eq!(found.answer[0].to_tree(square.n_vertices()), expected);
        let table = solver.with_cutoff(6).unwrap().table(&[source; 5], &[source, 0]).unwrap();
        assert_eq!(table.work.settled, 5 * found.work.settled);
        assert_eq!(table.row(4).collect::<Vec<_>>(), [Some(0), None]);
    }
}

/// Searches that reach too much are left to the algorithm that the solver has chosen.
#[test]
fn large_radii() {
    let square = grid(&GridConfig { side: 100, ..GridConfig::default() }).unwrap();
    let radius = oracle::tree(&square, 0, None).unwrap().distances.max().unwrap() / 2;
    let mut solver = Solver::new(&square, &Config::default()).unwrap();
    let found = solver.within(&[0, 5050], radius).unwrap();
    assert_eq!(found.plan.algorithm, "delta-stepping");
    for near in &found.answer {
        let expected = oracle::tree(&square, near.source, Some(radius)).unwrap();
        assert_eq!(near.to_tree(square.n_vertices()), expected);
    }
}

/// Each thread has a solver of its own.
#[test]
fn a_cutoff_holds_on_all_threads() {
    let square = grid(&GridConfig { side: 30, ..GridConfig::default() }).unwrap();
    for threads in 1..=3 {
        let config = Config { threads: NonZeroUsize::new(threads), ..Config::default() };
        let mut solver = Solver::new(&square, &config).unwrap().with_cutoff(200).unwrap();
        let sources = [0, 450, 899];
        let (rows, _) = solver.trees(&sources, Goal::All).unwrap().answer;
        for (row, source) in sources.into_iter().enumerate() {
            let expected = oracle::tree(&square, source, Some(200)).unwrap().distances;
            assert!(rows.row(row).eq(expected.iter()), "{threads} threads, from {source}");
        }
    }
}

#[test]
fn limits_that_are_none() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1.5f32), (1, 2, 2.0)]).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    assert!(matches!(solver.within(&[0], f32::NAN), Err(SsspError::BadCutoff(_))));
    let none = solver.within(&[0, 1], -1.0).unwrap().answer;
    assert!(
        none.iter().all(|near| near.vertices().is_empty() && near.path_to(near.source).is_none())
    );
    assert_eq!(solver.within(&[0], f32::INFINITY).unwrap()[0].vertices(), [0, 1, 2]);
    assert!(matches!(solver.within(&[3], 1.0), Err(SsspError::NoSuchVertex { vertex: 3, .. })));
    assert!(solver.within(&[], 1.0).unwrap().is_empty());
    assert!(matches!(solver.with_cutoff(f32::NAN).err(), Some(SsspError::BadCutoff(_))));
    let solver = Solver::new(&graph, &Config::default()).unwrap();
    let mut solver = solver.with_cutoff(-1.0).unwrap();
    assert_eq!(solver.table(&[0], &[0]).unwrap().get(0, 0), None);
    assert_eq!(solver.nearest(&[0]).unwrap().distance(0), None);
    let negative = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let solver = Solver::new(&negative, &Config::default()).unwrap();
    let error = solver.with_cutoff(5).err();
    assert!(matches!(error, Some(SsspError::NegativeWeight { what: "a cutoff", .. })));
}

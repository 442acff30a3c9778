//! Nonnegative weights of signed types: algorithms on keys read them as unsigned, and have the same
//! results as for unsigned types.

use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::{Csr, Distance, VertexId, Weight};
use paths::{Distances, Tree};
use proptest::prelude::*;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{configs, solver};

/// Distances as `i128`, to compare them across types.
fn numbers<D: Distance>(distances: impl IntoIterator<Item = Option<D>>) -> Vec<Option<i128>> {
    distances.into_iter().map(|d| d.map(|d| d.to_i128().expect("an integer"))).collect()
}

fn of_distances<D: Distance>(distances: &Distances<D>) -> Vec<Option<i128>> {
    numbers(distances.iter())
}

fn assert_same_tree<S: Weight, U: Weight>(signed: &Tree<S>, unsigned: &Tree<U>, name: &str) {
    assert_eq!(of_distances(&signed.distances), of_distances(&unsigned.distances), "{name}");
    assert_eq!(signed.predecessors, unsigned.predecessors, "{name}");
    assert_eq!(numbers([signed.limit]), numbers([unsigned.limit]), "{name}");
}

/// All, a target, few vertices, and all by their limit.
fn goals<D: Distance>(distances: &Distances<D>, target: VertexId) -> [Goal<D>; 4] {
    let farthest = distances.max().expect("the source is reached");
    [Goal::All, Goal::Target(target), Goal::Within(D::ONE), Goal::Within(farthest)]
}

/// Compares distances, trees and tables with every configuration for `unsigned`, which has the arcs
/// of `signed`.
fn agree<S: SearchWeight, U: SearchWeight>(signed: &Csr<S>, unsigned: &Csr<U>) {
    let n = unsigned.n_vertices() as VertexId;
    let some: Vec<_> = unsigned.vertices().filter(|v| [0, n / 2, n - 1].contains(v)).collect();
    for config in configs(unsigned) {
        let name = format!("{}, {config:?}", S::KIND);
        let (mut signed, mut unsigned) = (solver(signed, &config), solver(unsigned, &config));
        for &source in &some {
            let distances = signed.distances(source, Goal::All).unwrap();
            let expected = unsigned.distances(source, Goal::All).unwrap();
            assert_eq!(of_distances(&distances), of_distances(&expected), "{name}");
            for (goal, same) in goals(&distances, n - 1).into_iter().zip(goals(&expected, n - 1)) {
                let tree = signed.tree(source, goal).unwrap();
                assert_same_tree(&tree, &unsigned.tree(source, same).unwrap(), &name);
            }
        }
        let table = signed.table(&some, &some).unwrap();
        let expected = unsigned.table(&some, &some).unwrap();
        for row in 0..some.len() {
            assert_eq!(numbers(table.row(row)), numbers(expected.row(row)), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn small_weights(graph in arbitrary_graph::<u32>(30, 120, 0..=20)) {
        agree(&graph.clone().convert_weights::<i32>().unwrap(), &graph);
        let wide = graph.convert_weights::<u64>().unwrap();
        agree(&wide.clone().convert_weights::<i64>().unwrap(), &wide);
    }

    /// Sums need 64 bits.
    #[test]
    fn large_weights(graph in arbitrary_graph::<u64>(30, 120, 0..=1 << 56)) {
        agree(&graph.clone().convert_weights::<i64>().unwrap(), &graph);
        let halves = graph.arcs().map(|(u, v, w)| (u, v, (w >> 26) as u32)).collect::<Vec<_>>();
        let narrow = Csr::from_edges(graph.n_vertices(), &halves).unwrap();
        agree(&narrow.clone().convert_weights::<i32>().unwrap(), &narrow);
    }
}

#[test]
fn corner_cases_agree() {
    for (_, graph) in corner_cases::<i32>().into_iter().filter(|(_, g)| g.n_vertices() < 2000) {
        agree(&graph, &graph.clone().convert_weights::<u32>().unwrap());
    }
    for (_, graph) in corner_cases::<i64>().into_iter().filter(|(_, g)| g.n_vertices() < 2000) {
        agree(&graph, &graph.clone().convert_weights::<u64>().unwrap());
    }
}

/// Long arcs are deferred, and levels of equal weights pulled.
#[test]
fn rmat_agrees() {
    let graph = rmat(&RmatConfig { scale: 10, edge_factor: 16, ..Default::default() }).unwrap();
    agree(&graph.clone().convert_weights::<i32>().unwrap(), &graph);
    let equal = graph.unweighted::<u64>();
    agree(&equal.clone().convert_weights::<i64>().unwrap(), &equal);
}

/// Keys are sums in `u64`, which can be greater than any `i64`.
#[test]
fn sums_beyond_i64_overflow_and_those_before_are_found() {
    let half = 1i64 << 62;
    // the sum is 2^63 − 1, the code for unreached, or greater
    for second in [half - 1, half, i64::MAX - 1] {
        let graph = Csr::from_arcs(4, &[(0, 1, half), (1, 2, second), (2, 3, 1)]).unwrap();
        let unsigned = graph.clone().convert_weights::<u64>().unwrap();
        for config in configs(&graph) {
            let sum = half as u64 + second as u64;
            let distances = solver(&unsigned, &config).distances(0, Goal::All).unwrap();
            assert_eq!((distances.get(2), distances.get(3)), (Some(sum), Some(sum + 1)));
            let mut solver = solver(&graph, &config);
            let overflow = Some(SsspError::Overflow { vertex: 2, kind: "i64" });
            for goal in [Goal::All, Goal::Target(2), Goal::Target(3)] {
                assert_eq!(solver.distances(0, goal).err(), overflow, "{goal:?}, {config:?}");
                assert_eq!(solver.tree(0, goal).err(), overflow, "{goal:?}, {config:?}");
            }
            assert_eq!(solver.table(&[2, 0], &[3]).err(), overflow, "{config:?}");
            assert_eq!(solver.nearest(&[0]).err(), overflow, "{config:?}");
            assert_eq!(solver.k_shortest_paths(0, 2, 1).err(), overflow, "{config:?}");
            // within the type, nothing overflows
            for goal in [Goal::Target(1), Goal::Within(half), Goal::Within(i64::MAX - 1)] {
                let tree = solver.tree(0, goal).unwrap();
                let found: Vec<_> = tree.distances.iter().collect();
                assert_eq!(found, [Some(0), Some(half), None, None], "{goal:?}, {config:?}");
                assert_eq!(tree.path_to(1), Some(vec![0, 1]), "{goal:?}, {config:?}");
            }
            let table = solver.table(&[1, 0], &[1]).unwrap();
            assert_eq!((table.get(0, 0), table.get(1, 0)), (Some(0), Some(half)), "{config:?}");
            assert_eq!(solver.k_shortest_paths(0, 1, 1).unwrap()[0].length, half, "{config:?}");
        }
    }
    // the greatest distance of the type
    let graph = Csr::from_arcs(3, &[(0, 1, half), (1, 2, half - 2)]).unwrap();
    for config in configs(&graph) {
        let tree = solver(&graph, &config).tree(0, Goal::All).unwrap();
        assert_eq!(tree.distance(2), Some(i64::MAX - 1), "{config:?}");
    }
}

#[test]
fn what_is_too_far_for_its_type_has_no_predecessor() {
    let arcs = [0, 1, 2].map(|tail| (tail, tail + 1, 1i64 << 62));
    let graph = Csr::from_arcs(6, &arcs).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    // no path leads there, so that no distance is too far for the question
    let tree = solver.tree(0, Goal::Target(5)).unwrap().answer;
    for vertex in 1..6 {
        let has = (tree.distance(vertex).is_some(), tree.predecessors.get(vertex).is_some());
        assert_eq!(has, (vertex == 1, vertex == 1), "{vertex}");
    }
}

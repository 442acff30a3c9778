//! The k shortest simple paths, with every algorithm, equal those by the distances of the oracle.

use std::ops::ControlFlow;

use graph_formats::{Csr, VertexId};
use paths::oracle;
use proptest::prelude::*;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::{
    arbitrary_graph, large_detours, road_with_detours, small_graph_tests, streets, undirected,
};

use crate::common::{configs, corner_case_tests, solver};

/// The paths by the distances of the oracle.
fn expected<W: SearchWeight>(
    graph: &Csr<W>,
    target: VertexId,
    k: usize,
) -> Result<k_paths::Found<W::Distance>, SsspError> {
    let to_target = oracle::dijkstra(&graph.transposed(), target).unwrap();
    k_paths::k_shortest_paths(graph, 0, target, k, |vertex| to_target.get(vertex), None)
}

/// Checks paths and errors with every configuration, for all of `targets` and `ks`.
fn check<W: SearchWeight>(graph: &Csr<W>, configs: &[Config], targets: &[VertexId], ks: &[usize]) {
    for config in configs {
        let mut solver = solver(graph, config);
        for (&target, &k) in targets.iter().flat_map(|target| ks.iter().map(move |k| (target, k))) {
            let found = solver.k_shortest_paths(0, target, k).map(|found| found.answer);
            let expected = expected(graph, target, k).map(|found| found.paths);
            assert_eq!(found, expected, "{k} to {target}, {config:?}");
        }
    }
}

fn check_all_targets<W: SearchWeight>(graph: &Csr<W>) {
    let targets: Vec<_> = graph.vertices().collect();
    check(graph, &[Config::default()], &targets, &[1, 2, 3, 7, usize::MAX]);
}

small_graph_tests! { check_all_targets;
small_graphs_of_u32 u32, small_graphs_of_i32 i32, small_graphs_of_u64 u64, small_graphs_of_i64 i64, small_graphs_of_f32 f32, small_graphs_of_f64 f64 }

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_same_with_every_algorithm(graph in arbitrary_graph::<u32>(30, 90, 0..=4)) {
        for graph in [undirected(&graph), graph] {
            check(&graph, &configs(&graph), &[graph.n_vertices() as VertexId - 1], &[20]);
        }
    }
}

fn check_some_targets<W: SearchWeight>(_: &str, graph: &Csr<W>) {
    let n = graph.n_vertices() as VertexId;
    let targets = graph.vertices().filter(|v| [0, n / 2, n - 1].contains(v));
    check(graph, &[Config::default()], &targets.collect::<Vec<_>>(), &[5]);
}

corner_case_tests! { check_some_targets;
corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_f32 f32, corner_cases_f64 f64 }

/// A path that overflows is an error only if there are fewer than k others.
#[test]
fn no_length_wraps() {
    fn check_sums<W: SearchWeight>(large: W) {
        for graph in large_detours(large) {
            check(&graph, &configs(&graph), &[3], &[2, 3]);
            assert!(matches!(expected(&graph, 3, 3), Err(SsspError::Overflow { vertex: 3, .. })));
        }
    }
    check_sums(u64::MAX - 1);
    check_sums(i64::MAX - 1);
    check_sums(f32::MAX);
    check_sums(f64::MAX);
}

/// Invalid queries are errors before the search.
#[test]
fn what_is_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 0, -2)]).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    let refused = solver.k_shortest_paths(0, 2, 2);
    assert!(matches!(refused, Err(SsspError::NegativeWeight { from: 1, to: 0, .. })));
    let refused = solver.k_shortest_paths(3, 2, 2);
    assert!(matches!(refused, Err(SsspError::NoSuchVertex { role: "source", vertex: 3, .. })));
    let refused = solver.k_shortest_paths(0, 4, 2);
    assert!(matches!(refused, Err(SsspError::NoSuchVertex { role: "target", vertex: 4, .. })));
}

#[test]
fn the_callback_may_end_it() {
    let graph = streets(4);
    let stop = |done, _| if done == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let mut solver = Solver::new(&graph, &Config::default()).unwrap().with_progress(&stop);
    let interrupted = solver.k_shortest_paths(0, 15, 50);
    assert!(matches!(interrupted, Err(SsspError::Interrupted(_))));
    assert_eq!(solver.k_shortest_paths(0, 15, 2).map(|paths| paths.len()), Ok(2));
}

/// The work is that of the search from the target plus that of the searches for paths.
#[test]
fn all_work_is_counted() {
    let graph = road_with_detours(20_000);
    let (transposed, config) = (graph.transposed(), Config::default());
    let mut solver = Solver::new(&transposed, &config).unwrap();
    let mut work = solver.distances(600, Goal::All).unwrap().work;
    work.add(&expected(&graph, 600, 50).unwrap().work);
    let mut solver = Solver::new(&graph, &config).unwrap();
    assert_eq!(solver.k_shortest_paths(0, 600, 50).unwrap().work, work);
}

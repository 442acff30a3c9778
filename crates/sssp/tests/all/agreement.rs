//! Every solver's result equals the oracle's bit for bit, predecessors included.

use std::num::NonZeroUsize;

use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::{Csr, VertexId, Weight};
use paths::certificate::{check_negative_cycle, check_tree};
use paths::oracle::{self, OracleError};
use proptest::prelude::*;
use sssp::{Algorithm, Config, Delta, Goal, SearchWeight, SsspError, Work};
use test_support::arbitrary_graph;

use crate::common::{configs, corner_case_tests, solver, tree};

/// All solvers against the oracle, from some sources, with one solver for each configuration.
fn agree<W: SearchWeight>(name: &str, graph: &Csr<W>, configs: &[Config]) {
    let n = graph.n_vertices() as VertexId;
    let mut sources: Vec<_> =
        [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&v| v < n).collect();
    sources.dedup();
    let expected: Vec<_> =
        sources.iter().map(|&s| oracle::tree(graph, s, None).expect("an answer")).collect();
    for config in configs {
        let mut solver = solver(graph, config);
        for (&source, expected) in sources.iter().zip(&expected) {
            let tree = solver.tree(source, Goal::All).expect("an answer");
            assert!(tree.answer == *expected, "{name}, {}, from {source}, {config:?}", W::KIND);
        }
    }
}

corner_case_tests! { |name, graph| agree(name, graph, &configs(graph));
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32, corner_cases_f64 f64 }

/// Undirected graphs, dense enough for long arcs to be deferred.
fn dense<W: Weight>(max_weight: i64) -> impl Strategy<Value = Csr<W>> {
    arbitrary_graph::<W>(24, 260, 0..=max_weight).prop_map(|graph| {
        let edges: Vec<_> = graph.arcs().collect();
        Csr::from_edges(graph.n_vertices(), &edges).expect("edges between vertices")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn directed(graph in arbitrary_graph::<u32>(40, 160, 0..=20)) {
        agree("arbitrary", &graph, &configs(&graph));
    }

    #[test]
    fn undirected(graph in dense::<u32>(255)) {
        agree("dense", &graph, &configs(&graph));
    }

    #[test]
    fn undirected_of_few_weights(graph in dense::<i64>(6)) {
        agree("dense", &graph, &configs(&graph));
    }

    #[test]
    fn undirected_floats(graph in dense::<f32>(1000)) {
        // thirds, so that sums round
        let arcs: Vec<_> = graph.arcs().filter(|a| a.0 <= a.1).map(|(u, v, w)| (u, v, w / 3.0)).collect();
        let graph = Csr::from_edges(graph.n_vertices(), &arcs).unwrap();
        agree("thirds", &graph, &configs(&graph));
    }

    #[test]
    fn negative_weights(graph in arbitrary_graph::<i32>(12, 40, -3..=20)) {
        for config in configs(&graph) {
            match (tree(&graph, 0, &config), oracle::tree(&graph, 0, None)) {
                (Ok(tree), Ok(expected)) => prop_assert!(tree == expected, "{:?}", config),
                (Err(SsspError::NegativeCycle { cycle }), Err(OracleError::NegativeCycle { .. })) => {
                    prop_assert!(check_negative_cycle(&graph, &cycle).is_ok(), "{:?}: {:?}", config, cycle);
                }
                (answer, expected) => prop_assert!(false, "{:?}: {:?} for {:?}", config, answer, expected),
            }
        }
    }
}

#[test]
fn rmat_is_certified() {
    let graph = rmat(&RmatConfig { scale: 12, edge_factor: 16, ..Default::default() }).unwrap();
    let configs = configs(&graph);
    for source in graph.vertices().step_by(1013) {
        let expected = oracle::tree(&graph, source, None).unwrap();
        check_tree(&graph, &expected).unwrap();
        for config in configs.iter().filter(|c| is_stepping(c)) {
            let tree = tree(&graph, source, config).unwrap();
            assert!(tree == expected, "from {source}, {config:?}");
        }
    }
    agree("R-MAT", &graph, &configs);
}

fn is_stepping(config: &Config) -> bool {
    matches!(config.algorithm, Some(Algorithm::DeltaStepping(_)))
}

/// Δ-stepping, which defers long arcs if the graph is dense.
fn for_many_searches() -> Config {
    let expected_searches = NonZeroUsize::new(100);
    Config { expected_searches, ..Config::with(Algorithm::DeltaStepping(Delta::Auto)) }
}

/// The short arcs are copied only if enough searches are expected.
#[test]
fn one_search_defers_no_arcs() {
    let graph = rmat(&RmatConfig { scale: 13, edge_factor: 16, ..Default::default() }).unwrap();
    let source = graph.vertices().find(|&v| graph.out_degree(v) > 0).unwrap();
    let work = |config: &Config| {
        let mut solver = solver(&graph, config);
        let found = solver.distances(source, Goal::All).unwrap();
        (found.work.relaxations, found.answer)
    };
    let (once, distances) = work(&Config::with(Algorithm::DeltaStepping(Delta::Auto)));
    let (often, same) = work(&for_many_searches());
    assert!(once > often && distances == same, "{once} and {often} relaxations");
}

#[test]
fn deferring_saves_arcs() {
    let graph = rmat(&RmatConfig { scale: 14, edge_factor: 16, ..Default::default() }).unwrap();
    let source = graph.vertices().find(|&v| graph.out_degree(v) > 0).unwrap();
    let mut solver = solver(&graph, &for_many_searches());
    let distances = solver.distances(source, Goal::All).unwrap();
    paths::certificate::check_distances(&graph, source, None, &distances).unwrap();
    let relaxed = distances.work.relaxations as f64 / graph.n_arcs() as f64;
    assert!(relaxed < 0.7, "{relaxed} of the arcs");
}

/// Scaled weights change neither the scaled distances nor the work.
#[test]
fn units_of_weights_do_not_matter() {
    fn work_in<W: SearchWeight>(graph: &Csr<u32>, source: VertexId, unit: f64) -> (Work, Vec<f64>) {
        let scaled = |w: u32| W::from_f64(f64::from(w) * unit).expect("a weight");
        let edges: Vec<_> = graph.arcs().filter(|arc| arc.0 <= arc.1).collect();
        let edges: Vec<_> = edges.into_iter().map(|(u, v, w)| (u, v, scaled(w))).collect();
        let graph = Csr::from_edges(graph.n_vertices(), &edges).unwrap();
        let mut solver = solver(&graph, &for_many_searches());
        let distances = solver.distances(source, Goal::All).unwrap();
        (distances.work, distances.iter().map(|d| d.map_or(-1.0, |d| d.to_f64() / unit)).collect())
    }
    let graph = rmat(&RmatConfig { scale: 12, edge_factor: 16, ..Default::default() }).unwrap();
    let source = graph.vertices().find(|&v| graph.out_degree(v) > 0).unwrap();
    let (work, distances) = work_in::<f64>(&graph, source, 1.0);
    assert!(work.relaxations < graph.n_arcs() as u64 * 3 / 4, "long arcs are deferred: {work:?}");
    for exponent in [-60, -20, -8, -7, -6, -1, 1, 30] {
        let unit = f64::from(exponent).exp2();
        assert_eq!(work_in::<f32>(&graph, source, unit), (work, distances.clone()), "{unit}");
        assert_eq!(work_in::<f64>(&graph, source, unit), (work, distances.clone()), "{unit}");
    }
}

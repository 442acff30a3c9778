//! The same answers as the oracle, on graphs of all kinds and with weights of all types.

use graph_formats::generate::{GeometricConfig, GraphOptions, GridConfig, geometric, grid};
use graph_formats::{Csr, Direction, VertexId};
use hierarchy::{HierarchyError, MetricWeight};
use paths::oracle;
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, forest, some_vertices};

use crate::common::{check, hierarchy_of};

fn check_corner_cases<W: MetricWeight>() {
    for (name, graph) in corner_cases::<W>() {
        println!("{name}");
        let hierarchy = hierarchy_of(&graph);
        match hierarchy.customize(&graph) {
            // floats near the greatest of all
            Err(HierarchyError::SumsTooLarge { .. }) => {
                assert!(graph.weight_summary().sum_of_sizes > f64::MAX / 1.1, "{name}");
            }
            metric => check(&graph, &metric.unwrap(), &some_vertices(&graph, 9)),
        }
    }
}

#[test]
fn corner_cases_of_all_types() {
    check_corner_cases::<u32>();
    check_corner_cases::<i32>();
    check_corner_cases::<u64>();
    check_corner_cases::<i64>();
    check_corner_cases::<f32>();
    check_corner_cases::<f64>();
}

#[test]
fn grids_and_points_with_one_way_arcs_and_without() {
    for (direction, least) in
        [(Direction::Directed, 0), (Direction::Directed, 1), (Direction::Undirected, 1)]
    {
        let options = GraphOptions { weights: least..=50, direction, ..Default::default() };
        let square =
            grid(&GridConfig { side: 40, options: options.clone(), ..Default::default() }).unwrap();
        let points = GeometricConfig { n_vertices: 2_000, options, ..Default::default() };
        for graph in [square, geometric(&points).unwrap()] {
            let hierarchy = hierarchy_of(&graph);
            let metric = hierarchy.customize(&graph).unwrap();
            check(&graph, &metric, &some_vertices(&graph, 40));
        }
    }
}

/// More sources than share a pass, and some of them twice.
#[test]
fn sources_and_targets_may_be_there_twice() {
    let graph = grid(&GridConfig { side: 12, ..Default::default() }).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    let vertices: Vec<VertexId> = (0..100).map(|i| i * i % 77).collect();
    check(&graph, &metric, &vertices);
}

/// Labels are made for these.
#[test]
fn thousands_of_pairs() {
    let options = GraphOptions { weights: 0..=50, ..Default::default() };
    let graph = grid(&GridConfig { side: 30, options, ..Default::default() }).unwrap();
    let metric = hierarchy_of(&graph).customize(&graph).unwrap();
    let pairs: Vec<_> = (0..900).flat_map(|s| (0..900).map(move |t| (s, t))).collect();
    let found = metric.pairs(&pairs).unwrap();
    for (row, source) in found.chunks(900).zip(0..) {
        assert!(oracle::dijkstra(&graph, source).unwrap().iter().eq(row.iter().copied()));
    }
    let beyond = [&pairs[..], &[(0, 900)]].concat();
    let error = HierarchyError::NoSuchVertex { role: "target", vertex: 900, n_vertices: 900 };
    assert_eq!(metric.pairs(&beyond), Err(error));
}

#[test]
fn trees() {
    for seed in 0..4 {
        let graph = forest(3_000, 3_000, seed);
        let hierarchy = hierarchy_of(&graph);
        assert!(hierarchy.height() < 100, "{}", hierarchy.height());
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &some_vertices(&graph, 20));
    }
}

/// Sums that leave 32 bits, and such as leave 64 on the way to none that does.
#[test]
fn wide_sums() {
    let weights = [u32::MAX, u32::MAX - 1, 3];
    let arcs: Vec<_> = (0..50u32).map(|v| (v, v + 1, weights[v as usize % 3])).collect();
    let graph = Csr::from_arcs(51, &arcs).unwrap();
    let hierarchy = hierarchy_of(&graph);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &(0..51).collect::<Vec<_>>());

    let half = u64::MAX / 2;
    let arcs = [(0, 1, half), (1, 2, half), (2, 3, half), (1, 3, 7)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let hierarchy = hierarchy_of(&graph);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &[1, 2, 3]);
}

proptest! {
    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(40, 120, 0..=9)) {
        let hierarchy = hierarchy_of(&graph);
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &graph.vertices().collect::<Vec<_>>());
    }

    /// Many paths are as short; labels tell one where no arc weighs nothing.
    #[test]
    fn graphs_of_ties(graph in arbitrary_graph::<u64>(40, 120, 1..=3)) {
        let hierarchy = hierarchy_of(&graph);
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &graph.vertices().collect::<Vec<_>>());
    }

    /// More vertices than are ordered by least degree.
    #[test]
    fn larger_graphs_of_floats(graph in arbitrary_graph::<f32>(300, 400, 0..=9)) {
        let hierarchy = hierarchy_of(&graph);
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &some_vertices(&graph, 20));
    }
}

//! The k shortest paths are those by the distances of the oracle.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, Interrupted, VertexId, read};
use hierarchy::{HierarchyError, Metric, MetricWeight};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, data, some_vertices};

use crate::common::{hierarchy_of, k_shortest};

fn check<W: MetricWeight>(graph: &Csr<W>, metric: &Metric<W>, vertices: &[VertexId], k: usize) {
    for &source in vertices {
        for &target in vertices {
            let found = metric.k_shortest_paths(source, target, k, None);
            match k_shortest(graph, source, target, k) {
                Some(expected) => assert_eq!(found.unwrap(), expected, "{source} -> {target}"),
                None => assert!(matches!(found, Err(HierarchyError::Overflow { .. }))),
            }
        }
    }
}

fn check_corner_cases<W: MetricWeight>() {
    for (name, graph) in corner_cases::<W>() {
        println!("{name}");
        if let Ok(metric) = hierarchy_of(&graph).customize(&graph) {
            check(&graph, &metric, &some_vertices(&graph, 3), 5);
        }
    }
}

#[test]
fn corner_cases_of_all_types() {
    check_corner_cases::<u32>();
    check_corner_cases::<i32>();
    check_corner_cases::<u64>();
    check_corner_cases::<i64>();
    check_corner_cases::<f64>();
}

#[test]
fn grids_have_many_paths_as_short() {
    let graph = grid(&GridConfig { side: 15, ..Default::default() }).unwrap();
    let hierarchy = hierarchy_of(&graph);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &[0, 17, 112, 224], 30);
}

#[test]
fn a_callback_hears_of_paths_and_ends_the_work() {
    let graph = grid(&GridConfig { side: 15, ..Default::default() }).unwrap();
    let metric = hierarchy_of(&graph).customize(&graph).unwrap();
    let heard = AtomicU64::new(0);
    let tell = |done: u64, total: u64| {
        assert!(heard.swap(done, Relaxed) <= done && total == 30);
        if done < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let found = metric.k_shortest_paths(0, 224, 30, Some(&tell));
    assert_eq!(found, Err(Interrupted.into()));
    assert_eq!(heard.into_inner(), 7);
}

#[test]
fn rome() {
    let Some(path) = data("dimacs/rome99.gr") else { return };
    let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
    let hierarchy = hierarchy_of(&graph);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &some_vertices(&graph, 5), 20);
}

proptest! {
    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<u32>(12, 40, 0..=4)) {
        let hierarchy = hierarchy_of(&graph);
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &graph.vertices().collect::<Vec<_>>(), 12);
    }
}

//! Tables and nearest sources against single searches.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use graph_formats::{Csr, VertexId};
use paths::certificate::check_nearest;
use paths::oracle;
use paths::zoo::arbitrary_graph;
use proptest::prelude::*;
use sssp::{Algorithm, Config, SsspError, distance_table, nearest_sources};

fn vertices() -> impl Strategy<Value = Vec<VertexId>> {
    prop::collection::vec(0u32..1000, 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_table_is_its_rows(
        graph in arbitrary_graph::<u32>(30, 120, 0..=9), sources in vertices(), targets in vertices(),
    ) {
        let n = graph.n_vertices() as VertexId;
        let wrap = |ids: &[VertexId]| ids.iter().map(|v| v % n).collect::<Vec<_>>();
        let (sources, targets) = (wrap(&sources), wrap(&targets));
        for threads in 1..=3 {
            for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.runs_on_cpu()) {
                let threads = NonZeroUsize::new(threads);
                let config = Config { threads, ..Config::with(algorithm) };
                let table = distance_table(&graph, &sources, &targets, &config, None).unwrap();
                for (i, &source) in sources.iter().enumerate() {
                    let distances = oracle::dijkstra(&graph, source).unwrap();
                    for (j, &target) in targets.iter().enumerate() {
                        prop_assert_eq!(table.get(i, j), distances.get(target));
                    }
                }
            }
        }
    }

    #[test]
    fn nearest_is_certified(graph in arbitrary_graph::<i64>(30, 90, 0..=3), sources in vertices()) {
        let n = graph.n_vertices() as VertexId;
        let sources: Vec<_> = sources.iter().map(|v| v % n).collect();
        let nearest = nearest_sources(&graph, &sources, None).unwrap();
        check_nearest(&graph, &sources, &nearest).unwrap();
        prop_assert_eq!(nearest, oracle::nearest(&graph, &sources).unwrap());
    }
}

#[test]
fn tables_of_negative_weights() {
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (0, 2, 3), (2, 1, -2)]).unwrap();
    let table = distance_table(&graph, &[0, 2], &[1], &Config::default(), None).unwrap();
    assert_eq!([table.get(0, 0), table.get(1, 0)], [Some(1), Some(-2)]);
    let nearest = nearest_sources(&graph, &[0], None);
    assert!(matches!(nearest, Err(SsspError::NegativeWeight { from: 2, to: 1, .. })));
}

#[test]
fn strangers_are_named() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let config = Config::default();
    let source = distance_table(&graph, &[0, 7], &[1], &config, None);
    assert!(matches!(source, Err(SsspError::NoSuchVertex { role: "source", vertex: 7, .. })));
    let target = distance_table(&graph, &[0], &[2], &config, None);
    assert!(matches!(target, Err(SsspError::NoSuchVertex { role: "target", vertex: 2, .. })));
    assert!(nearest_sources(&graph, &[2], None).is_err());
}

#[test]
fn a_table_beyond_memory_is_refused_before_it_starts() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let many = vec![0; 20_000_000];
    let table = distance_table(&graph, &many, &many, &Config::default(), None);
    let bytes = 20_000_000u128 * 20_000_000 * 8;
    assert!(matches!(table, Err(SsspError::TableTooLarge { bytes: b, .. }) if b == bytes));
}

#[test]
fn a_table_can_be_interrupted() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let stop = |done, _| if done < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let table = distance_table(&graph, &[0; 50], &[1], &Config::default(), Some(&stop));
    assert!(matches!(table, Err(SsspError::Interrupted)));
}

//! Searches from many sources at once, compared with single searches.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use breadth_first::HopCounter;
use graph_formats::generate::{GraphOptions, GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, Direction, VertexId, Weight};
use paths::{HopSums, oracle};
use proptest::prelude::*;
use search_parts::SearchError;
use test_support::{arbitrary_graph, corner_cases, undirected};

/// The sums over single searches.
fn one_by_one<W: Weight>(graph: &Csr<W>, sources: &[VertexId]) -> HopSums {
    let n = graph.n_vertices();
    let arcs: Vec<_> = graph.arcs().map(|(from, to, _)| (from, to, 1u32)).collect();
    let hops = Csr::from_arcs(n, &arcs).unwrap();
    let mut sums = HopSums::new(n);
    for &source in sources {
        let distances = oracle::dijkstra(&hops, source).unwrap();
        for v in graph.vertices() {
            let Some(hops) = distances.get(v) else { continue };
            let v = v as usize;
            sums.n_sources[v] += 1;
            sums.sums[v] += hops;
            sums.greatest[v] = sums.greatest[v].max(hops as u32);
            sums.reciprocals[v] += if hops == 0 { 0 } else { (1 << 64) / u128::from(hops) };
            sums.by_hop.resize(sums.by_hop.len().max(hops as usize + 1), 0);
            sums.by_hop[hops as usize] += 1;
        }
    }
    sums
}

fn by_threads<W: Weight>(graph: &Csr<W>, sources: &[VertexId], threads: usize) -> HopSums {
    HopCounter::new(graph, &[], NonZeroUsize::new(threads)).sums(sources, None).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Directed and undirected graphs, repeated sources, and isolated vertices.
    #[test]
    fn sums_are_those_of_single_searches(
        graph in arbitrary_graph::<u32>(60, 150, 0..=9),
        sources in prop::collection::vec(0u32..1000, 0..200),
    ) {
        let n = graph.n_vertices() as VertexId;
        let sources: Vec<_> = sources.iter().map(|v| v % n).collect();
        for graph in [undirected(&graph), graph] {
            let expected = one_by_one(&graph, &sources);
            for threads in 1..=3 {
                prop_assert_eq!(&by_threads(&graph, &sources, threads), &expected);
            }
        }
    }

    /// Any order and any division of the sources gives the same sums.
    #[test]
    fn sums_add_up(
        graph in arbitrary_graph::<u32>(40, 120, 1..=1),
        sources in Just((0u32..40).collect::<Vec<_>>()).prop_shuffle(),
        cut in 0..40usize,
    ) {
        let n = graph.n_vertices() as VertexId;
        let sources: Vec<_> = sources.iter().map(|v| v % n).collect();
        let (some, others) = sources.split_at(cut);
        let mut sums = by_threads(&graph, some, 1);
        sums.add(&by_threads(&graph, others, 2));
        prop_assert_eq!(sums, by_threads(&graph, &sources, 1));
    }
}

#[test]
fn sums_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>() {
        // about 100 sources: the longest path has 10,000 vertices
        let step = graph.n_vertices() / 100 + 1;
        let sources: Vec<_> = graph.vertices().step_by(step).collect();
        assert_eq!(by_threads(&graph, &sources, 2), one_by_one(&graph, &sources), "{name}");
    }
}

/// Batches of every width, pushed and pulled, by one thread each and by all together.
#[test]
fn sums_of_graphs_with_many_levels_and_with_few() {
    let directed = GraphOptions { direction: Direction::Directed, ..Default::default() };
    let rmat = |options| rmat(&RmatConfig { scale: 11, options, ..Default::default() }).unwrap();
    let grid = grid(&GridConfig { side: 45, ..Default::default() }).unwrap();
    for graph in [rmat(GraphOptions::default()), rmat(directed), grid] {
        for n_sources in [1, 63, 64, 65, 130, 300, 512, 513, 1200, 2025] {
            let sources: Vec<_> =
                (0..n_sources).map(|i| (i * 1009 % graph.n_vertices()) as VertexId).collect();
            let expected = by_threads(&graph, &sources, 1);
            for threads in [2, 3, 8] {
                assert_eq!(by_threads(&graph, &sources, threads), expected, "{n_sources}");
            }
            if [130, 2025].contains(&n_sources) {
                assert_eq!(one_by_one(&graph, &sources), expected, "{n_sources}");
            }
        }
    }
}

#[test]
fn sums_are_refused_and_interrupted() {
    let graph = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)]).unwrap();
    let mut hops = HopCounter::new(&graph, &[], None);
    let refused = hops.sums(&[0, 3], None);
    assert!(matches!(refused, Err(SearchError::NoSuchVertex { role: "source", vertex: 3, .. })));
    let stop = |_, _| ControlFlow::Break(());
    let interrupted = hops.sums(&[0; 2000], Some(&stop));
    assert!(matches!(interrupted, Err(SearchError::Interrupted(_))));
    let panic = |_, _| resume_unwind(Box::new("of the callback"));
    let run = AssertUnwindSafe(|| hops.sums(&[0; 2000], Some(&panic)));
    let payload = catch_unwind(run).expect_err("it panics");
    assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
}

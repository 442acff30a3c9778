//! Tables and nearest sources against single searches.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::fitting;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Csr, VertexId};
use paths::certificate::check_nearest;
use paths::{Distances, Nearest, oracle};
use proptest::prelude::*;
use sssp::{
    Algorithm, Config, Delta, Goal, Queue, SearchWeight, Solver, SsspError, Team, predecessors,
    shortest_paths,
};
use test_support::arbitrary_graph;

fn vertices() -> impl Strategy<Value = Vec<VertexId>> {
    prop::collection::vec(0u32..1000, 0..8)
}

fn nearest<W: SearchWeight>(graph: &Csr<W>, sources: &[VertexId]) -> Result<Nearest<W>, SsspError> {
    Ok(Solver::new(graph, &Config::default()).unwrap().nearest(sources)?.answer)
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
        for threads in [1, 2, 3, 16] {
            for algorithm in fitting(&graph) {
                let threads = NonZeroUsize::new(threads);
                // with more threads than sources, threads share a search
                let config = Config { threads, team: Team::Always, ..Config::with(algorithm) };
                let table = Solver::new(&graph, &config).unwrap().table(&sources, &targets).unwrap();
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
        let nearest = nearest(&graph, &sources).unwrap();
        check_nearest(&graph, &sources, &nearest).unwrap();
        prop_assert_eq!(nearest, oracle::nearest(&graph, &sources).unwrap());
    }
}

#[test]
fn tables_of_negative_weights() {
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (0, 2, 3), (2, 1, -2)]).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    let table = solver.table(&[0, 2], &[1]).unwrap();
    assert_eq!([table.get(0, 0), table.get(1, 0)], [Some(1), Some(-2)]);
    let nearest = nearest(&graph, &[0]);
    assert!(matches!(nearest, Err(SsspError::NegativeWeight { from: 2, to: 1, .. })));
}

#[test]
fn absent_vertices_are_named() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    let source = solver.table(&[0, 7], &[1]);
    assert!(matches!(source, Err(SsspError::NoSuchVertex { role: "source", vertex: 7, .. })));
    let target = solver.table(&[0], &[2]);
    assert!(matches!(target, Err(SsspError::NoSuchVertex { role: "target", vertex: 2, .. })));
    assert!(nearest(&graph, &[2]).is_err());
}

#[test]
fn a_table_beyond_memory_is_refused_before_it_starts() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let many = vec![0; 20_000_000];
    let table = Solver::new(&graph, &Config::default()).unwrap().table(&many, &many);
    let bytes = 20_000_000u128 * 20_000_000 * 8;
    assert!(matches!(table, Err(SsspError::TableTooLarge { bytes: b, .. }) if b == bytes.into()));
}

#[test]
fn trees_ask_for_distances_and_predecessors_at_once() {
    let graph = Csr::<u32>::from_arcs(1_000_000, &[]).unwrap();
    let many = vec![0; 20_000_000];
    let trees = Solver::new(&graph, &Config::default()).unwrap().trees(&many, Goal::All);
    let bytes = 20_000_000u128 * 1_000_000 * (8 + 4);
    assert!(matches!(trees, Err(SsspError::TableTooLarge { bytes: b, .. }) if b == bytes.into()));
}

#[test]
fn a_table_can_be_interrupted() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let stop = |done, _| if done < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let solver = Solver::new(&graph, &Config::default()).unwrap();
    let table = solver.with_progress(&stop).table(&[0; 50], &[1]);
    assert!(matches!(table, Err(SsspError::Interrupted(_))));
}

/// The panic reaches the caller from any thread and at any call.
#[test]
fn a_table_whose_callback_panics_is_not_waited_for() {
    // with equal weights all searches run together and report only at the end
    let cases = [(2, 1), (2, 2), (2, 30), (1, 0), (1, 50)];
    for threads in 1..=3 {
        for (weight_back, last) in cases {
            let graph = Csr::from_arcs(2, &[(0, 1, 1u32), (1, 0, weight_back)]).unwrap();
            let panic = |done, _| match done {
                done if done == last => resume_unwind(Box::new("of the callback")),
                _ => ControlFlow::Continue(()),
            };
            let config = Config { threads: NonZeroUsize::new(threads), ..Config::default() };
            let mut solver = Solver::new(&graph, &config).unwrap().with_progress(&panic);
            // the solver reports again in the next call
            for _ in 0..2 {
                let table = catch_unwind(AssertUnwindSafe(|| solver.table(&[0; 50], &[1])));
                let payload = table.expect_err("it panics");
                assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
            }
        }
    }
}

/// The error names a vertex that overflows, also if others have a shorter path from another source.
#[test]
fn nearest_sources_lose_nothing_that_overflows() {
    fn overflows<W: SearchWeight>(small: [W; 2], large: W) {
        let [one, ten] = small;
        let arcs = [(0, 1, ten), (1, 2, large), (1, 3, large), (1, 4, one), (4, 3, one)];
        let graph = Csr::from_arcs(5, &arcs).unwrap();
        let error = nearest(&graph, &[0]).unwrap_err();
        assert!(matches!(error, SsspError::Overflow { vertex: 2, .. }), "{error}");
        // no distance from 3 and 4 overflows
        let nearest = nearest(&graph, &[3, 4]).unwrap();
        assert_eq!(nearest.source_of(3), Some(3));
        assert_eq!(nearest.source_of(2), None);
    }
    overflows([1, 10], u64::MAX - 5);
    overflows([1, 10], i64::MAX - 5);
    overflows([f32::MAX / 8.0, f32::MAX / 2.0], f32::MAX);
    overflows([f64::MAX / 8.0, f64::MAX / 2.0], f64::MAX);
}

#[test]
fn predecessors_of_other_distances_are_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, -1)]).unwrap();
    let positive = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, 1)]).unwrap();
    for graph in [&graph, &positive] {
        let distances = shortest_paths(graph, 0, &Config::default()).unwrap().distances;
        let found = predecessors(graph, 0, &distances).unwrap();
        assert_eq!([0, 1, 2].map(|v| found.get(v)), [None, Some(0), Some(1)]);
        let error = predecessors(graph, 3, &distances).unwrap_err();
        assert!(matches!(error, SsspError::NoSuchVertex { role: "source", vertex: 3, .. }));
        for wrong in [vec![], vec![Some(0), Some(1)], vec![Some(0); 4]] {
            let n_distances = wrong.len();
            let error = predecessors(graph, 0, &Distances::from_iter(wrong)).unwrap_err();
            assert_eq!(error, SsspError::NotAllVertices { n_distances, n_vertices: 3 });
        }
        // wrong distances must not panic
        let nonsense = Distances::from_iter([None, Some(i64::MIN), Some(i64::MAX - 1)]);
        assert_eq!(predecessors(graph, 1, &nonsense).unwrap().get(0), None);
    }
}

/// Also with zero weights, rounded sums, long rows, and rows whose first tail is not the smallest.
#[test]
fn predecessors_are_the_smallest_in_any_order_of_rows() {
    fn agrees<W: SearchWeight>(graph: &Csr<u32>, weight: impl Fn(u32) -> f64) {
        let weight = |w| W::from_f64(weight(w)).expect("a weight");
        let edges = graph.arcs().filter(|arc| arc.0 <= arc.1);
        let edges: Vec<_> = edges.map(|(u, v, w)| (u, v, weight(w))).collect();
        let sorted = Csr::from_edges(graph.n_vertices(), &edges).unwrap();
        let (mut ends, mut weights) = (Vec::new(), Vec::new());
        for vertex in sorted.vertices() {
            let row: Vec<_> = sorted.arcs_from(vertex).collect();
            ends.extend(row.iter().rev().map(|arc| arc.0));
            weights.extend(row.iter().rev().map(|arc| arc.1));
        }
        let turned = Csr::new(sorted.row_offsets().to_vec(), ends, weights).unwrap();
        let turned = turned.into_undirected().unwrap();
        assert!(sorted.rows_ascend() && !turned.rows_ascend());
        for source in sorted.vertices().step_by(97) {
            let expected = oracle::tree(&sorted, source, None).unwrap();
            for graph in [&sorted, &turned] {
                let found = predecessors(graph, source, &expected.distances).unwrap();
                assert!(found == expected.predecessors, "from {source}");
                let tree = shortest_paths(graph, source, &Config::default()).unwrap();
                assert!(tree == expected, "from {source}");
            }
        }
    }
    let skewed = rmat(&RmatConfig { scale: 9, edge_factor: 24, ..Default::default() }).unwrap();
    let square = grid(&GridConfig { side: 20, ..Default::default() }).unwrap();
    for graph in [&skewed, &square] {
        agrees::<u32>(graph, f64::from);
        agrees::<u32>(graph, |_| 1.0);
        agrees::<i64>(graph, |weight| f64::from(weight % 3));
        agrees::<u64>(graph, |weight| f64::from(weight / 200));
        agrees::<f32>(graph, |weight| f64::from(weight) / 3.0);
        agrees::<f64>(graph, |weight| f64::from(weight % 5) / 7.0);
    }
}

/// The plan of a table is that of parallel searches, unless the configuration names an algorithm.
#[test]
fn tables_have_a_plan() {
    let square = grid(&GridConfig { side: 200, ..Default::default() }).unwrap();
    let skewed = rmat(&RmatConfig { scale: 12, ..Default::default() }).unwrap();
    let chosen = |graph: &Csr<u32>, config: &Config| {
        let mut solver = Solver::new(graph, config).unwrap();
        let plan = solver.table(&[0; 8], &[1]).unwrap().plan;
        (plan.algorithm, plan.queue)
    };
    let dial = ("dijkstra", Some(Queue::Dial));
    assert_eq!(chosen(&square, &Config::default()), dial);
    assert_eq!(chosen(&skewed, &Config::default()), ("delta-stepping", None));
    let asked = Config::with(Algorithm::DeltaStepping(Delta::Auto));
    assert_eq!(chosen(&square, &asked), ("delta-stepping", None));
}

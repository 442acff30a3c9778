//! Edge-parallel Bellman-Ford: every variant against the oracle, to the bit.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_runtime::Gpu;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use graph_formats::{Coo, Csr, VertexId, Weight};
use paths::certificate::check_negative_cycle;
use paths::corner_cases::{arbitrary_graph, corner_cases};
use paths::oracle::{self, OracleError};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::{Algorithm, EdgeOrder, Loads};
use sssp::{Config, Goal, Solver, SsspError};

use crate::gpu;

/// Both ways to read, with the edges as stored and by segments of several lengths.
fn variants() -> Vec<Config<Algorithm>> {
    let segments = [1, 7, 64, 4096]
        .map(|vertices| EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() });
    [EdgeOrder::AsStored]
        .into_iter()
        .chain(segments)
        .flat_map(|edges| [Loads::Plain, Loads::ReadOnly].map(|loads| (edges, loads)))
        .map(|(edges, loads)| Config::with(Algorithm::BellmanFord { edges, loads }))
        .collect()
}

/// All variants against the oracle, from some sources, in one work space a variant.
fn agree<W: Weight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let n = graph.n_vertices() as VertexId;
    let mut sources: Vec<_> =
        [0, n / 2, n.saturating_sub(1)].into_iter().filter(|&v| v < n).collect();
    sources.dedup();
    let expected: Vec<_> = sources.iter().map(|&s| oracle::tree(graph, s, None).unwrap()).collect();
    for config in variants() {
        let mut solver = Solver::on_gpu(gpu, graph, &config).unwrap();
        for (&source, expected) in sources.iter().zip(&expected) {
            let tree = solver.tree(source, Goal::All).unwrap();
            assert!(tree == *expected, "{name}, {}, from {source}, {config:?}", W::KIND);
        }
    }
}

fn corner_cases_agrees<W: Weight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        agree(&gpu, name, &graph);
    }
}

#[test]
fn corner_cases_u32() {
    corner_cases_agrees::<u32>();
}

#[test]
fn corner_cases_i32() {
    corner_cases_agrees::<i32>();
}

#[test]
fn corner_cases_f32() {
    corner_cases_agrees::<f32>();
}

#[test]
fn corner_cases_f64() {
    corner_cases_agrees::<f64>();
}

/// The arcs from lower to higher vertices, and one in three of the others: a directed graph.
fn one_way<W: Weight>(graph: &Csr<W>) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().filter(|&(u, v, _)| u < v || (u + v) % 3 == 0).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// Thirds, so that sums round.
fn thirds(graph: &Csr<u32>) -> Csr<f64> {
    let edges = graph.undirected_edges().unwrap();
    let weights = edges.weights().iter().map(|&w| f64::from(w) / 3.0).collect();
    let (tails, heads) = (edges.sources().to_vec(), edges.destinations().to_vec());
    Csr::from_undirected_edges(&Coo::new(graph.n_vertices(), tails, heads, weights).unwrap())
}

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = [
        ("rmat", rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 100, ..GridConfig::default() }).unwrap()),
    ];
    for (name, graph) in graphs {
        agree(&gpu, name, &graph);
        agree(&gpu, name, &one_way(&graph));
        let thirds = thirds(&graph);
        agree(&gpu, name, &thirds);
        agree(&gpu, name, &one_way(&thirds).convert_weights::<f32>().unwrap());
        agree(&gpu, name, &graph.convert_weights::<i32>().unwrap());
    }
}

/// The oracle's tree, or a negative cycle as it finds one.
fn agrees_or_cycles<W: Weight>(gpu: &Gpu, graph: &Csr<W>) -> Result<(), TestCaseError> {
    let expected = oracle::tree(graph, 0, None);
    for config in variants() {
        let found = Solver::on_gpu(gpu, graph, &config).unwrap().tree(0, Goal::All);
        match (found, &expected) {
            (Ok(tree), Ok(expected)) => prop_assert!(tree == *expected, "{config:?}"),
            (Err(SsspError::NegativeCycle { cycle }), Err(OracleError::NegativeCycle { .. })) => {
                let checked = check_negative_cycle(graph, &cycle);
                prop_assert!(checked.is_ok(), "{config:?}: {cycle:?}");
            }
            (found, expected) => prop_assert!(false, "{config:?}: {found:?} for {expected:?}"),
        }
    }
    Ok(())
}

#[test]
fn negative_weights() {
    let Some(gpu) = gpu() else { return };
    let law = |graph: Csr<i32>| {
        agrees_or_cycles(&gpu, &graph)?;
        agrees_or_cycles(&gpu, &graph.convert_weights::<f64>().unwrap())
    };
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&arbitrary_graph::<i32>(12, 40, -3..=20), law).unwrap();
}

#[test]
fn a_negative_cycle_far_away_is_found() {
    let Some(gpu) = gpu() else { return };
    // a path that ends in a cycle of -1, and a road back to the start
    let mut arcs: Vec<_> = (0..3000).map(|v| (v, v + 1, 5i32)).collect();
    arcs.extend([(3000, 2990, -51), (3000, 0, 9)]);
    let graph = Csr::from_arcs(3001, &arcs).unwrap();
    for config in variants() {
        match Solver::on_gpu(&gpu, &graph, &config).unwrap().distances(0, Goal::All) {
            Err(SsspError::NegativeCycle { cycle }) => {
                check_negative_cycle(&graph, &cycle).unwrap();
            }
            other => panic!("{config:?}: {other:?}"),
        }
    }
    // one of many undirected edges is negative: it is found long before the n-th iteration
    let square = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
    let mut edges: Vec<_> = square.arcs().map(|(u, v, w)| (u, v, w as i32)).collect();
    edges.push((4, 5, -1));
    let graph = Csr::from_edges(square.n_vertices(), &edges).unwrap();
    let n_rounds = AtomicU64::new(0);
    let count = |_, _| {
        n_rounds.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let solver = Solver::on_gpu(&gpu, &graph, &variants()[0]).unwrap();
    let found = solver.with_progress(&count).distances(0, Goal::All);
    assert!(matches!(found, Err(SsspError::NegativeCycle { .. })), "{found:?}");
    assert!(n_rounds.into_inner() < 5000, "of 90,000");
    // an undirected edge of negative weight is a cycle of two arcs
    let edge = Csr::from_edges(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    let found = Solver::on_gpu(&gpu, &edge, &variants()[0]).unwrap().distances(0, Goal::All);
    assert!(matches!(found, Err(SsspError::NegativeCycle { .. })), "{found:?}");
}

#[test]
fn sums_that_do_not_fit_are_added_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree(&gpu, "heavy path", &Csr::from_edges(41, &heavy).unwrap());
    let deep: Vec<_> = (0..40).map(|v| (v, v + 1, v as i32 - 2_000_000_000)).collect();
    agree(&gpu, "deep path", &Csr::from_arcs(41, &deep).unwrap());
    // the greatest sums are those of no shortest path
    let dear = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 7), (2, 1, 1)];
    agree(&gpu, "dear detour", &Csr::from_arcs(3, &dear).unwrap());
    let endless = Csr::from_arcs(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
    let found = Solver::on_gpu(&gpu, &endless, &variants()[0]).unwrap().distances(0, Goal::All);
    assert!(matches!(found, Err(SsspError::Overflow { vertex: 2, .. })), "{found:?}");
}

#[test]
fn goals_are_kept() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let mut device = Solver::on_gpu(&gpu, &graph, &variants()[0]).unwrap();
    for goal in [Goal::Target(41), Goal::Within(900), Goal::Within(0)] {
        assert!(device.tree(0, goal).unwrap() == host.tree(0, goal).unwrap(), "{goal:?}");
    }
    assert!(device.work().rounds > 1 && device.plan().device.is_some());
    let times = device.device_times().unwrap();
    assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0 && times.prepare_ms > 0.0, "{times:?}");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let wide = Csr::from_arcs(2, &[(0, 1, 1u64)]).unwrap();
    let refusal = Solver::on_gpu(&gpu, &wide, &variants()[0]).err().unwrap();
    assert!(matches!(refusal, SsspError::NotOnGpu { .. }), "{refusal}");
    assert!(refusal.to_string().contains("u64") && refusal.to_string().contains("CPU"));
    let square = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let small = gpu.with_memory_cap(10_000);
    assert!(matches!(Solver::on_gpu(&small, &square, &variants()[0]), Err(SsspError::Gpu(_))));
}

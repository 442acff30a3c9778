//! Edge-parallel Bellman-Ford: every variant against the oracle, to the bit.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use gpu_runtime::Gpu;
use graph_formats::Csr;
use graph_formats::generate::{GridConfig, RmatConfig, grid, rmat};
use paths::certificate::check_negative_cycle;
use paths::oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::{Algorithm, EdgeOrder, Loads, Stores};
use sssp::{Config, DeviceTimes, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{
    agree_by, agrees_or_cycles, corner_case_tests, for_corner_cases, gpu, one_way, thirds,
};

/// Both ways to read and to write, with the edges as stored and by segments of several lengths.
fn all_variants() -> Vec<Config<Algorithm>> {
    let segments = [1, 7, 64, 4096]
        .map(|vertices| EdgeOrder::Segments { vertices: NonZeroU32::new(vertices).unwrap() });
    [EdgeOrder::AsStored]
        .into_iter()
        .chain(segments)
        .flat_map(|edges| [Loads::Plain, Loads::ReadOnly].map(|loads| (edges, loads)))
        .flat_map(|(edges, loads)| {
            [Stores::Atomic, Stores::Racing]
                .map(|stores| Config::with(Algorithm::BellmanFord { edges, loads, stores }))
        })
        .collect()
}

/// Those that take weights of any sign.
fn variants() -> Vec<Config<Algorithm>> {
    let takes_any = |config: &Config<Algorithm>| config.algorithm.unwrap().admits_negative();
    all_variants().into_iter().filter(takes_any).collect()
}

/// All variants against the oracle, from some sources, in one work space a variant.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let variants = if graph.first_negative().is_none() { all_variants() } else { variants() };
    agree_by(gpu, name, graph, &variants, |_, _, _| ());
}

fn corner_cases_agrees<W: SearchWeight>() {
    for_corner_cases::<W>(agree);
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

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

/// Distances that stay in a race differ from run to run, the answer does not; and lengths that
/// could sink for ever are refused.
#[test]
fn a_race_ends_right_each_time() {
    let Some(gpu) = gpu() else { return };
    let graph = rmat(&RmatConfig { scale: 14, ..RmatConfig::default() }).unwrap();
    let racing = Algorithm::BellmanFord {
        edges: EdgeOrder::AsStored,
        loads: Loads::Plain,
        stores: Stores::Racing,
    };
    let expected = oracle::tree(&graph, 0, None).unwrap().distances;
    let mut solver = Solver::on_gpu(&gpu, &graph, &Config::with(racing)).unwrap();
    for _ in 0..50 {
        assert!(solver.distances(0, Goal::All).unwrap().answer == expected);
    }
    let negative = Csr::from_arcs(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    let refused = Solver::on_gpu(&gpu, &negative, &Config::with(racing)).map(drop);
    assert!(matches!(refused, Err(SsspError::NegativeWeight { .. })));
}

#[test]
fn negative_weights() {
    let Some(gpu) = gpu() else { return };
    let law = |graph: Csr<i32>| {
        agrees_or_cycles(&gpu, &graph, &variants())?;
        agrees_or_cycles(&gpu, &graph.convert_weights::<f64>().unwrap(), &variants())
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
        let found = device.tree(0, goal).unwrap();
        assert!(found.answer == host.tree(0, goal).unwrap().answer, "{goal:?}");
        assert!(found.work.rounds > 1 && found.plan.device.is_some(), "{goal:?}");
        let times = found.device_times.unwrap();
        let DeviceTimes { upload_ms, prepare_ms, solve_ms, .. } = times;
        assert!(solve_ms > 0.0 && upload_ms > 0.0 && prepare_ms > 0.0, "{times:?}");
    }
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

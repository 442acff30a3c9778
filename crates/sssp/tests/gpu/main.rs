//! The solvers on a GPU against those of the CPU. Each test needs a GPU, and says `SKIPPED`
//! where there is none; with `STARPATH_REQUIRE_GPU=1` that is a failure.

mod bellman_ford;
mod breadth_first;
mod buckets;
mod common;
mod device_solver;
mod dijkstra;
mod extract_min;
mod many;
mod nearest;
mod queue;
mod several;
mod spmv;
mod wide;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{Csr, Direction, VertexId};
use paths::certificate::check_tree;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Algorithm;
use sssp::{Config, Delta, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use common::{
    as_floats, coarse, corner_case_tests, for_corner_cases, gpu, gpu_alone, some_sources,
};

/// Both processors give the same tree, with chosen and with given widths.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let sources = some_sources(graph);
    let mut host = Solver::new(graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
    let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
    let fixed = [1.0, 5.5, 1e12].into_iter().filter(|width| largest / width < 1e5);
    let deltas = [Delta::Auto, Delta::MedianWeight].into_iter().chain(fixed.map(Delta::Fixed));
    for delta in deltas {
        let config = Config::with(Algorithm::DeltaStepping(delta));
        let mut device = Solver::on_gpu(gpu, graph, &config).unwrap();
        for &source in &sources {
            let found = device.tree(source, Goal::All).unwrap();
            let expected = host.tree(source, Goal::All).unwrap();
            assert!(
                found.answer == expected.answer,
                "{name}, {}, from {source}, {delta:?}",
                W::KIND
            );
        }
    }
}

fn corner_cases_agrees<W: SearchWeight>() {
    for_corner_cases::<W>(agree);
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = [
        ("rmat", rmat(&RmatConfig { scale: 14, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 200, ..GridConfig::default() }).unwrap()),
        (
            "uniform",
            uniform(&UniformConfig { n_vertices: 9_000, n_edges: 99_000, ..Default::default() })
                .unwrap(),
        ),
        (
            "geometric",
            geometric(&GeometricConfig { n_vertices: 20_000, ..Default::default() }).unwrap(),
        ),
    ];
    for (name, graph) in &graphs {
        agree(&gpu, name, graph);
        agree(&gpu, name, &as_floats(graph));
        // plateaus, small ones and one for all
        agree(&gpu, name, &coarse(graph, 100));
        agree(&gpu, name, &coarse(graph, 300));
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=9), any::<bool>(), 0..5u32);
    let law = |(directed, both_ways, scale): (Csr<u32>, bool, u32)| {
        let edges: Vec<_> = directed.arcs().map(|(u, v, w)| (u, v, w.pow(scale))).collect();
        let n = directed.n_vertices();
        let graph = if both_ways { Csr::from_edges(n, &edges) } else { Csr::from_arcs(n, &edges) };
        let graph = graph.unwrap();
        let mut solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
        check_tree(&graph, &solver.tree(0, Goal::All).unwrap())
            .map_err(|e| TestCaseError::fail(e.to_string()))
    };
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 400, ..GridConfig::default() }).unwrap();
    let config = Config::with(Algorithm::DeltaStepping(Delta::Auto));
    let mut device = Solver::on_gpu(&gpu, &graph, &config).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let whole = device.distances(0, Goal::All).unwrap().work.relaxations;
    for goal in [Goal::Target(41), Goal::Target(40 * 400 + 3), Goal::Within(900), Goal::Within(0)] {
        let found = device.tree(0, goal).unwrap();
        let part = found.work.relaxations;
        assert!(found.answer == host.tree(0, goal).unwrap().answer, "{goal:?}");
        assert!(part < whole / 2, "{goal:?}: {part} relaxations of {whole}");
    }
}

#[test]
fn a_long_search_tells_of_its_steps_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..100_000).map(|v| (v, v + 1, 1 + v % 7)).collect();
    let graph = Csr::from_edges(100_001, &path).unwrap();
    let most = AtomicU64::new(0);
    let ends = AtomicBool::new(false);
    let tell = |done, total| {
        assert_eq!(total, 0, "it is not known");
        assert!(most.fetch_max(done, Relaxed) <= done);
        if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let config = Config::with(Algorithm::DeltaStepping(Delta::Fixed(1.0)));
    let solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
    let mut solver = solver.with_progress(&tell);
    let tree = solver.tree(0, Goal::All).unwrap();
    check_tree(&graph, &tree).unwrap();
    assert!(most.load(Relaxed) >= 256, "{}", most.load(Relaxed));
    let whole = tree.work.rounds;
    ends.store(true, Relaxed);
    most.store(0, Relaxed);
    assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
    assert!(most.load(Relaxed) < whole / 2);
    // and goes on afterwards
    ends.store(false, Relaxed);
    most.store(0, Relaxed);
    assert!(solver.tree(0, Goal::All).unwrap().answer == tree.answer);
}

/// Its panic goes on in the caller when the search has ended, and the solver is as before.
#[test]
fn a_callback_may_panic() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..100_000).map(|v| (v, v + 1, 1 + v % 7)).collect();
    let graph = Csr::from_edges(100_001, &path).unwrap();
    let panics = AtomicBool::new(true);
    let tell = |_, _| match panics.load(Relaxed) {
        true => resume_unwind(Box::new("of the callback")),
        false => ControlFlow::Continue(()),
    };
    let config = Config::with(Algorithm::DeltaStepping(Delta::Fixed(1.0)));
    let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap().with_progress(&tell);
    for _ in 0..2 {
        panics.store(true, Relaxed);
        let searched = catch_unwind(AssertUnwindSafe(|| solver.distances(0, Goal::All).err()));
        let payload = searched.expect_err("it panics");
        assert_eq!(payload.downcast_ref(), Some(&"of the callback"));
        panics.store(false, Relaxed);
        check_tree(&graph, &solver.tree(0, Goal::All).unwrap()).unwrap();
    }
}

#[test]
fn what_the_gpu_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let doubles = Csr::from_arcs(2, &[(0, 1, 0.5)]).unwrap();
    let refused = Solver::on_gpu(&gpu, &doubles, &Config::with(Algorithm::Crauser));
    assert!(refused.err().unwrap().to_string().contains("delta-stepping"));
    let stepping = Config::with(Algorithm::DeltaStepping(Delta::Auto));
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let refused = Solver::on_gpu(&gpu, &minus, &stepping);
    assert!(matches!(refused, Err(SsspError::NegativeWeight { .. })));
    let solver = Solver::on_gpu(&gpu, &minus, &Config::default()).unwrap();
    assert!(solver.plan().algorithm.starts_with("bellman-ford"));
    let small = gpu.with_memory_cap(10);
    let refused = Solver::on_gpu(&small, &graph, &Config::default());
    assert!(matches!(refused, Err(SsspError::Gpu(_))));
}

/// Whatever `auto` finds the fastest, it answers all questions, and prepares no less than it says.
#[test]
fn what_auto_finds_fastest_answers_every_question() {
    let Some(gpu) = gpu() else { return };
    let star: Vec<_> = (1..100_000).map(|v| (0, v, 1 + v % 100)).collect();
    let star = Csr::from_edges(100_000, &star).unwrap();
    let dense = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
    let sparse = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let expected_searches = NonZeroUsize::new(1000);
    let config = Config { expected_searches, ..Config::default() };
    for graph in [&star, &dense, &sparse, &Csr::from_arcs(3, &[]).unwrap()] {
        let mut device = Solver::on_gpu(&gpu, graph, &config).unwrap();
        let mut host = Solver::new(graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
        let n = graph.n_vertices() as VertexId;
        let reason = device.plan().to_string();
        for source in [0, n / 2] {
            let whole = device.tree(source, Goal::All).unwrap();
            assert!(whole.answer == host.tree(source, Goal::All).unwrap().answer, "{reason}");
            for goal in [Goal::Target(n - 1), Goal::Within(60), Goal::Within(0)] {
                let found = device.tree(source, goal).unwrap();
                let expected = host.tree(source, goal).unwrap();
                assert!(found.answer == expected.answer, "{reason}, {goal:?}");
            }
            let found = device.table(&[source, 1], &[0, n - 1]).unwrap();
            let expected = host.table(&[source, 1], &[0, n - 1]).unwrap();
            assert!(found.answer == expected.answer, "{reason}");
            let found = device.distances(source, Goal::All).unwrap();
            assert!(found.answer == whole.distances, "{reason}");
        }
        assert!(device.preparation().unwrap().prepare_ms > 0.0);
    }
}

/// The distances to the target come from the device where the graph is undirected.
#[test]
fn k_shortest_paths_are_the_hosts() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let directed = Csr::from_arcs(3600, &graph.arcs().collect::<Vec<_>>()).unwrap();
    for graph in [graph, directed] {
        let mut device = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
        let mut host = Solver::new(&graph, &Config::default()).unwrap();
        for target in [0, 59, 3599, 1234] {
            let found = device.k_shortest_paths(0, target, 20).unwrap();
            let expected = host.k_shortest_paths(0, target, 20).unwrap();
            assert!(found.answer == expected.answer, "to {target}");
            let is_undirected = graph.direction() == Direction::Undirected;
            assert_eq!(found.plan.device.is_some(), is_undirected, "to {target}");
        }
    }
}

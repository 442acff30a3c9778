//! Distances of 64 bits by the default solver: trees to the bit the CPU's, and what is too large.

use gpu_runtime::Gpu;
use graph_formats::generate::{GeometricConfig, GridConfig, RmatConfig, geometric, grid, rmat};
use graph_formats::{Csr, VertexId};
use paths::certificate::check_tree;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::agree;
use crate::common::{gpu, reweighted};

/// A dense graph, a narrow one, and one of the plane.
fn graphs() -> [(&'static str, Csr<u32>); 3] {
    [
        ("rmat", rmat(&RmatConfig { scale: 13, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 120, ..GridConfig::default() }).unwrap()),
        (
            "geometric",
            geometric(&GeometricConfig { n_vertices: 9_000, ..Default::default() }).unwrap(),
        ),
    ]
}

/// The device solves it by delta-stepping, and not the CPU in its place.
fn agree_there<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    agree(gpu, name, graph);
    let mut solver = Solver::on_gpu(gpu, graph, &Config::default()).unwrap();
    let found = solver.distances(0, Goal::All).unwrap();
    assert!(found.plan.to_string().starts_with("delta-stepping"), "{}", found.plan);
    let times = found.device_times.unwrap();
    // of its last launch; what follows one in vain is counted with it
    assert!(times.phases_ms.iter().sum::<f64>() > 0.0, "{name}: {times:?}");
}

#[test]
fn doubles() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs() {
        // sums that are rounded
        agree_there(&gpu, name, &reweighted(&graph, |w| f64::from(w) / 7.0));
        agree_there(&gpu, name, &reweighted(&graph, |w| (f64::from(w) / 9.0).exp2() - 1.0));
        // plateaus, and the least there are
        agree_there(&gpu, name, &reweighted(&graph, |w| f64::from(w / 100)));
        agree_there(&gpu, name, &reweighted(&graph, |w| f64::from(w) * 5e-324));
        agree_there(&gpu, name, &reweighted(&graph, |w| f64::from(w) * 1e300));
    }
}

#[test]
fn whole_weights_of_64_bits() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs() {
        agree_there(&gpu, name, &reweighted(&graph, |w| u64::from(w).pow(5)));
        agree_there(&gpu, name, &reweighted(&graph, |w| u64::from(w / 100) << 40));
        agree_there(&gpu, name, &reweighted(&graph, |w| i64::from(w).pow(6)));
    }
}

#[test]
fn weights_of_32_bits_whose_sums_have_more() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree_there(&gpu, "heavy path", &Csr::from_edges(41, &heavy).unwrap());
    for (name, graph) in graphs() {
        agree_there(&gpu, name, &reweighted(&graph, |w| (w << 24) - 1));
        agree_there(&gpu, name, &reweighted(&graph, |w| (w << 22) as i32));
        agree_there(&gpu, name, &reweighted(&graph, |w| u64::from(w / 100) << 30));
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=9), any::<bool>(), 0..19u32);
    let law = |(directed, both_ways, scale): (Csr<u32>, bool, u32)| {
        let power = |w| i64::from(w).pow(scale);
        let edges: Vec<_> = directed.arcs().map(|(u, v, w)| (u, v, power(w))).collect();
        let n = directed.n_vertices();
        let graph = if both_ways { Csr::from_edges(n, &edges) } else { Csr::from_arcs(n, &edges) };
        let graph = graph.unwrap();
        let mut host = Solver::new(&graph, &Config::default()).unwrap();
        let mut device = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
        match (host.tree(0, Goal::All), device.tree(0, Goal::All)) {
            (Ok(expected), Ok(found)) => {
                prop_assert!(found.answer == expected.answer);
                check_tree(&graph, &found).map_err(|e| TestCaseError::fail(e.to_string()))
            }
            (expected, found) => {
                let overflows = |tree| matches!(tree, Err(SsspError::Overflow { .. }));
                prop_assert!(overflows(expected) && overflows(found));
                Ok(())
            }
        }
    };
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

/// Goals within a graph whose distances are `unit` times those of small weights.
fn goals_agree<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, limit: W::Distance) {
    let mut device = Solver::on_gpu(gpu, graph, &Config::default()).unwrap();
    let mut host = Solver::new(graph, &Config::default()).unwrap();
    let whole = device.tree(0, Goal::All).unwrap();
    assert!(whole.answer == host.tree(0, Goal::All).unwrap().answer);
    let relaxations = whole.work.relaxations;
    for goal in [Goal::Target(41), Goal::Target(20 * 200 + 3), Goal::Within(limit)] {
        let found = device.tree(0, goal).unwrap();
        let part = found.work.relaxations;
        assert!(found.answer == host.tree(0, goal).unwrap().answer, "{}, {goal:?}", W::KIND);
        assert!(part < relaxations / 2, "{goal:?}: {part} relaxations of {relaxations}");
    }
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 200, ..GridConfig::default() }).unwrap();
    goals_agree(&gpu, &reweighted(&graph, |w| f64::from(w) / 7.0), 900.0 / 7.0);
    goals_agree(&gpu, &reweighted(&graph, |w| i64::from(w) << 33), 900 << 33);
    // distances within the goals have more than 32 bits too
    goals_agree(&gpu, &reweighted(&graph, |w| w << 24), 900 << 24);
}

/// The error names the first vertex whose distance is too large, on both processors; what is
/// reached in another way is no error.
fn overflow_is_told<W: SearchWeight>(gpu: &Gpu, third: W, kind: &'static str) {
    let path: Vec<_> = (0..6).map(|v| (v, v + 1, third)).collect();
    let graph = Csr::from_arcs(7, &path).unwrap();
    let overflow = |vertex| SsspError::Overflow { vertex, kind };
    let mut device = Solver::on_gpu(gpu, &graph, &Config::default()).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    for source in 0..4 {
        let found = device.distances(source, Goal::All).map(|found| found.answer);
        let expected = host.distances(source, Goal::All).map(|found| found.answer);
        assert_eq!(found, expected, "{kind} from {source}");
        assert!(source > 2 || found == Err(overflow(source + 4)), "{kind} from {source}");
        let near = device.tree(source, Goal::Target(source + 2)).unwrap();
        assert!(near.answer == host.tree(source, Goal::Target(source + 2)).unwrap().answer);
    }
    assert_eq!(device.nearest(&[6, 1]).unwrap_err(), overflow(5));
    // and a shorter way round
    let round: Vec<_> = (0..7).map(|v: VertexId| (7, v, W::ONE)).chain([(0, 7, W::ONE)]).collect();
    let graph = Csr::from_arcs(8, &[path, round].concat()).unwrap();
    let mut device = Solver::on_gpu(gpu, &graph, &Config::default()).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    assert!(device.tree(0, Goal::All).unwrap().answer == host.tree(0, Goal::All).unwrap().answer);
    let all: Vec<_> = graph.vertices().collect();
    let found = device.table(&[0, 7], &all).unwrap();
    assert!(found.answer == host.table(&[0, 7], &all).unwrap().answer);
}

#[test]
fn what_is_too_large_is_told() {
    let Some(gpu) = gpu() else { return };
    overflow_is_told(&gpu, u64::MAX / 3 - 1, "u64");
    overflow_is_told(&gpu, i64::MAX / 3 - 1, "i64");
    overflow_is_told(&gpu, f64::MAX / 3.1, "f64");
    overflow_is_told(&gpu, f32::MAX / 3.1, "f32");
}

#[test]
fn without_memory_for_wider_keys_the_cpu_searches() {
    let Some(gpu) = gpu() else { return };
    let graph = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
    let graph = reweighted(&graph, |w| (w << 24) - 1);
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    let some: Vec<_> = graph.vertices().step_by(300).collect();
    let expected = host.tree(0, Goal::All).unwrap().answer;
    let table = host.table(&some, &some).unwrap().answer;
    let mut n_solved = 0;
    for cap in (1..40).map(|n| n * 100_000) {
        let small = gpu.with_memory_cap(cap);
        match Solver::on_gpu(&small, &graph, &Config::default()) {
            Ok(mut solver) => {
                assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{cap} bytes");
                assert!(solver.table(&some, &some).unwrap().answer == table, "{cap} bytes");
                n_solved += 1;
            }
            Err(error) => assert!(matches!(error, SsspError::Gpu(_)), "{error}"),
        }
    }
    assert!(n_solved > 5, "{n_solved}");
}

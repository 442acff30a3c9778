//! Breadth-first search on a GPU, and sums over many such searches, against the CPU.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{Csr, VertexId, Weight};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{
    agree_by, agrees_or_cycles, corner_case_tests, for_corner_cases, gpu, gpu_alone, one_way,
    reweighted, some_sources,
};

fn asked() -> Config<Algorithm> {
    Config::with(Algorithm::BreadthFirst)
}

/// The same arcs, all of this weight.
fn alike<V: Weight, W: Weight>(graph: &Csr<V>, weight: W) -> Csr<W> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, _)| (u, v, weight)).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// Both ways, where a vertex and one of a higher number had an arc in either.
fn alike_both_ways<V: Weight, W: Weight>(graph: &Csr<V>, weight: W) -> Csr<W> {
    let arcs = graph.arcs().filter(|arc| arc.0 <= arc.1);
    let edges: Vec<_> = arcs.map(|(u, v, _)| (u, v, weight)).collect();
    Csr::from_edges(graph.n_vertices(), &edges).unwrap()
}

/// The oracle's trees, and the CPU's sums over searches.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    agree_by(gpu, name, graph, &[asked()], |_, _, _| ());
    let mut host = Solver::new(graph, &Config::default()).unwrap();
    let mut device = Solver::on_gpu(gpu, graph, &asked()).unwrap();
    let all: Vec<_> = graph.vertices().collect();
    let twice = [some_sources(graph), some_sources(graph)].concat();
    for sources in [&all, &twice, &vec![]] {
        let found = device.hop_sums(sources).unwrap();
        assert!(
            found.answer == host.hop_sums(sources).unwrap().answer,
            "{name}, {} sources",
            sources.len()
        );
    }
}

fn corner_cases_agree<W: SearchWeight>() {
    for_corner_cases::<W>(|gpu, name, graph| {
        agree(gpu, name, &alike(graph, W::ONE));
        agree(gpu, name, &alike_both_ways(graph, W::ONE));
    });
}

corner_case_tests! { corner_cases_agree: corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_f32 f32 }

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
        agree_by(&gpu, name, &reweighted(graph, |_| 7u32), &[asked()], |_, _, _| ());
        agree_by(&gpu, name, &reweighted(graph, |_| 0.1f32), &[asked()], |_, _, _| ());
        agree_by(&gpu, name, &alike(&one_way(graph), 3u64), &[asked()], |_, _, _| ());
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let law = |(directed, both_ways): (Csr<u32>, bool)| {
        let graph =
            if both_ways { alike_both_ways(&directed, 5u32) } else { alike(&directed, 5u32) };
        agrees_or_cycles(&gpu, &graph, &[asked(), Config::default()])?;
        let all: Vec<_> = graph.vertices().collect();
        let found = Solver::on_gpu(&gpu, &graph, &asked()).unwrap().hop_sums(&all).unwrap();
        let expected = Solver::new(&graph, &Config::default()).unwrap().hop_sums(&all).unwrap();
        prop_assert!(found.answer == expected.answer);
        Ok(())
    };
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() };
    let graphs = (arbitrary_graph::<u32>(90, 400, 1..=1), any::<bool>());
    TestRunner::new(config).run(&graphs, law).unwrap();
}

/// Levels of every width: of one vertex, of as many as a block or a team takes, and of more.
#[test]
fn levels_grow_and_shrink() {
    let Some(gpu) = gpu() else { return };
    // between hubs that share so many neighbours, and a path to the next
    let mut edges = Vec::new();
    let mut next: VertexId = 1;
    for width in [1, 60, 70, 140, 3_000, 9_000, 17_000, 40_000, 500, 2] {
        let (from, to) = (next - 1, next + width);
        for v in next..to {
            edges.extend([(from, v, 1u32), (v, to, 1)]);
        }
        let path = to..to + 5;
        edges.extend(path.clone().map(|v| (v, v + 1, 1)));
        next = path.end + 1;
    }
    let hubs = Csr::from_edges(next as usize, &edges).unwrap();
    agree_by(&gpu, "hubs", &hubs, &[asked()], |_, _, _| ());
    // a tree of few arcs a vertex, whose levels grow by a half each, and its mirror image
    let n = 100_000;
    let tree = (1..n).map(|v: VertexId| (v * 2 / 3, v, 1u32));
    let mirror = (1..n).map(|v| (2 * n - 1 - v * 2 / 3, 2 * n - 1 - v, 1));
    let leaves = (n / 2..n).map(|v| (v, n + (v - n / 2), 1));
    let edges: Vec<_> = tree.chain(mirror).chain(leaves).collect();
    let short = Csr::from_edges(2 * n as usize, &edges).unwrap();
    agree_by(&gpu, "trees", &short, &[asked()], |_, _, _| ());
}

#[test]
fn sums_of_floats_may_stop_growing() {
    let Some(gpu) = gpu() else { return };
    // 1 is half the least step beyond 2^24, so that all beyond have that distance
    let path: Vec<_> = (0..300).map(|v| (v, v + 1, 1e-3f32)).collect();
    agree_by(&gpu, "short", &Csr::from_edges(301, &path).unwrap(), &[asked()], |_, _, _| ());
    let n = (1 << 24) + 50;
    let path: Vec<_> = (0..n).map(|v| (v, v + 1, 1.0f32)).collect();
    let graph = Csr::from_edges(n as usize + 1, &path).unwrap();
    let mut device = Solver::on_gpu(&gpu, &graph, &asked()).unwrap();
    let mut host = Solver::new(&graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
    assert!(device.tree(0, Goal::All).unwrap().answer == host.tree(0, Goal::All).unwrap().answer);
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let sparse =
        reweighted(&grid(&GridConfig { side: 400, ..Default::default() }).unwrap(), |_| 3u32);
    let dense =
        reweighted(&rmat(&RmatConfig { scale: 13, ..Default::default() }).unwrap(), |_| 0.3f64);
    fn goals<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, limits: &[W::Distance]) {
        let mut device = Solver::on_gpu(gpu, graph, &asked()).unwrap();
        let mut host = Solver::new(graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
        let limits = limits.iter().map(|&limit| Goal::Within(limit));
        let targets = [0, 41, 1603, 5000].map(Goal::Target);
        for goal in targets.into_iter().chain(limits) {
            let found = device.tree(0, goal).unwrap();
            assert!(found.answer == host.tree(0, goal).unwrap().answer, "{goal:?}");
        }
    }
    goals(&gpu, &sparse, &[0, 2, 3, 300, 899, 900, 1 << 40]);
    goals(&gpu, &dense, &[0.0, 0.3, 0.5, 0.6, 0.89999999999, 1e9]);
    let mut device = Solver::on_gpu(&gpu, &sparse, &asked()).unwrap();
    let whole = device.distances(0, Goal::All).unwrap().work.relaxations;
    for goal in [Goal::Target(41), Goal::Within(300)] {
        let part = device.distances(0, goal).unwrap().work.relaxations;
        assert!(part < whole / 2, "{goal:?}");
    }
}

#[test]
fn what_is_too_large_is_told() {
    let Some(gpu) = gpu() else { return };
    let path: Vec<_> = (0..6).map(|v| (v, v + 1, u64::MAX / 3 - 1)).collect();
    let graph = Csr::from_arcs(7, &path).unwrap();
    let mut device = Solver::on_gpu(&gpu, &graph, &asked()).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    for source in 0..4 {
        let found = device.distances(source, Goal::All).map(|found| found.answer);
        let expected = host.distances(source, Goal::All).map(|found| found.answer);
        assert_eq!(found, expected, "from {source}");
        assert!(
            source > 2 || found == Err(SsspError::Overflow { vertex: source + 4, kind: "u64" })
        );
        let near = device.tree(source, Goal::Target(source + 2)).unwrap();
        assert!(near.answer == host.tree(source, Goal::Target(source + 2)).unwrap().answer);
    }
}

#[test]
fn weights_have_to_be_equal_and_then_it_is_chosen() {
    let Some(gpu) = gpu() else { return };
    for weights in [[1, 2], [0, 0]] {
        let graph = Csr::from_arcs(3, &[(0, 1, weights[0]), (1, 2, weights[1])]).unwrap();
        let refused = Solver::<u32>::on_gpu(&gpu, &graph, &asked()).err();
        assert!(matches!(refused, Some(SsspError::WeightsDiffer { .. })));
    }
    let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 4)]).unwrap();
    let solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    assert_eq!(solver.plan().algorithm, "breadth-first");
    let none = Csr::<u32>::from_arcs(3, &[]).unwrap();
    assert!(Solver::on_gpu(&gpu, &none, &asked()).unwrap().tree(1, Goal::All).is_ok());
}

#[test]
fn a_long_search_tells_of_its_levels_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..100_000).map(|v| (v, v + 1, 1u32)).collect();
    let graph = Csr::from_edges(100_001, &path).unwrap();
    let (most, ends) = (AtomicU64::new(0), AtomicBool::new(false));
    let tell = |done, _| {
        most.fetch_max(done, Relaxed);
        if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut solver = Solver::on_gpu(&gpu, &graph, &asked()).unwrap().with_progress(&tell);
    let whole = solver.distances(0, Goal::All).unwrap();
    assert_eq!(whole.get(100_000), Some(100_000));
    assert!(most.swap(0, Relaxed) >= 256);
    ends.store(true, Relaxed);
    assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
    assert!(most.load(Relaxed) < 50_000);
    assert!(matches!(solver.hop_sums(&[0, 1]), Err(SsspError::Interrupted)));
    ends.store(false, Relaxed);
    assert!(solver.distances(0, Goal::All).unwrap().answer == whole.answer);
}

/// Whatever the weights and the solver, hops are counted there, and by both widths of batches.
#[test]
fn sums_over_many_sources() {
    let Some(gpu) = gpu() else { return };
    let skewed = rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap();
    let road = grid(&GridConfig { side: 50, ..GridConfig::default() }).unwrap();
    for graph in [&skewed, &road, &one_way(&skewed)] {
        let mut host = Solver::new(graph, &Config::default()).unwrap();
        let mut device = Solver::on_gpu(&gpu, graph, &Config::default()).unwrap();
        let hops = alike(graph, 2.5f32);
        let mut host_hops = Solver::new(&hops, &Config::default()).unwrap();
        let mut device_hops = Solver::on_gpu(&gpu, &hops, &asked()).unwrap();
        for n_sources in [1, 64, 65, 1024, 1025, 2500] {
            let sources: Vec<_> = graph.vertices().rev().take(n_sources).collect();
            let found = device.hop_sums(&sources).unwrap();
            let expected = host.hop_sums(&sources).unwrap();
            assert!(found.answer == expected.answer, "{n_sources} sources");
            let targets: Vec<_> = graph.vertices().step_by(1 + n_sources / 7).collect();
            let found = device_hops.table(&sources, &targets).unwrap();
            let expected = host_hops.table(&sources, &targets).unwrap();
            assert!(found.answer == expected.answer, "{n_sources} sources");
        }
    }
}

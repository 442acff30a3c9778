//! The closure on a GPU, by every form of it, compared with the CPU's.

use std::ops::ControlFlow;

use closure::{Algorithm, ClosureError, Config, OnGpu, closure_on_gpus};
use gpu_runtime::{Gpu, GpuError};
use graph_formats::{Csr, read, with_csr};
use paths::{Closure, oracle};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use test_support::{arbitrary_graph, corner_cases, data, scattered};

/// Those that blocks of bits have.
const FORMS: [Algorithm; 4] =
    [Algorithm::Blocked, Algorithm::MatrixUnits, Algorithm::Lop3, Algorithm::FourRussians];

/// `n` GPUs, or `None` and a line that says so. If there are fewer, some are taken twice.
fn some_gpus(n: u32) -> Option<Vec<Gpu>> {
    let found = Gpu::count().unwrap_or(0).max(1);
    test_support::gpu((0..n).map(|i| Gpu::open_ordinal(i % found)).collect())
}

/// What an algorithm finds; `None` where the device has no units for it.
fn solve(gpus: &[Gpu], graph: &Csr<u32>, algorithm: Algorithm) -> Option<OnGpu> {
    match closure_on_gpus(gpus, graph, &Config::with(algorithm), None) {
        Err(ClosureError::NoMatrixUnits { .. }) => None,
        found => Some(found.unwrap_or_else(|error| panic!("{algorithm}: {error}"))),
    }
}

fn agrees(gpus: &[Gpu], name: &str, graph: &Csr<u32>, expected: &Closure, all: &[Algorithm]) {
    for &algorithm in all {
        if let Some(OnGpu { found, .. }) = solve(gpus, graph, algorithm) {
            assert!(found.closure == *expected, "{name}, {algorithm}");
        }
    }
}

#[test]
fn corner_cases_agrees() {
    let Some(gpus) = some_gpus(1) else { return };
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 1000) {
        agrees(&gpus, name, graph, &oracle::closure(graph), &Algorithm::ALL);
    }
}

#[test]
fn sizes_around_tiles_and_blocks_agree() {
    let Some(gpus) = some_gpus(1) else { return };
    let sizes = [63, 64, 65, 255, 256, 257, 511, 513, 1023, 1024, 1025, 1279, 1281, 2047, 2305];
    for (n, degree) in sizes.into_iter().flat_map(|n| [(n, 1), (n, 2), (n, 5)]) {
        let graph = scattered(n, degree);
        let expected = oracle::closure(&graph);
        agrees(&gpus, &format!("{n} vertices"), &graph, &expected, &FORMS);
    }
}

#[test]
fn long_paths_need_every_pivot() {
    let Some(gpus) = some_gpus(1) else { return };
    // in an order in which no pivot helps the next
    let n = 1500u32;
    let name = |v: u32| v * 7 % n;
    let arcs: Vec<_> = (0..n - 1).map(|v| (name(v), name(v + 1), 1u32)).collect();
    let path = Csr::from_arcs(n as usize, &arcs).unwrap();
    agrees(&gpus, "a path", &path, &oracle::closure(&path), &FORMS);
    let arcs: Vec<_> = (0..n).map(|v| (name(v), name((v + 1) % n), 1u32)).collect();
    let cycle = Csr::from_arcs(n as usize, &arcs).unwrap();
    agrees(&gpus, "a cycle", &cycle, &oracle::closure(&cycle), &FORMS);
}

#[test]
fn arbitrary_graphs_agree() {
    let Some(gpus) = some_gpus(1) else { return };
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() };
    let graphs = arbitrary_graph::<u32>(400, 700, 0..=1);
    let mut runner = TestRunner::new(config);
    let ran = runner.run(&graphs, |graph| {
        let expected = oracle::closure(&graph);
        for algorithm in FORMS {
            let found = solve(&gpus, &graph, algorithm);
            prop_assert!(found.is_none_or(|found| found.found.closure == expected), "{algorithm}");
        }
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn real_graphs_agree() {
    let Some(gpus) = some_gpus(1) else { return };
    for name in ["snap/wiki-Vote.txt", "connectome/larva_unmatched_full.csv.gz"] {
        let Some(path) = data(name) else { continue };
        with_csr!(&read(path).unwrap().csr, |graph| {
            let expected = oracle::closure(graph);
            for algorithm in Algorithm::ALL {
                let config = Config::with(algorithm);
                let found = closure_on_gpus(&gpus, graph, &config, None).unwrap().found;
                assert!(found.closure == expected, "{name}, {algorithm}");
            }
        });
    }
}

/// Two and three GPUs have the CPU's result, in blocks of every height; for large matrices, the
/// result of one GPU.
#[test]
fn several_gpus_share_a_relation() {
    let Some(all) = some_gpus(3) else { return };
    // every arc leads to another block
    let n = 4700u32;
    let far = |v: u32| v * 1031 % n;
    let arcs: Vec<_> = (0..n - 1).map(|v| (far(v), far(v + 1), 1u32)).collect();
    let mut graphs = vec![Csr::from_arcs(n as usize, &arcs).unwrap()];
    graphs.extend([0, 1, 256, 700, 2049, 3100, 5000].map(|n| scattered(n, 2)));
    for (gpus, graph) in graphs.iter().flat_map(|graph| [(&all[..2], graph), (&all, graph)]) {
        let name = format!("{} vertices by {} GPUs", graph.n_vertices(), gpus.len());
        agrees(gpus, &name, graph, &oracle::closure(graph), &FORMS);
    }
    let large = scattered(33_000, 2);
    let by_one = solve(&all[..1], &large, Algorithm::Blocked).unwrap().found.closure;
    for gpus in [&all[..2], &all] {
        agrees(gpus, "a large matrix", &large, &by_one, &[Algorithm::Blocked, Algorithm::Lop3]);
    }
    let refused = closure_on_gpus(&[], &large, &Config::default(), None);
    assert!(matches!(refused, Err(ClosureError::NoGpuNamed)));
    let config = Config::with(Algorithm::Blocked);
    let small = [all[0].clone(), all[1].with_memory_cap(1 << 20)];
    let refused = closure_on_gpus(&small, &large, &config, None);
    assert!(matches!(refused, Err(ClosureError::Gpu(GpuError::OutOfMemory { .. }))));
    for turns in [0, 3] {
        let stop = |done, _| {
            if done >= turns { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = closure_on_gpus(&all[..2], &large, &config, Some(&stop));
        assert!(matches!(stopped, Err(ClosureError::Interrupted(_))));
    }
}

#[test]
fn launches_are_as_many_as_documented() {
    let Some(gpus) = some_gpus(1) else { return };
    let graph = scattered(1300, 3);
    let launches = |algorithm| solve(&gpus, &graph, algorithm).map(|found| found.launches);
    // six chunks of pivots, each a block
    assert_eq!(launches(Algorithm::Lop3), Some(12));
    // four chunks are a block, and two more another: 2 a chunk, and 2 a block
    assert!(launches(Algorithm::MatrixUnits).is_none_or(|launches| launches == 16));
}

#[test]
fn auto_goes_by_components_where_that_is_shorter() {
    let Some(gpus) = some_gpus(1) else { return };
    let graph = scattered(5000, 5);
    let mut config = Config::default();
    let found = closure_on_gpus(&gpus, &graph, &config, None).unwrap();
    assert_eq!(found.found.plan.algorithm, "components");
    config.condense = false;
    let by_bits = closure_on_gpus(&gpus, &graph, &config, None).unwrap();
    assert_eq!(by_bits.found.plan.algorithm, "blocked");
    assert!(by_bits.found.closure == found.found.closure);
}

#[test]
fn what_does_not_fit_is_refused_and_progress_can_end_it() {
    let Some(gpus) = some_gpus(1) else { return };
    let graph = scattered(3000, 2);
    let config = Config::with(Algorithm::Blocked);
    let small = [gpus[0].with_memory_cap(1 << 20)];
    let refused = closure_on_gpus(&small, &graph, &config, None);
    assert!(matches!(refused, Err(ClosureError::Gpu(GpuError::OutOfMemory { .. }))));
    let stop = |_, _| ControlFlow::Break(());
    for algorithm in Algorithm::ALL {
        let config = Config::with(algorithm);
        let stopped = closure_on_gpus(&gpus, &graph, &config, Some(&stop));
        let expected = matches!(
            stopped,
            Err(ClosureError::Interrupted(_) | ClosureError::NoMatrixUnits { .. })
        );
        assert!(expected, "{algorithm} goes on");
    }
}

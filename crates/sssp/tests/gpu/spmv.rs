//! Bellman-Ford as products of matrix and vector: every product against the oracle, to the
//! bit.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{Csr, Direction, Weight, read, with_csr};
use paths::certificate::check_negative_cycle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::{Algorithm, Layout};
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases, data};

use crate::common::{
    agree_by, agrees_or_cycles, corner_case_tests, gpu, gpu_alone, one_way, thirds,
};

fn with(layout: Layout) -> Config<Algorithm> {
    Config::with(Algorithm::BellmanFordSpmv(layout))
}

fn layouts() -> [(Layout, Config<Algorithm>); 4] {
    Layout::ALL.map(|(_, layout)| (layout, with(layout)))
}

fn configs() -> [Config<Algorithm>; 4] {
    layouts().map(|(_, config)| config)
}

/// Arcs into the vertex that has the most.
fn longest_row<W: Weight>(graph: &Csr<W>) -> u64 {
    let rows = graph.transposed();
    rows.vertices().map(|v| rows.out_degree(v)).max().unwrap_or(0) as u64
}

/// All products against the oracle, from some sources, in one work space a product. Counts
/// are those of whole products.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let n = graph.n_vertices() as u64;
    let padded = with(Layout::Ell);
    agree_by(gpu, name, graph, &configs(), |config, found, what| {
        let product =
            if *config == padded { n * longest_row(graph) } else { graph.n_arcs() as u64 };
        let work = found.work;
        // where the CPU has taken over, the counts are its own
        if work.relaxations == work.rounds * product {
            assert!((1..=n).contains(&work.rounds), "{what}: {} rounds", work.rounds);
        } else {
            assert!(name.contains("largest") || name.contains("sums"), "{what}: {work:?}");
        }
    });
}

fn corner_cases_agrees<W: SearchWeight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        agree(&gpu, name, &graph);
        if graph.n_vertices() <= 1000 {
            let edges: Vec<_> = graph.arcs().collect();
            let both_ways = Csr::from_edges(graph.n_vertices(), &edges).unwrap();
            agree(&gpu, &format!("{name}, both ways"), &both_ways);
        }
    }
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

/// The same arcs, of which most weigh nothing.
fn plateaus(graph: &Csr<u32>) -> Csr<u32> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w / 200)).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    let uniform_config = UniformConfig { n_vertices: 5_003, n_edges: 49_999, ..Default::default() };
    let graphs = [
        ("rmat", rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 101, ..GridConfig::default() }).unwrap()),
        ("uniform", uniform(&uniform_config).unwrap()),
        (
            "geometric",
            geometric(&GeometricConfig { n_vertices: 9_001, ..Default::default() }).unwrap(),
        ),
    ];
    for (name, graph) in graphs {
        agree(&gpu, name, &graph);
        agree(&gpu, name, &one_way(&graph));
        agree(&gpu, name, &plateaus(&graph));
        let thirds = thirds(&graph);
        agree(&gpu, name, &thirds);
        agree(&gpu, name, &one_way(&thirds).convert_weights::<f32>().unwrap());
        agree(&gpu, name, &graph.convert_weights::<i32>().unwrap());
    }
}

/// Rows that many warps share, between rows of one arc or none, and not where a part begins.
#[test]
fn hubs_are_shared() {
    let Some(gpu) = gpu() else { return };
    for length in [63, 64, 65, 1000, 3_001] {
        let n = length + 300;
        let into = |hub| (0..length).map(move |v| (v + 150, hub, 1_000_000 - v * 3));
        let mut arcs: Vec<_> = into(37).chain(into(n - 1)).collect();
        // a way to the start of each arc, the longer the dearer
        arcs.extend((0..n).map(|v| (0, v, v)));
        arcs.extend([(37, 40, 1), (n - 1, 41, 1), (37, 37, 0)]);
        agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &arcs).unwrap());
        let signed: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, f64::from(w) / 8.0)).collect();
        agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &signed).unwrap());
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(90, 400, 0..=9), any::<bool>());
    let law = |(directed, both_ways): (Csr<u32>, bool)| {
        let arcs: Vec<_> = directed.arcs().collect();
        let n = directed.n_vertices();
        let graph = if both_ways { Csr::from_edges(n, &arcs) } else { Csr::from_arcs(n, &arcs) };
        agrees_or_cycles(&gpu, &graph.unwrap(), &configs())
    };
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

#[test]
fn negative_weights() {
    let Some(gpu) = gpu() else { return };
    let law = |graph: Csr<i32>| {
        agrees_or_cycles(&gpu, &graph, &configs())?;
        agrees_or_cycles(&gpu, &graph.clone().convert_weights::<f32>().unwrap(), &configs())?;
        agrees_or_cycles(&gpu, &graph.convert_weights::<f64>().unwrap(), &configs())
    };
    let config = ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&arbitrary_graph::<i32>(12, 40, -3..=20), law).unwrap();
}

/// A search of several launches, each of which goes on where the last one ended.
#[test]
fn negative_weights_on_long_paths() {
    let Some(gpu) = gpu() else { return };
    let potential = |v: u32| (v * 7919 % 1000) as i32;
    let arcs: Vec<_> = (0..4000u32)
        .flat_map(|v| [(v, v + 1, 3), (v, v * 31 % 4001, 5_000)])
        .map(|(u, v, w)| (u, v, w + potential(v) - potential(u)))
        .collect();
    let graph = Csr::from_arcs(4001, &arcs).unwrap();
    agree(&gpu, "long paths", &graph);
    agree(&gpu, "long paths", &graph.convert_weights::<f64>().unwrap());
}

#[test]
fn a_negative_cycle_far_away_is_found() {
    let Some(gpu) = gpu() else { return };
    // a path that ends in a cycle of -1, and a road back to the start
    let mut arcs: Vec<_> = (0..3000).map(|v| (v, v + 1, 5i32)).collect();
    arcs.extend([(3000, 2990, -51), (3000, 0, 9)]);
    let far = Csr::from_arcs(3001, &arcs).unwrap();
    // one of many undirected edges is negative: it is found long before the n-th round
    let square = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
    let mut edges: Vec<_> = square.arcs().map(|(u, v, w)| (u, v, w as i32)).collect();
    edges.push((4, 5, -1));
    let wide = Csr::from_edges(square.n_vertices(), &edges).unwrap();
    let loop_of_one = Csr::from_arcs(1, &[(0, 0, -1)]).unwrap();
    for (number, (_, config)) in layouts().into_iter().enumerate() {
        // the CPU names the cycle, which on the large graph takes it a while
        let graphs = [&far, &loop_of_one, &wide];
        for graph in &graphs[..if number == 0 { 3 } else { 2 }] {
            let most = AtomicU64::new(0);
            let count = |rounds, _| {
                most.fetch_max(rounds, Relaxed);
                ControlFlow::Continue(())
            };
            let solver = Solver::on_gpu(&gpu, graph, &config).unwrap();
            match solver.with_progress(&count).distances(0, Goal::All) {
                Err(SsspError::NegativeCycle { cycle }) => {
                    check_negative_cycle(graph, &cycle).unwrap();
                }
                other => panic!("{config:?}: {other:?}"),
            }
            assert!(most.into_inner() < 10_000, "of 90,000");
        }
    }
}

#[test]
fn sums_that_do_not_fit_are_added_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree(&gpu, "sums above", &Csr::from_edges(41, &heavy).unwrap());
    let deep: Vec<_> = (0..40).map(|v| (v, v + 1, v as i32 - 2_000_000_000)).collect();
    agree(&gpu, "sums below", &Csr::from_arcs(41, &deep).unwrap());
    // many arcs into one vertex, of which none gives a sum that fits
    let hub: Vec<_> = (1..500).flat_map(|v| [(0, v, u32::MAX - v), (v, 500, 600 + v)]).collect();
    agree(&gpu, "sums above, at a hub", &Csr::from_arcs(501, &hub).unwrap());
    // the greatest sums are those of no shortest path, and stay on the device
    let dear = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 7), (2, 1, 1)];
    agree(&gpu, "sums above, of a detour", &Csr::from_arcs(3, &dear).unwrap());
    let endless = Csr::from_arcs(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
    for (_, config) in layouts() {
        let found = Solver::on_gpu(&gpu, &endless, &config).unwrap().distances(0, Goal::All);
        assert!(matches!(found, Err(SsspError::Overflow { vertex: 2, .. })), "{found:?}");
    }
}

#[test]
fn a_long_search_tells_of_its_rounds_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let n = 30_001;
    let path: Vec<_> = (0..n - 1).map(|v| (v, v + 1, 1 + v % 7)).collect();
    let graph = Csr::from_edges(n as usize, &path).unwrap();
    let most = AtomicU64::new(0);
    let ends = AtomicBool::new(false);
    let tell = |done, total| {
        assert_eq!(total, u64::from(n), "no more rounds than vertices");
        assert!(most.fetch_max(done, Relaxed) <= done);
        if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    for (_, config) in layouts() {
        let solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
        let mut solver = solver.with_progress(&tell);
        let distances = solver.distances(0, Goal::All).unwrap();
        assert!(most.load(Relaxed) >= 256, "{}", most.load(Relaxed));
        let whole = distances.work.rounds;
        assert!(distances.work.improvements >= u64::from(n) - 1);
        ends.store(true, Relaxed);
        most.store(0, Relaxed);
        assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
        assert!(most.load(Relaxed) < whole / 2, "{config:?}");
        // and goes on afterwards
        ends.store(false, Relaxed);
        most.store(0, Relaxed);
        assert!(solver.distances(0, Goal::All).unwrap().answer == distances.answer);
        most.store(0, Relaxed);
    }
}

#[test]
fn goals_are_kept() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    for (_, config) in layouts() {
        let mut device = Solver::on_gpu(&gpu, &graph, &config).unwrap();
        assert_eq!(device.plan().algorithm, "bellman-ford-spmv");
        for goal in [Goal::Target(41), Goal::Within(900), Goal::Within(0)] {
            let found = device.tree(0, goal).unwrap();
            assert!(found.answer == host.tree(0, goal).unwrap().answer, "{goal:?}");
            let times = found.device_times.unwrap();
            assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0, "{times:?}");
        }
        let sources = [0, 7, 3599, 7];
        let found = device.table(&sources, &sources).unwrap();
        assert!(found.answer == host.table(&sources, &sources).unwrap().answer, "{config:?}");
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    for (layout, config) in layouts() {
        let wide = Csr::from_arcs(2, &[(0, 1, 1u64)]).unwrap();
        let refusal = Solver::on_gpu(&gpu, &wide, &config).err().unwrap();
        assert!(matches!(refusal, SsspError::NotOnGpu { .. }), "{refusal}");
        assert!(refusal.to_string().contains("u64") && refusal.to_string().contains("CPU"));
        let square = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
        let small = gpu.with_memory_cap(10_000);
        let refusal = Solver::on_gpu(&small, &square, &config).err().unwrap();
        match layout {
            Layout::Ell => assert!(refusal.to_string().contains("csr-balanced"), "{refusal}"),
            _ => assert!(matches!(refusal, SsspError::Gpu(_)), "{refusal}"),
        }
    }
}

/// Rows are of the arcs into a vertex: 2,000 of them pad 2,001 rows to 32 MB.
#[test]
fn padding_that_does_not_fit_is_refused() {
    let Some(gpu) = gpu() else { return };
    let small = gpu.with_memory_cap(10_000_000);
    let star: Vec<_> = (1..2001).map(|v| (v, 0, v)).collect();
    let star = Csr::from_arcs(2001, &star).unwrap();
    let refusal = Solver::on_gpu(&small, &star, &with(Layout::Ell)).err().unwrap().to_string();
    for part in ["vertex 0", "2000 arcs", "32016000 bytes", "GPU", "csr-balanced"] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    let mut balanced = Solver::on_gpu(&small, &star, &with(Layout::CsrBalanced)).unwrap();
    assert_eq!(balanced.distances(1999, Goal::All).unwrap().get(0), Some(1999));
    // the other way round no row has more than one arc
    let away = star.transposed();
    assert_eq!(away.direction(), Direction::Directed);
    let mut padded = Solver::on_gpu(&small, &away, &with(Layout::Ell)).unwrap();
    assert_eq!(padded.distances(0, Goal::All).unwrap().get(2000), Some(2000));
}

#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for name in [
        "dimacs/rome99.gr",
        "dimacs/DE.gr",
        "dimacs/USA-road-d.NY.gr.gz",
        "metis/power.graph",
        "mtx/cage8.mtx",
        "mtx/ca-GrQc.mtx",
        "snap/wiki-Vote.txt",
    ] {
        let Some(path) = data(name) else { continue };
        with_csr!(&read(&path).unwrap().csr, |graph| {
            let mut host = Solver::new(graph, &Config::default()).unwrap();
            let expected = host.distances(0, Goal::All).unwrap();
            for (layout, config) in layouts() {
                let mut solver = Solver::on_gpu(&gpu, graph, &config).unwrap();
                let found = solver.distances(0, Goal::All).unwrap();
                assert!(found.answer == expected.answer, "{name}, {config:?}");
                println!("{name}, {:?}: {} rounds", layout, found.work.rounds);
            }
        });
    }
}

//! Dijkstra's algorithm by reductions and by the criteria of Crauser and others and of Eager,
//! against the oracle, to the bit.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{AnyCsr, Csr, WeightKind, read};
use paths::oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::{Algorithm, BlockSize};
use sssp::{Config, Delta, Goal, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases, data};

use crate::common::{agree_by, as_floats, corner_case_tests, gpu, gpu_alone, one_way, reweighted};

/// Dijkstra's algorithm in this size of block.
fn dijkstra(block: BlockSize) -> Config<Algorithm> {
    Config::with(Algorithm::Dijkstra(block))
}

/// Eager's criterion with this look-ahead.
fn eager(lookahead: Delta) -> Config<Algorithm> {
    Config::with(Algorithm::Eager(lookahead))
}

/// The default of each.
fn defaults() -> [Config<Algorithm>; 3] {
    let crauser = Config::with(Algorithm::Crauser);
    [dijkstra(BlockSize::default()), crauser, eager(Delta::Auto)]
}

/// Those that settle a vertex once: Crauser's criteria, and reductions in every size of block.
fn settling_once() -> Vec<Config<Algorithm>> {
    let sizes = BlockSize::ALL.into_iter().map(|(_, block)| dijkstra(block));
    sizes.chain([Config::with(Algorithm::Crauser)]).collect()
}

/// And Eager's, with a look-ahead of many weights too.
fn all() -> Vec<Config<Algorithm>> {
    let eager = [Delta::Auto, Delta::WeightPerVertex].map(eager);
    settling_once().into_iter().chain(eager).collect()
}

/// The solvers against the oracle, from some sources, in one work space each.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>, configs: &[Config<Algorithm>]) {
    agree_by(gpu, name, graph, configs, |_, _, _| ());
}

fn corner_cases_agrees<W: SearchWeight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        if graph.weights().iter().all(|w| w.to_f64() <= f64::from(u32::MAX))
            || W::KIND == WeightKind::F32
        {
            agree(&gpu, name, &graph, &all());
        }
    }
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32 }

fn generated() -> [(&'static str, Csr<u32>); 4] {
    let points = GeometricConfig { n_vertices: 10_000, radius: 0.02, ..Default::default() };
    let spread = UniformConfig { n_vertices: 9_000, n_edges: 99_000, ..Default::default() };
    [
        ("rmat", rmat(&RmatConfig { scale: 13, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 130, ..GridConfig::default() }).unwrap()),
        ("uniform", uniform(&spread).unwrap()),
        ("geometric", geometric(&points).unwrap()),
    ]
}

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in &generated() {
        agree(&gpu, name, graph, &all());
        let floats = as_floats(graph);
        agree(&gpu, name, &floats, &defaults());
        agree(&gpu, name, &one_way(graph), &defaults());
        agree(&gpu, name, &one_way(&floats), &defaults());
        // plateaus, small ones and one for all
        agree(&gpu, name, &reweighted(graph, |w| w / 100), &defaults());
        agree(&gpu, name, &reweighted(graph, |w| w / 300), &defaults());
    }
}

#[test]
fn many_blocks_of_every_size() {
    let Some(gpu) = gpu() else { return };
    // more vertices than a block of 1024 threads takes by itself
    let config = GeometricConfig { n_vertices: 66_003, ..Default::default() };
    agree(&gpu, "geometric", &geometric(&config).unwrap(), &all());
}

#[test]
fn long_rows() {
    let Some(gpu) = gpu() else { return };
    let weight = |u: u32, v: u32| u.wrapping_mul(2_654_435_761).wrapping_add(v * 40_503) >> 12;
    // every row is cut to pieces, the last of them short
    let arcs: Vec<_> =
        (0..700).flat_map(|u| (0..700).map(move |v| (u, v, weight(u, v) % 997))).collect();
    agree(&gpu, "complete", &Csr::from_arcs(700, &arcs).unwrap(), &all());
    // a few rows are: two stars whose leaves are joined by a path
    let n = 30_000;
    let leaves = 2..n;
    let edges: Vec<_> = leaves
        .flat_map(|v| [(v % 2, v, weight(1, v) % 50_000), (v, (v + 1) % n, weight(2, v) % 90)])
        .collect();
    agree(&gpu, "stars", &Csr::from_edges(n as usize, &edges).unwrap(), &defaults());
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
        let expected = oracle::tree(&graph, 0, None).unwrap();
        let others = [1.0, 30.0, 1e12].map(|lookahead| eager(Delta::Fixed(lookahead)));
        for config in all().into_iter().chain(others) {
            let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
            prop_assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{config:?}");
        }
        Ok(())
    };
    let config = ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

#[test]
fn floats_that_round_are_settled_no_earlier_than_they_may() {
    let Some(gpu) = gpu() else { return };
    // neighbours in the order of floats, at several magnitudes: sums round up, down, and away
    let weight = |w: u32| {
        let (exponent, last_bits, first_bit) = (120 + w % 5 * 6, w / 5 % 4, w / 20 % 2);
        f32::from_bits((exponent << 23) | (first_bit << 22) | last_bits)
    };
    let law = |graph: Csr<u32>| {
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(w))).collect();
        let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        let expected = oracle::tree(&graph, 0, None).unwrap();
        for config in defaults() {
            let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
            prop_assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{config:?}");
        }
        Ok(())
    };
    let config = ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&arbitrary_graph::<u32>(60, 300, 0..=39), law).unwrap();
}

#[test]
fn every_vertex_is_settled_once_and_every_arc_relaxed_once() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in &generated() {
        for graph in [graph, &one_way(graph)] {
            let distances = oracle::tree(graph, 0, None).unwrap().distances;
            let reached = graph.vertices().filter(|&v| distances.get(v).is_some());
            let n_reached = reached.clone().count() as u64;
            let n_arcs: u64 = reached.map(|v| graph.arcs_from(v).count() as u64).sum();
            for config in settling_once() {
                let mut solver = Solver::on_gpu(&gpu, graph, &config).unwrap();
                let work = solver.distances(0, Goal::All).unwrap().work;
                let done = (work.settled, work.relaxations, work.again);
                assert_eq!(done, (n_reached, n_arcs, None), "{name}, {config:?}");
                assert!(work.improvements + 1 >= n_reached, "{name}, {config:?}: {work:?}");
                if config.algorithm == Some(Algorithm::Crauser) {
                    // one way, a source may reach next to nothing
                    assert!(n_reached < 100 || work.rounds * 4 < n_reached, "{name}: {work:?}");
                } else {
                    assert_eq!(work.rounds, n_reached, "{name}, {config:?}");
                }
            }
        }
    }
}

/// No longer than the lightest arc, a look-ahead settles nobody too early; beyond all distances,
/// rounds are those of a breadth-first search or fewer, for keys may fall before they are read.
#[test]
fn rounds_fall_and_relaxations_grow_with_the_look_ahead() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in &generated() {
        let graph = reweighted(graph, |w| w + 4);
        let distances = oracle::tree(&graph, 0, None).unwrap().distances;
        let (n, most) = (distances.n_reached() as u64, graph.n_vertices() as u64);
        let reached = graph.vertices().filter(|&v| distances.get(v).is_some());
        let arcs: u64 = reached.map(|v| graph.out_degree(v) as u64).sum();
        let [once, far] = [4.0, 1e12].map(|lookahead| {
            let config = eager(Delta::Fixed(lookahead));
            let mut solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
            let found = solver.distances(0, Goal::All).unwrap();
            assert!(found.answer == distances, "{name}");
            assert_eq!(found.plan.delta, Some(lookahead));
            found.work
        });
        assert_eq!((once.settled, once.relaxations), (n, arcs), "{name}");
        assert!(far.settled > n && far.relaxations > arcs, "{name}: {far:?}");
        assert!(far.rounds < once.rounds && once.rounds <= most, "{name}: {far:?}, {once:?}");
    }
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let square = grid(&GridConfig { side: 200, ..GridConfig::default() }).unwrap();
    for graph in [&square, &reweighted(&square, |w| w / 300)] {
        let mut host = Solver::new(graph, &Config::default()).unwrap();
        for config in defaults() {
            let mut device = Solver::on_gpu(&gpu, graph, &config).unwrap();
            let whole = device.distances(0, Goal::All).unwrap().work.relaxations;
            let near = [Goal::Target(0), Goal::Target(41), Goal::Target(40 * 200 + 3)];
            let far = [Goal::Target(39_999), Goal::Within(900), Goal::Within(0)];
            for goal in near.into_iter().chain(far) {
                let found = device.tree(0, goal).unwrap();
                let part = found.work.relaxations;
                let expected = host.tree(0, goal).unwrap();
                assert!(found.answer == expected.answer, "{goal:?}, {config:?}");
                let stops = near.contains(&goal) && graph.weights()[0] == square.weights()[0];
                assert!(part <= whole && (!stops || part < whole / 2), "{goal:?}: {part}/{whole}");
            }
        }
    }
    // one that cannot be reached: all that can be
    let apart = Csr::from_arcs(4, &[(0, 1, 5u32), (2, 3, 1)]).unwrap();
    for config in defaults() {
        let mut device = Solver::on_gpu(&gpu, &apart, &config).unwrap();
        let distances = device.distances(0, Goal::Target(3)).unwrap();
        assert_eq!((distances.get(1), distances.get(3)), (Some(5), None), "{config:?}");
    }
    let floats = as_floats(&square);
    let mut host = Solver::new(&floats, &Config::default()).unwrap();
    for config in defaults() {
        let mut device = Solver::on_gpu(&gpu, &floats, &config).unwrap();
        for goal in [Goal::Target(777), Goal::Within(1e4), Goal::Within(f32::INFINITY)] {
            let found = device.tree(9, goal).unwrap();
            assert!(found.answer == host.tree(9, goal).unwrap().answer, "{goal:?}");
        }
    }
}

#[test]
fn a_long_search_tells_of_its_steps_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..100_000).map(|v| (v, v + 1, 1 + v % 7)).collect();
    let graph = Csr::from_edges(100_001, &path).unwrap();
    let expected = oracle::tree(&graph, 0, None).unwrap();
    for config in defaults() {
        let most = AtomicU64::new(0);
        let ends = AtomicBool::new(false);
        let tell = |done, total| {
            assert_eq!(total, 0, "it is not known");
            assert!(most.fetch_max(done, Relaxed) <= done);
            if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let solver = Solver::on_gpu(&gpu, &graph, &config).unwrap();
        let mut solver = solver.with_progress(&tell);
        let found = solver.tree(0, Goal::All).unwrap();
        assert!(found.answer == expected, "{config:?}");
        assert!(most.load(Relaxed) >= 256, "{}", most.load(Relaxed));
        let whole = found.work.rounds;
        ends.store(true, Relaxed);
        most.store(0, Relaxed);
        assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
        assert!(most.load(Relaxed) < whole / 2, "{config:?}");
        // and goes on afterwards
        ends.store(false, Relaxed);
        most.store(0, Relaxed);
        assert!(solver.tree(0, Goal::All).unwrap().answer == expected, "{config:?}");
    }
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree(&gpu, "heavy path", &Csr::from_edges(41, &heavy).unwrap(), &all());
    let dear = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 7), (2, 1, 1)];
    agree(&gpu, "dear detour", &Csr::from_arcs(3, &dear).unwrap(), &all());
    let endless = Csr::from_arcs(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
    for config in all() {
        let found = Solver::on_gpu(&gpu, &endless, &config).unwrap().distances(0, Goal::All);
        assert!(matches!(found, Err(SsspError::Overflow { vertex: 2, .. })), "{found:?}");
    }
}

#[test]
fn what_they_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let doubles = Csr::from_arcs(2, &[(0, 1, 0.5)]).unwrap();
    let wide = Csr::from_arcs(2, &[(0, 1, 1u64 << 32)]).unwrap();
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let square = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let small = gpu.with_memory_cap(10_000);
    for config in all() {
        let refusal = Solver::on_gpu(&gpu, &doubles, &config).err().unwrap();
        assert!(refusal.to_string().contains("f32"), "{refusal}");
        let refusal = Solver::on_gpu(&gpu, &wide, &config).err().unwrap();
        assert!(refusal.to_string().contains("CPU"), "{refusal}");
        let refused = Solver::on_gpu(&gpu, &minus, &config);
        assert!(matches!(refused, Err(SsspError::NegativeWeight { .. })));
        assert!(matches!(Solver::on_gpu(&small, &square, &config), Err(SsspError::Gpu(_))));
        let mut solver = Solver::on_gpu(&gpu, &square, &config).unwrap();
        assert!(matches!(
            solver.distances(3_600, Goal::All),
            Err(SsspError::NoSuchVertex { vertex: 3_600, .. })
        ));
        let times = solver.distances(0, Goal::All).unwrap().device_times.unwrap();
        assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0, "{times:?}");
    }
}

/// Every graph of the folder of real ones that has a weight type and sign for it.
#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    let names = [
        "dimacs/rome99.gr",
        "dimacs/DE.gr",
        "dimacs/USA-road-d.NY.gr.gz",
        "dimacs/fastpaths_graph_23rd.gr",
        "connectome/larva_unmatched_full.csv.gz",
        "snap/wiki-Vote.txt",
        "gapbs/4.gr",
        "metis/power.graph",
        "mtx/ca-GrQc.mtx",
        "mtx/cage8.mtx",
    ];
    for name in names {
        let Some(path) = data(name) else { continue };
        match read(path).unwrap().csr {
            AnyCsr::U32(graph) => agree(&gpu, name, &graph, &defaults()),
            AnyCsr::I32(graph) => agree(&gpu, name, &graph, &defaults()),
            AnyCsr::U64(graph) => agree(&gpu, name, &graph, &defaults()),
            AnyCsr::I64(graph) => agree(&gpu, name, &graph, &defaults()),
            AnyCsr::F32(graph) => agree(&gpu, name, &graph, &defaults()),
            AnyCsr::F64(graph) => {
                let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w as f32)).collect();
                let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
                agree(&gpu, name, &graph, &defaults());
            }
            _ => panic!("{name}: a weight type without an arm here"),
        }
    }
}

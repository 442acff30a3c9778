//! Δ-stepping with buckets: every rule for Δ and given widths against the oracle, to the bit,
//! and the laws of what it counts.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{Csr, VertexId, Weight, WeightKind, read};
use paths::Tree;
use paths::certificate::check_tree;
use paths::oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Algorithm;
use sssp::{Bounds, Config, Delta, Goal, SearchWeight, Solver, SsspError, Work};
use test_support::{arbitrary_graph, corner_cases, data};

use crate::common::{agree_by, as_floats, coarse, corner_case_tests, gpu, gpu_alone, one_way};

fn with(delta: Delta) -> Config<Algorithm> {
    Config::with(Algorithm::DeltaSteppingBuckets(delta))
}

/// Every rule, and widths from one unit to one bucket for all, as far as `graph` admits them.
fn widths<W: Weight>(graph: &Csr<W>) -> Vec<Delta> {
    let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
    let fixed = [0.3, 1.0, 5.5, 300.0, 1e12].into_iter().filter(|width| largest / width < 1e6);
    // as many buckets as there may be at one time, and the last of them in one
    let extreme = [largest / 1e6, largest].into_iter().filter(|width| *width > 0.0);
    let rules = Delta::RULES.into_iter().map(|rule| rule.1);
    rules.chain(fixed.chain(extreme).map(Delta::Fixed)).collect()
}

/// What is true of the counts of a search that reached the vertices of `reached`.
fn check_counts<W: Weight>(graph: &Csr<W>, reached: &[VertexId], work: Work, name: &str) {
    let again = work.again.expect("it counts what is done again");
    let n_reached = reached.len() as u64;
    let arcs: usize = reached.iter().map(|&v| graph.out_degree(v)).sum();
    assert_eq!(work.settled, n_reached + again.insertions, "{name}: {work:?}");
    assert_eq!(work.relaxations, arcs as u64 + again.relaxations, "{name}: {work:?}");
    assert!(again.insertions != 0 || again.relaxations == 0, "{name}: {work:?}");
    // the source has its distance from the beginning
    assert!(work.improvements + 1 >= work.settled, "{name}: {work:?}");
    // each stage has a row, light stages of their own and heavy ones of what these had
    assert!(work.rounds <= 2 * work.settled, "{name}: {work:?}");
}

fn reached<W: Weight>(tree: &Tree<W>, n_vertices: usize) -> Vec<VertexId> {
    (0..n_vertices as VertexId).filter(|&v| tree.distance(v).is_some()).collect()
}

/// All widths against the oracle, from some sources, in one work space a width.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    let configs: Vec<_> = widths(graph).into_iter().map(with).collect();
    agree_by(gpu, name, graph, &configs, |_, found, name| {
        // none where the CPU took over
        if found.work.again.is_some() {
            check_counts(graph, &reached(found, graph.n_vertices()), found.work, name);
        }
    });
}

fn corner_cases_agrees<W: SearchWeight>() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in corner_cases::<W>() {
        let fits = graph.weights().iter().all(|w| w.to_f64() <= f64::from(u32::MAX));
        if fits || W::KIND == WeightKind::F32 {
            agree(&gpu, name, &graph);
        }
    }
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32 }

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    let spread = UniformConfig { n_vertices: 5_000, n_edges: 50_000, ..Default::default() };
    let near = GeometricConfig { n_vertices: 8_000, ..Default::default() };
    let graphs = [
        ("rmat", rmat(&RmatConfig { scale: 12, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 80, ..GridConfig::default() }).unwrap()),
        ("uniform", uniform(&spread).unwrap()),
        ("geometric", geometric(&near).unwrap()),
    ];
    for (name, graph) in &graphs {
        agree(&gpu, name, graph);
        agree(&gpu, name, &one_way(graph));
        agree(&gpu, name, &as_floats(graph));
        // plateaus, small ones and one for all
        agree(&gpu, name, &coarse(graph, 100));
        agree(&gpu, name, &coarse(graph, 300));
    }
}

/// Lists longer than a block, and than all blocks; of hubs, and of vertices without arcs.
#[test]
fn long_lists() {
    let Some(gpu) = gpu() else { return };
    let dense = rmat(&RmatConfig { scale: 17, ..RmatConfig::default() }).unwrap();
    let flat = coarse(&dense, 300);
    for graph in [&dense, &flat, &one_way(&dense)] {
        let mut host = Solver::new(graph, &Config::default()).unwrap();
        let source = graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
        let expected = host.tree(source, Goal::All).unwrap();
        for delta in [Delta::MedianWeight, Delta::Fixed(1.0), Delta::Fixed(1e6)] {
            let mut device = Solver::on_gpu(&gpu, graph, &with(delta)).unwrap();
            // a second search finds nothing of the first
            for _ in 0..2 {
                let found = device.tree(source, Goal::All).unwrap();
                assert!(found.answer == expected.answer, "{delta:?}");
                let reached = reached(&expected, graph.n_vertices());
                check_counts(graph, &reached, found.work, &format!("{delta:?}"));
            }
        }
    }
    // a hub whose neighbours all fall at once, most of them without arcs, and go to one end
    for n in [1023, 1024, 1025, 1026, 200_000] {
        let out = (1..n).map(|v| (0, v, 1 + v % 2));
        let back = (1..n).filter(|v| v % 3 == 0).map(|v| (v, n, 7));
        let star = Csr::from_arcs(n as usize + 1, &out.chain(back).collect::<Vec<_>>()).unwrap();
        let expected = oracle::tree(&star, 0, None).unwrap();
        for delta in [1.0, 2.0, 100.0] {
            let config = with(Delta::Fixed(delta));
            let mut device = Solver::on_gpu(&gpu, &star, &config).unwrap();
            let found = device.tree(0, Goal::All).unwrap();
            assert!(found.answer == expected, "{n} neighbours, {delta}");
        }
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let graphs = (arbitrary_graph::<u32>(40, 400, 0..=9), any::<bool>(), 0..5u32, 0.1..30.0f64);
    let law = |(directed, both_ways, scale, width): (Csr<u32>, bool, u32, f64)| {
        let edges: Vec<_> = directed.arcs().map(|(u, v, w)| (u, v, w.pow(scale))).collect();
        let n = directed.n_vertices();
        let graph = if both_ways { Csr::from_edges(n, &edges) } else { Csr::from_arcs(n, &edges) };
        let graph = graph.unwrap();
        let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(width))).unwrap();
        let tree = solver.tree(0, Goal::All).unwrap();
        let (work, reached) = (tree.work, reached(&tree, n));
        check_counts(&graph, &reached, work, "arbitrary");
        let all: Vec<VertexId> = graph.vertices().collect();
        let farthest = reached.iter().filter_map(|&v| tree.distance(v)).max().unwrap_or(0);
        let (again, most) = (work.again.unwrap(), Bounds::of(&graph, width, farthest as f64, &all));
        prop_assert!(again.insertions as f64 <= most.insertions, "{work:?}, {most:?}");
        prop_assert!(again.relaxations as f64 <= most.relaxations, "{work:?}, {most:?}");
        prop_assert!(work.rounds as f64 <= most.phases, "{work:?}, {most:?}");
        check_tree(&graph, &tree).map_err(|e| TestCaseError::fail(e.to_string()))
    };
    let config = ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() };
    TestRunner::new(config).run(&graphs, law).unwrap();
}

/// Where no weight is less than Δ, no vertex falls after it was taken.
#[test]
fn narrow_buckets_do_nothing_again() {
    let Some(gpu) = gpu() else { return };
    let dense = rmat(&RmatConfig { scale: 13, ..RmatConfig::default() }).unwrap();
    let sparse = grid(&GridConfig { side: 90, ..GridConfig::default() }).unwrap();
    for graph in [dense, sparse] {
        let edges: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w + 4)).collect();
        let graph = Csr::from_arcs(graph.n_vertices(), &edges).unwrap();
        for delta in [1.0, 3.0] {
            let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(delta))).unwrap();
            let tree = solver.tree(0, Goal::All).unwrap();
            check_tree(&graph, &tree).unwrap();
            let reached = reached(&tree, graph.n_vertices());
            check_counts(&graph, &reached, tree.work, "narrow");
            assert_eq!(tree.work.settled, reached.len() as u64, "{delta}");
        }
        // one bucket for all is Bellman-Ford with a queue, which takes vertices again
        let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(1e9))).unwrap();
        let work = solver.distances(0, Goal::All).unwrap().work;
        assert!(work.again.unwrap().insertions > 0, "{work:?}");
    }
}

/// Distances of more buckets than a word can tell apart: the last one takes all the rest.
#[test]
fn distances_beyond_the_last_bucket() {
    let Some(gpu) = gpu() else { return };
    let n = 9_000u32;
    let hops = (0..n).map(|v| (v, v + 1, 1.0 + (v % 5) as f32 / 4.0));
    let leaps = (0..n - 1).map(|v| (v, v + 2, 2.0));
    let path = Csr::from_edges(n as usize + 1, &hops.chain(leaps).collect::<Vec<_>>()).unwrap();
    let narrow = 2.0 / 1_048_576.0;
    // far away, and with weights next to nothing beside great ones
    for scale in [[1.0, 1.0], [1e33, 1e33], [1e-40, 1.0]] {
        let scaled = path.arcs().map(|(u, v, w)| (u, v, w * scale[usize::from((u + v) % 7 != 0)]));
        let graph = Csr::from_arcs(path.n_vertices(), &scaled.collect::<Vec<_>>()).unwrap();
        let mut host = Solver::new(&graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
        let expected = host.tree(0, Goal::All).unwrap();
        let delta = narrow * f64::from(scale[1]);
        let greatest = f64::from(expected.distance(n).unwrap());
        assert!(scale[0] < 1.0 || greatest / delta > f64::from(u32::MAX), "{greatest}");
        for delta in [delta, delta * 1e6, delta * 1e12] {
            let mut device = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(delta))).unwrap();
            let found = device.tree(0, Goal::All).unwrap();
            assert!(found.answer == expected.answer, "{scale:?}, {delta}");
            let reached = reached(&expected, graph.n_vertices());
            check_counts(&graph, &reached, found.work, &format!("{scale:?}, {delta}"));
        }
    }
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
    let floats = as_floats(&graph);
    for delta in [Delta::Auto, Delta::MeanWeight, Delta::Fixed(20.0)] {
        let (part, whole) = keeps_to_goals(&gpu, &graph, delta);
        assert!(part < whole / 2, "{delta:?}: {part} relaxations of {whole}");
    }
    // a bucket may have nearly all of these
    for delta in [Delta::Auto, Delta::MedianWeight, Delta::MeanWeight] {
        keeps_to_goals(&gpu, &floats, delta);
    }
}

/// Searches that end early find what the CPU's find. The most relaxations of one, and those
/// of a search for all.
fn keeps_to_goals<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, delta: Delta) -> (u64, u64) {
    let mut device = Solver::on_gpu(gpu, graph, &with(delta)).unwrap();
    let mut host = Solver::new(graph, &Config::default()).unwrap();
    let all = device.distances(0, Goal::All).unwrap();
    let whole = all.work.relaxations;
    let within = |v| Goal::Within(all.get(v).unwrap());
    let goals = [Goal::Target(0), Goal::Target(41), Goal::Target(40 * 300 + 3)];
    let mut most = 0;
    for goal in goals.into_iter().chain([within(0), within(45), within(31 * 300)]) {
        let found = device.tree(0, goal).unwrap();
        assert!(found.answer == host.tree(0, goal).unwrap().answer, "{goal:?}, {delta:?}");
        most = most.max(found.work.relaxations);
    }
    (most, whole)
}

#[test]
fn a_target_that_is_not_reached_takes_the_whole_search() {
    let Some(gpu) = gpu() else { return };
    let graph = Csr::from_arcs(5, &[(0, 1, 3u32), (1, 2, 4), (3, 4, 1)]).unwrap();
    let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(2.0))).unwrap();
    let tree = solver.tree(0, Goal::Target(4)).unwrap();
    assert_eq!((tree.distance(2), tree.distance(4)), (Some(7), None));
}

#[test]
fn a_long_search_tells_of_its_stages_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..50_000).map(|v| (v, v + 1, 1 + v % 7)).collect();
    let graph = Csr::from_edges(50_001, &path).unwrap();
    let most = AtomicU64::new(0);
    let ends = AtomicBool::new(false);
    let tell = |done, total| {
        assert_eq!(total, 0, "it is not known");
        assert!(most.fetch_max(done, Relaxed) <= done);
        if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(1.0))).unwrap();
    let mut solver = solver.with_progress(&tell);
    let tree = solver.tree(0, Goal::All).unwrap();
    check_tree(&graph, &tree).unwrap();
    assert!(most.load(Relaxed) >= 256, "{}", most.load(Relaxed));
    let whole = tree.work.rounds;
    ends.store(true, Relaxed);
    most.store(0, Relaxed);
    assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
    assert!(most.load(Relaxed) < whole);
    // and goes on afterwards
    ends.store(false, Relaxed);
    most.store(0, Relaxed);
    assert!(solver.tree(0, Goal::All).unwrap().answer == tree.answer);
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    let graph = Csr::from_edges(41, &heavy).unwrap();
    agree(&gpu, "heavy path", &graph);
    let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Auto)).unwrap();
    let distances = solver.distances(0, Goal::All).unwrap();
    assert_eq!(distances.get(1), Some(4_000_000_000));
    assert!(distances.device_times.unwrap().solve_ms > 0.0);
    // the greatest sums are those of no shortest path
    let dear = [(0, 1, u32::MAX), (1, 2, u32::MAX), (0, 2, 7), (2, 1, 1)];
    agree(&gpu, "dear detour", &Csr::from_arcs(3, &dear).unwrap());
    let endless = Csr::from_arcs(3, &[(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
    let found = Solver::on_gpu(&gpu, &endless, &with(Delta::Auto)).unwrap().tree(0, Goal::All);
    assert!(matches!(found, Err(SsspError::Overflow { vertex: 2, .. })), "{found:?}");
}

/// Road networks and others, from the folder of real graphs.
#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for name in ["dimacs/rome99.gr", "dimacs/USA-road-d.NY.gr"] {
        let Some(path) = data(name) else { continue };
        let graph = read(&path).unwrap().csr.into_csr::<u32>().unwrap();
        let mut host = Solver::new(&graph, &Config::default()).unwrap();
        let expected = host.tree(0, Goal::All).unwrap();
        let reached = reached(&expected, graph.n_vertices());
        for (rule, delta) in Delta::RULES {
            let mut device = Solver::on_gpu(&gpu, &graph, &with(delta)).unwrap();
            let found = device.tree(0, Goal::All).unwrap();
            assert!(found.answer == expected.answer, "{name}, {rule}");
            check_counts(&graph, &reached, found.work, name);
            println!("{name}, {rule}: {:?}, {:?}", found.work, found.device_times);
        }
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let doubles = Csr::from_arcs(2, &[(0, 1, 0.5f64)]).unwrap();
    let refusal = Solver::on_gpu(&gpu, &doubles, &with(Delta::Auto)).err().unwrap().to_string();
    assert!(refusal.contains("f32") && refusal.contains("CPU"), "{refusal}");
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let refused = Solver::on_gpu(&gpu, &minus, &with(Delta::Auto));
    assert!(matches!(refused, Err(SsspError::NegativeWeight { .. })));
    let graph = Csr::from_arcs(2, &[(0, 1, u32::MAX)]).unwrap();
    let refused = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(1.0)));
    assert!(matches!(refused, Err(SsspError::BadDelta { .. })));
    let square = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let small = gpu.with_memory_cap(10_000);
    let refused = Solver::on_gpu(&small, &square, &with(Delta::Auto));
    assert!(matches!(refused, Err(SsspError::Gpu(_))));
    // what it says it needs is what it takes
    let need = 3600 * 77 + square.n_arcs() as u64 * 8 + 10_000;
    let enough = gpu.with_memory_cap(need + (128 << 20));
    let mut solver = Solver::on_gpu(&enough, &square, &with(Delta::Auto)).unwrap();
    check_tree(&square, &solver.tree(7, Goal::All).unwrap()).unwrap();
}

/// Hundreds of buckets with next to nothing in them, where blocks overtake one another: some
/// once went on to the next bucket while others still asked what was left in this one.
#[test]
fn thin_buckets_again_and_again() {
    let Some(gpu) = gpu() else { return };
    let graph = rmat(&RmatConfig { scale: 13, ..RmatConfig::default() }).unwrap();
    let source = graph.vertices().max_by_key(|&v| graph.out_degree(v)).unwrap();
    let expected = oracle::tree(&graph, source, None).unwrap().distances;
    let mut device = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(1.0))).unwrap();
    for turn in 0..40 {
        let found = device.distances(source, Goal::All).unwrap();
        assert!(found.answer == expected, "turn {turn}");
    }
}

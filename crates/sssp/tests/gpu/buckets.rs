//! Δ-stepping with buckets: every rule for Δ and given widths against the oracle, bit for bit, and
//! laws of its counts.

use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use paths::Tree;
use paths::certificate::check_tree;
use paths::oracle;
use published::{Bounds, Form};
use sssp::gpu::Algorithm;
use sssp::{Config, Delta, Found, Goal, SearchWeight, Solver, SsspError};

use crate::common::{Both, corner_case_tests, gpu, refusal};
use crate::graphs;
use crate::laws;

fn with(delta: Delta) -> Config<Algorithm> {
    Config::with(Algorithm::Published(Form::DeltaSteppingBuckets(delta)))
}

/// Every rule and widths from 1 to one bucket for all vertices, as far as `graph` admits them.
fn widths<W: Weight>(graph: &Csr<W>) -> Vec<Delta> {
    let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
    let fixed = [0.3, 1.0, 5.5, 300.0, 1e12].into_iter().filter(|width| largest / width < 1e6);
    // as many buckets as there may be at one time, with the last ones in one
    let extreme = [largest / 1e6, largest].into_iter().filter(|width| *width > 0.0);
    let rules = Delta::RULES.into_iter().map(|rule| rule.1);
    rules.chain(fixed.chain(extreme).map(Delta::Fixed)).collect()
}

/// All widths that a graph admits.
struct Buckets;

impl laws::Solvers for Buckets {
    fn configs<W: SearchWeight>(&self, graph: &Csr<W>) -> Vec<Config<Algorithm>> {
        widths(graph).into_iter().map(with).collect()
    }

    fn check<W: SearchWeight>(&self, graph: &Csr<W>, found: &Found<Tree<W>>, name: &str) {
        // the CPU as the fallback has no such counts
        if found.work.again.is_some() {
            check_counts(graph, found, name);
        }
    }
}

/// Checks the laws of the counts of a search.
fn check_counts<W: Weight>(graph: &Csr<W>, found: &Found<Tree<W>>, name: &str) {
    let work = found.work;
    let again = work.again.expect("it counts what is done again");
    let reached = reached(graph, found);
    let n_reached = reached.len() as u64;
    let arcs: usize = reached.iter().map(|&v| graph.out_degree(v)).sum();
    assert_eq!(work.settled, n_reached + again.insertions, "{name}: {work:?}");
    assert_eq!(work.relaxations, arcs as u64 + again.relaxations, "{name}: {work:?}");
    assert!(again.insertions != 0 || again.relaxations == 0, "{name}: {work:?}");
    // the source's distance is no improvement
    assert!(work.improvements + 1 >= work.settled, "{name}: {work:?}");
    // each phase scans a row: light phases one of their own, heavy ones one of the light phases'
    assert!(work.rounds <= 2 * work.settled, "{name}: {work:?}");
}

fn reached<W: Weight>(graph: &Csr<W>, tree: &Tree<W>) -> Vec<VertexId> {
    graph.vertices().filter(|&v| tree.distance(v).is_some()).collect()
}

corner_case_tests! { |gpu, name, graph| laws::agree_if_narrow(gpu, name, graph, &Buckets);
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32 }

#[test]
fn generated_graphs() {
    let graphs = graphs::four_kinds([12, 80], (5_000, 50_000), (8_000, graphs::RADIUS));
    laws::for_graphs(graphs, |gpu, name, graph| {
        laws::agree_on_plateaus(gpu, name, graph, &Buckets);
    });
}

/// Lists longer than a block and than all blocks, of hubs and of vertices without arcs.
#[test]
fn long_lists() {
    let Some(gpu) = gpu() else { return };
    let dense = graphs::skewed(17);
    for graph in [&dense, &graphs::coarse(&dense, 300), &graphs::one_way(&dense)] {
        for delta in [Delta::MedianWeight, Delta::Fixed(1.0), Delta::Fixed(1e6)] {
            let mut both = Both::new(&gpu, "long lists", graph, &with(delta));
            // the first search leaves no state for the second
            for _ in 0..2 {
                let found = both.tree(graphs::hub(graph), Goal::All);
                check_counts(graph, &found, &format!("{delta:?}"));
            }
        }
    }
    // a hub whose neighbours all fall at once; most have no arcs, the others lead to one vertex
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
    let graphs = (graphs::arbitrary(40, 0..=9, 0..5, u32::pow), 0.1..30.0f64);
    laws::for_arbitrary(150, graphs, |gpu, (graph, width)| {
        let mut solver = Solver::on_gpu(gpu, &graph, &with(Delta::Fixed(width))).unwrap();
        let tree = solver.tree(0, Goal::All).unwrap();
        check_counts(&graph, &tree, "arbitrary");
        let all: Vec<VertexId> = graph.vertices().collect();
        let distances = reached(&graph, &tree).into_iter().filter_map(|v| tree.distance(v));
        let most = Bounds::of(&graph, width, distances.max().unwrap_or(0) as f64, &all);
        let (work, again) = (tree.work, tree.work.again.unwrap());
        assert!(again.insertions as f64 <= most.insertions, "{work:?}, {most:?}");
        assert!(again.relaxations as f64 <= most.relaxations, "{work:?}, {most:?}");
        assert!(work.rounds as f64 <= most.phases, "{work:?}, {most:?}");
        check_tree(&graph, &tree).unwrap();
    });
}

/// If no weight is less than Δ, no vertex falls after it was taken.
#[test]
fn narrow_buckets_do_nothing_again() {
    laws::for_graphs(graphs::two_kinds(13, 90), |gpu, name, graph| {
        let graph = &graphs::with_weights(graph, |_, _, w| w + 4);
        for delta in [1.0, 3.0] {
            let mut solver = Solver::on_gpu(gpu, graph, &with(Delta::Fixed(delta))).unwrap();
            let tree = solver.tree(0, Goal::All).unwrap();
            check_tree(graph, &tree).unwrap();
            check_counts(graph, &tree, name);
            assert_eq!(tree.work.settled, reached(graph, &tree).len() as u64, "{delta}");
        }
        // one bucket for all vertices is Bellman-Ford with a queue, which takes vertices again
        let mut solver = Solver::on_gpu(gpu, graph, &with(Delta::Fixed(1e9))).unwrap();
        let work = solver.distances(0, Goal::All).unwrap().work;
        assert!(work.again.unwrap().insertions > 0, "{work:?}");
    });
}

/// Distances with more buckets than a word can number: the last bucket takes the rest.
#[test]
fn distances_beyond_the_last_bucket() {
    let Some(gpu) = gpu() else { return };
    let n = 9_000u32;
    let hops = (0..n).map(|v| (v, v + 1, 1.0 + (v % 5) as f32 / 4.0));
    let leaps = (0..n - 1).map(|v| (v, v + 2, 2.0));
    let path = Csr::from_edges(n as usize + 1, &hops.chain(leaps).collect::<Vec<_>>()).unwrap();
    // large distances, and tiny weights beside large ones
    for scale in [[1.0, 1.0], [1e33, 1e33], [1e-40, 1.0]] {
        let graph = graphs::with_weights(&path, |u, v, w| w * scale[usize::from((u + v) % 7 != 0)]);
        let narrow = 2.0 / 1_048_576.0 * f64::from(scale[1]);
        for delta in [narrow, narrow * 1e6, narrow * 1e12] {
            let name = format!("{scale:?}");
            let mut both = Both::with_dijkstra(&gpu, &name, &graph, &with(Delta::Fixed(delta)));
            let found = both.tree(0, Goal::All);
            check_counts(&graph, &found, &format!("{scale:?}, {delta}"));
            let greatest = f64::from(found.distance(n).unwrap());
            assert!(scale[0] < 1.0 || greatest / narrow > f64::from(u32::MAX), "{greatest}");
        }
    }
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(300);
    let floats = graphs::as_floats(&graph);
    for delta in [Delta::Auto, Delta::MeanWeight, Delta::Fixed(20.0)] {
        let (part, whole) = keeps_to_goals(&gpu, &graph, delta);
        assert!(part < whole / 2, "{delta:?}: {part} relaxations of {whole}");
    }
    // a bucket may have nearly all of these
    for delta in [Delta::Auto, Delta::MedianWeight, Delta::MeanWeight] {
        keeps_to_goals(&gpu, &floats, delta);
    }
}

/// Checks searches that end early against the CPU's. Returns the most relaxations of one, and those
/// of a complete search.
fn keeps_to_goals<W: SearchWeight>(gpu: &Gpu, graph: &Csr<W>, delta: Delta) -> (u64, u64) {
    let mut both = Both::new(gpu, "square", graph, &with(delta));
    let all = both.tree(0, Goal::All);
    let targets = [0, 41, 40 * 300 + 3].map(Goal::Target);
    let cutoffs = [0, 45, 31 * 300].map(|v| Goal::Within(all.distance(v).unwrap()));
    both.goals(0, &[targets, cutoffs].concat())
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
    let config = with(Delta::Fixed(1.0));
    laws::tells_and_ends(&graphs::path(50_000), &[config], 0, |work| work.rounds);
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    laws::large_sums_are_right(&gpu, &Buckets);
    let graph = graphs::heavy_path(41);
    let mut solver = Solver::on_gpu(&gpu, &graph, &with(Delta::Auto)).unwrap();
    let distances = solver.distances(0, Goal::All).unwrap();
    assert_eq!(distances.get(1), Some(4_000_000_000));
    assert!(distances.device_times.unwrap().solve_ms > 0.0);
}

/// Road networks, from the folder of real graphs.
#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs::real(&graphs::REAL[..3]) {
        let graph = graph.into_csr::<u32>().unwrap();
        for (rule, delta) in Delta::RULES {
            let found = Both::new(&gpu, name, &graph, &with(delta)).tree(0, Goal::All);
            check_counts(&graph, &found, name);
            println!("{name}, {rule}: {:?}, {:?}", found.work, found.device_times);
        }
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let auto = with(Delta::Auto);
    let doubles = Csr::from_arcs(2, &[(0, 1, 0.5f64)]).unwrap();
    let refused = refusal(&gpu, &doubles, &auto).to_string();
    assert!(refused.contains("f32") && refused.contains("CPU"), "{refused}");
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    assert!(matches!(refusal(&gpu, &minus, &auto), SsspError::NegativeWeight { .. }));
    let graph = Csr::from_arcs(2, &[(0, 1, u32::MAX)]).unwrap();
    let refused = refusal(&gpu, &graph, &with(Delta::Fixed(1.0)));
    assert!(matches!(refused, SsspError::BadDelta { .. }));
    let square = graphs::square(60);
    let refused = refusal(&gpu.with_memory_cap(10_000), &square, &auto);
    assert!(matches!(refused, SsspError::Gpu(_)));
    // the reported need is the memory that it takes
    let need = 3600 * 77 + square.n_arcs() as u64 * 8 + 10_000;
    let enough = gpu.with_memory_cap(need + (128 << 20));
    let mut solver = Solver::on_gpu(&enough, &square, &auto).unwrap();
    check_tree(&square, &solver.tree(7, Goal::All).unwrap()).unwrap();
}

/// Hundreds of nearly empty buckets, where blocks overtake one another. A past bug: some blocks
/// took the next bucket while others still read the length of this one.
#[test]
fn thin_buckets_again_and_again() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(13);
    let source = graphs::hub(&graph);
    let expected = oracle::tree(&graph, source, None).unwrap().distances;
    let mut device = Solver::on_gpu(&gpu, &graph, &with(Delta::Fixed(1.0))).unwrap();
    for turn in 0..40 {
        let found = device.distances(source, Goal::All).unwrap();
        assert!(found.answer == expected, "turn {turn}");
    }
}

//! Breadth-first search on a GPU, and sums over many such searches, against the CPU.

use std::ops::ControlFlow;
use std::slice;

use breadth_first::HopCounter;
use gpu_runtime::Gpu;
use graph_formats::{Csr, VertexId, Weight};
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, SearchWeight, Solver, SsspError};
use test_support::undirected;

use crate::common::{Both, corner_case_tests, gpu, gpu_alone, refusal};
use crate::graphs;
use crate::laws::{self, agree};

fn asked() -> Config<Algorithm> {
    Config::with(Algorithm::BreadthFirst)
}

/// The same arcs, all with this weight.
fn alike<V: Weight, W: Weight>(graph: &Csr<V>, weight: W) -> Csr<W> {
    graphs::with_weights(graph, |_, _, _| weight)
}

/// The hops from many sources, counted on the device and on the CPU.
struct Hops {
    device: HopCounter,
    host: HopCounter,
}

impl Hops {
    fn new<W: Weight>(gpu: &Gpu, graph: &Csr<W>) -> Self {
        let device = HopCounter::new(graph, slice::from_ref(gpu), None);
        Self { device, host: HopCounter::new(graph, &[], None) }
    }

    /// Checks that both have the same sums.
    #[track_caller]
    fn agree(&mut self, name: &str, sources: &[VertexId]) {
        let [found, expected] =
            [&mut self.device, &mut self.host].map(|hops| hops.sums(sources, None).unwrap());
        assert!(found == expected, "{name}, {} sources", sources.len());
        assert!(self.device.times().is_some(), "{name}: not on the device");
    }
}

/// Checks trees against the oracle and sums against the CPU, with equal weights, for directed and
/// undirected graphs.
fn agree_in_sums<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    for graph in [alike(graph, W::ONE), graphs::reweighted(graph, |_| W::ONE)] {
        agree(gpu, name, &graph, &[asked()]);
        let mut hops = Hops::new(gpu, &graph);
        let twice = [graphs::some_sources(&graph), graphs::some_sources(&graph)].concat();
        for sources in [graph.vertices().collect(), twice, vec![]] {
            hops.agree(name, &sources);
        }
    }
}

corner_case_tests! { agree_in_sums; corner_cases_u32 u32, corner_cases_i64 i64, corner_cases_f32 f32 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::large_ones, |gpu, name, graph| {
        agree(gpu, name, &graphs::reweighted(graph, |_| 7u32), &[asked()]);
        agree(gpu, name, &graphs::reweighted(graph, |_| 0.1f32), &[asked()]);
        agree(gpu, name, &alike(&graphs::one_way(graph), 3u64), &[asked()]);
    });
}

#[test]
fn arbitrary_graphs() {
    laws::for_arbitrary(100, graphs::arbitrary(90, 1..=1, 0..1, |_, _| 5u32), |gpu, graph| {
        laws::agree_or_fail_alike(gpu, &graph, &[asked(), Config::default()]);
        let all: Vec<_> = graph.vertices().collect();
        Hops::new(gpu, &graph).agree("arbitrary", &all);
    });
}

/// Levels of every width: one vertex, as many as a block or a team takes, and more.
#[test]
fn levels_grow_and_shrink() {
    let Some(gpu) = gpu() else { return };
    // pairs of hubs with common neighbours, and a path to the next pair
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
    agree(&gpu, "hubs", &hubs, &[asked()]);
    // a tree whose levels grow by a half each, and its mirror image
    let n = 100_000;
    let tree = (1..n).map(|v: VertexId| (v * 2 / 3, v, 1u32));
    let mirror = (1..n).map(|v| (2 * n - 1 - v * 2 / 3, 2 * n - 1 - v, 1));
    let leaves = (n / 2..n).map(|v| (v, n + (v - n / 2), 1));
    let edges: Vec<_> = tree.chain(mirror).chain(leaves).collect();
    let short = Csr::from_edges(2 * n as usize, &edges).unwrap();
    agree(&gpu, "trees", &short, &[asked()]);
}

#[test]
fn sums_of_floats_may_stop_growing() {
    let Some(gpu) = gpu() else { return };
    // 1 is half the least step beyond 2^24, so all vertices beyond have that distance
    agree(&gpu, "short", &undirected(&graphs::even_path(300, 1e-3f32)), &[asked()]);
    let long = undirected(&graphs::even_path((1 << 24) + 50, 1.0f32));
    Both::with_dijkstra(&gpu, "long", &long, &asked()).tree(0, Goal::All);
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let sparse = graphs::reweighted(&graphs::square(400), |_| 3u32);
    let dense = graphs::reweighted(&graphs::skewed(13), |_| 0.3f64);
    let targets = [0, 41, 1603, 5000];
    let mut both = Both::with_dijkstra(&gpu, "dense", &dense, &asked());
    both.goals(0, &targets.map(Goal::Target));
    both.goals(0, &[0.0, 0.3, 0.5, 0.6, 0.89999999999, 1e9].map(Goal::Within));
    let mut both = Both::with_dijkstra(&gpu, "sparse", &sparse, &asked());
    both.goals(0, &targets.map(Goal::Target));
    both.goals(0, &[0, 2, 3, 300, 899, 900, 1 << 40].map(Goal::Within));
    let (part, whole) = both.goals(0, &[Goal::Target(41), Goal::Within(300)]);
    assert!(part < whole / 2, "{part} relaxations of {whole}");
}

#[test]
fn what_is_too_large_is_told() {
    let Some(gpu) = gpu() else { return };
    laws::overflow_is_told(&gpu, u64::MAX / 3 - 1, "u64", &asked());
}

#[test]
fn weights_have_to_be_equal_and_then_it_is_chosen() {
    let Some(gpu) = gpu() else { return };
    for weights in [[1, 2], [0, 0]] {
        let graph = Csr::from_arcs(3, &[(0, 1, weights[0]), (1, 2, weights[1])]).unwrap();
        let refused = refusal::<u32>(&gpu, &graph, &asked());
        assert!(matches!(refused, SsspError::WeightsDiffer { .. }));
    }
    let graph = Csr::from_arcs(3, &[(0, 1, 4u32), (1, 2, 4)]).unwrap();
    let solver = Solver::on_gpu(&gpu, &graph, &Config::default()).unwrap();
    assert_eq!(solver.plan().algorithm, "breadth-first");
    let none = Csr::<u32>::from_arcs(3, &[]).unwrap();
    assert!(Solver::on_gpu(&gpu, &none, &asked()).unwrap().tree(1, Goal::All).is_ok());
}

#[test]
fn a_long_search_tells_of_its_levels_and_can_be_ended() {
    let graph = graphs::reweighted(&graphs::path(100_000), |_| 1u32);
    laws::tells_and_ends(&graph, &[asked()], 0, |_| 50_000);
    let Some(gpu) = gpu_alone() else { return };
    // sums can be ended too, and the counter stays usable
    let mut hops = HopCounter::new(&graph, slice::from_ref(&*gpu), None);
    let interrupted = hops.sums(&[0, 1], Some(&|_, _| ControlFlow::Break(())));
    assert!(matches!(interrupted, Err(SsspError::Interrupted(_))));
    assert_eq!(hops.sums(&[0, 1], None).unwrap().greatest[100_000], 100_000);
}

/// Two GPUs share the sources; where one has too little memory, the CPU counts.
#[test]
fn sums_are_those_of_one_gpu_on_two_and_on_none() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(13);
    let sources: Vec<_> = graph.vertices().chain(0..9).collect();
    let sums = |gpus: &[Gpu]| {
        let mut hops = HopCounter::new(&graph, gpus, None);
        let sums = hops.sums(&sources, None).unwrap();
        (sums, hops.times().is_some())
    };
    let (expected, _) = sums(&[]);
    assert!(sums(&[gpu.clone(), gpu.clone()]) == (expected.clone(), true));
    assert!(sums(&[gpu.clone(), gpu.with_memory_cap(100_000)]) == (expected, false));
}

/// Hops are counted on the device for all weights and with both widths of batches.
#[test]
fn sums_over_many_sources() {
    let Some(gpu) = gpu() else { return };
    let skewed = graphs::skewed(12);
    for graph in [&skewed, &graphs::square(50), &graphs::one_way(&skewed)] {
        let hops = alike(graph, 2.5f32);
        let mut weighted = Hops::new(&gpu, graph);
        let mut hops = Both::new(&gpu, "hops", &hops, &asked());
        for n_sources in [1, 64, 65, 1024, 1025, 2500] {
            let sources: Vec<_> = graph.vertices().rev().take(n_sources).collect();
            weighted.agree("weighted", &sources);
            let targets: Vec<_> = graph.vertices().step_by(1 + n_sources / 7).collect();
            hops.table(&sources, &targets);
        }
    }
}

//! The solvers on a GPU against those on the CPU. Each test needs a GPU and prints `SKIPPED`
//! without one; with `STARPATH_REQUIRE_GPU=1` it fails.

mod bellman_ford;
mod breadth_first;
mod buckets;
mod common;
mod device_solver;
mod dijkstra;
mod drawn;
mod graphs;
mod laws;
mod many;
mod nearest;
mod queue;
mod several;
mod spmv;
mod wide;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use graph_formats::{Csr, Direction, VertexId};
use paths::certificate::check_tree;
use published::Form;
use sssp::gpu::Algorithm;
use sssp::{Config, Delta, Goal, SearchWeight, Solver, SsspError};

use common::{Both, corner_case_tests, gpu, gpu_alone, refusal};
use laws::agree;

fn stepping(delta: Delta) -> Config<Algorithm> {
    Config::with(Algorithm::DeltaStepping(delta))
}

/// Δ-stepping with computed and with given widths.
struct Stepping;

impl laws::Solvers for Stepping {
    fn configs<W: SearchWeight>(&self, graph: &Csr<W>) -> Vec<Config<Algorithm>> {
        let largest = graph.weights().iter().map(|w| w.to_f64()).fold(0.0, f64::max);
        let fixed = [1.0, 5.5, 1e12].into_iter().filter(|width| largest / width < 1e5);
        let deltas = [Delta::Auto, Delta::MedianWeight].into_iter().chain(fixed.map(Delta::Fixed));
        deltas.map(stepping).collect()
    }
}

corner_case_tests! { |gpu, name, graph| agree(gpu, name, graph, &Stepping);
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::large_ones, |gpu, name, graph| {
        laws::agree_on_plateaus(gpu, name, graph, &Stepping);
    });
}

#[test]
fn arbitrary_graphs() {
    let graphs = graphs::arbitrary(40, 0..=9, 0..5, u32::pow);
    laws::agree_on_arbitrary(200, graphs, &[Config::default()]);
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(400);
    let mut both = Both::new(&gpu, "square", &graph, &stepping(Delta::Auto));
    let goals = [Goal::Target(41), Goal::Target(40 * 400 + 3), Goal::Within(900), Goal::Within(0)];
    let (part, whole) = both.goals(0, &goals);
    assert!(part < whole / 2, "{part} relaxations of {whole}");
}

#[test]
fn a_long_search_tells_of_its_steps_and_can_be_ended() {
    let config = stepping(Delta::Fixed(1.0));
    laws::tells_and_ends(&graphs::path(100_000), &[config], 0, |work| work.rounds / 2);
}

/// The panic reaches the caller when the search has ended, and the solver stays usable.
#[test]
fn a_callback_may_panic() {
    let Some(gpu) = gpu_alone() else { return };
    let graph = graphs::path(100_000);
    let panics = AtomicBool::new(true);
    let tell = |_, _| match panics.load(Relaxed) {
        true => resume_unwind(Box::new("of the callback")),
        false => ControlFlow::Continue(()),
    };
    let config = stepping(Delta::Fixed(1.0));
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
    let refused = refusal(&gpu, &doubles, &Config::with(Algorithm::Published(Form::Crauser)));
    assert!(refused.to_string().contains("delta-stepping"));
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let refused = refusal(&gpu, &minus, &stepping(Delta::Auto));
    assert!(matches!(refused, SsspError::NegativeWeight { .. }));
    let solver = Solver::on_gpu(&gpu, &minus, &Config::default()).unwrap();
    assert!(solver.plan().algorithm.starts_with("bellman-ford"));
    let refused =
        refusal(&gpu.with_memory_cap(10), &graphs::even_path(1, 1u32), &Config::default());
    assert!(matches!(refused, SsspError::Gpu(_)));
}

/// Long arcs of a dense graph are deferred in buckets of at least a 36th of the largest weight.
#[test]
fn the_plan_has_the_width_of_the_search() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::skewed(12);
    let largest = f64::from(graph.weights().iter().copied().max().unwrap());
    for (delta, least) in [(Delta::Auto, largest / 36.0), (Delta::Fixed(1.0), 1.0)] {
        let solver = Solver::on_gpu(&gpu, &graph, &stepping(delta)).unwrap();
        let width = solver.plan().delta.unwrap();
        assert!(width >= least && (delta == Delta::Auto || width == least), "{width}");
    }
}

/// The algorithm that `auto` finds the fastest answers all queries. No time of the preparation is
/// counted twice.
#[test]
fn what_auto_finds_fastest_answers_every_question() {
    let Some(gpu) = gpu() else { return };
    let star: Vec<_> = (1..100_000).map(|v| (0, v, 1 + v % 100)).collect();
    let star = Csr::from_edges(100_000, &star).unwrap();
    let none = Csr::from_arcs(3, &[]).unwrap();
    let expected_searches = NonZeroUsize::new(1000);
    let config = Config { expected_searches, ..Config::default() };
    for graph in [&star, &graphs::skewed(12), &graphs::square(60), &none] {
        let start = Instant::now();
        let times = Solver::on_gpu(&gpu, graph, &config).unwrap().preparation().unwrap();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        assert!(times.jit_ms + times.upload_ms + times.prepare_ms <= ms, "{times:?} of {ms}");
        let mut both = Both::with_dijkstra(&gpu, "auto", graph, &config);
        let n = graph.n_vertices() as VertexId;
        for source in [0, n / 2] {
            both.goals(source, &[Goal::Target(n - 1), Goal::Within(60), Goal::Within(0)]);
            both.table(&[source, 1], &[0, n - 1]);
            both.ask(|solver| solver.distances(source, Goal::All));
        }
        assert!(both.device.preparation().unwrap().prepare_ms > 0.0);
    }
}

/// The distances to the target come from the device if the graph is undirected.
#[test]
fn k_shortest_paths_are_the_hosts() {
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(60);
    let directed = Csr::from_arcs(3600, &graph.arcs().collect::<Vec<_>>()).unwrap();
    for graph in [graph, directed] {
        let mut both = Both::new(&gpu, "square", &graph, &Config::default());
        for target in [0, 59, 3599, 1234] {
            let found = both.ask(|solver| solver.k_shortest_paths(0, target, 20));
            let is_undirected = graph.direction() == Direction::Undirected;
            assert_eq!(found.plan.device.is_some(), is_undirected, "to {target}");
        }
    }
}

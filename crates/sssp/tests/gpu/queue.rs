//! Bellman-Ford with a queue: every rule against the oracle, to the bit.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gpu_runtime::Gpu;
use graph_formats::generate::{
    GeometricConfig, GridConfig, RmatConfig, UniformConfig, geometric, grid, rmat, uniform,
};
use graph_formats::{AnyCsr, Csr, VertexId, Weight, read};
use paths::certificate::{check_negative_cycle, check_tree};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, QueueRule, SearchWeight, Solver, SsspError};
use test_support::{arbitrary_graph, data};

use crate::common::{
    agree_by, agrees_or_cycles, corner_case_tests, for_corner_cases, gpu, gpu_alone,
};

const FORMS: [Algorithm; 4] = [
    Algorithm::BellmanFordQueue(QueueRule::Fifo),
    Algorithm::BellmanFordQueue(QueueRule::Slf),
    Algorithm::BellmanFordQueue(QueueRule::Lll),
    Algorithm::BellmanFordQueue(QueueRule::SlfLll),
];

fn solver<'g, W: SearchWeight>(gpu: &Gpu, graph: &'g Csr<W>, form: Algorithm) -> Solver<'g, W> {
    Solver::on_gpu(gpu, graph, &Config::with(form)).unwrap()
}

fn configs() -> [Config<Algorithm>; 4] {
    FORMS.map(Config::with)
}

/// All forms against the oracle, from some sources, in one work space a form.
fn agree<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    agree_by(gpu, name, graph, &configs(), |_, _, _| ());
}

fn corner_cases_agrees<W: SearchWeight>() {
    for_corner_cases::<W>(agree);
}

corner_case_tests! { corner_cases_agrees: corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

/// The same arcs with other weights.
fn reweighted<A: Weight, B: Weight>(
    graph: &Csr<A>,
    weight: impl Fn(VertexId, VertexId, A) -> B,
) -> Csr<B> {
    let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, weight(u, v, w))).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

fn generated() -> Vec<(&'static str, Csr<u32>)> {
    let uniform_config = UniformConfig { n_vertices: 9_000, n_edges: 99_000, ..Default::default() };
    vec![
        ("rmat", rmat(&RmatConfig { scale: 14, ..RmatConfig::default() }).unwrap()),
        ("grid", grid(&GridConfig { side: 200, ..GridConfig::default() }).unwrap()),
        ("uniform", uniform(&uniform_config).unwrap()),
        (
            "geometric",
            geometric(&GeometricConfig { n_vertices: 20_000, ..Default::default() }).unwrap(),
        ),
    ]
}

#[test]
fn generated_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in generated() {
        agree(&gpu, name, &graph);
        // plateaus of zero weights
        agree(&gpu, name, &reweighted(&graph, |_, _, w| w / 100));
        // sums that round, and weights of very different sizes
        agree(&gpu, name, &reweighted(&graph, |_, _, w| f64::from(w) / 3.0));
        agree(&gpu, name, &reweighted(&graph, |_, _, w| (w as f32 / 7.0).exp2() - 1.0));
    }
}

/// A potential for each vertex: added at the start of an arc and subtracted at its end, it
/// makes many weights negative, and no cycle any longer or shorter.
fn potential(vertex: VertexId) -> i32 {
    (vertex.wrapping_mul(2_654_435_761) >> 20) as i32 - 2048
}

#[test]
fn negative_weights_without_a_cycle() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in generated() {
        let shifted = reweighted(&graph, |u, v, w| w as i32 + potential(u) - potential(v));
        agree(&gpu, name, &shifted);
        agree(&gpu, name, &shifted.clone().convert_weights::<f32>().unwrap());
        agree(&gpu, name, &shifted.convert_weights::<f64>().unwrap());
    }
}

#[test]
fn arbitrary_graphs() {
    let Some(gpu) = gpu() else { return };
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() };
    let few_negative = |graph: Csr<i32>| {
        agrees_or_cycles(&gpu, &graph, &configs())?;
        agrees_or_cycles(&gpu, &graph.convert_weights::<f64>().unwrap(), &configs())
    };
    TestRunner::new(config.clone())
        .run(&arbitrary_graph::<i32>(12, 40, -3..=20), few_negative)
        .unwrap();
    let none_negative = |graph: Csr<u32>| {
        for form in FORMS {
            let tree = solver(&gpu, &graph, form).tree(0, Goal::All).unwrap();
            check_tree(&graph, &tree).map_err(|e| TestCaseError::fail(e.to_string()))?;
        }
        Ok(())
    };
    TestRunner::new(config).run(&arbitrary_graph::<u32>(40, 400, 0..=9), none_negative).unwrap();
}

fn is_negative_cycle<W: SearchWeight>(gpu: &Gpu, name: &str, graph: &Csr<W>) {
    for form in FORMS {
        match solver(gpu, graph, form).distances(0, Goal::All) {
            Err(SsspError::NegativeCycle { cycle }) => {
                check_negative_cycle(graph, &cycle).unwrap();
            }
            other => panic!("{name}, {form}: {other:?}"),
        }
    }
}

#[test]
fn negative_cycles_are_named() {
    let Some(gpu) = gpu() else { return };
    // a path that ends in a cycle of -1, and a road back to the start
    let mut arcs: Vec<_> = (0..3000).map(|v| (v, v + 1, 5i32)).collect();
    arcs.extend([(3000, 2990, -51), (3000, 0, 9)]);
    is_negative_cycle(&gpu, "far away", &Csr::from_arcs(3001, &arcs).unwrap());
    let edge = Csr::from_edges(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    is_negative_cycle(&gpu, "an edge", &edge);
    is_negative_cycle(&gpu, "a loop", &Csr::from_arcs(1, &[(0, 0, -0.5f64)]).unwrap());
    // a cycle that the rules could prefer to all others for ever
    let mut arcs: Vec<_> = (3..2000).map(|v| (0, v, v as f32)).collect();
    arcs.extend([(0, 1, 1.0), (1, 2, -1.0), (2, 1, 0.75)]);
    is_negative_cycle(&gpu, "beside many", &Csr::from_arcs(2000, &arcs).unwrap());
}

#[test]
fn a_negative_cycle_is_found_long_before_the_last_round() {
    let Some(gpu) = gpu() else { return };
    let square = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
    let mut edges: Vec<_> = square.arcs().map(|(u, v, w)| (u, v, w as i32)).collect();
    edges.push((4, 5, -1));
    let graph = Csr::from_edges(square.n_vertices(), &edges).unwrap();
    for form in FORMS {
        let most = AtomicU64::new(0);
        let tell = |done, _| {
            most.fetch_max(done, Relaxed);
            ControlFlow::Continue(())
        };
        let found = solver(&gpu, &graph, form).with_progress(&tell).distances(0, Goal::All);
        assert!(matches!(found, Err(SsspError::NegativeCycle { .. })), "{form}: {found:?}");
        assert!(most.into_inner() < 9000, "{form}: of 90,000");
    }
}

#[test]
fn sums_that_do_not_fit_are_added_up_elsewhere() {
    let Some(gpu) = gpu() else { return };
    let heavy: Vec<_> = (0..40).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree(&gpu, "heavy path", &Csr::from_edges(41, &heavy).unwrap());
    let deep: Vec<_> = (0..40).map(|v| (v, v + 1, i32::MIN + v as i32)).collect();
    agree(&gpu, "deep path", &Csr::from_arcs(41, &deep).unwrap());
    // beyond the type and back
    let there: Vec<_> =
        [(0, 1, i32::MAX - 1), (1, 2, i32::MAX), (2, 3, i32::MIN), (3, 4, -7)].into();
    agree(&gpu, "there and back", &Csr::from_arcs(5, &there).unwrap());
    // a sum that does not fit, of a vertex that has a shorter way
    let mut detour: Vec<_> = (0..20).map(|v| (v, v + 1, 1u32)).collect();
    detour.extend([(0, 21, u32::MAX - 5), (21, 20, u32::MAX - 5)]);
    let detour = Csr::from_arcs(22, &detour).unwrap();
    agree(&gpu, "detour", &detour);
    let mut device = solver(&gpu, &detour, FORMS[0]);
    let found = device.distances(0, Goal::All).unwrap();
    assert!(found.work.again.is_some(), "the device has the answer");
    // floats have no wider numbers: the CPU says the same
    for weight in [f64::MAX, -f64::MAX] {
        let path = Csr::from_arcs(3, &[(0, 1, weight), (1, 2, weight)]).unwrap();
        let mut host = Solver::new(&path, &Config::with(sssp::Algorithm::BellmanFord)).unwrap();
        let expected = host.distances(0, Goal::All).unwrap_err();
        for form in FORMS {
            let found = solver(&gpu, &path, form).distances(0, Goal::All).unwrap_err();
            assert_eq!(found, expected, "{form}");
        }
    }
}

#[test]
fn zeros_with_a_sign_are_zeros() {
    let Some(gpu) = gpu() else { return };
    let arcs =
        [(0, 1, -0.0f32), (1, 2, 0.0), (2, 0, -0.0), (2, 3, -2.5), (3, 4, 2.5), (4, 5, -0.0)];
    agree(&gpu, "zeros", &Csr::from_arcs(6, &arcs).unwrap());
    let arcs = arcs.map(|(u, v, w)| (u, v, f64::from(w)));
    agree(&gpu, "zeros", &Csr::from_arcs(6, &arcs).unwrap());
}

/// Rows of many pieces, on the way and at the source, and vertices that are taken again.
#[test]
fn long_rows_are_shared() {
    let Some(gpu) = gpu() else { return };
    let n = 50_000;
    let mut arcs: Vec<_> = (1..n).map(|v| (0, v, 1000 + v % 97)).collect();
    arcs.extend((2..n).map(|v| (1, v, 500 - v % 89)));
    arcs.extend((0..n).map(|v| (2, v, v % 83)));
    arcs.extend((3..n - 1).map(|v| (v, v + 1, 2)));
    agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &arcs).unwrap());
}

#[test]
fn goals_are_kept() {
    let Some(gpu) = gpu() else { return };
    let graph = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let mut host = Solver::new(&graph, &Config::default()).unwrap();
    for form in FORMS {
        let mut device = solver(&gpu, &graph, form);
        for goal in [Goal::Target(41), Goal::Within(900), Goal::Within(0)] {
            let found = device.tree(0, goal).unwrap();
            assert!(found.answer == host.tree(0, goal).unwrap().answer, "{form} {goal:?}");
            assert_eq!(found.plan.algorithm, form.name());
            let times = found.device_times.unwrap();
            assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0, "{times:?}");
        }
    }
}

#[test]
fn work_is_counted() {
    let Some(gpu) = gpu() else { return };
    // in a tree every vertex is reached once, and each arc looked at once
    let arcs: Vec<_> = (1..5000).map(|v| (v / 2, v, 1 + v % 5)).collect();
    let tree = Csr::from_arcs(5000, &arcs).unwrap();
    for form in FORMS {
        let mut device = solver(&gpu, &tree, form);
        let work = device.distances(0, Goal::All).unwrap().work;
        assert_eq!((work.relaxations, work.improvements, work.settled), (4999, 4999, 5000));
        let again = work.again.unwrap();
        assert_eq!((again.insertions, again.relaxations), (0, 0), "{form}");
        assert!(work.rounds >= 13, "{form}: {}", work.rounds);
    }
    // large labels last spare most relaxations on a grid: that is what the rule is for
    let square = grid(&GridConfig { side: 300, ..GridConfig::default() }).unwrap();
    let relaxations = FORMS.map(|form| {
        let mut device = solver(&gpu, &square, form);
        let work = device.distances(0, Goal::All).unwrap().work;
        println!("{form}: {work:?}");
        let again = work.again.unwrap();
        assert_eq!(work.settled, 90_000 + again.insertions);
        assert_eq!(work.relaxations, square.n_arcs() as u64 + again.relaxations);
        work.relaxations
    });
    let [fifo, slf, lll, both] = relaxations;
    assert!(lll < fifo / 2 && both < fifo / 2, "{relaxations:?}");
    assert!(slf <= fifo + fifo / 8, "{relaxations:?}");
}

#[test]
fn a_long_search_tells_of_its_rounds_and_can_be_ended() {
    let Some(gpu) = gpu_alone() else { return };
    let path: Vec<_> = (0..30_000).map(|v| (v, v + 1, 1 + v as i32 % 7)).collect();
    let mut with_a_negative = path.clone();
    with_a_negative.push((5, 4, -1));
    for arcs in [path, with_a_negative] {
        let graph = Csr::from_arcs(30_001, &arcs).unwrap();
        for form in FORMS {
            let most = AtomicU64::new(0);
            let ends = AtomicBool::new(false);
            let tell = |done, total| {
                assert_eq!(total, 0, "it is not known");
                assert!(most.fetch_max(done, Relaxed) <= done);
                if ends.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut solver = solver(&gpu, &graph, form).with_progress(&tell);
            let distances = solver.distances(0, Goal::All).unwrap();
            assert!(most.load(Relaxed) >= 256, "{}", most.load(Relaxed));
            let whole = distances.work.rounds;
            ends.store(true, Relaxed);
            most.store(0, Relaxed);
            assert!(matches!(solver.distances(0, Goal::All), Err(SsspError::Interrupted)));
            assert!(most.load(Relaxed) < whole / 2);
            // and goes on afterwards
            ends.store(false, Relaxed);
            most.store(0, Relaxed);
            let again = solver.distances(0, Goal::All).unwrap();
            assert!(again.answer == distances.answer);
        }
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let wide = Csr::from_arcs(2, &[(0, 1, 1u64)]).unwrap();
    let square = grid(&GridConfig { side: 60, ..GridConfig::default() }).unwrap();
    let small = gpu.with_memory_cap(10_000);
    for form in FORMS {
        let refusal = Solver::on_gpu(&gpu, &wide, &Config::with(form)).err().unwrap();
        assert!(matches!(refusal, SsspError::NotOnGpu { .. }), "{refusal}");
        assert!(refusal.to_string().contains("u64") && refusal.to_string().contains("CPU"));
        let refusal = Solver::on_gpu(&small, &square, &Config::with(form)).err().unwrap();
        assert!(matches!(refusal, SsspError::Gpu(_)), "{refusal}");
    }
}

#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for name in ["dimacs/rome99.gr", "dimacs/DE.gr", "dimacs/USA-road-d.NY.gr.gz"] {
        let Some(path) = data(name) else { continue };
        let AnyCsr::U32(graph) = read(path).unwrap().csr else { panic!("{name} has lengths") };
        let mut host = Solver::new(&graph, &Config::with(sssp::Algorithm::Dijkstra(None))).unwrap();
        let expected = host.distances(0, Goal::All).unwrap();
        let shifted = reweighted(&graph, |u, v, w| w as i32 + potential(u) - potential(v));
        for form in FORMS {
            let mut device = solver(&gpu, &graph, form);
            let found = device.distances(0, Goal::All).unwrap();
            assert!(found.answer == expected.answer, "{name}, {form}");
            println!("{name}, {form}: {:?}", found.work);
            let found = solver(&gpu, &shifted, form).distances(0, Goal::All).unwrap();
            for v in graph.vertices() {
                let shift = i64::from(potential(0) - potential(v));
                let expected = expected.get(v).map(|d| d as i64 + shift);
                assert_eq!(found.get(v), expected, "{name}, {form}, vertex {v}");
            }
        }
    }
}

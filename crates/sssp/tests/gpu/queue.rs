//! Bellman-Ford with a queue: every rule against the oracle, bit for bit.

use gpu_runtime::Gpu;
use graph_formats::{AnyCsr, Csr, VertexId};
use sssp::gpu::Algorithm;
use sssp::{Config, Goal, QueueRule, SearchWeight, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{Both, corner_case_tests, gpu};
use crate::graphs;
use crate::laws::{self, agree};

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

corner_case_tests! { |gpu, name, graph| agree(gpu, name, graph, &configs());
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    laws::for_graphs(graphs::large_ones, |gpu, name, graph| {
        agree(gpu, name, graph, &configs());
        // plateaus of zero weights
        agree(gpu, name, &graphs::with_weights(graph, |_, _, w| w / 100), &configs());
        // sums that round, and weights of very different sizes
        agree(gpu, name, &graphs::with_weights(graph, |_, _, w| f64::from(w) / 3.0), &configs());
        let spread = graphs::with_weights(graph, |_, _, w| (w as f32 / 7.0).exp2() - 1.0);
        agree(gpu, name, &spread, &configs());
    });
}

/// A potential for each vertex. Added at the start of an arc and subtracted at its end, it makes
/// many weights negative and keeps the length of every cycle.
fn potential(vertex: VertexId) -> i32 {
    (vertex.wrapping_mul(2_654_435_761) >> 20) as i32 - 2048
}

/// The graph with potentials added and subtracted.
fn shifted(graph: &Csr<u32>) -> Csr<i32> {
    graphs::with_weights(graph, |u, v, w| w as i32 + potential(u) - potential(v))
}

#[test]
fn negative_weights_without_a_cycle() {
    laws::for_graphs(graphs::large_ones, |gpu, name, graph| {
        let shifted = shifted(graph);
        agree(gpu, name, &shifted, &configs());
        agree(gpu, name, &shifted.clone().convert_weights::<f32>().unwrap(), &configs());
        agree(gpu, name, &shifted.convert_weights::<f64>().unwrap(), &configs());
    });
}

#[test]
fn negative_weights() {
    laws::negative_weights_agree(&configs());
    // of 90,000
    laws::a_cycle_is_found_early(&configs(), |_, most| most < 9000);
}

#[test]
fn arbitrary_graphs() {
    laws::agree_on_arbitrary(64, arbitrary_graph::<u32>(40, 400, 0..=9), &configs());
}

/// A cycle whose vertices the rules could take without end.
#[test]
fn a_negative_cycle_beside_many_vertices_is_listed() {
    let Some(gpu) = gpu() else { return };
    let mut arcs: Vec<_> = (3..2000).map(|v| (0, v, v as f32)).collect();
    arcs.extend([(0, 1, 1.0), (1, 2, -1.0), (2, 1, 0.75)]);
    let beside_many = Csr::from_arcs(2000, &arcs).unwrap();
    for config in configs() {
        laws::is_negative_cycle(&gpu, &beside_many, &config);
    }
}

#[test]
fn sums_that_do_not_fit_are_added_up_elsewhere() {
    let Some(gpu) = gpu() else { return };
    laws::large_sums_are_right(&gpu, &configs());
    agree(&gpu, "deep path", &graphs::deep_path(i32::MIN), &configs());
    // sums leave the type and return
    let there = [(0, 1, i32::MAX - 1), (1, 2, i32::MAX), (2, 3, i32::MIN), (3, 4, -7)];
    agree(&gpu, "there and back", &Csr::from_arcs(5, &there).unwrap(), &configs());
    // a sum overflows at a vertex that has a shorter path
    let mut detour: Vec<_> = (0..20).map(|v| (v, v + 1, 1u32)).collect();
    detour.extend([(0, 21, u32::MAX - 5), (21, 20, u32::MAX - 5)]);
    let detour = Csr::from_arcs(22, &detour).unwrap();
    agree(&gpu, "detour", &detour, &configs());
    let mut device = solver(&gpu, &detour, FORMS[0]);
    let found = device.distances(0, Goal::All).unwrap();
    assert!(found.work.again.is_some(), "the device has the answer");
    // floats have no wider type: the CPU has the same error
    for weight in [f64::MAX, -f64::MAX] {
        let path = graphs::even_path(2, weight);
        let mut host = Solver::new(&path, &Config::with(sssp::Algorithm::BellmanFord)).unwrap();
        let expected = host.distances(0, Goal::All).unwrap_err();
        for form in FORMS {
            let found = solver(&gpu, &path, form).distances(0, Goal::All).unwrap_err();
            assert_eq!(found, expected, "{form:?}");
        }
    }
}

#[test]
fn zeros_with_a_sign_are_zeros() {
    let Some(gpu) = gpu() else { return };
    let arcs =
        [(0, 1, -0.0f32), (1, 2, 0.0), (2, 0, -0.0), (2, 3, -2.5), (3, 4, 2.5), (4, 5, -0.0)];
    agree(&gpu, "zeros", &Csr::from_arcs(6, &arcs).unwrap(), &configs());
    let arcs = arcs.map(|(u, v, w)| (u, v, f64::from(w)));
    agree(&gpu, "zeros", &Csr::from_arcs(6, &arcs).unwrap(), &configs());
}

/// Rows of many pieces, also at the source, and vertices that are taken again.
#[test]
fn long_rows_are_shared() {
    let Some(gpu) = gpu() else { return };
    let n = 50_000;
    let mut arcs: Vec<_> = (1..n).map(|v| (0, v, 1000 + v % 97)).collect();
    arcs.extend((2..n).map(|v| (1, v, 500 - v % 89)));
    arcs.extend((0..n).map(|v| (2, v, v % 83)));
    arcs.extend((3..n - 1).map(|v| (v, v + 1, 2)));
    agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &arcs).unwrap(), &configs());
}

#[test]
fn goals_are_kept() {
    laws::goals_are_kept(&configs(), |_| ());
}

#[test]
fn work_is_counted() {
    let Some(gpu) = gpu() else { return };
    // in a tree every vertex is reached once, and each arc relaxed once
    let arcs: Vec<_> = (1..5000).map(|v| (v / 2, v, 1 + v % 5)).collect();
    let tree = Csr::from_arcs(5000, &arcs).unwrap();
    for form in FORMS {
        let mut device = solver(&gpu, &tree, form);
        let work = device.distances(0, Goal::All).unwrap().work;
        assert_eq!((work.relaxations, work.improvements, work.settled), (4999, 4999, 5000));
        let again = work.again.unwrap();
        assert_eq!((again.insertions, again.relaxations), (0, 0), "{form:?}");
        assert!(work.rounds >= 13, "{form:?}: {}", work.rounds);
    }
    // on a grid, LLL saves most relaxations
    let square = graphs::square(300);
    let relaxations = FORMS.map(|form| {
        let mut device = solver(&gpu, &square, form);
        let work = device.distances(0, Goal::All).unwrap().work;
        println!("{form:?}: {work:?}");
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
    let path: Vec<_> = (0..30_000).map(|v| (v, v + 1, 1 + v as i32 % 7)).collect();
    let with_a_negative = [&path[..], &[(5, 4, -1)]].concat();
    for arcs in [path, with_a_negative] {
        let graph = Csr::from_arcs(30_001, &arcs).unwrap();
        laws::tells_and_ends(&graph, &configs(), 0, |work| work.rounds / 2);
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    laws::wide_and_large_are_refused(&configs(), |_, error| matches!(error, SsspError::Gpu(_)));
}

#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs::real(&graphs::REAL[..3]) {
        let AnyCsr::U32(graph) = graph else { panic!("{name} has lengths") };
        let shifted = shifted(&graph);
        for form in FORMS {
            let mut both = Both::with_dijkstra(&gpu, name, &graph, &Config::with(form));
            let expected = both.tree(0, Goal::All);
            println!("{name}, {form:?}: {:?}", expected.work);
            let found = solver(&gpu, &shifted, form).distances(0, Goal::All).unwrap();
            for v in graph.vertices() {
                let shift = i64::from(potential(0) - potential(v));
                let expected = expected.distance(v).map(|d| d as i64 + shift);
                assert_eq!(found.get(v), expected, "{name}, {form:?}, vertex {v}");
            }
        }
    }
}

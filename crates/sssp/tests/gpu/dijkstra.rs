//! Dijkstra's algorithm by reductions and by the criteria of Crauser and others and of Eager,
//! against the oracle, bit for bit.

use graph_formats::{AnyCsr, Csr, Weight, with_csr};
use paths::{Distances, oracle};
use proptest::strategy::Strategy;
use published::{BlockSize, Form};
use sssp::gpu::Algorithm;
use sssp::{Config, Delta, Goal, Solver, SsspError};
use test_support::arbitrary_graph;

use crate::common::{Both, corner_case_tests, gpu, refusal};
use crate::graphs;
use crate::laws::{self, agree};

const CRAUSER: Algorithm = Algorithm::Published(Form::Crauser);

/// Dijkstra's algorithm with this size of block.
fn dijkstra(block: BlockSize) -> Config<Algorithm> {
    Config::with(Algorithm::Published(Form::Dijkstra(block)))
}

/// Eager's criterion with this look-ahead.
fn eager(lookahead: Delta) -> Config<Algorithm> {
    Config::with(Algorithm::Published(Form::Eager(lookahead)))
}

/// The default configurations.
fn defaults() -> [Config<Algorithm>; 3] {
    let crauser = Config::with(CRAUSER);
    [dijkstra(BlockSize::default()), crauser, eager(Delta::Auto)]
}

/// The configurations that settle a vertex once: Crauser's criteria, and reductions with every size
/// of block.
fn settling_once() -> Vec<Config<Algorithm>> {
    let sizes = BlockSize::ALL.into_iter().map(|(_, block)| dijkstra(block));
    sizes.chain([Config::with(CRAUSER)]).collect()
}

/// All configurations, with two look-aheads for Eager.
fn all() -> Vec<Config<Algorithm>> {
    let eager = [Delta::Auto, Delta::WeightPerVertex].map(eager);
    settling_once().into_iter().chain(eager).collect()
}

corner_case_tests! { |gpu, name, graph| laws::agree_if_narrow(gpu, name, graph, &all());
corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_u64 u64, corner_cases_i64 i64, corner_cases_f32 f32 }

fn generated() -> graphs::Named {
    graphs::four_kinds([13, 130], (9_000, 99_000), (10_000, 0.02))()
}

#[test]
fn generated_graphs() {
    laws::for_graphs(generated, |gpu, name, graph| {
        agree(gpu, name, graph, &all());
        laws::agree_on_plateaus(gpu, name, graph, &defaults());
    });
}

#[test]
fn many_blocks_of_every_size() {
    let Some(gpu) = gpu() else { return };
    // more vertices than a block of 1024 threads takes alone
    agree(&gpu, "geometric", &graphs::points(66_003, graphs::RADIUS), &all());
}

#[test]
fn long_rows() {
    let Some(gpu) = gpu() else { return };
    let weight = |u: u32, v: u32| u.wrapping_mul(2_654_435_761).wrapping_add(v * 40_503) >> 12;
    // every row is cut into pieces, of which the last is short
    let arcs: Vec<_> =
        (0..700).flat_map(|u| (0..700).map(move |v| (u, v, weight(u, v) % 997))).collect();
    agree(&gpu, "complete", &Csr::from_arcs(700, &arcs).unwrap(), &all());
    // a few rows are cut: two stars whose leaves are joined by a path
    let n = 30_000;
    let leaves = 2..n;
    let edges: Vec<_> = leaves
        .flat_map(|v| [(v % 2, v, weight(1, v) % 50_000), (v, (v + 1) % n, weight(2, v) % 90)])
        .collect();
    agree(&gpu, "stars", &Csr::from_edges(n as usize, &edges).unwrap(), &defaults());
}

#[test]
fn arbitrary_graphs() {
    let others = [1.0, 30.0, 1e12].map(|lookahead| eager(Delta::Fixed(lookahead)));
    let configs: Vec<_> = all().into_iter().chain(others).collect();
    laws::agree_on_arbitrary(100, graphs::arbitrary(40, 0..=9, 0..5, u32::pow), &configs);
}

#[test]
fn floats_that_round_are_settled_no_earlier_than_they_may() {
    // weights that differ in the last bits, at several magnitudes: sums round up, down, and to an
    // addend
    let weight = |w: u32| {
        let (exponent, last_bits, first_bit) = (120 + w % 5 * 6, w / 5 % 4, w / 20 % 2);
        f32::from_bits((exponent << 23) | (first_bit << 22) | last_bits)
    };
    let graphs = arbitrary_graph::<u32>(60, 300, 0..=39)
        .prop_map(move |graph| graphs::with_weights(&graph, |_, _, w| weight(w)));
    laws::agree_on_arbitrary(200, graphs, &defaults());
}

/// The number of vertices with a distance, and of the arcs that leave them.
fn reached<W: Weight>(graph: &Csr<W>, distances: &Distances<W::Distance>) -> (u64, u64) {
    let reached = graph.vertices().filter(|&v| distances.get(v).is_some());
    let n_arcs = reached.map(|v| graph.out_degree(v) as u64).sum();
    (distances.n_reached() as u64, n_arcs)
}

#[test]
fn every_vertex_is_settled_once_and_every_arc_relaxed_once() {
    laws::for_graphs(generated, |gpu, name, graph| {
        for graph in [graph, &graphs::one_way(graph)] {
            let distances = oracle::tree(graph, 0, None).unwrap().distances;
            let (n_reached, n_arcs) = reached(graph, &distances);
            for config in settling_once() {
                let mut solver = Solver::on_gpu(gpu, graph, &config).unwrap();
                let work = solver.distances(0, Goal::All).unwrap().work;
                let done = (work.settled, work.relaxations, work.again);
                assert_eq!(done, (n_reached, n_arcs, None), "{name}, {config:?}");
                assert!(work.improvements + 1 >= n_reached, "{name}, {config:?}: {work:?}");
                if config.algorithm == Some(CRAUSER) {
                    // in a directed graph, a source may reach few vertices
                    assert!(n_reached < 100 || work.rounds * 4 < n_reached, "{name}: {work:?}");
                } else {
                    assert_eq!(work.rounds, n_reached, "{name}, {config:?}");
                }
            }
        }
    });
}

/// A look-ahead of at most the least weight settles no vertex too early. A look-ahead beyond all
/// distances needs the rounds of a breadth-first search, or fewer, since keys may fall before they
/// are read.
#[test]
fn rounds_fall_and_relaxations_grow_with_the_look_ahead() {
    laws::for_graphs(generated, |gpu, name, graph| {
        let graph = graphs::reweighted(graph, |w| w + 4);
        let distances = oracle::tree(&graph, 0, None).unwrap().distances;
        let (n, arcs) = reached(&graph, &distances);
        let [once, far] = [4.0, 1e12].map(|lookahead| {
            let config = eager(Delta::Fixed(lookahead));
            let mut solver = Solver::on_gpu(gpu, &graph, &config).unwrap();
            let found = solver.distances(0, Goal::All).unwrap();
            assert!(found.answer == distances, "{name}");
            assert_eq!(found.plan.delta, Some(lookahead));
            found.work
        });
        assert_eq!((once.settled, once.relaxations), (n, arcs), "{name}");
        assert!(far.settled > n && far.relaxations > arcs, "{name}: {far:?}");
        let most = graph.n_vertices() as u64;
        assert!(far.rounds < once.rounds && once.rounds <= most, "{name}: {far:?}, {once:?}");
    });
}

#[test]
fn targets_and_cutoffs_stop_early() {
    let Some(gpu) = gpu() else { return };
    let square = graphs::square(200);
    let plateaus = graphs::coarse(&square, 300);
    let floats = graphs::as_floats(&square);
    // an unreachable target needs a complete search
    let apart = Csr::from_arcs(4, &[(0, 1, 5u32), (2, 3, 1)]).unwrap();
    for config in defaults() {
        for (name, graph) in [("square", &square), ("plateaus", &plateaus)] {
            let mut both = Both::new(&gpu, name, graph, &config);
            let (part, whole) = both.goals(0, &[0, 41, 40 * 200 + 3].map(Goal::Target));
            let stops = name == "square";
            assert!(part <= whole && (!stops || part < whole / 2), "{config:?}: {part}/{whole}");
            let far = [Goal::Target(39_999), Goal::Within(900), Goal::Within(0)];
            let (part, whole) = both.goals(0, &far);
            assert!(part <= whole, "{name}, {config:?}: {part}/{whole}");
        }
        let mut both = Both::new(&gpu, "floats", &floats, &config);
        both.goals(9, &[Goal::Target(777), Goal::Within(1e4), Goal::Within(f32::INFINITY)]);
        let mut device = Solver::on_gpu(&gpu, &apart, &config).unwrap();
        let distances = device.distances(0, Goal::Target(3)).unwrap();
        assert_eq!((distances.get(1), distances.get(3)), (Some(5), None), "{config:?}");
    }
}

#[test]
fn a_long_search_tells_of_its_steps_and_can_be_ended() {
    laws::tells_and_ends(&graphs::path(100_000), &defaults(), 0, |work| work.rounds / 2);
}

#[test]
fn sums_beyond_32_bits_are_right() {
    let Some(gpu) = gpu() else { return };
    laws::large_sums_are_right(&gpu, &all());
}

#[test]
fn what_they_cannot_do_is_refused() {
    let Some(gpu) = gpu() else { return };
    let doubles = Csr::from_arcs(2, &[(0, 1, 0.5)]).unwrap();
    let wide = Csr::from_arcs(2, &[(0, 1, 1u64 << 32)]).unwrap();
    let minus = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let square = graphs::square(60);
    let small = gpu.with_memory_cap(10_000);
    for config in all() {
        let refused = refusal(&gpu, &doubles, &config);
        assert!(refused.to_string().contains("f32"), "{refused}");
        let refused = refusal(&gpu, &wide, &config);
        assert!(refused.to_string().contains("CPU"), "{refused}");
        assert!(matches!(refusal(&gpu, &minus, &config), SsspError::NegativeWeight { .. }));
        assert!(matches!(refusal(&small, &square, &config), SsspError::Gpu(_)));
        let mut solver = Solver::on_gpu(&gpu, &square, &config).unwrap();
        let beyond = solver.distances(3_600, Goal::All);
        assert!(matches!(beyond, Err(SsspError::NoSuchVertex { vertex: 3_600, .. })));
        let times = solver.distances(0, Goal::All).unwrap().device_times.unwrap();
        assert!(times.solve_ms > 0.0 && times.upload_ms > 0.0, "{times:?}");
    }
}

/// Every graph of the folder of real graphs whose weights are admitted.
#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs::real(&graphs::REAL) {
        let graph = match graph {
            AnyCsr::F64(graph) => graphs::with_weights(&graph, |_, _, w| w as f32).into(),
            graph => graph,
        };
        with_csr!(&graph, |graph| agree(&gpu, name, graph, &defaults()));
    }
}

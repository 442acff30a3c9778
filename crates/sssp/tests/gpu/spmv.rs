//! Bellman-Ford as products of matrix and vector: every product against the oracle, bit for bit.

use graph_formats::{Csr, Direction, Weight, with_csr};
use paths::Tree;
use published::{Form, Layout};
use sssp::gpu::Algorithm;
use sssp::{Config, Found, Goal, SearchWeight, Solver, SsspError};
use test_support::undirected;

use crate::common::{Both, corner_case_tests, gpu, refusal};
use crate::graphs;
use crate::laws::{self, agree};

fn with(layout: Layout) -> Config<Algorithm> {
    Config::with(Algorithm::Published(Form::BellmanFordSpmv(layout)))
}

fn configs() -> [Config<Algorithm>; 4] {
    Layout::ALL.map(|(_, layout)| with(layout))
}

/// The greatest in-degree.
fn longest_row<W: Weight>(graph: &Csr<W>) -> u64 {
    let rows = graph.transposed();
    rows.vertices().map(|v| rows.out_degree(v)).max().unwrap_or(0) as u64
}

/// All products. Their counts are multiples of a product's.
struct Products;

impl laws::Solvers for Products {
    fn configs<W: SearchWeight>(&self, _: &Csr<W>) -> Vec<Config<Algorithm>> {
        configs().to_vec()
    }

    /// `name` contains the layout.
    fn check<W: SearchWeight>(&self, graph: &Csr<W>, found: &Found<Tree<W>>, name: &str) {
        let n = graph.n_vertices() as u64;
        let is_padded = name.contains("(Ell)");
        let product = if is_padded { n * longest_row(graph) } else { graph.n_arcs() as u64 };
        let work = found.work;
        // after a fallback to the CPU, the counts are the CPU's
        if work.relaxations == work.rounds * product {
            assert!((1..=n).contains(&work.rounds), "{name}: {} rounds", work.rounds);
        } else {
            assert!(name.contains("largest") || name.contains("sums"), "{name}: {work:?}");
        }
    }
}

corner_case_tests! { |gpu, name, graph| {
    agree(gpu, name, graph, &Products);
    if graph.n_vertices() <= 1000 {
        agree(gpu, &format!("{name}, both ways"), &undirected(graph), &Products);
    }
}; corner_cases_u32 u32, corner_cases_i32 i32, corner_cases_f32 f32, corner_cases_f64 f64 }

#[test]
fn generated_graphs() {
    let graphs = graphs::four_kinds([12, 101], (5_003, 49_999), (9_001, graphs::RADIUS));
    laws::for_graphs(graphs, |gpu, name, graph| {
        laws::agree_on_types(gpu, name, graph, &Products);
        // most weights are zero
        agree(gpu, name, &graphs::with_weights(graph, |_, _, w| w / 200), &Products);
    });
}

/// Rows that many warps share, between rows of at most one arc; they do not begin where a warp's
/// part does.
#[test]
fn hubs_are_shared() {
    let Some(gpu) = gpu() else { return };
    for length in [63, 64, 65, 1000, 3_001] {
        let n = length + 300;
        let into = |hub| (0..length).map(move |v| (v + 150, hub, 1_000_000 - v * 3));
        let mut arcs: Vec<_> = into(37).chain(into(n - 1)).collect();
        // an arc to the start of each arc, with increasing weights
        arcs.extend((0..n).map(|v| (0, v, v)));
        arcs.extend([(37, 40, 1), (n - 1, 41, 1), (37, 37, 0)]);
        agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &arcs).unwrap(), &Products);
        let signed: Vec<_> = arcs.iter().map(|&(u, v, w)| (u, v, f64::from(w) / 8.0)).collect();
        agree(&gpu, "hubs", &Csr::from_arcs(n as usize, &signed).unwrap(), &Products);
    }
}

#[test]
fn negative_weights() {
    laws::negative_weights_agree(&configs());
    // of 90,000; the CPU lists the cycle, which takes it long
    laws::a_cycle_is_found_early(&configs()[..1], |_, most| most < 10_000);
}

#[test]
fn arbitrary_graphs() {
    laws::agree_on_arbitrary(64, graphs::arbitrary(90, 0..=9, 1..2, u32::pow), &configs());
}

/// A search of several launches, each of which continues the last one.
#[test]
fn negative_weights_on_long_paths() {
    let Some(gpu) = gpu() else { return };
    let potential = |v: u32| (v * 7919 % 1000) as i32;
    let arcs: Vec<_> = (0..4000u32)
        .flat_map(|v| [(v, v + 1, 3), (v, v * 31 % 4001, 5_000)])
        .map(|(u, v, w)| (u, v, w + potential(v) - potential(u)))
        .collect();
    let graph = Csr::from_arcs(4001, &arcs).unwrap();
    agree(&gpu, "long paths", &graph, &Products);
    agree(&gpu, "long paths", &graph.convert_weights::<f64>().unwrap(), &Products);
}

#[test]
fn sums_that_do_not_fit_are_added_on_the_cpu() {
    let Some(gpu) = gpu() else { return };
    laws::large_sums_are_right(&gpu, &Products);
    agree(&gpu, "sums below", &graphs::deep_path(-2_000_000_000), &Products);
    // many arcs into one vertex, all of whose sums overflow
    let hub: Vec<_> = (1..500).flat_map(|v| [(0, v, u32::MAX - v), (v, 500, 600 + v)]).collect();
    agree(&gpu, "sums above, at a hub", &Csr::from_arcs(501, &hub).unwrap(), &Products);
}

#[test]
fn a_long_search_tells_of_its_rounds_and_can_be_ended() {
    // no more rounds than vertices
    laws::tells_and_ends(&graphs::path(30_000), &configs(), 30_001, |work| {
        assert!(work.improvements >= 30_000);
        work.rounds / 2
    });
}

#[test]
fn goals_are_kept() {
    laws::goals_are_kept(&configs(), |_| ());
    let Some(gpu) = gpu() else { return };
    let graph = graphs::square(60);
    for config in configs() {
        let sources = [0, 7, 3599, 7];
        Both::new(&gpu, "square", &graph, &config).table(&sources, &sources);
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    laws::wide_and_large_are_refused(&configs(), |config, error| {
        let is_padded = *config == with(Layout::Ell);
        let advises = error.to_string().contains("csr-balanced");
        if is_padded { advises } else { matches!(error, SsspError::Gpu(_)) }
    });
}

/// A row has the arcs into a vertex: 2,000 of them pad 2,001 rows to 32 MB.
#[test]
fn padding_that_does_not_fit_is_refused() {
    let Some(gpu) = gpu() else { return };
    let small = gpu.with_memory_cap(10_000_000);
    let star: Vec<_> = (1..2001).map(|v| (v, 0, v)).collect();
    let star = Csr::from_arcs(2001, &star).unwrap();
    let refusal = refusal(&small, &star, &with(Layout::Ell)).to_string();
    for part in ["vertex 0", "2000 arcs", "32016000 bytes", "GPU", "csr-balanced"] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    let mut balanced = Solver::on_gpu(&small, &star, &with(Layout::CsrBalanced)).unwrap();
    assert_eq!(balanced.distances(1999, Goal::All).unwrap().get(0), Some(1999));
    // in the transposed graph no row has more than one arc
    let away = star.transposed();
    assert_eq!(away.direction(), Direction::Directed);
    let mut padded = Solver::on_gpu(&small, &away, &with(Layout::Ell)).unwrap();
    assert_eq!(padded.distances(0, Goal::All).unwrap().get(2000), Some(2000));
}

#[test]
fn real_graphs() {
    let Some(gpu) = gpu() else { return };
    for (name, graph) in graphs::real(&graphs::REAL[..7]) {
        with_csr!(&graph, |graph| {
            for config in configs() {
                let found = Both::new(&gpu, name, graph, &config).tree(0, Goal::All);
                println!("{name}, {config:?}: {} rounds", found.work.rounds);
            }
        });
    }
}

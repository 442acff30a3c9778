//! All pairs by supernodes: the same answers as the oracle's, on the processor and on a GPU.

use std::ops::ControlFlow;

use apsp::{Algorithm, ApspError, Config, Pairs, PairsWeight, ScratchFolder, Solver};
use collectives::Alone;
use gpu_runtime::Gpu;
use graph_formats::generate::{GraphOptions, GridConfig, UniformConfig, grid, uniform};
use graph_formats::{Csr, Direction, Distance};
use paths::oracle;
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, forest};

/// Vertices up to which the oracle of next hops, which is slow, is asked.
const MOST_VERTICES: usize = 300;

/// The first GPU, or `None` and a word about it.
fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

fn by_supernodes() -> Config {
    Config::with(Algorithm::Supernodes)
}

/// Equal; floats within their rounding.
fn same<D: Distance>(found: Option<D>, expected: Option<D>) -> bool {
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-5 * a.abs().max(b.abs());
    let is_float = D::ZERO.to_i128().is_none();
    match (found, expected) {
        (Some(a), Some(b)) if is_float => close(a.to_f64(), b.to_f64()),
        _ => found == expected,
    }
}

fn compare<W: PairsWeight>(name: &str, graph: &Csr<W>, pairs: &Pairs<W>) {
    // of long paths some rows, for the oracle is slow
    for source in graph.vertices().step_by(1 + graph.n_vertices() / 1500) {
        let expected = oracle::dijkstra(graph, source).unwrap();
        let row: Vec<_> = pairs.row(source).collect();
        for (target, found) in graph.vertices().zip(row) {
            let expected = expected.get(target);
            assert!(same(found, expected), "{name}: {source} -> {target}: {found:?}, {expected:?}");
        }
    }
}

/// Compares all pairs by the processor, and by `gpu`, with the oracle.
fn check<W: PairsWeight>(name: &str, graph: &Csr<W>, gpu: Option<&Gpu>) {
    let config = by_supernodes();
    let solver = Solver::new(graph, &config);
    let devices: [&[Gpu]; 2] = [&[], gpu.map_or(&[], std::slice::from_ref)];
    for gpus in &devices[..1 + usize::from(gpu.is_some())] {
        let solver = if gpus.is_empty() { solver } else { solver.on(gpus) };
        match solver.solve(None) {
            Ok(pairs) => compare(name, graph, &pairs),
            // sums beyond all widths
            Err(ApspError::TooHeavy { .. }) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

fn check_corner_cases<W: PairsWeight>(most_vertices: usize) {
    let gpu = gpu();
    let graphs = corner_cases::<W>().into_iter();
    for (name, graph) in graphs.filter(|(_, graph)| graph.n_vertices() <= most_vertices) {
        check(name, &graph, gpu.as_ref());
    }
}

/// Paths of ten thousand vertices, whose pairs take longer than all others, of one type.
#[test]
fn corner_cases_of_all_types() {
    check_corner_cases::<u32>(usize::MAX);
    check_corner_cases::<i32>(1000);
    check_corner_cases::<u64>(1000);
    check_corner_cases::<i64>(1000);
    check_corner_cases::<f32>(1000);
    check_corner_cases::<f64>(1000);
}

#[test]
fn squares_and_cubes_with_one_way_arcs_and_without() {
    let gpu = gpu();
    for direction in [Direction::Directed, Direction::Undirected] {
        for (side, dimensions) in [(30, 2), (9, 3)] {
            let options = GraphOptions { weights: 0..=50, direction, ..Default::default() };
            let graph = grid(&GridConfig { side, dimensions, options }).unwrap();
            check("a grid", &graph, gpu.as_ref());
            check("of i64", &graph.clone().convert_weights::<i64>().unwrap(), gpu.as_ref());
            check("of f32", &graph.clone().convert_weights::<f32>().unwrap(), gpu.as_ref());
            check("of f64", &graph.clone().convert_weights::<f64>().unwrap(), gpu.as_ref());
            let heavy: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w * 1_000)).collect();
            check("of 32 bits", &Csr::from_arcs(graph.n_vertices(), &heavy).unwrap(), gpu.as_ref());
        }
    }
}

/// Trees, of which some vertices are in none.
#[test]
fn forests() {
    let gpu = gpu();
    for seed in 0..3u32 {
        check("a forest", &forest(700, 13, seed), gpu.as_ref());
    }
}

#[test]
fn next_hops_are_those_of_the_oracle() {
    let gpu = gpu();
    let config = Config { next_hops: true, ..by_supernodes() };
    for direction in [Direction::Directed, Direction::Undirected] {
        let options = GraphOptions { weights: 0..=3, direction, ..Default::default() };
        let graph = grid(&GridConfig { side: 6, dimensions: 3, options }).unwrap();
        assert!(graph.n_vertices() <= MOST_VERTICES);
        let solver = Solver::new(&graph, &config);
        let mut found = vec![solver.solve(None).unwrap()];
        if let Some(gpu) = &gpu {
            found.push(solver.on(std::slice::from_ref(gpu)).solve(None).unwrap());
        }
        for pairs in found {
            let distances = pairs.distances().unwrap();
            assert_eq!(pairs.next_hops(), Some(&oracle::next_hops(&graph, distances)));
        }
    }
}

#[test]
fn refusals() {
    let config = by_supernodes();
    let solve = |graph: &Csr<i32>, config| Solver::new(graph, config).solve(None).unwrap_err();
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    let refused = solve(&graph, &config);
    assert!(matches!(refused, ApspError::NegativeWeight { from: 1, to: 2, .. }), "{refused}");
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32)]).unwrap();
    let small = Config { memory: Some(20), ..config.clone() };
    assert!(matches!(solve(&graph, &small), ApspError::OverMemory { .. }));
    let solver = Solver::new(&graph, &config);
    let ended = solver.solve(Some(&|_, _| ControlFlow::Break(())));
    assert!(matches!(ended, Err(ApspError::Interrupted(_))), "{ended:?}");
    let scratch = ScratchFolder::new("never made");
    for error in [
        solver.in_folder(&scratch).solve(None).err(),
        solver.solve_on_gpus(None).err(),
        solver.solve_over(&Alone, None).err(),
        solver.in_folder(&scratch).solve_over(&Alone, None).err(),
    ] {
        let error = error.unwrap();
        let is_named = error.to_string().contains("supernodes");
        assert!(is_named || matches!(error, ApspError::NotOnGpu { .. }), "{error}");
    }
}

/// An order serves other weights, and the choice too; that of a graph with other arcs is refused.
#[test]
fn orders_are_for_the_same_arcs() {
    let config = by_supernodes();
    let path = |weight: i32| (0..40u32).map(move |v| (v, v + 1, weight)).collect::<Vec<_>>();
    let [path, heavy] = [1, 7].map(|weight| Csr::from_edges(41, &path(weight)).unwrap());
    let ordered = Solver::new(&path, &config).order(None).unwrap();
    for config in [&config, &Config::default()] {
        let pairs = Solver::new(&heavy, config).in_order(&ordered).solve(None).unwrap();
        assert_eq!(pairs.plan.algorithm, Algorithm::Supernodes);
        assert!(pairs.plan.to_string().starts_with("supernodes: chosen by the caller"));
        compare("a path", &heavy, &pairs);
    }
    let star: Vec<_> = (1..41u32).map(|v| (0, v, 1i32)).collect();
    let star = Csr::from_edges(41, &star).unwrap();
    let larger = Csr::from_arcs(42, &[(0, 1, 4i32)]).unwrap();
    for other in [star, larger] {
        let refused = Solver::new(&other, &config).in_order(&ordered).solve(None);
        assert!(matches!(refused, Err(ApspError::NotInOrder { .. })), "{refused:?}");
    }
    // another algorithm that is asked for needs none
    let blocked = Config::with(Algorithm::Blocked);
    let pairs = Solver::new(&path, &blocked).in_order(&ordered).solve(None).unwrap();
    assert_eq!(pairs.plan.algorithm, Algorithm::Blocked);
}

/// A cube goes by supernodes where the choice is left, unless sums or memory are too much for them;
/// small graphs and those without small separators not.
#[test]
fn sparse_graphs_go_by_supernodes() {
    let config = Config::default();
    let cube = |weights| {
        let options = GraphOptions { weights, ..Default::default() };
        grid(&GridConfig { side: 13, dimensions: 3, options }).unwrap()
    };
    let plan = |graph: &Csr<u64>| Solver::new(graph, &config).solve(None).unwrap().plan;
    let sparse = cube(1..=9).convert_weights::<u64>().unwrap();
    let found = plan(&sparse);
    assert_eq!(found.algorithm, Algorithm::Supernodes);
    assert!(found.reason.starts_with("they take "), "{found}");
    let heavy: Vec<_> = sparse.arcs().map(|(u, v, w)| (u, v, w << 57)).collect();
    let heavy = Csr::from_arcs(sparse.n_vertices(), &heavy).unwrap();
    assert_eq!(plan(&heavy).algorithm, Algorithm::Johnson);
    let dense = uniform(&UniformConfig { n_vertices: 2100, n_edges: 30_000, ..Default::default() });
    let dense = plan(&dense.unwrap().convert_weights().unwrap());
    assert_ne!(dense.algorithm, Algorithm::Supernodes);
    assert!(dense.reason.contains("; without supernodes: "), "{dense}");
}

proptest! {
    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(60, 150, 0..=9)) {
        check("an arbitrary graph", &graph, None);
    }
}

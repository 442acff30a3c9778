//! All pairs by supernodes: the same answers as the oracle's, on the processor and on a GPU.

use std::ops::ControlFlow;

use apsp::{ApspError, Config, Pairs, PairsWeight, Solver, Supernodes};
use gpu_runtime::Gpu;
use graph_formats::generate::{GraphOptions, GridConfig, grid};
use graph_formats::{Csr, Direction, Distance};
use hierarchy::{HierarchyError, supernodes};
use paths::oracle;
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases, forest};

/// Vertices up to which the oracle of next hops, which is slow, is asked.
const MOST_VERTICES: usize = 300;

/// The first GPU, or `None` and a word about it.
fn gpu() -> Option<Gpu> {
    test_support::gpu(Gpu::open())
}

/// Supernodes, however many arcs their hierarchy has.
fn supernodes_of<W: PairsWeight>(graph: &Csr<W>) -> Supernodes {
    supernodes(graph, 1 << 40).unwrap()
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
    for source in graph.vertices() {
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
    let (supernodes, config) = (supernodes_of(graph), Config::default());
    let solver = Solver::new(graph, &config).by_supernodes(&supernodes);
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

fn check_corner_cases<W: PairsWeight>() {
    let gpu = gpu();
    for (name, graph) in corner_cases::<W>() {
        check(name, &graph, gpu.as_ref());
    }
}

#[test]
fn corner_cases_of_all_types() {
    check_corner_cases::<u32>();
    check_corner_cases::<i32>();
    check_corner_cases::<u64>();
    check_corner_cases::<i64>();
    check_corner_cases::<f32>();
    check_corner_cases::<f64>();
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
    let config = Config { next_hops: true, ..Config::default() };
    for direction in [Direction::Directed, Direction::Undirected] {
        let options = GraphOptions { weights: 0..=3, direction, ..Default::default() };
        let graph = grid(&GridConfig { side: 6, dimensions: 3, options }).unwrap();
        assert!(graph.n_vertices() <= MOST_VERTICES);
        let supernodes = supernodes_of(&graph);
        let solver = Solver::new(&graph, &config).by_supernodes(&supernodes);
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

/// A cube takes far fewer sums than Floyd-Warshall, and what is dense is found out early.
#[test]
fn sums_are_counted_before_they_are_made() {
    let cube = grid(&GridConfig { side: 12, dimensions: 3, ..Default::default() }).unwrap();
    let n = cube.n_vertices() as f64;
    assert!(supernodes_of(&cube).n_sums() < n.powi(3) / 5.0);
    let square = grid(&GridConfig { side: 50, ..Default::default() }).unwrap();
    let n = square.n_vertices() as f64;
    assert!(supernodes_of(&square).n_sums() < n.powi(3) / 20.0);
    let refused = supernodes(&cube, 10_000);
    assert!(matches!(refused, Err(HierarchyError::NoSmallSeparators { .. })), "{refused:?}");
}

#[test]
fn refusals() {
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (1, 2, -1)]).unwrap();
    let (nodes, config) = (supernodes_of(&graph), Config::default());
    let solve = |graph: &Csr<i32>, config: &Config| {
        Solver::new(graph, config).by_supernodes(&nodes).solve(None).unwrap_err()
    };
    let refused = solve(&graph, &config);
    assert!(matches!(refused, ApspError::NegativeWeight { from: 1, to: 2, .. }), "{refused}");
    let larger = Csr::from_arcs(4, &[(0, 1, 4i32)]).unwrap();
    assert!(matches!(solve(&larger, &config), ApspError::NotSupernodes { .. }));
    let small = Config { memory: Some(20), ..config.clone() };
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32)]).unwrap();
    assert!(matches!(solve(&graph, &small), ApspError::OverMemory { .. }));
    let stop = |_, _| ControlFlow::Break(());
    let ended = Solver::new(&graph, &config).by_supernodes(&nodes).solve(Some(&stop));
    assert!(matches!(ended, Err(ApspError::Search(_))), "{ended:?}");
}

/// Those of a graph with other arcs, and what are none.
#[test]
fn supernodes_of_another_graph_are_refused() {
    let path: Vec<_> = (0..40u32).map(|v| (v, v + 1, 1i32)).collect();
    let path = Csr::from_edges(41, &path).unwrap();
    let star: Vec<_> = (1..41u32).map(|v| (0, v, 1i32)).collect();
    let star = Csr::from_edges(41, &star).unwrap();
    let one =
        |rank: u32, ends: &[u32]| apsp::Supernode { ranks: rank..rank + 1, ends: ends.into() };
    // the order of a path, vertex after vertex
    let nodes = (0..40u32).map(|v| one(v, &[v + 1])).chain([one(40, &[])]).collect();
    let of_path = Supernodes::new((0..41).collect(), nodes).unwrap();
    let config = Config::default();
    let pairs = Solver::new(&path, &config).by_supernodes(&of_path).solve(None).unwrap();
    compare("a path", &path, &pairs);
    let refused = Solver::new(&star, &config).by_supernodes(&of_path).solve(None);
    assert!(matches!(refused, Err(ApspError::NotSupernodes { .. })), "{refused:?}");
    for (vertices, nodes) in [
        (vec![0, 0], vec![one(0, &[1]), one(1, &[])]),
        (vec![0, 1], vec![one(0, &[0]), one(1, &[])]),
        (vec![0, 1], vec![one(0, &[7]), one(1, &[])]),
        (vec![0, 1], vec![one(1, &[]), one(0, &[])]),
        (vec![0, 1], vec![one(0, &[])]),
        (vec![0, 1, 2], vec![one(0, &[1, 2]), one(1, &[]), one(2, &[])]),
    ] {
        let made = Supernodes::new(vertices, nodes);
        assert!(matches!(made, Err(ApspError::NotSupernodes { .. })), "{made:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(60, 150, 0..=9)) {
        check("an arbitrary graph", &graph, None);
    }
}

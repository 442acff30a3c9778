//! Next hops: every algorithm gives those of the oracle, and the same distances to them.

use apsp::{Algorithm, ApspError, Config, Pairs, PairsWeight, Solver};
use graph_formats::{Csr, Distance, VertexId, Weight, read};
use ndarray::Array2;
use paths::certificate::{check_all_pairs, check_next_hops, check_triangles};
use paths::{DistanceTable, oracle};
use proptest::prelude::*;
use sssp::Goal;
use test_support::{arbitrary_graph, corner_cases, data};

use crate::common::rounding_path;

/// Vertices up to which the oracle, which is slow, is asked.
const MOST_VERTICES: usize = 200;

fn with_hops<W: PairsWeight>(graph: &Csr<W>, algorithm: Algorithm) -> Result<Pairs<W>, ApspError> {
    Solver::new(graph, &Config { next_hops: true, ..Config::with(algorithm) }).solve(None)
}

/// Column by column what a search from its vertex finds in the reversed graph.
fn expected_distances<W: PairsWeight>(graph: &Csr<W>) -> DistanceTable<W> {
    let (n, reversed) = (graph.n_vertices(), graph.transposed());
    let mut table = Array2::from_elem((n, n), W::Distance::UNREACHED);
    for to in graph.vertices() {
        let column = oracle::tree(&reversed, to, None).unwrap().distances;
        for (from, distance) in column.reached() {
            table[(from as usize, to as usize)] = distance;
        }
    }
    DistanceTable::from_storage(table)
}

fn agree<W: PairsWeight>(name: &str, graph: &Csr<W>) {
    let distances = expected_distances(graph);
    let hops = oracle::next_hops(graph, &distances);
    check_next_hops(graph, &distances, &hops).unwrap();
    for algorithm in Algorithm::ALL {
        match with_hops(graph, algorithm) {
            Ok(found) => {
                assert!(*found.distances().unwrap() == distances, "{name}, {algorithm}: distances");
                assert!(found.next_hops() == Some(&hops), "{name}, {algorithm}: hops");
            }
            Err(ApspError::TooHeavy { .. }) if algorithm != Algorithm::Auto => {}
            // on a GPU only
            Err(ApspError::NotHere { .. }) => {}
            Err(ApspError::NegativeWeight { .. }) if algorithm == Algorithm::Supernodes => {}
            Err(error) => panic!("{name}, {algorithm}: {error}"),
        }
    }
}

fn corner_cases_agrees<W: PairsWeight>() {
    for (name, graph) in
        corner_cases::<W>().iter().filter(|entry| entry.1.n_vertices() <= MOST_VERTICES)
    {
        agree(name, graph);
    }
}

#[test]
fn corner_cases_of_integers() {
    corner_cases_agrees::<u32>();
    corner_cases_agrees::<i32>();
    corner_cases_agrees::<u64>();
    corner_cases_agrees::<i64>();
}

#[test]
fn corner_cases_of_floats() {
    corner_cases_agrees::<f32>();
    corner_cases_agrees::<f64>();
}

/// Arcs with weights of both signs, each up or down a slope and at `least` beside it.
fn slope(n: u32, least: i64) -> Csr<i64> {
    let height = |v: u32| i64::from(v * v % 101);
    let cost = |u: u32, v: u32| i64::from((u * 31 + v * 17) % 23);
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 5 + 1) % n), (u, (u + 7) % n), (u, (u * u + 3) % n)])
        .map(|(u, v)| (u, v, least + cost(u, v) + height(v) - height(u)))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

/// The weights divided by a number that leaves no float exact.
fn sevenths<W: PairsWeight, V: Weight>(graph: &Csr<W>) -> Csr<V> {
    let part = |weight: W| V::from_f64(weight.to_f64() / 7.0).unwrap();
    let arcs: Vec<_> = graph.arcs().map(|(u, v, weight)| (u, v, part(weight))).collect();
    Csr::from_arcs(graph.n_vertices(), &arcs).unwrap()
}

/// Of two sums over one path the one from its end counts, which no arc undercuts.
#[test]
fn distances_are_least_sums_from_the_end() {
    let graph = rounding_path();
    for algorithm in Algorithm::ALL {
        let found = match with_hops(&graph, algorithm) {
            Err(ApspError::NotHere { .. }) => continue,
            found => found.unwrap(),
        };
        assert_eq!(found.distances().unwrap().get(0, 3), Some(0.2 + (0.1 + 0.4)), "{algorithm}");
        assert_eq!(found.next_hops().unwrap().get(0, 3), Some(1), "{algorithm}");
    }
}

#[test]
fn every_size_around_a_tile_with_negative_arcs() {
    for n in (1..=20).chain(60..=68).chain(125..=130) {
        let graph = slope(n, 0);
        agree("slope", &graph);
        agree("slope of i32", &graph.clone().convert_weights::<i32>().unwrap());
        agree("slope of f32", &graph.convert_weights::<f32>().unwrap());
        agree("slope of sevenths", &sevenths::<_, f64>(&slope(n, 1)));
        agree("slope of rough sevenths", &sevenths::<_, f32>(&slope(n, 1)));
    }
}

#[test]
fn floats_that_round_everywhere() {
    // weights from one to a million, so that some vanish beside others
    let arcs: Vec<_> = (0..150u32)
        .flat_map(|u| (1..=6).map(move |step| (u, (u * 7 + step * step) % 150, u * step)))
        .map(|(u, v, k)| (u, v, 0.1f32 * 10f32.powi((k % 7) as i32) * (1.0 + k as f32 / 11.0)))
        .collect();
    let graph = Csr::from_arcs(150, &arcs).unwrap();
    agree("floats of all sizes", &graph);
    agree("the same as doubles", &graph.convert_weights::<f64>().unwrap());
    // an arc that weighs something, and adds nothing
    let arcs = [(0, 1, 1e-9f32), (1, 2, 1e9), (2, 0, 1e-9), (1, 0, 1e-9), (0, 2, 2e9)];
    agree("floats that vanish", &Csr::from_arcs(3, &arcs).unwrap());
}

#[test]
fn paths_can_be_followed_or_were_not_asked_for() {
    let graph = slope(40, 0);
    assert!(Solver::new(&graph, &Config::default()).solve(None).unwrap().into_paths().is_none());
    let paths = with_hops(&graph, Algorithm::Auto).unwrap().into_paths().unwrap();
    for (u, v) in graph.vertices().flat_map(|u| graph.vertices().map(move |v| (u, v))) {
        let length = paths.path(u, v).map(|path| {
            let arc = |pair: &[VertexId]| {
                let parallel = graph.arcs_from(pair[0]).filter(|arc| arc.0 == pair[1]);
                parallel.map(|arc| arc.1).min().unwrap()
            };
            path.windows(2).map(arc).sum::<i64>()
        });
        assert_eq!(length, paths.distance(u, v));
    }
}

/// What cannot be held is refused at once, with its size.
#[test]
fn more_than_memory_is_asked_for_beforehand() {
    let graph = Csr::from_arcs(5_000_000, &[(0, 1, 1u32)]).unwrap();
    for algorithm in [Algorithm::Auto, Algorithm::Johnson] {
        match with_hops(&graph, algorithm) {
            // distances of 8 bytes and hops of 4
            Err(ApspError::TooLarge { n_vertices: 5_000_000, bytes }) => {
                assert!(u128::from(bytes) > 12 * 5_000_000 * 5_000_000);
            }
            other => panic!("{algorithm}: {other:?}"),
        }
    }
}

/// Both ways to the same distances and hops, which are certified, and which a few trees of
/// the reversed graph have too.
fn certified<W: PairsWeight>(name: &str, graph: &Csr<W>) -> Pairs<W> {
    let found = with_hops(graph, Algorithm::Blocked).unwrap();
    let again = with_hops(graph, Algorithm::Johnson).unwrap();
    assert!(*found.distances().unwrap() == *again.distances().unwrap(), "{name}: distances");
    assert!(found.next_hops() == again.next_hops(), "{name}: hops");
    let hops = found.next_hops().unwrap();
    check_next_hops(graph, found.distances().unwrap(), hops)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    check_triangles(found.distances().unwrap(), 1_000_000, 1)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let reversed = graph.transposed();
    let mut solver = sssp::Solver::new(&reversed, &sssp::Config::default()).unwrap();
    for to in [0, 1234, graph.n_vertices() as VertexId - 1] {
        let tree = solver.tree(to, Goal::All).unwrap();
        for from in graph.vertices() {
            assert_eq!(
                found.distances().unwrap().get(from as usize, to as usize),
                tree.distance(from)
            );
            assert_eq!(hops.get(from, to), tree.predecessors.get(from), "{name}");
        }
    }
    found
}

/// A whole city.
#[test]
fn rome() {
    let Some(path) = data("dimacs/rome99.gr") else { return };
    certified("rome", &read(path).unwrap().csr.into_csr::<u32>().unwrap());
}

/// A whole brain: by synapses that a path passes, by their number, and by its inverse.
#[test]
fn larva() {
    let Some(path) = data("connectome/larva_unmatched_full.csv.gz") else { return };
    let loaded = read(path).unwrap();
    let counts = loaded.csr.into_csr::<f64>().unwrap();
    let n = counts.n_vertices();
    let with = |weight: fn(f64) -> f64| {
        let arcs: Vec<_> = counts.arcs().map(|(u, v, count)| (u, v, weight(count))).collect();
        Csr::from_arcs(n, &arcs).unwrap()
    };
    let units = with(|_| 1.0).convert_weights::<u32>().unwrap();
    certified("synapses", &units);
    let found = with_hops(&counts, Algorithm::Johnson).unwrap();
    let source = loaded.ids.vertex(29, n).unwrap() as usize;
    let row: Vec<f64> = found.distances().unwrap().row(source).flatten().collect();
    assert_eq!((row.len(), row.iter().sum::<f64>()), (2924, 10_140.0));
    let inverse = with(|count| 1.0 / count);
    let exact = certified("inverse counts", &inverse);
    let rough = with_hops(&inverse.convert_weights::<f32>().unwrap(), Algorithm::Johnson).unwrap();
    // each weight and each sum is rounded, and no path has more than n arcs
    let bound = 2.0 * n as f64 * f64::from(f32::EPSILON);
    for (&exact, &rough) in
        exact.distances().unwrap().as_storage().iter().zip(rough.distances().unwrap().as_storage())
    {
        assert!(exact == f64::from(rough) || (exact - f64::from(rough)).abs() <= bound * exact);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(40, 160, -2..=5)) {
        if oracle::floyd_warshall(&graph).is_ok() {
            agree("arbitrary", &graph);
        }
    }

    /// Arcs of weight zero, most of them on cycles.
    #[test]
    fn plateaus(graph in arbitrary_graph::<u32>(40, 200, 0..=1)) {
        agree("plateaus", &graph);
        agree("plateaus of floats", &sevenths::<_, f32>(&graph));
    }

    #[test]
    fn arbitrary_floats(graph in arbitrary_graph::<u32>(60, 400, 1..=100)) {
        agree("arbitrary floats", &sevenths::<_, f32>(&graph));
        let doubles = sevenths::<_, f64>(&graph);
        agree("arbitrary doubles", &doubles);
        let found = with_hops(&doubles, Algorithm::Auto).unwrap();
        prop_assert!(check_all_pairs(&doubles, found.distances().unwrap()).is_ok());
    }
}

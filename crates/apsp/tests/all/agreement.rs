//! All algorithms against the oracle, on corner cases, all small sizes and real graphs.

use std::ops::ControlFlow;

use apsp::{Algorithm, ApspError, Config, Number, PairsWeight, Solver};
use graph_formats::{Csr, VertexId, read};
use paths::certificate::check_negative_cycle;
use paths::oracle;
use proptest::prelude::*;
use published::pairs::Form;
use sssp::SsspError;
use test_support::{arbitrary_graph, corner_cases, data};

use crate::common::{identical, minus_zeros, same};

/// Vertices up to which the oracle, which is slow, is asked.
const MOST_VERTICES: usize = 200;

/// Those that this processor has, for weights of any sign.
const HERE: [Algorithm; 5] = [
    Algorithm::Auto,
    Algorithm::Published(Form::FloydWarshall),
    Algorithm::Blocked,
    Algorithm::Published(Form::Recursive),
    Algorithm::Johnson,
];

/// Those that add in numbers of a fixed width.
const BY_MATRIX: [Algorithm; 3] = [
    Algorithm::Published(Form::FloydWarshall),
    Algorithm::Blocked,
    Algorithm::Published(Form::Recursive),
];

fn agree<W: PairsWeight>(name: &str, graph: &Csr<W>) {
    let expected = oracle::floyd_warshall(graph).unwrap();
    for algorithm in HERE {
        match Solver::new(graph, &Config::with(algorithm)).solve(None) {
            Ok(found) => {
                assert!(same(found.distances().unwrap(), &expected), "{name}, {algorithm}")
            }
            Err(ApspError::TooHeavy { .. }) if BY_MATRIX.contains(&algorithm) => {}
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

/// A weight of −0.0 is one of 0, and no distance is −0.0, which is another float by its bits.
#[test]
fn zeros_have_no_sign() {
    for graph in minus_zeros() {
        let all = HERE.map(|form| {
            Solver::new(&graph, &Config::with(form)).solve(None).unwrap().into_distances().unwrap()
        });
        let is_signed = |d: &f32| *d == 0.0 && d.is_sign_negative();
        assert!(!all[0].as_storage().iter().any(is_signed));
        assert!(all.iter().all(|found| identical(found, &all[0])));
        let doubles = graph.convert_weights::<f64>().unwrap();
        let all = HERE.map(|form| Solver::new(&doubles, &Config::with(form)).solve(None).unwrap());
        assert!(
            all.iter()
                .all(|found| identical(found.distances().unwrap(), all[0].distances().unwrap()))
        );
    }
}

/// What cannot be held is refused with the vertex that it is about.
#[test]
fn overflows_name_their_vertex() {
    let arcs = [(0, 1, 1.7e308), (1, 3, 1.7e308), (2, 3, -1.0)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let refused = Solver::new(&graph, &Config::with(Algorithm::Johnson)).solve(None);
    match refused {
        Err(ApspError::Search(SsspError::Overflow { vertex, kind: "f64" })) => {
            assert_eq!(vertex, 3);
        }
        other => panic!("{other:?}"),
    }
}

/// Potentials may raise a weight beyond its type, where distances do not leave it.
#[test]
fn distances_that_can_be_held_are_found_though_raised_weights_cannot() {
    fn check<W: PairsWeight>(arcs: &[(VertexId, VertexId, W)]) {
        agree("far apart", &Csr::from_arcs(4, arcs).unwrap());
    }
    check(&[(0, 3, i64::MIN), (2, 3, i64::MAX - 1), (0, 1, 5), (3, 1, 0)]);
    check(&[(0, 3, -1i64 << 62), (3, 1, -1 << 62), (2, 1, i64::MAX - 1)]);
    check(&[(0, 3, -2f64.powi(1023)), (2, 3, 1.5 * 2f64.powi(1023))]);
    check(&[(0, 3, -f64::MAX), (2, 3, f64::MAX)]);
    check(&[(0, 3, -f32::MAX), (2, 3, f32::MAX)]);
}

/// The proof that numbers of 16 bits do is work that can be ended.
#[test]
fn a_callback_ends_the_proof() {
    // a cycle that is longer than 16 bits count, and short ways across
    let n = 2000u32;
    let arcs: Vec<_> =
        (0..n).flat_map(|u| [(u, (u + 1) % n, 30), (u, (u * 7 + 1) % n, 1)]).collect();
    let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
    // how long the proof takes is not known; of all other work there is a total
    let stop = |_, total| match total {
        0 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let ended = Solver::new(&graph, &Config::with(Algorithm::Blocked)).solve(Some(&stop));
    assert!(matches!(ended, Err(ApspError::Interrupted(_))), "{ended:?}");
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

/// Arcs with weights of both signs and no negative cycle: each goes up or down a slope, and
/// costs at least nothing beside it.
fn slope(n: u32) -> Csr<i64> {
    let height = |v: u32| i64::from(v * v % 101);
    let cost = |u: u32, v: u32| i64::from((u * 31 + v * 17) % 23);
    let arcs: Vec<_> = (0..n)
        .flat_map(|u| [(u, (u * 5 + 1) % n), (u, (u + 7) % n), (u, (u * u + 3) % n)])
        .map(|(u, v)| (u, v, cost(u, v) + height(v) - height(u)))
        .collect();
    Csr::from_arcs(n as usize, &arcs).unwrap()
}

#[test]
fn every_size_with_negative_arcs() {
    for n in 1..=130 {
        let graph = slope(n);
        assert!(n < 20 || graph.first_negative().is_some());
        agree("slope", &graph);
    }
}

/// Of each kind of numbers, around the sizes of a block of pivots, of a strip and of a half.
#[test]
fn every_number_around_blocks() {
    for n in [1, 7, 8, 15, 16, 17, 31, 33, 47, 48, 49, 63, 65, 95, 96, 97, 127, 129, 145] {
        let graph = slope(n);
        agree("slope of i32", &graph.clone().convert_weights::<i32>().unwrap());
        agree("slope of f32", &graph.clone().convert_weights::<f32>().unwrap());
        agree("slope of f64", &graph.convert_weights::<f64>().unwrap());
        let heavy: Vec<_> = slope(n).arcs().map(|(u, v, w)| (u, v, w << 30)).collect();
        agree("heavy slope", &Csr::from_arcs(n as usize, &heavy).unwrap());
        let light: Vec<_> = slope(n).arcs().map(|(u, v, w)| (u, v, w.unsigned_abs())).collect();
        let light = Csr::from_arcs(n as usize, &light).unwrap();
        let found = Solver::new(&light, &Config::with(Algorithm::Blocked)).solve(None).unwrap();
        assert_eq!(found.plan.number, Some(Number::U16));
        agree("light", &light);
    }
}

/// 400 vertices: several blocks of pivots, and a last one that is not full.
#[test]
fn forms_agree_over_several_blocks() {
    for n in [400, 499] {
        let graph = slope(n);
        let tables =
            BY_MATRIX.map(|form| Solver::new(&graph, &Config::with(form)).solve(None).unwrap());
        let by_search = Solver::new(&graph, &Config::with(Algorithm::Johnson)).solve(None).unwrap();
        assert!(
            tables.iter().all(|table| table.distances().unwrap() == by_search.distances().unwrap())
        );
    }
}

/// Distances up to 32,766 are found in 16 bits where the sum of all weights proves it.
#[test]
fn sixteen_bits_are_taken_where_they_are_proven_to_do() {
    let config = Config::with(Algorithm::Blocked);
    // on a path the greatest distance is the sum
    for (last, number) in [(32_764, Number::U16), (32_765, Number::I32)] {
        let graph = Csr::from_arcs(4, &[(0, 1, 1u32), (1, 2, 1), (2, 3, last)]).unwrap();
        let found = Solver::new(&graph, &config).solve(None).unwrap();
        assert_eq!(found.plan.number, Some(number));
        assert_eq!(found.distances().unwrap().get(0, 3), Some(u64::from(last) + 2));
        assert_eq!(found.distances().unwrap().get(3, 0), None);
    }
}

#[test]
fn sums_of_32_bits_and_more_are_exact() {
    let heavy: Vec<_> = (0..70).map(|v| (v, v + 1, 4_000_000_000u32 - v)).collect();
    agree("heavy", &Csr::from_edges(71, &heavy).unwrap());
    let too_heavy: Vec<_> = (0..3).map(|v| (v, v + 1, u64::MAX / 8)).collect();
    let graph = Csr::from_arcs(4, &too_heavy).unwrap();
    agree("too heavy", &graph);
    let refused = Solver::new(&graph, &Config::with(Algorithm::Blocked)).solve(None);
    assert!(matches!(refused, Err(ApspError::TooHeavy { .. })));
}

#[test]
fn a_negative_cycle_is_named() {
    let mut arcs = vec![(3, 4, -2i32), (4, 5, 1), (5, 3, -1), (0, 1, 4)];
    arcs.extend((6..90).map(|v| (v, v + 1, 1)));
    let graph = Csr::from_arcs(91, &arcs).unwrap();
    for algorithm in HERE {
        match Solver::new(&graph, &Config::with(algorithm)).solve(None).unwrap_err() {
            ApspError::Search(SsspError::NegativeCycle { cycle }) => {
                check_negative_cycle(&graph, &cycle).unwrap();
            }
            other => panic!("{algorithm}: {other}"),
        }
    }
}

#[test]
fn what_only_a_gpu_has_is_refused() {
    let is_here = |form: &Algorithm| HERE.contains(form) || *form == Algorithm::Supernodes;
    for algorithm in Algorithm::ALL.into_iter().filter(|form| !is_here(form)) {
        let refused = Solver::new(&slope(5), &Config::with(algorithm)).solve(None).unwrap_err();
        assert!(matches!(refused, ApspError::NotHere { .. }), "{refused}");
    }
}

#[test]
fn progress_can_end_it() {
    let graph = slope(150);
    for algorithm in HERE {
        let stop = |_, _| ControlFlow::Break(());
        let found = Solver::new(&graph, &Config::with(algorithm)).solve(Some(&stop));
        assert!(matches!(found, Err(ApspError::Interrupted(_))), "{algorithm}");
    }
}

/// A whole city: both algorithms, and a few rows by the oracle of searches.
#[test]
fn rome() {
    let Some(path) = data("dimacs/rome99.gr") else { return };
    let graph = read(&path).unwrap().csr.into_csr::<u32>().unwrap();
    let table = |algorithm| {
        Solver::new(&graph, &Config::with(algorithm)).solve(None).unwrap().into_distances().unwrap()
    };
    let (by_matrix, by_search) = (table(Algorithm::Blocked), table(Algorithm::Johnson));
    assert!(by_matrix == by_search);
    for source in [0, 1234, 3352] {
        let expected = oracle::dijkstra(&graph, source).unwrap();
        assert!(by_matrix.row(source as usize).eq((0..3353).map(|v| expected.get(v))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_graphs(graph in arbitrary_graph::<i32>(80, 400, -3..=9)) {
        let expected = oracle::floyd_warshall(&graph);
        for algorithm in HERE {
            match (Solver::new(&graph, &Config::with(algorithm)).solve(None), &expected) {
                (Ok(found), Ok(expected)) => prop_assert!(*found.distances().unwrap() == *expected),
                (Err(ApspError::Search(SsspError::NegativeCycle { cycle })), Err(_)) => {
                    prop_assert!(check_negative_cycle(&graph, &cycle).is_ok());
                }
                (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
            }
        }
    }

    #[test]
    fn another_arc_makes_nothing_farther(
        graph in arbitrary_graph::<u32>(70, 200, 0..=50),
        (u, v, weight) in (0..70u32, 0..70u32, 0..50u32),
    ) {
        let n = graph.n_vertices();
        let more: Vec<_> = graph
            .arcs()
            .chain([(u % n as VertexId, v % n as VertexId, weight)])
            .collect();
        let more = Csr::from_arcs(n, &more).unwrap();
        let config = Config::with(Algorithm::Blocked);
        let before = Solver::new(&graph, &config).solve(None).unwrap().into_distances().unwrap();
        let after = Solver::new(&more, &config).solve(None).unwrap().into_distances().unwrap();
        let pairs = after.as_storage().iter().zip(before.as_storage());
        prop_assert!(pairs.into_iter().all(|(after, before)| after <= before));
    }
}

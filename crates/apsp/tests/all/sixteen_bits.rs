//! Numbers of 16 bits that are tried without a proof, and looked at afterwards: the answer is that of
//! searches whatever the numbers did, and the plan says what became of them.

use std::ops::RangeInclusive;

use apsp::{Algorithm, Certainty, Config, Number, Pairs, Solver};
use graph_formats::{Csr, VertexId};
use paths::DistanceTable;
use proptest::prelude::*;
use published::pairs::Form;

use crate::gpu::{by_gpu, some_gpus};
use crate::ranks::{by_ranks, by_ranks_on};

/// The forms that add in numbers of a matrix.
const FORMS: [Algorithm; 3] = [
    Algorithm::Blocked,
    Algorithm::Published(Form::FloydWarshall),
    Algorithm::Published(Form::Recursive),
];

type Arc = (VertexId, VertexId, u32);

fn by_search(graph: &Csr<u32>) -> DistanceTable<u32> {
    Solver::new(graph, &Config::with(Algorithm::Johnson))
        .solve(None)
        .unwrap()
        .into_distances()
        .unwrap()
}

fn greatest(distances: &DistanceTable<u32>) -> u64 {
    let reached = distances.as_storage().iter().filter(|&&d| d != u64::MAX);
    reached.copied().max().unwrap_or_default()
}

/// Vertices that all lead to each other, by arcs of at most 2, and a long way out of them and back
/// in. That way makes `greatest` the greatest distance. With this number of arcs, 16 bits are
/// likely to do.
fn dense(n: u32, greatest: u32) -> Vec<Arc> {
    let core = n - 12;
    let mut arcs: Vec<_> = (0..core)
        .flat_map(|u| (1..core).map(move |step| (u, (u + step) % core, 1 + step % 2)))
        .collect();
    let way = greatest - 2;
    for step in 0..12 {
        let from = if step == 0 { 0 } else { core + step - 1 };
        arcs.push((from, core + step, way / 12 + u32::from(step < way % 12)));
    }
    arcs.push((n - 1, 0, 1));
    arcs
}

/// Few arcs, and this as the greatest distance, from vertex 1 to vertex 2 through vertex 0. Searches
/// that start elsewhere, or go back from where they end, meet shorter distances only.
fn sparse(n: u32, greatest: u32) -> Vec<Arc> {
    let first = greatest - 16_384;
    let mut arcs = vec![(1, 0, first), (0, 2, 16_384), (2, 0, first), (0, 1, 1)];
    // farther from 0 than vertex 1, but with a short way to vertex 2
    arcs.extend([(3, 0, first + 1), (3, 2, 1), (0, 3, 16_384)]);
    arcs.extend((4..n).flat_map(|v| [(v, 0, 1), (0, v, 1)]));
    arcs
}

/// Such arcs, with the vertices after some others.
fn moved(arcs: Vec<Arc>, by: u32) -> impl Iterator<Item = Arc> {
    arcs.into_iter().map(move |(u, v, w)| (u + by, v + by, w))
}

fn graph(n: u32, arcs: &[Arc]) -> Csr<u32> {
    Csr::from_arcs(n as usize, arcs).unwrap()
}

/// What the numbers are to be, by the greatest distance.
fn expected(greatest: u64) -> (Option<Number>, Certainty) {
    match greatest {
        0..=32_766 => (Some(Number::U16), Certainty::Checked),
        _ => (Some(Number::I32), Certainty::Retried),
    }
}

fn became(pairs: &Pairs<u32>) -> (Option<Number>, Certainty) {
    (pairs.plan.number, pairs.plan.certainty)
}

/// By all forms and by ranks.
fn is_tried(name: &str, greatest_distance: u32, graph: &Csr<u32>) {
    let right = by_search(graph);
    assert_eq!(greatest(&right), u64::from(greatest_distance), "{name}");
    let expected = expected(greatest(&right));
    for form in FORMS {
        let found = Solver::new(graph, &Config::with(form)).solve(None).unwrap();
        assert_eq!(became(&found), expected, "{name}, {form}");
        assert!(*found.distances().unwrap() == right, "{name}, {form}");
    }
    for size in 1..=3 {
        let found = by_ranks(size, graph, &Config::with(Algorithm::Blocked)).unwrap();
        assert_eq!(found.number, expected.0, "{name}, {size} ranks");
        assert!(found.distances == right, "{name}, {size} ranks");
    }
}

/// Distances that are below the limit, the limit, and beyond.
const AROUND: RangeInclusive<u32> = 32_765..=32_769;

#[test]
fn a_graph_of_many_arcs_is_tried_without_searches() {
    for greatest in AROUND {
        is_tried("dense", greatest, &graph(256, &dense(256, greatest)));
    }
}

#[test]
fn a_graph_between_the_bounds_is_tried() {
    for greatest in AROUND {
        is_tried("sparse", greatest, &graph(700, &sparse(700, greatest)));
    }
}

/// Where searches find a distance at the limit nothing is tried, and nothing where they prove that
/// there is none.
#[test]
fn what_searches_decide_is_not_tried() {
    // there and back along a path: the bound is twice the greatest distance
    let path = |last: u32| -> Vec<Arc> {
        let weights = (1..500).map(move |v| (v, if v == 499 { last } else { 30 }));
        weights.flat_map(|(v, w)| [(v - 1, v, w), (v, v - 1, w)]).collect()
    };
    let below: Vec<_> = path(30).into_iter().chain([(0, 499, 30_000)]).collect();
    let cases = [
        (path(32_766 - 498 * 30), Number::U16, Certainty::Checked),
        (path(32_767 - 498 * 30), Number::I32, Certainty::Proven),
        (below, Number::U16, Certainty::Proven),
        // an arc that is the only way out of its vertex
        (dense(256, 12 * 40_000), Number::I32, Certainty::Proven),
    ];
    for (arcs, number, certainty) in cases {
        let graph = graph(500, &arcs);
        let found = Solver::new(&graph, &Config::with(Algorithm::Blocked)).solve(None).unwrap();
        assert_eq!(became(&found), (Some(number), certainty));
        assert!(*found.distances().unwrap() == by_search(&graph));
    }
}

/// Pairs without a path are at the limit too, and another one is found among them.
#[test]
fn a_pair_at_the_limit_is_found_among_those_without_a_path() {
    for greatest in [32_766, 32_767] {
        for hidden in [0, 1] {
            let ways = [0, 1].map(|part| if part == hidden { greatest } else { 50 });
            let mut arcs = dense(200, ways[0]);
            arcs.extend(moved(dense(200, ways[1]), 200));
            arcs.push((400, 401, 7));
            is_tried("apart", greatest, &graph(403, &arcs));
            // one part leads to the other, by a short way from near the end of its long one
            arcs.push((1, 399, 1));
            is_tried("one way", greatest, &graph(403, &arcs));
        }
    }
}

/// Plans of the command line's default, and what they say.
#[test]
fn the_plan_says_what_became_of_it() {
    let auto = |greatest| {
        let graph = graph(256, &dense(256, greatest));
        Solver::new(&graph, &Config::with(Algorithm::Auto)).solve(None).unwrap().plan.to_string()
    };
    let (held, not_held) = (auto(32_766), auto(32_767));
    assert!(
        held.contains("; its matrix has entries of type u16, which hold all distances"),
        "{held}"
    );
    assert!(
        not_held.contains("; its matrix has entries of type i32, because 16 bits did not"),
        "{not_held}"
    );
}

#[test]
fn on_gpus() {
    let Some(gpus) = some_gpus(3) else { return };
    for greatest in AROUND {
        let one = dense(256, greatest);
        let apart: Vec<_> = one.iter().copied().chain(moved(dense(200, 77), 256)).collect();
        for graph in [graph(256, &one), graph(460, &apart)] {
            let right = by_search(&graph);
            let expected = expected(greatest.into());
            for next_hops in [false, true] {
                let of = |algorithm| Config { next_hops, ..Config::with(algorithm) };
                let found = by_gpu(&gpus[0], &graph, &of(Algorithm::Blocked)).unwrap();
                assert_eq!(became(&found), expected, "{greatest}");
                assert!(*found.distances().unwrap() == right, "{greatest}");
                let hops = Solver::new(&graph, &of(Algorithm::Johnson)).solve(None).unwrap();
                assert!(found.next_hops() == hops.next_hops(), "{greatest}");
            }
            let config = Config::with(Algorithm::Blocked);
            let found = Solver::new(&graph, &config).on(&gpus).solve(None).unwrap();
            assert_eq!(became(&found), expected, "{greatest}");
            assert!(*found.distances().unwrap() == right, "{greatest}");
            for size in 1..=3 {
                let found = by_ranks_on(Some(&gpus), size, &graph, &config).unwrap();
                assert_eq!(found.number, expected.0, "{greatest}, {size} ranks");
                assert!(found.distances == right, "{greatest}, {size} ranks");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Ways of any length between many parts that lead to each other or not.
    #[test]
    fn any_long_ways(
        (sizes, ways) in prop::collection::vec((60..130u32, 31_000..34_000u32), 1..4)
            .prop_map(|parts| -> (Vec<_>, Vec<_>) { parts.into_iter().unzip() }),
        bridges in prop::collection::vec((0..1000u32, 0..1000u32, 1..900u32), 0..3),
    ) {
        let mut arcs = Vec::new();
        let mut n = 0;
        for (&size, &way) in sizes.iter().zip(&ways) {
            arcs.extend(moved(dense(size, way), n));
            n += size;
        }
        arcs.extend(bridges.into_iter().map(|(u, v, w)| (u % n, v % n, w)));
        let graph = graph(n, &arcs);
        let right = by_search(&graph);
        let found = Solver::new(&graph, &Config::with(Algorithm::Blocked)).solve(None).unwrap();
        prop_assert!(*found.distances().unwrap() == right);
        if found.plan.certainty != Certainty::Proven {
            prop_assert_eq!(became(&found), expected(greatest(&right)));
        }
    }
}

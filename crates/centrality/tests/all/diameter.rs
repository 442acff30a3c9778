//! The diameter by bounds against that of all pairs.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use centrality::{CentralityError, Config, Diameter, Lengths, MeasureWeight, diameter, totals};
use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::{Csr, Direction, Weight};
use paths::Number;
use proptest::prelude::*;
use sssp::{Goal, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases, undirected};

/// The greatest of all eccentricities, and a path that shows it.
fn check<W: MeasureWeight>(graph: &Csr<W>, lengths: Lengths) -> Option<Diameter> {
    let all = totals(graph, &Config { lengths, ..Config::default() }, None).unwrap();
    let mut found = None;
    for threads in [1, 2] {
        let again = diameter(graph, lengths, NonZeroUsize::new(threads), None).unwrap();
        assert!(threads == 1 || again == found, "{found:?} {again:?}");
        found = again;
    }
    let expected = eccentricities(graph, lengths).into_iter().reduce(f64::max);
    assert_eq!(found.map(|found| found.value.to_f64()), expected);
    assert_eq!(all.diameter(), found.map(|found| found.value));
    if let Some(found) = found {
        assert_eq!(row(graph, lengths, found.from)[found.to as usize], Some(found.value.to_f64()));
        assert!(found.n_searches <= 4 * graph.n_vertices() + 1, "{found:?}");
    }
    found
}

fn eccentricities<W: MeasureWeight>(graph: &Csr<W>, lengths: Lengths) -> Vec<f64> {
    let rows = graph.vertices().map(|v| row(graph, lengths, v));
    rows.map(|row| row.into_iter().flatten().fold(0.0, f64::max)).collect()
}

/// What a single search finds.
fn row<W: MeasureWeight>(graph: &Csr<W>, lengths: Lengths, source: u32) -> Vec<Option<f64>> {
    let unit = |(from, to, weight): (u32, u32, W)| match lengths {
        Lengths::Hops => (from, to, W::ONE),
        Lengths::Weights => (from, to, weight),
    };
    let arcs: Vec<_> = graph.arcs().map(unit).collect();
    let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
    let mut solver = Solver::new(&graph, &sssp::Config::default()).unwrap();
    let distances = solver.distances(source, Goal::All).unwrap();
    distances.iter().map(|distance| distance.map(Weight::to_f64)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Dense and sparse, in one component and in many.
    #[test]
    fn it_is_the_greatest_eccentricity(
        graph in arbitrary_graph::<u32>(40, 60, 0..=9),
        dense in arbitrary_graph::<u64>(25, 200, 1..=4),
        floats in arbitrary_graph::<f32>(30, 60, 0..=9),
    ) {
        for lengths in [Lengths::Hops, Lengths::Weights] {
            check(&graph, lengths);
            check(&undirected(&graph), lengths);
            check(&dense, lengths);
            check(&undirected(&dense), lengths);
            check(&floats, lengths);
            check(&undirected(&floats), lengths);
        }
    }
}

#[test]
fn diameters_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() <= 300 {
            println!("{name}");
            check(&graph, Lengths::Hops);
            check(&graph, Lengths::Weights);
        }
    }
    for (name, graph) in corner_cases::<f64>() {
        if graph.n_vertices() <= 300 {
            println!("{name}");
            check(&graph, Lengths::Weights);
        }
    }
}

/// Where no vertex is more in the middle than others, batches are searched.
#[test]
fn rings_take_a_search_from_every_vertex() {
    let ring: Vec<_> = (0..300).map(|v| (v, (v + 1) % 300, 2u32)).collect();
    let found = check(&Csr::from_edges(300, &ring).unwrap(), Lengths::Hops).unwrap();
    assert_eq!(found.value, Number::U64(150));
    assert!((300..330).contains(&found.n_searches), "{found:?}");
    let one_way = Csr::from_arcs(300, &ring).unwrap();
    assert_eq!(check(&one_way, Lengths::Hops).unwrap().value, Number::U64(299));
    assert_eq!(check(&one_way, Lengths::Weights).unwrap().value, Number::U64(598));
}

#[test]
fn a_few_searches_do_where_some_vertices_are_in_the_middle() {
    for direction in [Direction::Undirected, Direction::Directed] {
        let mut config = RmatConfig { scale: 11, ..Default::default() };
        config.options.direction = direction;
        let graph = rmat(&config).unwrap();
        for lengths in [Lengths::Hops, Lengths::Weights] {
            let all = totals(&graph, &Config { lengths, ..Config::default() }, None).unwrap();
            let found = diameter(&graph, lengths, None, None).unwrap().unwrap();
            assert_eq!(Some(found.value), all.diameter());
            assert!(found.n_searches < 500, "{found:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let graph = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let refused = diameter(&graph, Lengths::Weights, None, None);
    assert!(matches!(refused, Err(CentralityError::NegativeWeight { from: 0, to: 1, .. })));
    assert_eq!(diameter(&graph, Lengths::Hops, None, None).unwrap().unwrap().value, Number::U64(1));
    let stop = |_, _| ControlFlow::Break(());
    let ended = diameter(&graph, Lengths::Hops, None, Some(&stop));
    assert!(matches!(ended, Err(CentralityError::Interrupted(_))));
    let heavy = Csr::from_arcs(3, &[(0, 1, u64::MAX - 1), (1, 2, 9)]).unwrap();
    let overflow = diameter(&heavy, Lengths::Weights, None, None);
    assert!(matches!(overflow, Err(CentralityError::Search(SsspError::Overflow { .. }))));
}

//! Measures against their definitions over all pairs, and laws.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use centrality::{
    CentralityError, Config, Correction, Lengths, MeasureWeight, Side, Sources, Totals,
    sampling_error, totals, totals_by_hierarchy,
};
use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::permute::Relabelling;
use graph_formats::{Csr, Direction, Interrupted, VertexId, Weight};
use hierarchy::{Hierarchy, Order};
use paths::{Number, Total, oracle};
use proptest::prelude::*;
use sssp::{Goal, Solver, SsspError};
use test_support::{arbitrary_graph, corner_cases, undirected};

/// The distances out of each vertex, or into it, row by row, by the plainest search.
fn all_pairs<W: MeasureWeight>(graph: &Csr<W>, config: &Config) -> Vec<Vec<Option<f64>>> {
    let unit = |(from, to, weight): (VertexId, VertexId, W)| match config.lengths {
        Lengths::Hops => (from, to, W::ONE),
        Lengths::Weights => (from, to, weight),
    };
    let arcs: Vec<_> = graph.arcs().map(unit).collect();
    let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
    let rows = graph.vertices().map(|source| {
        let distances = oracle::dijkstra(&graph, source).unwrap();
        graph.vertices().map(|v| distances.get(v).map(Weight::to_f64)).collect()
    });
    let rows: Vec<Vec<_>> = rows.collect();
    let column = |v: usize| rows.iter().map(|row| row[v]).collect();
    match config.side {
        Side::Out => rows,
        Side::In => (0..rows.len()).map(column).collect(),
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

/// Every measure as it is defined, by searches and by sweeps of a hierarchy.
fn check<W: MeasureWeight>(graph: &Csr<W>, config: &Config) {
    check_totals(graph, config, &totals(graph, config, None).unwrap());
    let hierarchy = Hierarchy::new(graph, &Order::by_landmarks(graph).unwrap()).unwrap();
    let swept = totals_by_hierarchy(&hierarchy, &[], graph, config, None).unwrap();
    check_totals(graph, config, &swept);
}

pub(crate) fn check_totals<W: MeasureWeight>(graph: &Csr<W>, config: &Config, found: &Totals) {
    let rows = all_pairs(graph, config);
    let n = rows.len();
    let corrected = found.closeness(Correction::WassermanFaust);
    let (plain, harmonic) = (found.closeness(Correction::None), found.harmonic());
    let (mut all, mut pairs, mut eccentricities) = (0.0, 0, Vec::new());
    for (v, row) in rows.iter().enumerate() {
        let others = row.iter().enumerate().filter(|(u, _)| *u != v);
        let others: Vec<f64> = others.filter_map(|(_, distance)| *distance).collect();
        let (reached, sum) = (others.len() as f64, others.iter().sum::<f64>());
        let closeness = if sum > 0.0 { reached / sum } else { 0.0 };
        assert!(near(plain[v], closeness), "{v}: {} {closeness}", plain[v]);
        let share = reached / (n - 1).max(1) as f64;
        assert!(near(corrected[v], closeness * share), "{v}");
        let parts = others.iter().filter(|&&d| d > 0.0).map(|d| 1.0 / d).sum();
        assert!(near(harmonic[v], parts), "{v}: {} {parts}", harmonic[v]);
        assert!(near(found.reached()[v], reached), "{v}");
        eccentricities.push(others.iter().copied().fold(0.0, f64::max));
        all += sum;
        pairs += others.len();
    }
    let floats: Vec<_> = found.eccentricities().into_iter().map(Number::to_f64).collect();
    assert_eq!(floats, eccentricities);
    let diameter = eccentricities.iter().copied().reduce(f64::max);
    let radius = eccentricities.iter().copied().reduce(f64::min);
    let float = |number: Option<Number>| number.map(Number::to_f64);
    assert_eq!((float(found.radius()), float(found.diameter())), (radius, diameter));
    let with = |eccentricity: Option<f64>| -> Vec<VertexId> {
        (0..n).filter(|&v| Some(eccentricities[v]) == eccentricity).map(|v| v as u32).collect()
    };
    assert_eq!((found.centre(), found.periphery()), (with(radius), with(diameter)));
    assert_eq!((found.n_pairs(), found.is_connected()), (pairs as u64, pairs == n * n - n));
    assert_eq!(found.mean_distance().is_some(), pairs > 0);
    assert!(near(found.mean_distance().unwrap_or(0.0), all / pairs.max(1) as f64));
    let wiener = match found.wiener_index().unwrap() {
        Total::Integer(sum) => sum as f64,
        Total::Float(sum) => sum,
    };
    assert!(near(wiener, if graph.direction() == Direction::Undirected { all / 2.0 } else { all }));
    assert_eq!(found.hop_plot().is_some(), config.lengths == Lengths::Hops);
    for (hops, &within) in found.hop_plot().iter().flatten().enumerate() {
        let pairs = rows.iter().flatten().flatten().filter(|&&d| d <= hops as f64).count();
        assert_eq!(within, pairs as u64, "{hops}");
    }
}

pub(crate) fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for lengths in [Lengths::Hops, Lengths::Weights] {
        for side in [Side::Out, Side::In] {
            let threads = NonZeroUsize::new(2);
            configs.push(Config { lengths, side, threads, ..Config::default() });
        }
    }
    configs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn measures_are_what_they_are_defined_as(
        graph in arbitrary_graph::<u32>(30, 80, 0..=9),
        floats in arbitrary_graph::<f32>(30, 120, 0..=9),
    ) {
        for config in configs() {
            check(&graph, &config);
            check(&undirected(&graph), &config);
            check(&floats, &config);
        }
    }

    #[test]
    fn renumbering_vertices_renumbers_their_measures(
        graph in arbitrary_graph::<u32>(40, 120, 1..=9), seed: u64,
    ) {
        let relabelling = Relabelling::random(graph.n_vertices(), seed).unwrap();
        let renamed = relabelling.apply(&graph).unwrap();
        for config in configs() {
            let (one, other) = (
                totals(&graph, &config, None).unwrap(),
                totals(&renamed, &config, None).unwrap(),
            );
            let correction = Correction::WassermanFaust;
            let (before, after) = (one.closeness(correction), other.closeness(correction));
            for (v, &new) in relabelling.new_ids().iter().enumerate() {
                prop_assert!(near(before[v], after[new as usize]));
            }
            prop_assert_eq!(one.diameter(), other.diameter());
            prop_assert_eq!(one.wiener_index(), other.wiener_index());
        }
    }

    /// However many threads, and a sample of all is all.
    #[test]
    fn totals_do_not_depend_on_threads(graph in arbitrary_graph::<f64>(40, 150, 0..=9)) {
        for config in configs() {
            let expected = totals(&graph, &config, None).unwrap();
            for threads in [1, 3] {
                let threads = NonZeroUsize::new(threads);
                let n = NonZeroUsize::new(graph.n_vertices()).unwrap();
                for sources in [Sources::All, Sources::Sample { n, seed: 3 }] {
                    let config = Config { threads, sources, ..config.clone() };
                    prop_assert_eq!(&totals(&graph, &config, None).unwrap(), &expected);
                }
            }
        }
    }
}

#[test]
fn measures_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>() {
        if graph.n_vertices() <= 1_000 {
            println!("{name}");
            configs().iter().for_each(|config| check(&graph, config));
        }
    }
}

/// Every third vertex, and a graph that takes more than one batch.
#[test]
fn sums_are_those_of_single_searches() {
    let graph = rmat(&RmatConfig { scale: 11, ..Default::default() }).unwrap();
    let all = |config: &Config| totals(&graph, config, None).unwrap();
    for config in configs() {
        let found = all(&config);
        let arcs: Vec<_> = graph.arcs().map(|(u, v, _)| (u, v, 1u32)).collect();
        let hops = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        let graph = if config.lengths == Lengths::Hops { &hops } else { &graph };
        let mut solver = Solver::new(graph, &sssp::Config::default()).unwrap();
        for v in graph.vertices().step_by(3) {
            let distances = solver.distances(v, Goal::All).unwrap();
            let (reached, sum) = (distances.n_reached() as f64 - 1.0, distances.sum().to_string());
            let sum: f64 = sum.parse().unwrap();
            let closeness = if sum > 0.0 { reached / sum } else { 0.0 };
            assert!(near(found.closeness(Correction::None)[v as usize], closeness));
            let farthest = Number::U64(distances.max().unwrap_or(0));
            assert_eq!(found.eccentricities()[v as usize], farthest);
        }
    }
}

/// By far more than the bound would be off in one case of a hundred.
#[test]
fn samples_are_as_near_as_the_bound_says() {
    let ring: Vec<_> = (0..2000).map(|v| (v, (v + 1) % 2000, 1u32)).collect();
    let ring = Csr::from_edges(2000, &ring).unwrap();
    let found = |sources| totals(&ring, &Config { sources, ..Config::default() }, None).unwrap();
    let exact = found(Sources::All);
    assert!(exact.is_exact() && exact.diameter() == Some(Number::U64(1000)));
    let means = |totals: &Totals| -> Vec<f64> {
        totals.closeness(Correction::None).iter().map(|closeness| 1.0 / closeness).collect()
    };
    let expected = means(&exact);
    for seed in 0..5 {
        let n = NonZeroUsize::new(300).unwrap();
        let sample = found(Sources::Sample { n, seed });
        assert_eq!((sample.n_sources(), sample.is_exact()), (300, false));
        assert_eq!((sample.wiener_index(), sample.is_connected()), (None, true));
        let bound = sampling_error(2000, 300, 0.01) * 1000.0;
        assert!(means(&sample).iter().zip(&expected).all(|(a, b)| (a - b).abs() <= bound));
        assert!(means(&sample).iter().zip(&expected).any(|(a, b)| (a - b).abs() > bound / 100.0));
    }
}

/// The values that NetworkX's documentation and tests have.
#[test]
fn published_values() {
    let path = Csr::from_edges(3, &[(0, 1, 1u32), (1, 2, 1)]).unwrap();
    let found = totals(&path, &Config::default(), None).unwrap();
    let corrected = found.closeness(Correction::WassermanFaust);
    assert!(near(corrected[0], 2.0 / 3.0) && corrected[1] == 1.0);
    assert_eq!(found.harmonic(), [1.5, 2.0, 1.5]);
    let arcs = Csr::from_arcs(3, &[(0, 1, 1u32), (0, 2, 1), (2, 1, 1)]).unwrap();
    let config = Config { side: Side::In, ..Config::default() };
    let found = totals(&arcs, &config, None).unwrap();
    assert_eq!(found.closeness(Correction::WassermanFaust), [0.0, 1.0, 0.5]);
    assert_eq!(found.harmonic(), [0.0, 2.0, 1.0]);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let graph = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let refused = totals(&graph, &config, None);
    assert!(matches!(refused, Err(CentralityError::NegativeWeight { from: 0, to: 1, .. })));
    assert!(totals(&graph, &Config::default(), None).is_ok(), "hops have no sign");
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    for config in configs() {
        let stop = |_, _| ControlFlow::Break(());
        let ended = totals(&graph, &config, Some(&stop));
        let interrupted = Err::<(), _>(CentralityError::Interrupted(Interrupted));
        assert_eq!(format!("{:?}", ended.map(|_| ())), format!("{interrupted:?}"));
    }
    let heavy = Csr::from_arcs(3, &[(0, 1, u64::MAX - 1), (1, 2, 9)]).unwrap();
    let overflow = totals(&heavy, &config, None);
    assert!(matches!(overflow, Err(CentralityError::Search(SsspError::Overflow { .. }))));
}

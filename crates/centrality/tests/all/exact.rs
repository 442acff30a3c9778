//! Weights beyond 2^53 and at the limits of their types: searches, all pairs, prepared graphs, k
//! paths and measures against sums in `i128` by the plainest Bellman-Ford.
//!
//! The rule of all of them: a distance that its type cannot hold is an error that names it, and any
//! other is found.

use apsp::{ApspError, PairsWeight};
use centrality::{
    CentralityError, Config, Correction, Lengths, MeasureWeight, diameter, totals,
    totals_by_hierarchy,
};
use graph_formats::{Csr, Distance, VertexId, Weight, WeightKind};
use hierarchy::{Hierarchy, HierarchyError, Order};
use paths::{Number, Total};
use proptest::prelude::*;
use sssp::{Algorithm, Delta, Goal, Solver, SsspError};

/// An arc, whose weight is whole in the unit of its type.
type Arc = (VertexId, VertexId, i128);

/// How many vertices graphs have.
const N: usize = 5;
/// Parts that the greatest float of either type has: a power of two, less one unit of its last bits.
const PARTS: i128 = 1 << 24;

/// The unit of weights and distances: 1, and for floats a power of two such that sums are exact.
fn unit<W: Weight>() -> f64 {
    match W::KIND {
        WeightKind::F32 => 2f64.powi(128 - 24),
        WeightKind::F64 => 2f64.powi(1024 - 24),
        _ => 1.0,
    }
}

/// The number, if the type holds it.
fn held<W: Weight>(number: i128) -> Option<W> {
    match W::KIND.is_integer() {
        true => W::from_i128(number),
        false => W::from_f64(number as f64 * unit::<W>()),
    }
}

/// The distance, if the type holds it.
fn distance<W: Weight>(number: i128) -> Option<W::Distance> {
    held(number).filter(|&distance| distance != W::Distance::UNREACHED)
}

/// Weights that are drawn: small ones, those whose sums are no floats, and those near the limits.
fn weights<W: Weight>(negative: bool) -> Vec<i128> {
    let wide = [1, 5, (1 << 53) + 1, 1 << 61, (1 << 62) - 1, 1 << 62];
    let limits = |greatest: i128| [greatest / 2, greatest - 2, greatest - 1, greatest];
    let mut weights = match W::KIND {
        WeightKind::U32 => [vec![0, 1], limits(u32::MAX.into()).to_vec()].concat(),
        WeightKind::I32 => [vec![0, 1], limits(i32::MAX.into()).to_vec()].concat(),
        WeightKind::U64 => [wide.to_vec(), limits(u64::MAX.into()).to_vec(), vec![0]].concat(),
        WeightKind::I64 => [wide.to_vec(), limits(i64::MAX.into()).to_vec(), vec![0]].concat(),
        _ => [0, 1, 3, 127, 128, 255].map(|parts| parts << 16).to_vec(),
    };
    if negative {
        let below = weights.iter().map(|&weight| -weight).filter(|&w| held::<W>(w).is_some());
        let below: Vec<_> = below.collect();
        weights.extend(below);
        weights.extend([i64::MIN, i64::MIN + 1].map(i128::from));
        weights.retain(|&weight| held::<W>(weight).is_some());
    }
    weights
}

fn arcs<W: Weight>(negative: bool) -> impl Strategy<Value = Vec<Arc>> {
    let vertex = 0..N as VertexId;
    let weight = prop::sample::select(weights::<W>(negative));
    prop::collection::vec((vertex.clone(), vertex, weight), 0..=9)
}

/// The graph, every second one undirected.
fn graph<W: Weight>(arcs: &[Arc], both_ways: bool) -> Csr<W> {
    let arcs = arcs.iter().map(|&(u, v, weight)| (u, v, held(weight).unwrap()));
    let arcs: Vec<_> = arcs.collect();
    if both_ways { Csr::from_edges(N, &arcs) } else { Csr::from_arcs(N, &arcs) }.unwrap()
}

/// The arcs both ways, if they are edges.
fn all_arcs(arcs: &[Arc], both_ways: bool) -> Vec<Arc> {
    let back = arcs.iter().filter(|_| both_ways).map(|&(u, v, weight)| (v, u, weight));
    arcs.iter().copied().chain(back).collect()
}

/// The distances from a source; none where it reaches a negative cycle.
fn bellman_ford(arcs: &[Arc], source: VertexId) -> Option<[Option<i128>; N]> {
    let mut distances = [None; N];
    distances[source as usize] = Some(0);
    for _ in 0..=N {
        let before = distances;
        for &(from, to, weight) in arcs {
            let Some(through) = distances[from as usize].map(|d: i128| d + weight) else {
                continue;
            };
            let known = &mut distances[to as usize];
            *known = Some(known.map_or(through, |known| known.min(through)));
        }
        if distances == before {
            return Some(distances);
        }
    }
    None
}

/// All simple paths, shortest first, then by vertices.
fn simple_paths(arcs: &[Arc], source: VertexId, target: VertexId) -> Vec<(i128, Vec<VertexId>)> {
    let mut found = Vec::new();
    let mut open = vec![(0, vec![source])];
    while let Some((length, path)) = open.pop() {
        let last = *path.last().unwrap();
        if last == target {
            found.push((length, path));
            continue;
        }
        for to in (0..N as VertexId).filter(|to| !path.contains(to)) {
            let lightest = arcs.iter().filter(|arc| (arc.0, arc.1) == (last, to)).map(|arc| arc.2);
            let Some(lightest) = lightest.min() else { continue };
            open.push((length + lightest, [&path[..], &[to]].concat()));
        }
    }
    found.sort();
    found
}

/// Whether the type holds all of these distances.
fn are_held<W: Weight>(row: &[Option<i128>]) -> bool {
    row.iter().flatten().all(|&number| distance::<W>(number).is_some())
}

/// Whether an overflow at this vertex is rightly reported: its distance is none of the type, or with
/// negative weights that of some vertex is none.
fn may_be_named<W: Weight>(graph: &Csr<W>, row: &[Option<i128>], vertex: VertexId) -> bool {
    let Some(number) = row[vertex as usize] else { return false };
    let is_too_far = distance::<W>(number).is_none();
    is_too_far || (graph.first_negative().is_some() && !are_held::<W>(row))
}

fn check_searches<W: PairsWeight>(graph: &Csr<W>, rows: &[Option<[Option<i128>; N]>]) {
    let has_negative = graph.first_negative().is_some();
    let mut algorithms = vec![None, Some(Algorithm::BellmanFord)];
    if !has_negative {
        algorithms
            .extend([Algorithm::Dijkstra(None), Algorithm::DeltaStepping(Delta::Auto)].map(Some));
    }
    for algorithm in algorithms {
        let config = sssp::Config { algorithm, ..sssp::Config::default() };
        let mut solver = Solver::new(graph, &config).unwrap();
        for (source, row) in (0..).zip(rows) {
            match (solver.distances(source, Goal::All), row) {
                (Ok(found), Some(row)) => {
                    let expected = row.map(|number| number.map(|d| distance::<W>(d).unwrap()));
                    assert!(found.iter().eq(expected), "{algorithm:?} from {source}");
                }
                (Err(SsspError::Overflow { vertex, .. }), Some(row)) => {
                    let is_right = may_be_named(graph, row, vertex);
                    assert!(is_right, "{algorithm:?} from {source}: {vertex}");
                }
                (Err(SsspError::NegativeCycle { .. }), None) => {}
                // a cycle goes below every number
                (Err(SsspError::Overflow { .. }), None) => {}
                (found, _) => panic!("{algorithm:?} from {source}: {:?}", found.map(|_| ())),
            }
        }
    }
    let config = apsp::Config { next_hops: true, ..apsp::Config::default() };
    for config in [apsp::Config::default(), config, apsp::Config::with(apsp::Algorithm::Johnson)] {
        match apsp::Solver::new(graph, &config).solve(None) {
            Ok(found) => {
                for (source, row) in (0..).zip(rows) {
                    let row = row.expect("there is no negative cycle");
                    let expected = row.map(|number| number.map(|d| distance::<W>(d).unwrap()));
                    assert!(found.row(source).eq(expected), "from {source}");
                }
            }
            Err(ApspError::Search(SsspError::Overflow { vertex, .. })) => {
                let is_too_far = |row: &Option<[_; N]>| {
                    row.as_ref().is_none_or(|row| may_be_named(graph, row, vertex))
                };
                assert!(rows.iter().any(is_too_far), "{vertex}");
            }
            Err(error) => assert!(rows.contains(&None), "{error}"),
        }
    }
}

fn check_paths<W: MeasureWeight>(graph: &Csr<W>, arcs: &[Arc], hierarchy: &Hierarchy) {
    let mut solver = Solver::new(graph, &sssp::Config::default()).unwrap();
    let metric = match hierarchy.customize(graph) {
        Err(HierarchyError::SumsTooLarge { .. }) if !W::KIND.is_integer() => None,
        metric => Some(metric.unwrap()),
    };
    for source in graph.vertices() {
        for target in graph.vertices() {
            let all = simple_paths(arcs, source, target);
            let kind = W::KIND.distance();
            let too_far = HierarchyError::Overflow { source_vertex: source, target, kind };
            let shortest = match all.first() {
                Some(&(length, _)) => distance::<W>(length).map(Some).ok_or(too_far.clone()),
                None => Ok(None),
            };
            let found = solver.distances(source, Goal::Target(target)).ok();
            assert_eq!(found.map(|found| found.get(target)), shortest.clone().ok());
            let found = solver.table(&[source], &[target]).ok();
            assert_eq!(found.map(|table| table.get(0, 0)), shortest.clone().ok());
            if let Some(metric) = &metric {
                let found = metric.query().distance(source, target);
                assert_eq!(found, shortest, "{source} -> {target}");
            }
            for k in [1, 3, usize::MAX] {
                let expected = all
                    .iter()
                    .take(k)
                    .map(|(length, vertices)| Some((distance::<W>(*length)?, vertices.clone())));
                let expected: Option<Vec<_>> = expected.collect();
                let pairs = |paths: Vec<sssp::Path<_>>| -> Vec<_> {
                    paths.into_iter().map(|path| (path.length, path.vertices)).collect()
                };
                let found = solver.k_shortest_paths(source, target, k).map(|found| found.answer);
                let kind = std::any::type_name::<W::Distance>();
                let overflow = SsspError::Overflow { vertex: target, kind };
                let own = expected.clone().ok_or(overflow);
                assert_eq!(found.map(pairs), own, "{k} paths, {source} -> {target}");
                if let Some(metric) = &metric {
                    let found = metric.k_shortest_paths(source, target, k, None).map(pairs);
                    let expected = expected.ok_or(too_far.clone());
                    assert_eq!(found, expected, "{k} paths, prepared, {source} -> {target}");
                }
            }
        }
    }
}

fn is_overflow(error: &CentralityError) -> bool {
    matches!(
        error,
        CentralityError::Search(SsspError::Overflow { .. })
            | CentralityError::Hierarchy(HierarchyError::Overflow { .. })
    )
}

fn check_measures<W: MeasureWeight>(
    graph: &Csr<W>,
    rows: &[Option<[Option<i128>; N]>],
    hierarchy: &Hierarchy,
) {
    let rows: Vec<_> = rows.iter().map(|row| row.expect("no weight is negative")).collect();
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let searched = totals(graph, &config, None);
    let swept = totals_by_hierarchy(hierarchy, &[], graph, &config, None);
    let greatest = diameter(graph, Lengths::Weights, None, None);
    if !rows.iter().all(|row| are_held::<W>(row)) {
        assert!(is_overflow(&searched.unwrap_err()));
        let refused = swept.unwrap_err();
        let is_refused =
            matches!(refused, CentralityError::Hierarchy(HierarchyError::SumsTooLarge { .. }));
        assert!(is_overflow(&refused) || is_refused);
        assert!(is_overflow(&greatest.unwrap_err()));
        return;
    }
    let number = |parts: i128| match W::KIND.is_integer() {
        true => Number::U64(parts as u64),
        false => Number::F64(parts as f64 * unit::<W>()),
    };
    let sum = |parts: i128| match W::KIND.is_integer() {
        true => Total::Integer(parts),
        false => Total::Float(parts as f64 * unit::<W>()),
    };
    let farthest = |row: &[Option<i128>; N]| row.iter().flatten().copied().max().unwrap();
    let eccentricities: Vec<i128> = rows.iter().map(farthest).collect();
    let (least, most) =
        (eccentricities.iter().min().unwrap(), eccentricities.iter().max().unwrap());
    let centre = (0..).zip(&eccentricities).filter(|(_, e)| *e == least).map(|(v, _)| v);
    let centre: Vec<VertexId> = centre.collect();
    let sums: Vec<i128> = rows.iter().map(|row| row.iter().flatten().sum()).collect();
    let others = |row: &[Option<i128>; N]| row.iter().flatten().count() - 1;
    let n_pairs: usize = rows.iter().map(others).sum();
    assert_eq!(greatest.unwrap().map(|found| found.value), Some(number(*most)));
    let searched = searched.unwrap();
    let all = match swept {
        Err(CentralityError::Hierarchy(HierarchyError::SumsTooLarge { .. })) => vec![searched],
        swept => vec![searched, swept.unwrap()],
    };
    for found in &all {
        let expected: Vec<_> = eccentricities.iter().map(|&e| number(e)).collect();
        assert_eq!(found.eccentricities(), expected);
        assert_eq!(found.radius(), Some(number(*least)));
        assert_eq!(found.diameter(), Some(number(*most)));
        assert_eq!(found.centre(), centre);
        assert_eq!(found.sums(), sums.iter().map(|&parts| sum(parts)).collect::<Vec<_>>());
        let mean = sums.iter().sum::<i128>() as f64 / n_pairs as f64 * unit::<W>();
        assert_eq!(found.mean_distance(), (n_pairs > 0).then_some(mean));
        let closeness = |(row, &sum): (&[Option<i128>; N], &i128)| {
            let (n, sum) = (others(row) as f64, sum as f64);
            match sum * unit::<W>() {
                0.0 => 0.0,
                whole if whole.is_finite() => n / whole,
                _ => n / sum / unit::<W>(),
            }
        };
        let expected: Vec<f64> = rows.iter().zip(&sums).map(closeness).collect();
        assert_eq!(found.closeness(Correction::None), expected);
    }
    if W::KIND.is_integer() {
        // to the last bit, but for harmonic closeness
        let corrected = |i: usize| all[i].closeness(Correction::WassermanFaust);
        assert_eq!(corrected(0), corrected(1));
    }
}

fn check_all<W: MeasureWeight + PairsWeight>(arcs: &[Arc], both_ways: bool) {
    let graph = graph::<W>(arcs, both_ways);
    let arcs = all_arcs(arcs, both_ways);
    let rows: Vec<_> = graph.vertices().map(|source| bellman_ford(&arcs, source)).collect();
    check_searches(&graph, &rows);
    if graph.first_negative().is_none() {
        let hierarchy = Hierarchy::new(&graph, &Order::by_landmarks(&graph).unwrap()).unwrap();
        check_paths(&graph, &arcs, &hierarchy);
        check_measures(&graph, &rows, &hierarchy);
    }
}

macro_rules! weights_at_the_limits {
    ($($name:ident $weight:ty, $negative:expr;)*) => {$(
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(96))]

            #[test]
            fn $name(arcs in arcs::<$weight>($negative), both_ways: bool) {
                check_all::<$weight>(&arcs, both_ways);
            }
        }
    )*};
}

weights_at_the_limits! {
    exact_u32 u32, false;
    exact_i32 i32, false;
    exact_u64 u64, false;
    exact_i64 i64, false;
    exact_f32 f32, false;
    exact_f64 f64, false;
    exact_negative_i32 i32, true;
    exact_negative_i64 i64, true;
    exact_negative_f32 f32, true;
    exact_negative_f64 f64, true;
}

/// The arc from 1 to 0 overflows. By 3 the distance of 0 would fit, but that of 3 does not.
#[test]
fn an_overflow_is_reported_beside_a_path_beyond_it() {
    let far = i64::MAX.into();
    check_all::<i64>(&[(1, 3, far), (3, 0, -1), (1, 0, far)], false);
}

/// What a review found: printed as if exact, but rounded.
#[test]
fn whole_numbers_beyond_2_to_the_53_are_not_rounded() {
    let beyond = (1 << 53) + 1;
    check_all::<u64>(&[(0, 1, beyond), (1, 2, 1), (2, 3, beyond)], true);
    let graph = graph::<u64>(&[(0, 1, beyond)], false);
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let found = totals(&graph, &config, None).unwrap();
    assert_eq!(found.eccentricities()[0].to_string(), "9007199254740993");
}

/// Finite distances have a mean, though their sum is none.
#[test]
fn closeness_of_distances_near_the_greatest_float_is_not_zero() {
    let far = PARTS - 1;
    let star: Vec<Arc> = (1..N as VertexId).map(|v| (0, v, far)).collect();
    let graph = graph::<f64>(&star, false);
    let config = Config { lengths: Lengths::Weights, ..Config::default() };
    let found = totals(&graph, &config, None).unwrap();
    let mean = far as f64 * unit::<f64>();
    assert_eq!(found.closeness(Correction::None)[0], 1.0 / mean);
    assert_eq!((found.mean_distance(), found.sums()[0]), (Some(mean), Total::Float(f64::INFINITY)));
}

//! Aggregates of points, against sums over the distances of an oracle.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use graph_formats::generate::{GridConfig, grid};
use graph_formats::{Csr, VertexId, Weight};
use paths::oracle;
use proptest::prelude::*;
use sssp::{
    Aggregate, Categories, Config, Decay, Points, SearchWeight, Solver, SsspError, Statistic, Way,
};
use test_support::arbitrary_graph;

const STATISTICS: [Statistic; 4] =
    [Statistic::Count, Statistic::Sum, Statistic::Mean, Statistic::Minimum];
const DECAYS: [Decay; 4] = [Decay::Flat, Decay::Linear, Decay::Exponential, Decay::Gravity(0.25)];
const N_CATEGORIES: usize = 3;

/// A vertex, a category and a value each.
type Point = (VertexId, u32, i32);

/// The factor of a point as the documentation has it.
fn factor(decay: Decay, distance: f64, cutoff: f64) -> f64 {
    match decay {
        Decay::Linear if distance > 0.0 => 1.0 - distance / cutoff,
        Decay::Exponential if distance > 0.0 => (-distance / cutoff).exp(),
        Decay::Gravity(beta) => (-beta * distance).exp(),
        _ => 1.0,
    }
}

/// The aggregate of the points of each vertex by all its distances.
fn expected<W: Weight>(
    graph: &Csr<W>,
    points: &[Point],
    n_categories: usize,
    cutoff: f64,
    wanted: &Aggregate,
) -> Vec<f64> {
    let trees: Vec<_> = graph.vertices().map(|v| oracle::tree(graph, v, None).unwrap()).collect();
    let distance = |from: VertexId, to: VertexId| {
        trees[from as usize].distance(to).map(|distance| distance.to_f64())
    };
    let mut cells = Vec::new();
    for vertex in graph.vertices() {
        for category in 0..n_categories as u32 {
            let (mut count, mut sum, mut least) = (0.0, 0.0, f64::NAN);
            for at in graph.vertices() {
                let found = match wanted.way {
                    Way::ToPoints => distance(vertex, at),
                    Way::FromPoints => distance(at, vertex),
                };
                let Some(found) = found.filter(|&found| found <= cutoff) else { continue };
                let here = points.iter().filter(|point| point.0 == at);
                let here = here.filter(|point| n_categories == 1 || point.1 == category);
                let values: Vec<_> = here.map(|point| f64::from(point.2)).collect();
                count += values.len() as f64;
                sum += values.iter().sum::<f64>() * factor(wanted.decay, found, cutoff);
                least = values.iter().fold(least, |least, &value| value.min(least));
            }
            cells.push(match wanted.statistic {
                Statistic::Count => count,
                Statistic::Sum => sum,
                Statistic::Mean => sum / count,
                Statistic::Minimum => least,
            });
        }
    }
    cells
}

fn bits(cells: &[f64]) -> Vec<u64> {
    // all that is not a number is the same, and so are both zeros
    let plain = |cell: f64| if cell.is_nan() { f64::NAN } else { cell + 0.0 };
    cells.iter().map(|&cell| plain(cell).to_bits()).collect()
}

fn check<W: SearchWeight>(graph: &Csr<W>, points: &[Point]) {
    let n = graph.n_vertices() as VertexId;
    let points: Vec<Point> = points.iter().map(|&(v, c, value)| (v % n, c, value)).collect();
    let vertices: Vec<_> = points.iter().map(|point| point.0).collect();
    let of_points: Vec<_> = points.iter().map(|point| point.1).collect();
    let values: Vec<_> = points.iter().map(|point| f64::from(point.2)).collect();
    let categories = Categories { of_points: &of_points, n_categories: N_CATEGORIES };
    for (cutoff, categories) in
        [(0.0, None), (2.5, Some(categories)), (4.0, None), (1e6, Some(categories))]
    {
        let n_categories = categories.map_or(1, |categories| categories.n_categories);
        let given = Points { vertices: &vertices, values: Some(&values), categories };
        for (statistic, decay) in STATISTICS.iter().flat_map(|s| DECAYS.map(|decay| (*s, decay))) {
            let decays = matches!(statistic, Statistic::Sum | Statistic::Mean);
            for way in [Way::ToPoints, Way::FromPoints] {
                let wanted = Aggregate { statistic, decay, way };
                let found = [1, 3].map(|threads| {
                    let threads = NonZeroUsize::new(threads);
                    let config = Config { threads, ..Config::default() };
                    let mut solver = Solver::new(graph, &config).unwrap();
                    solver.aggregate(&given, cutoff, &wanted).map(|found| bits(&found))
                });
                if !decays && decay != Decay::Flat {
                    assert!(matches!(found, [Err(SsspError::BadAggregate { .. }), _]));
                    continue;
                }
                let expected = expected(graph, &points, n_categories, cutoff, &wanted);
                for found in found {
                    assert_eq!(found.unwrap(), bits(&expected), "{wanted:?} within {cutoff}");
                }
            }
        }
    }
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec((0..40u32, 0..N_CATEGORIES as u32, -9..10i32), 0..12)
}

macro_rules! laws {
    ($($law:ident $weight:ty),+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(6))]
            $(#[test]
            fn $law(graph in arbitrary_graph::<u32>(16, 50, 0..=4), points in points()) {
                let arc = |(from, to, weight)| (from, to, weight as $weight);
                let arcs: Vec<_> = graph.arcs().map(arc).collect();
                check(&Csr::<$weight>::from_arcs(graph.n_vertices(), &arcs).unwrap(), &points);
            })+
        }
    };
}

laws!(of_u32 u32, of_i32 i32, of_u64 u64, of_i64 i64, of_f32 f32, of_f64 f64);

#[test]
fn the_queue_and_keys_for_great_weights() {
    let edges = [(0, 1, u64::MAX / 4), (1, 2, 1 << 40), (2, 3, 7)];
    let wide = Csr::from_edges(5, &edges).unwrap();
    let mut solver = Solver::new(&wide, &Config::default()).unwrap();
    let found = solver.aggregate(&Points::at(&[3, 3, 4]), 1e13, &Aggregate::default()).unwrap();
    assert_eq!(found.answer, [0.0, 2.0, 2.0, 2.0, 1.0]);
    assert!(!found.plan.narrow, "{}", found.plan);
    let found = solver.aggregate(&Points::at(&[3]), 6e18, &Aggregate::default()).unwrap();
    assert_eq!(found.answer, [1.0, 1.0, 1.0, 1.0, 0.0]);
}

/// A grid of several ranges of vertices, and more than a round of searches.
#[test]
fn threads_give_the_same_bits() {
    let square = grid(&GridConfig { side: 220, ..GridConfig::default() }).unwrap();
    let vertices: Vec<_> = square.vertices().filter(|vertex| vertex % 331 == 0).collect();
    let values: Vec<_> = vertices.iter().map(|&vertex| 1.0 / (1.0 + f64::from(vertex))).collect();
    let points = Points { values: Some(&values), ..Points::at(&vertices) };
    let (statistic, decay) = (Statistic::Sum, Decay::Exponential);
    let wanted = Aggregate { statistic, decay, ..Aggregate::default() };
    let found = [1, 2, 5].map(|threads| {
        let config = Config { threads: NonZeroUsize::new(threads), ..Config::default() };
        let mut solver = Solver::new(&square, &config).unwrap();
        solver.aggregate(&points, 1e7, &wanted).unwrap()
    });
    let all = (vertices.len() * square.n_vertices()) as u64;
    assert!(found[0].work.settled == all && all > 1 << 22, "{all}");
    assert!(found.iter().all(|other| bits(other) == bits(&found[0])));
    let near = Solver::new(&square, &Config::default()).unwrap().aggregate(&points, 900.0, &wanted);
    let near = near.unwrap();
    for vertex in [0, 24_000, 48_399] {
        let tree = oracle::tree(&square, vertex, Some(900)).unwrap();
        let terms = vertices.iter().zip(&values).filter_map(|(&at, value)| {
            Some(value * factor(decay, tree.distance(at)? as f64, 900.0))
        });
        assert_eq!(near[vertex as usize], terms.fold(0.0, |sum, term| sum + term));
    }
}

#[test]
fn what_is_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1.5f32), (1, 2, 2.0)]).unwrap();
    let mut solver = Solver::new(&graph, &Config::default()).unwrap();
    let here = Points::at(&[0, 2]);
    let count = Aggregate::default();
    let mut refused = |points: Points<'_>, cutoff: f64, wanted: &Aggregate| {
        solver.aggregate(&points, cutoff, wanted).unwrap_err().to_string()
    };
    let of_points = &[0, 2];
    let categories = |n_categories| Some(Categories { of_points, n_categories });
    let sum = |decay| Aggregate { statistic: Statistic::Sum, decay, ..count };
    for (message, points, cutoff, wanted) in [
        ("point 3 does not exist", Points::at(&[0, 3]), 1.0, count),
        ("cutoff is -1", here, -1.0, count),
        ("cutoff is NaN", here, f64::NAN, count),
        ("cutoff is inf", here, f64::INFINITY, count),
        ("above all distances of f32", here, 1e300, count),
        ("have 1 values", Points { values: Some(&[1.0]), ..here }, 1.0, count),
        ("entry 1 is NaN", Points { values: Some(&[1.0, f64::NAN]), ..here }, 1.0, count),
        ("scale them down", Points { values: Some(&[1e308, -1e308]), ..here }, 1.0, count),
        ("number the 2 categories", Points { categories: categories(2), ..here }, 1.0, count),
        ("have 2 categories", Points { categories: categories(3), ..Points::at(&[0]) }, 1.0, count),
        ("no decay", here, 1.0, Aggregate { decay: Decay::Linear, ..count }),
        ("no values", here, 1.0, Aggregate { statistic: Statistic::Mean, ..count }),
        ("beta is -2", here, 1.0, sum(Decay::Gravity(-2.0))),
    ] {
        let found = refused(points, cutoff, &wanted);
        assert!(found.contains(message), "{found}");
    }
    let far = usize::MAX / 8;
    let error = solver.aggregate(&Points { categories: categories(far), ..here }, 1.0, &count);
    assert!(matches!(error, Err(SsspError::NoMemory(_))));
    let negative = Csr::from_arcs(2, &[(0, 1, -1i32)]).unwrap();
    let mut solver = Solver::new(&negative, &Config::default()).unwrap();
    let error = solver.aggregate(&Points::at(&[0]), 1.0, &count);
    assert!(matches!(error, Err(SsspError::NegativeWeight { .. })));
    let none = Csr::<u32>::from_arcs(0, &[]).unwrap();
    let mut solver = Solver::new(&none, &Config::default()).unwrap();
    assert!(solver.aggregate(&Points::default(), 1.0, &count).unwrap().is_empty());
}

#[test]
fn progress_counts_searches_and_ends_them() {
    let square = grid(&GridConfig { side: 30, ..GridConfig::default() }).unwrap();
    let (calls, most) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let tell = |done, total| {
        assert!(done <= total && total == 900);
        let calls = calls.fetch_add(1, Relaxed);
        if calls < most.load(Relaxed) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let solver = Solver::new(&square, &Config::default()).unwrap();
    let mut solver = solver.with_progress(&tell);
    let vertices: Vec<_> = square.vertices().collect();
    let mut count = || solver.aggregate(&Points::at(&vertices), 100.0, &Aggregate::default());
    assert!(count().is_ok());
    assert_eq!(calls.load(Relaxed), 900);
    most.store(905, Relaxed);
    assert!(matches!(count(), Err(SsspError::Interrupted(_))));
}

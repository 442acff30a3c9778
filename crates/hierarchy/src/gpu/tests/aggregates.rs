//! Aggregates of points, against sums over distances.

use std::ops::ControlFlow;

use gpu_runtime::GpuError;
use graph_formats::generate::{GraphOptions, GridConfig, grid};
use graph_formats::{Csr, Direction, Interrupted, VertexId, Weight};
use paths::aggregate::{Aggregate, Categories, Decay, Points, Statistic, Way};
use paths::oracle;
use proptest::prelude::*;
use test_support::arbitrary_graph;

use super::{gpu, hierarchy_of};
use crate::gpu::{DeviceHierarchy, DeviceMetric};
use crate::{HierarchyError, MetricWeight};

const STATISTICS: [Statistic; 4] =
    [Statistic::Count, Statistic::Sum, Statistic::Mean, Statistic::Minimum];
const DECAYS: [Decay; 4] = [Decay::Flat, Decay::Linear, Decay::Exponential, Decay::Gravity(0.25)];
const N_CATEGORIES: usize = 3;

/// A vertex, a category and a value each.
type Point = (VertexId, u32, i32);

/// All distances, by source and target.
type Distances = Vec<Vec<Option<f64>>>;

fn distances_of<W: Weight>(graph: &Csr<W>) -> Distances {
    let row = |source| {
        let tree = oracle::tree(graph, source, None).unwrap();
        graph.vertices().map(|v| tree.distance(v).map(|found| found.to_f64())).collect()
    };
    graph.vertices().map(row).collect()
}

/// The factor of a point as the documentation has it.
fn factor(decay: Decay, distance: f64, cutoff: f64) -> f64 {
    match decay {
        Decay::Linear if distance > 0.0 => 1.0 - distance / cutoff,
        Decay::Exponential if distance > 0.0 => (-distance / cutoff).exp(),
        Decay::Gravity(beta) => (-beta * distance).exp(),
        _ => 1.0,
    }
}

/// The aggregates by all distances, added up by the vertices of the points.
fn expected(
    distances: &Distances,
    points: &[Point],
    n_categories: usize,
    cutoff: f64,
    wanted: &Aggregate,
) -> Vec<f64> {
    let distance = |from: usize, to: usize| distances[from][to];
    let mut cells = Vec::new();
    for vertex in 0..distances.len() {
        for category in 0..n_categories as u32 {
            let (mut count, mut sum, mut least) = (0.0, 0.0, f64::NAN);
            for at in 0..distances.len() {
                let found = match wanted.way {
                    Way::ToPoints => distance(vertex, at),
                    Way::FromPoints => distance(at, vertex),
                };
                let Some(found) = found.filter(|&found| found <= cutoff) else { continue };
                let here = points.iter().filter(|point| point.0 as usize == at);
                let here = here.filter(|point| n_categories == 1 || point.1 == category);
                let values: Vec<_> = here.map(|point| f64::from(point.2)).collect();
                if values.is_empty() {
                    continue;
                }
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

/// Whether both have the same numbers: to the last bit but for the GPU's exponential function.
fn are_same(found: &[f64], expected: &[f64], decay: Decay) -> bool {
    let tolerance = match decay {
        Decay::Flat | Decay::Linear => 0.0,
        // terms may have both signs
        Decay::Exponential | Decay::Gravity(_) => 1e-12,
    };
    let is_same = |(found, expected): (&f64, &f64)| {
        found.is_nan() && expected.is_nan() || (found - expected).abs() <= tolerance
    };
    found.len() == expected.len() && found.iter().zip(expected).all(is_same)
}

/// Compares all aggregates of these points.
fn check<W: MetricWeight>(metric: &mut DeviceMetric<W>, distances: &Distances, points: &[Point]) {
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
                let found = metric.aggregate(&given, cutoff, &wanted, None);
                if !decays && decay != Decay::Flat {
                    assert!(matches!(found, Err(HierarchyError::BadAggregate(_))));
                    continue;
                }
                let (found, again) =
                    (found.unwrap(), metric.aggregate(&given, cutoff, &wanted, None).unwrap());
                let bits = |cells: &[f64]| cells.iter().map(|c| c.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&found), bits(&again), "{wanted:?} within {cutoff}");
                let expected = expected(distances, points, n_categories, cutoff, &wanted);
                assert!(
                    are_same(&found, &expected, decay),
                    "{wanted:?} within {cutoff}: {found:?}, {expected:?}"
                );
            }
        }
    }
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    prop::collection::vec((0..16u32, 0..N_CATEGORIES as u32, -9..10i32), 0..12)
}

macro_rules! laws {
    ($($law:ident $weight:ty),+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(6))]
            $(#[test]
            fn $law(graph in arbitrary_graph::<u32>(16, 50, 0..=4), points in points()) {
                let Some(gpu) = gpu() else { return Ok(()) };
                let arc = |(from, to, weight)| (from, to, weight as $weight);
                let arcs: Vec<_> = graph.arcs().map(arc).collect();
                let graph = Csr::<$weight>::from_arcs(graph.n_vertices(), &arcs).unwrap();
                let n = graph.n_vertices() as VertexId;
                let points: Vec<Point> = points.iter().map(|&(v, c, x)| (v % n, c, x)).collect();
                let device = DeviceHierarchy::new(&hierarchy_of(&graph), &graph, &gpu).unwrap();
                let mut metric = device.customize(&graph).unwrap();
                check(&mut metric, &distances_of(&graph), &points);
            })+
        }
    };
}

laws!(of_u32 u32, of_i32 i32, of_u64 u64, of_i64 i64, of_f32 f32, of_f64 f64);

/// Several batches of sources, categories that begin and end inside them, and streets of one way.
#[test]
fn more_sources_than_share_a_sweep() {
    let Some(gpu) = gpu() else { return };
    for direction in [Direction::Directed, Direction::Undirected] {
        let options = GraphOptions { weights: 1..=9, direction, ..Default::default() };
        let square: Csr<u32> =
            grid(&GridConfig { side: 30, options, ..Default::default() }).unwrap();
        let device = DeviceHierarchy::new(&hierarchy_of(&square), &square, &gpu).unwrap();
        let mut metric = device.customize(&square).unwrap();
        let every = square.vertices().map(|v| (v, v % 3, (v % 19) as i32 - 9));
        let twice = square.vertices().filter(|v| v % 2 == 0).map(|v| (v, 2, v as i32));
        let points: Vec<Point> = every.chain(twice).collect();
        let vertices: Vec<_> = points.iter().map(|point| point.0).collect();
        let of_points: Vec<_> = points.iter().map(|point| point.1).collect();
        let values: Vec<_> = points.iter().map(|point| f64::from(point.2)).collect();
        let categories = Some(Categories { of_points: &of_points, n_categories: N_CATEGORIES });
        let given = Points { vertices: &vertices, values: Some(&values), categories };
        let distances = distances_of(&square);
        for (statistic, decay) in [
            (Statistic::Mean, Decay::Linear),
            (Statistic::Minimum, Decay::Flat),
            (Statistic::Count, Decay::Flat),
        ] {
            for way in [Way::ToPoints, Way::FromPoints] {
                let wanted = Aggregate { statistic, decay, way };
                let found = metric.aggregate(&given, 40.0, &wanted, None).unwrap();
                let expected = expected(&distances, &points, N_CATEGORIES, 40.0, &wanted);
                assert!(are_same(&found, &expected, decay), "{wanted:?} {direction:?}");
            }
        }
    }
}

/// Keys of 64 bits, and floats that are within the cutoff by rounding only.
#[test]
fn great_and_rounded_distances() {
    let Some(gpu) = gpu() else { return };
    let count = Aggregate::default();
    let wide = Csr::from_edges(5, &[(0, 1, u64::MAX / 16), (1, 2, 1 << 40), (2, 3, 7)]).unwrap();
    let device = DeviceHierarchy::new(&hierarchy_of(&wide), &wide, &gpu).unwrap();
    let mut metric = device.customize(&wide).unwrap();
    for (points, cutoff, expected) in [
        (&[3, 3, 4][..], 1e13, [0.0, 2.0, 2.0, 2.0, 1.0]),
        (&[3], (1u64 << 40) as f64 + 6.0, [0.0, 0.0, 1.0, 1.0, 0.0]),
        (&[3], (1u64 << 40) as f64 + 7.5, [0.0, 1.0, 1.0, 1.0, 0.0]),
        (&[3], 1.8e19, [1.0, 1.0, 1.0, 1.0, 0.0]),
    ] {
        assert_eq!(metric.aggregate(&Points::at(points), cutoff, &count, None).unwrap(), expected);
    }
    // the sum of 32 bits is 1, as for the CPU's searches
    let single = Csr::from_arcs(4, &[(0, 1, 1.0f32), (1, 2, 2f32.powi(-25)), (2, 3, f32::MAX)]);
    let single = single.unwrap();
    let device = DeviceHierarchy::new(&hierarchy_of(&single), &single, &gpu).unwrap();
    let mut metric = device.customize(&single).unwrap();
    for (points, cutoff, expected) in [
        (2, 1.0, [1.0, 1.0, 1.0, 0.0]),
        (2, 0.9, [0.0, 1.0, 1.0, 0.0]),
        (3, 1e38, [0., 0., 0., 1.]),
    ] {
        let points = [points];
        assert_eq!(metric.aggregate(&Points::at(&points), cutoff, &count, None).unwrap(), expected);
    }
}

#[test]
fn no_points_and_no_vertices() {
    let Some(gpu) = gpu() else { return };
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let none = Csr::<u32>::from_arcs(0, &[]).unwrap();
    for (statistic, is_empty) in [(Statistic::Count, false), (Statistic::Mean, true)] {
        let wanted = Aggregate { statistic, ..Aggregate::default() };
        let points = Points { values: Some(&[]), ..Points::default() };
        for (graph, n) in [(&graph, 2), (&none, 0)] {
            let device = DeviceHierarchy::new(&hierarchy_of(graph), graph, &gpu).unwrap();
            let mut metric = device.customize(graph).unwrap();
            let found = metric.aggregate(&points, 5.0, &wanted, None).unwrap();
            assert_eq!(found.len(), n);
            assert!(found.iter().all(|cell| if is_empty { cell.is_nan() } else { *cell == 0.0 }));
            let categories = Some(Categories { of_points: &[], n_categories: 0 });
            let found = metric.aggregate(&Points { categories, ..points }, 5.0, &wanted, None);
            assert!(found.unwrap().is_empty());
        }
    }
}

#[test]
fn what_is_refused_and_what_ends() {
    let Some(gpu) = gpu() else { return };
    let graph = Csr::from_arcs(3, &[(0, 1, 1.5f32), (1, 2, 2.0)]).unwrap();
    let device = DeviceHierarchy::new(&hierarchy_of(&graph), &graph, &gpu).unwrap();
    let mut metric = device.customize(&graph).unwrap();
    let (here, count) = (Points::at(&[0, 2]), Aggregate::default());
    let mean = Aggregate { statistic: Statistic::Mean, ..count };
    for (message, points, cutoff, wanted) in [
        ("point 3 does not exist", Points::at(&[0, 3]), 1.0, count),
        ("cutoff is -1", here, -1.0, count),
        ("above all distances of f32", here, 1e300, count),
        ("entry 1 is NaN", Points { values: Some(&[1.0, f64::NAN]), ..here }, 1.0, count),
        ("no values", here, 1.0, mean),
    ] {
        let error = metric.aggregate(&points, cutoff, &wanted, None).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let categories = |n_categories| Some(Categories { of_points: &[0, 2], n_categories });
    let far = Points { categories: categories(usize::MAX / 8), ..here };
    let error = metric.aggregate(&far, 1.0, &count, None);
    assert!(matches!(error, Err(HierarchyError::NoMemory(_))));
    let device =
        DeviceHierarchy::new(&hierarchy_of(&graph), &graph, &gpu.with_memory_cap(1 << 20)).unwrap();
    let many = Points { categories: categories(1 << 16), ..here };
    match device.customize(&graph).unwrap().aggregate(&many, 1.0, &count, None) {
        Err(HierarchyError::Gpu(error)) => assert!(matches!(*error, GpuError::OutOfMemory { .. })),
        other => panic!("{other:?}"),
    }

    let square: Csr<u32> = grid(&GridConfig { side: 40, ..Default::default() }).unwrap();
    let device = DeviceHierarchy::new(&hierarchy_of(&square), &square, &gpu).unwrap();
    let mut metric = device.customize(&square).unwrap();
    let all: Vec<_> = square.vertices().collect();
    let end = |done: u64, total: u64| {
        assert!(done <= total && total == 1_600);
        if done < 600 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let ended = metric.aggregate(&Points::at(&all), 5.0, &count, Some(&end));
    assert_eq!(ended, Err(Interrupted.into()));
    // and what comes after is right all the same
    assert_eq!(metric.aggregate(&Points::at(&all), 0.0, &count, None).unwrap(), [1.0; 1_600]);
}

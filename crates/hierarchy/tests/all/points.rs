//! Sources and targets that are points: the least sums over their vertices.

use graph_formats::generate::{GraphOptions, GridConfig, grid};
use graph_formats::{Csr, Direction, VertexId, Weight};
use hierarchy::{HierarchyError, MetricWeight};
use paths::oracle;
use proptest::prelude::*;
use test_support::{arbitrary_graph, draws};

use crate::common::hierarchy_of;

type Point<W> = Vec<(VertexId, <W as Weight>::Distance)>;

/// Compares tables of points, some of them ends of arcs, with the least sums of searches.
fn check<W: MetricWeight>(graph: &Csr<W>, distance: &dyn Fn(u64) -> W::Distance) {
    if graph.n_arcs() == 0 {
        return;
    }
    let mut draw = draws(graph.n_arcs() as u64);
    let arcs: Vec<_> = graph.arcs().collect();
    let mut points = |n: usize| -> Vec<Point<W>> {
        let mut point = || -> Point<W> {
            let (from, to, _) = arcs[draw(arcs.len() as u64) as usize];
            let mut vertices = vec![from, to];
            match draw(4) {
                0 => vertices.clear(),
                1 => (0..draw(15))
                    .for_each(|_| vertices.push(draw(graph.n_vertices() as u64) as u32)),
                _ => {}
            }
            vertices.into_iter().map(|vertex| (vertex, distance(draw(20)))).collect()
        };
        (0..n).map(|_| point()).collect()
    };
    let (metric, targets) = (hierarchy_of(graph).customize(graph).unwrap(), points(150));
    let kept = metric.targets(&targets).unwrap();
    for n_sources in [1, 40, 0, 1, 5] {
        let sources = points(n_sources);
        let table = kept.table(&sources).unwrap();
        assert_eq!((table.n_sources(), table.n_targets()), (n_sources, targets.len()));
        for (source, i) in sources.iter().zip(0..) {
            let searched: Vec<_> = source
                .iter()
                .map(|&(vertex, before)| (before, oracle::dijkstra(graph, vertex).unwrap()))
                .collect();
            for (target, j) in targets.iter().zip(0..) {
                let sums = searched.iter().flat_map(|(before, distances)| {
                    target.iter().filter_map(|&(vertex, after)| {
                        after.after(distances.get(vertex)?.after(*before)?)
                    })
                });
                let least = sums.reduce(|a, b| if b < a { b } else { a });
                assert_eq!(table.get(i, j), least, "{source:?} -> {target:?}");
            }
        }
    }
}

#[test]
fn of_all_types() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let options = GraphOptions { weights: 0..=50, direction, ..Default::default() };
        let square = grid(&GridConfig { side: 12, options, ..Default::default() }).unwrap();
        check(&square, &|n| n);
        check(&square.map_weights(|w| w as i32).unwrap(), &|n| n as i64);
        check(&square.map_weights(|w| u64::from(w) << 45).unwrap(), &|n| n << 45);
        check(&square.map_weights(|w| i64::from(w) << 45).unwrap(), &|n| (n << 45) as i64);
        check(&square.map_weights(|w| w as f32).unwrap(), &|n| n as f32);
        check(&square.map_weights(f64::from).unwrap(), &|n| n as f64);
    }
}

/// From many sources passes go the other way, and the distances are the same.
#[test]
fn many_to_few() {
    let options =
        GraphOptions { weights: 0..=50, direction: Direction::Directed, ..Default::default() };
    let square = grid(&GridConfig { side: 20, options, ..Default::default() }).unwrap();
    let floats = square.map_weights(f64::from).unwrap();
    let metric = hierarchy_of(&square).customize(&square).unwrap();
    let of_floats = hierarchy_of(&floats).customize(&floats).unwrap();
    let all: Vec<VertexId> = square.vertices().collect();
    for targets in [&[7][..], &[399, 0, 7, 7], &[]] {
        let table = metric.table(&all, targets).unwrap();
        let other = of_floats.table(&all, targets).unwrap();
        let places: Vec<_> = targets.iter().map(|&target| [(target, 1), (target ^ 1, 2)]).collect();
        let near = metric.targets(&places).unwrap();
        let (from_places, n) = (all.iter().map(|&v| [(v, 3)]).collect::<Vec<_>>(), targets.len());
        let near = near.table(&from_places).unwrap();
        assert_eq!((table.n_sources(), table.n_targets(), near.n_targets()), (400, n, n));
        for (source, row) in all.iter().zip(0..) {
            let expected = oracle::dijkstra(&square, *source).unwrap();
            for (&target, column) in targets.iter().zip(0..) {
                let distance = expected.get(target);
                assert_eq!(table.get(row, column), distance, "{source} -> {target}");
                assert_eq!(other.get(row, column), distance.map(|d| d as f64));
                let beside = expected.get(target ^ 1).map(|d| d + 5);
                let least = distance.map(|d| d + 4).into_iter().chain(beside).min();
                assert_eq!(near.get(row, column), least, "{source} -> {target}");
            }
        }
    }
    // the error names the ends in their order
    let half = u64::MAX / 2 + 1;
    let far = Csr::from_arcs(3, &[(0, 1, half), (1, 2, half)]).unwrap();
    let metric = hierarchy_of(&far).customize(&far).unwrap();
    let error = metric.table(&[0; 300], &[2]).unwrap_err();
    assert!(
        matches!(error, HierarchyError::Overflow { source_vertex: 0, target: 2, .. }),
        "{error}"
    );
}

/// Distances from and to points that keys of the paths alone would not hold.
#[test]
fn points_that_are_farther_than_any_vertex() {
    let square = grid(&GridConfig { side: 12, ..Default::default() }).unwrap();
    check(&square, &|n| n << 30);
    check(&square, &|n| n << 58);
    check(&square.map_weights(|w| w as i32).unwrap(), &|n| (n << 57) as i64);
    check(&square.map_weights(|w| w as f32).unwrap(), &|n| (n << 20) as f32);
}

proptest! {
    #[test]
    fn of_arbitrary_graphs(graph in arbitrary_graph::<u32>(40, 100, 0..=9)) {
        check(&graph, &|n| n);
    }
}

#[test]
fn what_is_no_point_is_refused() {
    let graph = Csr::from_edges(3, &[(0, 1, 5u32), (1, 2, 7)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    let targets = metric.targets(&[[(2, 0)]]).unwrap();
    let no_such = |role| Some(HierarchyError::NoSuchVertex { role, vertex: 3, n_vertices: 3 });
    assert_eq!(metric.targets(&[[(3, 0)]]).err(), no_such("target"));
    assert_eq!(targets.table(&[[(3, 0)]]).err(), no_such("source"));
    let many = metric.targets(&[vec![(1, 0)], vec![(1, 0); 17]]).err().unwrap().to_string();
    assert!(many.contains("target 1 of the list has 17 vertices, more than 16"), "{many}");
    let far = targets.table(&[[(1, u64::MAX)]]).unwrap_err().to_string();
    assert!(far.contains("source 0 of the list has the distance 18446744073709551615"), "{far}");
    let farthest = targets.table(&[[(1, u64::MAX - 8)]]).unwrap();
    assert_eq!(farthest.get(0, 0), Some(u64::MAX - 1));
    let overflow = targets.table(&[[(1, u64::MAX - 7)]]).unwrap_err();
    assert!(
        matches!(overflow, HierarchyError::Overflow { source_vertex: 1, target: 2, .. }),
        "{overflow}"
    );
    // where another vertex of the point is nearer it does not count
    let near = targets.table(&[[(1, u64::MAX - 7), (2, 4)]]).unwrap();
    assert_eq!(near.get(0, 0), Some(4));

    let floats = graph.clone().convert_weights::<f64>().unwrap();
    let metric = hierarchy.customize(&floats).unwrap();
    for distance in [-0.5, f64::NAN, f64::INFINITY] {
        let error = metric.targets(&[[(0, distance)]]).err().unwrap().to_string();
        assert!(error.contains("target 0 of the list has the distance"), "{error}");
    }
    let targets = metric.targets(&[[(0, f64::MAX)]]).unwrap();
    let error = targets.table(&[[(1, f64::MAX)]]).unwrap_err();
    assert!(matches!(error, HierarchyError::SumsTooLarge { .. }), "{error}");
    let signed = graph.convert_weights::<i32>().unwrap();
    let metric = hierarchy.customize(&signed).unwrap();
    assert!(matches!(metric.targets(&[[(0, -1)]]), Err(HierarchyError::BadPoint { .. })));
}

//! Graphs at the limits: nothing to ask about, one vertex beside all others, no separators at all,
//! long ways, and the greatest weights.

use graph_formats::generate::{RmatConfig, rmat};
use graph_formats::{Csr, VertexId};
use hierarchy::{EliminationError, Hierarchy, HierarchyError, MetricWeight, Order};
use test_support::some_vertices;

use crate::common::{check, hierarchy_of};

/// A hub and its neighbours; the weights of the two directions differ.
fn star(n: u32) -> Csr<u32> {
    let arcs = (1..n).flat_map(|v| [(0, v, v % 7), (v, 0, v % 5)]);
    Csr::from_arcs(n as usize, &arcs.collect::<Vec<_>>()).unwrap()
}

fn path(n: u32) -> Csr<u32> {
    let edges: Vec<_> = (1..n).map(|v| (v - 1, v, v % 3)).collect();
    Csr::from_edges(n as usize, &edges).unwrap()
}

#[test]
fn lists_without_entries() {
    for n in [0, 1, 3] {
        let graph = Csr::<u32>::from_arcs(n, &[]).unwrap();
        let hierarchy = hierarchy_of(&graph);
        let metric = hierarchy.customize(&graph).unwrap();
        assert_eq!((hierarchy.n_arcs(), hierarchy.n_triangles()), (0, 0));
        assert_eq!(hierarchy.height(), n.min(1));
        assert_eq!(metric.pairs(&[]), Ok(vec![]));
        assert_eq!(metric.distances(&[]), Ok(vec![]));
        let all: Vec<VertexId> = graph.vertices().collect();
        for (sources, targets) in [(&[][..], &all[..]), (&all, &[]), (&[], &[])] {
            let table = metric.table(sources, targets).unwrap();
            assert_eq!((table.n_sources(), table.n_targets()), (sources.len(), targets.len()));
        }
        assert!(metric.query().distance(n as VertexId, 0).is_err());
        if n > 0 {
            assert_eq!(metric.nearest(0, &[], 3), Ok(vec![]));
            assert_eq!(metric.nearest(0, &[0, 0], 1), Ok(vec![(0, 0)]));
            assert_eq!(metric.within(0, 0), Ok(vec![(0, 0)]));
        }
    }
}

#[test]
fn arcs_from_vertices_to_themselves_alone() {
    let graph = Csr::from_arcs(3, &[(0, 0, 0u64), (1, 1, 5), (1, 1, u64::MAX - 1)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    assert_eq!(hierarchy.n_arcs(), 0);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &[0, 1, 2, 1]);
}

#[test]
fn a_hub_of_a_hundred_thousand() {
    let graph = star(100_000);
    let hierarchy = hierarchy_of(&graph);
    assert_eq!((hierarchy.height(), hierarchy.n_arcs()), (2, graph.n_vertices() - 1));
    let mut vertices = some_vertices(&graph, 8);
    vertices.push(0);
    check(&graph, &hierarchy.customize(&graph).unwrap(), &vertices);
}

/// Its tree is as high as a logarithm. Contracted from one end to the other it would be as high as
/// the path is long. That is refused where depths would not have numbers, and right where they
/// have.
#[test]
fn a_long_path() {
    let graph = path(200_000);
    let hierarchy = hierarchy_of(&graph);
    assert!(hierarchy.height() < 100, "{}", hierarchy.height());
    check(&graph, &hierarchy.customize(&graph).unwrap(), &some_vertices(&graph, 3));

    let along = |graph: &Csr<u32>| Order::from_vertices(graph.vertices().collect()).unwrap();
    let refused = Hierarchy::new(&graph, &along(&graph)).unwrap_err();
    assert_eq!(refused, HierarchyError::TooHigh { limit: 1 << 16 });
    let shorter = path(65_000);
    let hierarchy = Hierarchy::new(&shorter, &along(&shorter)).unwrap();
    assert_eq!(hierarchy.height(), 65_000);
    check(&shorter, &hierarchy.customize(&shorter).unwrap(), &[0, 64_999, 31_000]);
}

#[test]
fn complete_graphs() {
    let complete = |n: u32| {
        let edges: Vec<_> = (0..n).flat_map(|u| (0..u).map(move |v| (v, u, u * v % 97))).collect();
        Csr::from_edges(n as usize, &edges).unwrap()
    };
    for n in [2, 63, 64, 65, 66, 200, 600] {
        let graph = complete(n);
        let hierarchy = hierarchy_of(&graph);
        assert_eq!(hierarchy.n_arcs() as u32, n * (n - 1) / 2);
        check(&graph, &hierarchy.customize(&graph).unwrap(), &some_vertices(&graph, 12));
    }
}

/// Half of the vertices joined to all of the other half.
#[test]
fn complete_bipartite_graphs() {
    for (n, m) in [(3u32, 300u32), (150, 150), (1, 70)] {
        let edges: Vec<_> = (0..n).flat_map(|u| (n..n + m).map(move |v| (u, v, u + v))).collect();
        let graph = Csr::from_edges((n + m) as usize, &edges).unwrap();
        let hierarchy = hierarchy_of(&graph);
        check(&graph, &hierarchy.customize(&graph).unwrap(), &some_vertices(&graph, 12));
    }
}

/// Four vertices in a row, so light that a sum may be held or so heavy that none may.
fn row_of<W: MetricWeight>(weight: W) -> Csr<W> {
    Csr::from_arcs(4, &[(0, 1, weight), (1, 2, weight), (2, 3, W::ZERO), (3, 3, weight)]).unwrap()
}

/// What a distance of two such weights is: as the oracle has it, or refused as it refuses.
fn at_the_limit<W: MetricWeight>(greatest: W) {
    let graph = row_of(greatest);
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    check(&graph, &metric, &[1, 2, 3]);
    match paths::oracle::dijkstra(&graph, 0) {
        Ok(_) => check(&graph, &metric, &[0]),
        Err(_) => assert!(matches!(
            metric.query().distance(0, 2),
            Err(HierarchyError::Overflow { source_vertex: 0, target: 2, .. })
        )),
    }
}

#[test]
fn weights_at_the_limits_of_their_types() {
    at_the_limit(u32::MAX);
    at_the_limit(i32::MAX);
    at_the_limit(u64::MAX / 2);
    at_the_limit(u64::MAX - 1);
    at_the_limit(i64::MAX / 2);
    at_the_limit(i64::MAX - 1);
    at_the_limit(f32::MAX / 4.0);
    at_the_limit(f64::MAX / 16.0);
    at_the_limit(f32::from_bits(1));
    at_the_limit(f64::from_bits(1));
}

#[test]
fn coordinates_that_tell_nothing_apart() {
    let graph = path(3_000);
    for place in [[0.0; 2], [f64::NAN; 2], [f64::INFINITY; 2], [f64::MAX; 2], [f64::MIN; 2]] {
        let order = Order::by_coordinates(&graph, &vec![place; 3_000]).unwrap();
        let hierarchy = Hierarchy::new(&graph, &order).unwrap();
        check(&graph, &hierarchy.customize(&graph).unwrap(), &[0, 1_500, 2_999]);
    }
}

/// Long before its memory would be gone.
#[test]
fn graphs_of_hubs_are_refused() {
    for scale in [14, 17] {
        let graph = rmat(&RmatConfig { scale, ..Default::default() }).unwrap();
        let prepare = || Hierarchy::new(&graph, &Order::by_landmarks(&graph)?);
        let Err(HierarchyError::Elimination(error)) = prepare() else { panic!("{scale}") };
        assert!(matches!(error, EliminationError::NoSmallSeparators { .. }), "{scale}: {error}");
    }
}

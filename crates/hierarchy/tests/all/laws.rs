//! What holds of any hierarchy.

use graph_formats::Csr;
use graph_formats::generate::{GridConfig, grid};
use hierarchy::{Hierarchy, Order};
use paths::oracle;
use proptest::prelude::*;
use test_support::arbitrary_graph;

use crate::common::{check, hierarchy_of, k_shortest, reweighted};

#[test]
fn a_hierarchy_serves_any_weights() {
    let graph = grid(&GridConfig { side: 25, ..Default::default() }).unwrap();
    let hierarchy = hierarchy_of(&graph);
    for seed in 0..3 {
        let other = reweighted(&graph, seed);
        check(&other, &hierarchy.customize(&other).unwrap(), &[0, 17, 300, 624]);
    }
}

/// A shortcut through a cycle of no weight, or of one that rounding swallows, is as long as what it
/// goes round.
#[test]
fn paths_pass_no_vertex_twice() {
    let order = Order::from_vertices(vec![0, 1, 2, 3]).unwrap();
    let whole = Csr::from_edges(4, &[(0, 1, 0u32), (0, 2, 5), (1, 3, 100), (3, 2, 100)]).unwrap();
    let hierarchy = Hierarchy::new(&whole, &order).unwrap();
    let metric = hierarchy.customize(&whole).unwrap();
    assert_eq!(metric.query().path(0, 2).unwrap().unwrap().vertices, [0, 2]);
    let edges = [(0, 1, 1e-20), (0, 2, 5.0), (1, 3, 100.0), (3, 2, 100.0)];
    let floats = Csr::from_edges(4, &edges).unwrap();
    let hierarchy = Hierarchy::new(&floats, &order).unwrap();
    let metric = hierarchy.customize(&floats).unwrap();
    assert_eq!(metric.query().path(0, 2).unwrap().unwrap().vertices, [0, 2]);
}

/// The floats that paths add up to, in their order, and as good as the oracle's but for rounding.
#[test]
fn floats_are_sums_along_paths() {
    let whole = grid(&GridConfig { side: 30, ..Default::default() }).unwrap();
    let weights: Vec<f32> = (0..whole.n_arcs()).map(|arc| (arc as f32 * 0.731).fract()).collect();
    let (offsets, columns) = (whole.row_offsets().to_vec(), whole.column_indices().to_vec());
    let graph = Csr::new(offsets, columns, weights).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    let all = metric.distances(&[5]).unwrap();
    let expected = oracle::dijkstra(&graph, 5).unwrap();
    let mut query = metric.query();
    for target in graph.vertices() {
        let path = query.path(5, target).unwrap().unwrap();
        let sum = path.arcs.iter().fold(0.0, |sum, &arc| sum + graph.weight(arc));
        assert_eq!((path.length, query.distance(5, target)), (sum, Ok(Some(sum))));
        let least = expected.get(target).unwrap();
        for other in [sum, all[0].get(target).unwrap()] {
            assert!((other - least).abs() <= 1e-5 * least, "{other}, {least}");
        }
    }
}

proptest! {
    /// A bad order costs time, not correctness.
    #[test]
    fn any_order_is_right(
        graph in arbitrary_graph::<u64>(30, 90, 0..=9),
        order in Just((0u32..30).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let n = graph.n_vertices() as u32;
        let order = order.into_iter().filter(|&vertex| vertex < n).collect();
        let order = Order::from_vertices(order).unwrap();
        let hierarchy = Hierarchy::new(&graph, &order).unwrap();
        let metric = hierarchy.customize(&graph).unwrap();
        check(&graph, &metric, &graph.vertices().collect::<Vec<_>>());
    }

    /// Other weights one after another are as good as a new metric.
    #[test]
    fn weights_may_change(
        graph in arbitrary_graph::<u32>(40, 120, 0..=9),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0u32..=20, any::<bool>()), 1..20
        ),
    ) {
        prop_assume!(graph.n_arcs() > 0);
        let mut weights = graph.weights().to_vec();
        let mut metric = hierarchy_of(&graph).customize(&graph).unwrap();
        for (arc, weight, is_update) in changes {
            let arc = arc.index(graph.n_arcs());
            weights[arc] = weight;
            match is_update {
                true => metric.update(&[(arc, weight)]).unwrap(),
                false => metric.customize(&weights).unwrap(),
            }
        }
        let graph = graph.with_other_weights(weights).unwrap();
        prop_assert_eq!(metric.graph(), &graph);
        let vertices: Vec<_> = graph.vertices().collect();
        check(&graph, &metric, &vertices);
        prop_assert_eq!(metric.k_shortest_paths(0, 1, 5, None).ok(), k_shortest(&graph, 0, 1, 5));
    }

    #[test]
    fn weights_times_c_are_distances_times_c(
        graph in arbitrary_graph::<u32>(30, 90, 0..=9),
        c in 1u32..1000,
    ) {
        let weights: Vec<u32> = graph.weights().iter().map(|weight| weight * c).collect();
        let (offsets, columns) = (graph.row_offsets().to_vec(), graph.column_indices().to_vec());
        let scaled = Csr::new(offsets, columns, weights).unwrap();
        let hierarchy = hierarchy_of(&graph);
        let (one, other) = (hierarchy.customize(&graph), hierarchy.customize(&scaled));
        let vertices: Vec<_> = graph.vertices().collect();
        let (one, other) = (one.unwrap().distances(&vertices), other.unwrap().distances(&vertices));
        for (one, other) in one.unwrap().iter().zip(other.unwrap()) {
            let times = one.iter().map(|distance| Some(distance? * u64::from(c)));
            prop_assert!(times.eq(other.iter()));
        }
    }
}

//! Orders are permutations, the same on any number of threads, and good ones.

use std::ops::ControlFlow;
use std::sync::Mutex;

use graph_formats::generate::{GeometricConfig, GridConfig, geometric, grid};
use hierarchy::{Hierarchy, HierarchyError, Order};
use proptest::prelude::*;
use test_support::arbitrary_graph;

proptest! {
    #[test]
    fn every_vertex_is_there_once(graph in arbitrary_graph::<u32>(300, 600, 1..=1)) {
        let order = Order::by_landmarks(&graph).unwrap();
        prop_assert_eq!(order.vertices().len(), graph.n_vertices());
        prop_assert_eq!(Order::from_vertices(order.vertices().to_vec()), Ok(order));
    }
}

#[test]
fn threads_do_not_change_the_order() {
    let graph = geometric(&GeometricConfig { n_vertices: 5_000, ..Default::default() }).unwrap();
    let order = || Order::by_landmarks(&graph).unwrap();
    let on = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap().install(order);
    assert!(on(1) == on(2) && on(1) == on(5));
}

/// A separator of a grid is a row or a column of what is left.
#[test]
fn a_grid_has_small_separators() {
    let config = GridConfig { side: 64, ..Default::default() };
    let graph = grid(&config).unwrap();
    let by_coordinates = Order::by_coordinates(&graph, &config.coordinates().unwrap()).unwrap();
    for order in [Order::by_landmarks(&graph).unwrap(), by_coordinates] {
        let hierarchy = Hierarchy::new(&graph, &order).unwrap();
        assert!(hierarchy.height() < 5 * 64, "{}", hierarchy.height());
        assert!(hierarchy.n_arcs() < 16 * graph.n_vertices(), "{}", hierarchy.n_arcs());
    }
}

/// All work is told of once, and a callback ends it.
#[test]
fn progress_comes_to_its_end() {
    let graph = geometric(&GeometricConfig { n_vertices: 5_000, ..Default::default() }).unwrap();
    let told = Mutex::new(Vec::new());
    let all = |done, total| {
        told.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let order = Order::by_dissection(&graph, None, Some(&all)).unwrap();
    assert_eq!(order, Order::by_landmarks(&graph).unwrap());
    let told = told.into_inner().unwrap();
    let last = told.iter().max().unwrap();
    assert!(last.0 == last.1 && told.len() > 50, "{last:?} of {}", told.len());

    let ended = Order::by_dissection(&graph, None, Some(&|_, _| ControlFlow::Break(())));
    assert_eq!(ended, Err(HierarchyError::Interrupted));
}

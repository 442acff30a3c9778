//! Orders are permutations, the same on any number of threads, and good ones.

use std::ops::ControlFlow;
use std::sync::Mutex;

use elimination::{Completion, EliminationError, Order, ROOT, max_arcs};
use graph_formats::generate::{GeometricConfig, GridConfig, geometric, grid};
use graph_formats::{Csr, Interrupted};
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

/// How many vertices the longest way up has.
fn height(parents: &[u32]) -> usize {
    let mut heights = vec![0; parents.len()];
    for (rank, &parent) in parents.iter().enumerate().rev().filter(|(_, parent)| **parent != ROOT) {
        heights[rank] = heights[parent as usize] + 1;
    }
    heights.into_iter().max().map_or(0, |height| height + 1)
}

/// A separator of a grid is a row or a column of what is left.
#[test]
fn a_grid_has_small_separators() {
    let config = GridConfig { side: 64, ..Default::default() };
    let graph = grid(&config).unwrap();
    let by_coordinates = Order::by_coordinates(&graph, &config.coordinates().unwrap()).unwrap();
    for order in [Order::by_landmarks(&graph).unwrap(), by_coordinates] {
        let max_arcs = max_arcs(graph.n_vertices(), graph.n_arcs());
        let completion = Completion::new(&graph, &order, max_arcs).unwrap();
        let height = height(&completion.parents());
        assert!(height < 5 * 64, "{height}");
        let n_arcs = completion.heads.len();
        assert!(n_arcs < 16 * graph.n_vertices(), "{n_arcs}");
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
    assert_eq!(ended, Err(Interrupted.into()));
}

#[test]
fn orders_that_are_none_are_refused() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1u32)]).unwrap();
    let twice = Order::from_vertices(vec![0, 2, 2]);
    assert_eq!(twice, Err(EliminationError::NotAPermutation { vertex: 2 }));
    let short = Order::from_vertices(vec![1, 0]).unwrap();
    let error = Completion::new(&graph, &short, 9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there are 2 places in the order and 3 vertices; expected one for each vertex"
    );
    assert!(Order::by_coordinates(&graph, &[[0.0; 2]; 2]).is_err());
}

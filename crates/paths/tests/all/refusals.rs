//! What the oracles refuse, and how they say so.

use graph_formats::{Csr, Weight};
use paths::Closure;
use paths::certificate::{check_distances, check_negative_cycle};
use paths::oracle::{self, OracleError};

/// A path 0 → 1 → 2 of two equal weights, and a vertex 3 apart.
fn two_arcs<W: Weight>(weight: W) -> Csr<W> {
    Csr::from_arcs(4, &[(0, 1, weight), (1, 2, weight)]).unwrap()
}

#[test]
fn sources_must_exist() {
    let graph = two_arcs(1u32);
    let expected = OracleError::SourceOutOfRange { source_vertex: 4, n_vertices: 4 };
    assert_eq!(oracle::dijkstra(&graph, 4), Err(expected.clone()));
    assert_eq!(oracle::bellman_ford(&graph, 4), Err(expected.clone()));
    assert_eq!(oracle::nearest(&graph, &[0, 4]), Err(expected.clone()));
    assert_eq!(oracle::tree(&graph, 4, None), Err(expected));
    let empty = Csr::<u32>::from_arcs(0, &[]).unwrap();
    let expected = OracleError::SourceOutOfRange { source_vertex: 0, n_vertices: 0 };
    assert_eq!(oracle::bellman_ford(&empty, 0), Err(expected));
    assert_eq!(oracle::nearest(&empty, &[]).unwrap().distances.n_vertices(), 0);
    assert_eq!(oracle::closure(&empty).n_pairs(), 0);
    assert_eq!(oracle::floyd_warshall(&empty).unwrap().n_reachable_pairs(), 0);
}

#[test]
fn dijkstra_names_the_first_negative_arc() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1.5f32), (2, 1, -0.5), (2, 2, -1.0)]).unwrap();
    let expected = OracleError::NegativeWeight { from: 2, to: 1, weight: "-0.5".into() };
    assert_eq!(oracle::dijkstra(&graph, 0), Err(expected));
    let minus_zero = Csr::from_arcs(2, &[(0, 1, -0.0f32)]).unwrap();
    assert_eq!(oracle::dijkstra(&minus_zero, 0).unwrap().get(1), Some(0.0));
}

fn refuses_overflow<W: Weight>(half_and_more: W) {
    let graph = two_arcs(half_and_more);
    let expected = OracleError::Overflow { source_vertex: 0, vertex: 2 };
    assert_eq!(oracle::dijkstra(&graph, 0), Err(expected.clone()));
    assert_eq!(oracle::bellman_ford(&graph, 0), Err(expected.clone()));
    assert_eq!(oracle::floyd_warshall(&graph), Err(expected.clone()));
    // with another path to vertex 2 that sum is not needed
    let arcs = [(0, 1, half_and_more), (1, 2, half_and_more), (0, 3, W::ONE), (3, 2, W::ONE)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let distances = oracle::dijkstra(&graph, 0).unwrap();
    assert_eq!(distances.get(2).map(Weight::to_f64), Some(2.0));
    assert_eq!(oracle::bellman_ford(&graph, 0).unwrap(), distances);
    check_distances(&graph, 0, None, &distances).unwrap();
}

#[test]
fn overflow_names_the_vertex_unless_there_is_another_way() {
    refuses_overflow(u64::MAX / 2 + 1);
    refuses_overflow(i64::MAX / 2 + 1);
    refuses_overflow(f32::MAX * 0.75);
    refuses_overflow(f64::MAX * 0.75);
}

#[test]
fn overflow_below_zero_is_refused() {
    let overflow = OracleError::Overflow { source_vertex: 0, vertex: 2 };
    assert_eq!(oracle::bellman_ford(&two_arcs(i64::MIN / 2 - 1), 0), Err(overflow.clone()));
    assert_eq!(oracle::bellman_ford(&two_arcs(-f32::MAX), 0), Err(overflow));
    // a cycle is named as such, however heavy
    let graph = Csr::from_arcs(3, &[(0, 1, 0), (1, 2, i64::MIN), (2, 1, -5)]).unwrap();
    let Err(OracleError::NegativeCycle { cycle }) = oracle::bellman_ford(&graph, 0) else {
        panic!("a negative cycle was missed")
    };
    check_negative_cycle(&graph, &cycle).unwrap();
}

/// With negative arcs, a sum out of range might have come back: no answer is given.
#[test]
fn overflow_that_might_come_back_is_refused() {
    let most = i64::MAX / 2 + 1;
    let arcs = [(0, 1, most), (1, 2, most), (2, 3, -most), (0, 3, i64::MAX - 1), (0, 2, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let expected = OracleError::Overflow { source_vertex: 0, vertex: 2 };
    assert_eq!(oracle::bellman_ford(&graph, 0), Err(expected));
}

#[test]
fn negative_cycles_out_of_reach_do_not_matter() {
    let graph = Csr::from_arcs(3, &[(0, 1, 4i32), (2, 2, -1), (2, 0, 1)]).unwrap();
    assert_eq!(oracle::bellman_ford(&graph, 0).unwrap().get(1), Some(4));
    let cycle = OracleError::NegativeCycle { cycle: vec![2] };
    assert_eq!(oracle::bellman_ford(&graph, 2), Err(cycle.clone()));
    assert_eq!(oracle::floyd_warshall(&graph), Err(cycle));
}

#[test]
fn words_that_are_no_closure_are_refused() {
    assert!(Closure::from_storage(65, vec![0; 130]).is_some());
    assert!(Closure::from_storage(65, vec![0; 129]).is_none());
    assert!(Closure::from_storage(2, vec![1, 4]).is_none());
    assert!(Closure::from_storage(64, vec![u64::MAX; 64]).is_some());
    assert!(Closure::from_storage(0, vec![]).is_some());
}

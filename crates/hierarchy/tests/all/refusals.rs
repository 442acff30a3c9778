//! What is refused, and with which words.

use graph_formats::Csr;
use graph_formats::generate::{RmatConfig, rmat};
use hierarchy::{EliminationError, Hierarchy, HierarchyError, Order};

use crate::common::hierarchy_of;

#[test]
fn a_negative_weight_is_named() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1i32), (1, 2, -3)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let error = hierarchy.customize(&graph).err().unwrap();
    assert!(error.to_string().contains("arc 1 -> 2 has weight -3"), "{error}");
}

#[test]
fn vertices_that_do_not_exist_are_named() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1u32)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    let no_such = |role, vertex| HierarchyError::NoSuchVertex { role, vertex, n_vertices: 3 };
    assert_eq!(metric.query().distance(3, 0), Err(no_such("source", 3)));
    assert_eq!(metric.query().path(0, 9), Err(no_such("target", 9)));
    assert_eq!(metric.distances(&[0, 4]), Err(no_such("source", 4)));
    assert_eq!(metric.table(&[0], &[5]), Err(no_such("target", 5)));
}

#[test]
fn another_graph_is_refused() {
    let [one, other] = [[(0, 1, 1u32), (1, 2, 1)], [(0, 1, 1), (2, 1, 1)]]
        .map(|arcs| Csr::from_arcs(3, &arcs).unwrap());
    let hierarchy = hierarchy_of(&one);
    assert_eq!(hierarchy.customize(&other).err(), Some(HierarchyError::AnotherGraph));
}

#[test]
fn distances_that_their_type_cannot_hold() {
    let half = u64::MAX / 2 + 1;
    let graph = Csr::from_arcs(3, &[(0, 1, half), (1, 2, half)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let metric = hierarchy.customize(&graph).unwrap();
    let is_overflow =
        |error| matches!(error, HierarchyError::Overflow { source_vertex: 0, target: 2, .. });
    assert_eq!(metric.query().distance(0, 1), Ok(Some(half)));
    assert!(is_overflow(metric.query().distance(0, 2).unwrap_err()));
    assert!(is_overflow(metric.query().path(0, 2).unwrap_err()));
    assert!(is_overflow(metric.distances(&[0]).unwrap_err()));
    assert!(is_overflow(metric.table(&[0], &[2]).unwrap_err()));
}

#[test]
fn a_graph_without_small_separators_is_found_out() {
    let graph = rmat(&RmatConfig { scale: 15, ..Default::default() }).unwrap();
    let prepare = || Hierarchy::new(&graph, &Order::by_landmarks(&graph)?);
    let Err(HierarchyError::Elimination(error)) = prepare() else { panic!("it is prepared") };
    assert!(matches!(error, EliminationError::NoSmallSeparators { .. }));
    assert!(error.to_string().contains("search the graph"), "{error}");
    let natural = Order::from_vertices(graph.vertices().collect()).unwrap();
    assert!(Hierarchy::new(&graph, &natural).is_err());
}

#[test]
fn sums_that_may_be_infinite() {
    let graph = Csr::from_arcs(3, &[(0, 1, 1e308f64), (1, 2, 1e308)]).unwrap();
    let error = hierarchy_of(&graph).customize(&graph).err().unwrap();
    assert!(error.to_string().contains("longer than any float"), "{error}");
    let graph = Csr::from_arcs(3, &[(0, 1, 3e38f32), (1, 2, 3e38)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let distance = hierarchy.customize(&graph).unwrap().query().distance(0, 2);
    assert!(matches!(distance, Err(HierarchyError::Overflow { .. })), "{distance:?}");
}

#[test]
fn tables_that_no_memory_holds() {
    let graph = Csr::from_arcs(2, &[(0, 1, 1u32)]).unwrap();
    let hierarchy = hierarchy_of(&graph);
    let many = vec![0; 1 << 23];
    let error = hierarchy.customize(&graph).unwrap().table(&many, &many).unwrap_err();
    assert!(error.to_string().contains("takes 562949953421312 bytes"), "{error}");
}

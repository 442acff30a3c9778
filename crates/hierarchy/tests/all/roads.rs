//! A real road network.

use graph_formats::{Csr, read};
use hierarchy::{Hierarchy, Order};
use test_support::{data, some_vertices};

use crate::common::check;

#[test]
fn new_york() {
    let Some(path) = data("dimacs/USA-road-d.NY.gr.gz") else { return };
    let graph: Csr<u32> = read(path).unwrap().csr.into_csr().unwrap();
    let order = Order::by_landmarks(&graph).unwrap();
    let hierarchy = Hierarchy::new(&graph, &order).unwrap();
    assert!(hierarchy.n_arcs() < 1_300_000, "{}", hierarchy.n_arcs());
    assert!(hierarchy.n_triangles() < 8_000_000, "{}", hierarchy.n_triangles());
    let metric = hierarchy.customize(&graph).unwrap();
    check(&graph, &metric, &some_vertices(&graph, 20));
}

//! Spanning forests and trees: the certificate against all selections of edges, and against
//! the oracle where those are too many.

use graph_formats::{Coo, Csr, VertexId, Weight};
use paths::spanning::SelectionViolation::{
    Apart, EdgeCycle, NotAtRoot, PositionOutOfRange, Replaceable, RootOutOfRange,
};
use paths::spanning::{self, check_spanning_forest, check_spanning_tree};
use paths::{Closure, Total, oracle};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

fn selections(length: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1u32 << length).map(move |set| (0..length).filter(|at| set >> at & 1 == 1).collect())
}

/// Which vertices edges join.
fn joined<W: Weight>(n: usize, edges: impl Iterator<Item = (VertexId, VertexId, W)>) -> Closure {
    oracle::closure(&Csr::from_edges(n, &edges.collect::<Vec<_>>()).unwrap())
}

fn selected<'a, W: Weight>(
    edges: &'a Coo<W>,
    selection: &'a [usize],
) -> impl Iterator<Item = (VertexId, VertexId, W)> + 'a {
    selection.iter().map(|&at| (edges.sources()[at], edges.destinations()[at], edges.weights()[at]))
}

/// The positions of the oracle's edges, each the first that has not been taken.
fn positions<W: Weight>(edges: &Coo<W>, forest: &[(VertexId, VertexId, W)]) -> Vec<usize> {
    let mut positions = Vec::new();
    for &edge in forest {
        let is_edge = |(u, v, w): (VertexId, VertexId, W)| (u.min(v), u.max(v), w) == edge;
        let mut found = edges.arcs().enumerate().filter(|&(_, arc)| is_edge(arc));
        positions.extend(found.find(|(at, _)| !positions.contains(at)).map(|(at, _)| at));
    }
    positions
}

proptest! {
    #[test]
    fn exactly_the_lightest_forests_pass(
        graph in arbitrary_graph::<i32>(5, 8, -2..=3),
        root in 0..5u32,
    ) {
        let (n, edges) = (graph.n_vertices(), graph.to_coo());
        let root = root % n as VertexId;
        let expected = spanning::minimum_spanning_forest(&graph);
        let all = joined(n, edges.arcs());
        let is_of_root = |v: VertexId| v == root || all.reaches(root, v);
        let of_root: Vec<_> = expected.edges.iter().filter(|edge| is_of_root(edge.0)).collect();
        let weight_of_root: i32 = of_root.iter().map(|edge| edge.2).sum();
        for selection in selections(edges.n_arcs()) {
            let weight: i32 = selected(&edges, &selection).map(|edge| edge.2).sum();
            // with as few edges as the components need, what is joined is joined by a forest
            let joins = joined(n, selected(&edges, &selection));
            let spans = edges.arcs().all(|(u, v, _)| u == v || joins.reaches(u, v));
            let is_right = spans
                && selection.len() == expected.edges.len()
                && expected.total == Total::Integer(weight.into());
            prop_assert_eq!(check_spanning_forest(&edges, &selection).is_ok(), is_right);
            let is_of_root = selected(&edges, &selection).all(|edge| is_of_root(edge.0));
            let spans = graph.vertices().all(|v| v == root || !all.reaches(root, v) || joins.reaches(root, v));
            let is_right = spans
                && is_of_root
                && selection.len() == of_root.len()
                && weight == weight_of_root;
            prop_assert_eq!(check_spanning_tree(&edges, root, &selection).is_ok(), is_right);
        }
    }

    #[test]
    fn forests_of_the_oracle_pass(
        graph in arbitrary_graph::<f32>(60, 200, 0..=9),
        other in any::<prop::sample::Index>(),
    ) {
        let edges = graph.to_coo();
        let forest = spanning::minimum_spanning_forest(&graph);
        let mut taken = positions(&edges, &forest.edges);
        check_spanning_forest(&edges, &taken).unwrap();
        if !taken.is_empty() {
            let at = other.index(taken.len());
            let left_out = taken.swap_remove(at);
            let is_missed = matches!(check_spanning_forest(&edges, &taken), Err(Apart { .. }));
            prop_assert!(is_missed);
            taken.extend([left_out, other.index(edges.n_arcs())]);
            prop_assert!(check_spanning_forest(&edges, &taken).is_err());
        }
    }
}

/// The lighter of an arc and its reverse is taken, and of equals the arc to the greater vertex.
#[test]
fn edges_are_arcs_of_the_graph() {
    let arcs = [(0, 1, 4u32), (1, 0, 3), (1, 2, 5), (2, 1, 5), (3, 2, 1)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    assert_eq!(spanning::minimum_spanning_arcs(&graph), [(3, 2, 1), (1, 0, 3), (1, 2, 5)]);
}

#[test]
fn corner_cases_pass() {
    for (name, graph) in &corner_cases::<u64>() {
        let edges = graph.to_coo();
        let taken = match graph.n_arcs() {
            9_999 => (0..9_999).collect(), // a path
            _ => positions(&edges, &spanning::minimum_spanning_forest(graph).edges),
        };
        let verdict = check_spanning_forest(&edges, &taken);
        assert_eq!(verdict, Ok(()), "{name}");
    }
}

/// 0 –4– 1 –2– 2 –3– 0 and 3 –1– 4, a loop at 0, and 1 – 2 again at 2.
fn edges() -> Coo<u32> {
    let (left, right) = (vec![0, 1, 2, 3, 0, 1], vec![1, 2, 0, 4, 0, 2]);
    Coo::new(6, left, right, vec![4, 2, 3, 1, 0, 2]).unwrap()
}

#[test]
fn wrong_forests_are_rejected() {
    let check = |forest: &[usize]| check_spanning_forest(&edges(), forest);
    check(&[1, 2, 3]).unwrap();
    check(&[3, 5, 2]).unwrap();
    let verdict = |forest: &[usize]| check(forest).unwrap_err();
    assert_eq!(verdict(&[6, 1]), PositionOutOfRange { position: 6, length: 6 });
    assert_eq!(verdict(&[1, 2, 3, 3]), EdgeCycle { from: 3, to: 4, position: 3 });
    assert_eq!(verdict(&[1, 2, 3, 5]), EdgeCycle { from: 1, to: 2, position: 5 });
    assert_eq!(verdict(&[1, 2, 3, 0]), EdgeCycle { from: 0, to: 1, position: 0 });
    assert_eq!(verdict(&[1, 2, 3, 4]), EdgeCycle { from: 0, to: 0, position: 4 });
    assert_eq!(verdict(&[1, 2]), Apart { from: 3, to: 4, position: 3 });
    assert_eq!(verdict(&[1, 3]), Apart { from: 0, to: 1, position: 0 });
    let [heavier, weight] = ["4".to_owned(), "3".to_owned()];
    assert_eq!(verdict(&[0, 1, 3]), Replaceable { position: 0, heavier, by: 2, weight });
    check_spanning_forest(&Coo::<u32>::new(0, vec![], vec![], vec![]).unwrap(), &[]).unwrap();
}

#[test]
fn wrong_trees_are_rejected() {
    let check = |root, tree: &[usize]| check_spanning_tree(&edges(), root, tree);
    (0..3).for_each(|root| check(root, &[2, 5]).unwrap());
    check(4, &[3]).unwrap();
    check(5, &[]).unwrap();
    let verdict = |root, tree: &[usize]| check(root, tree).unwrap_err();
    assert_eq!(verdict(6, &[]), RootOutOfRange { root: 6, n_vertices: 6 });
    assert_eq!(verdict(0, &[2, 5, 3]), NotAtRoot { position: 3, root: 0 });
    assert_eq!(verdict(5, &[3]), NotAtRoot { position: 3, root: 5 });
    assert_eq!(verdict(0, &[2]), Apart { from: 0, to: 1, position: 0 });
    assert_eq!(verdict(3, &[]), Apart { from: 3, to: 4, position: 3 });
    assert!(matches!(verdict(0, &[0, 5]), Replaceable { position: 0, by: 2, .. }));
    assert_eq!(verdict(0, &[2, 5, 1]), EdgeCycle { from: 1, to: 2, position: 1 });
}

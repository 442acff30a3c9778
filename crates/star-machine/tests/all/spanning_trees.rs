//! Minimum spanning forests and trees on the machine, against oracles and their certificates.

use graph_formats::VertexId;
use paths::Total;
use paths::spanning::{check_spanning_forest, check_spanning_tree, minimum_spanning_forest};
use proptest::prelude::*;
use star_machine::algorithms::{Edge, EdgeList, KRUSKAL, PRIM, Runner, Task, kruskal, prim};
use star_machine::{Host, StarError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{Checked, arcs, coo, cost, flawed, ran};

type Edges = [Edge];

/// The edges that a run marks.
pub(crate) fn marked(task: &Task) -> Checked<Vec<usize>> {
    Ok(ran(task, &mut Host::new())?.slice("T")?.positions().collect())
}

fn is_forest(task: &Task, n: usize, edges: &Edges) -> Checked {
    Ok(check_spanning_forest(&coo(n, edges), &marked(task)?)?)
}

fn is_tree(task: &Task, n: usize, edges: &Edges, root: VertexId) -> Checked {
    Ok(check_spanning_tree(&coo(n, edges), root, &marked(task)?)?)
}

/// A forest, and trees from the first and the last vertex.
pub(crate) fn check(n: usize, edges: &Edges) {
    let list = EdgeList::new(n, edges).unwrap();
    is_forest(&kruskal(&list).unwrap(), n, edges).unwrap();
    for root in [0, n.saturating_sub(1)].into_iter().filter(|&root| root < n) {
        let root = root as VertexId;
        is_tree(&prim(&list, root).unwrap(), n, edges, root).unwrap();
    }
}

#[test]
fn spanning_trees_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_arcs() <= 400) {
        println!("{name}");
        let edges = arcs(graph);
        check(graph.n_vertices(), &edges);
        let forest = marked(&kruskal(&EdgeList::new(graph.n_vertices(), &edges).unwrap()).unwrap());
        let weight: i64 = forest.unwrap().iter().map(|&at| edges[at].2).sum();
        let expected = minimum_spanning_forest(graph).total;
        assert_eq!(Total::Integer(weight.into()), expected);
    }
}

#[test]
fn spanning_trees_of_extreme_weights() {
    check(4, &[(0, 1, i64::MIN), (1, 2, i64::MAX), (2, 0, -1), (0, 2, 0), (3, 3, i64::MIN)]);
    let list = EdgeList::new(2, &[(0, 1, 1)]).unwrap();
    for root in [2, 7] {
        let error = prim(&list, root).unwrap_err();
        assert!(matches!(error, StarError::OutOfRange { what: "vertex", .. }), "{error}");
    }
}

#[test]
fn flaws_of_spanning_trees_are_noticed() {
    // two triangles, a bridge, a loop on the cheapest vertex, parallel edges, equal weights
    let edges = [
        (0, 0, 1),
        (0, 1, 4),
        (1, 2, 8),
        (2, 0, 5),
        (0, 1, 2),
        (2, 3, 9),
        (3, 4, 1),
        (4, 5, 1),
        (5, 3, 1),
        (4, 4, 0),
        (6, 7, 3),
    ];
    check(9, &edges);
    let list = EdgeList::new(9, &edges).unwrap();
    for flaw in [
        ["Y := X and not HIT(A, B, X)", "Y := X"],
        ["    Y := Y and not HIT(A, B, Y)", "    Y(e) := 0"],
        ["MIN(W, Y)", "MAX(W, Y)"],
        ["MIN(W, Y)", "Y"],
        ["WMERGE(u, MATCH(A, Y, v); A)", "u := u"],
        ["WMERGE(u, MATCH(B, Y, v); B)", "u := u"],
        ["u := ROW(e, A)", "u := ROW(e, L)"],
        ["CLR(T)", "SET(T)"],
    ] {
        let task = flawed(&kruskal(&list).unwrap(), KRUSKAL, flaw);
        assert!(is_forest(&task, 9, &edges).is_err(), "{flaw:?} is not noticed");
    }
    for flaw in [
        ["C := A xor B", "C := A or B"],
        ["    C := A xor B", "    C := A or B"],
        ["MIN(W, C)", "MAX(W, C)"],
        ["v := ROW(e, R) else v := ROW(e, L)", "v := ROW(e, L) else v := ROW(e, R)"],
        ["A := A or MATCH(L, X, v)", "A := MATCH(L, X, v)"],
        ["B := MATCH(R, X, r)", "CLR(B)"],
        ["CLR(T)", "SET(T)"],
    ] {
        let is_noticed = |root| {
            let task = flawed(&prim(&list, root).unwrap(), PRIM, flaw);
            is_tree(&task, 9, &edges, root).is_err()
        };
        assert!((0..9).any(is_noticed), "{flaw:?} is not noticed");
    }
}

#[test]
fn spanning_trees_cost_what_is_claimed() {
    // a path of 40 edges, and 100 loops
    let path = (0..40).map(|u| (u, u + 1, i64::from(u * 7 % 13)));
    let edges: Vec<_> = path.chain((0..100).map(|v| (v % 41, v % 41, 1))).collect();
    let list = EdgeList::new(41, &edges).unwrap();
    let (h, l) = (list.weight_bits() as u64, list.code_bits() as u64);
    // copies of the ends and loops; then the least edge, its codes, two changes, loops
    let (first, each) = (2 * 2 * l + 4 * l + 2, 3 * h + 1 + 2 + 2 * (2 * l + 3 * l) + 4 * l + 2);
    assert_eq!(cost(&kruskal(&list).unwrap()), first + 40 * each);
    // the edges of the root; then the least edge, a code, those of its other end
    let (first, each) = (2 * 2 * l + 2, 3 * h + 1 + 1 + 2 * (2 * l + 1) + 2);
    assert_eq!(cost(&prim(&list, 0).unwrap()), first + 40 * each);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn spanning_trees_of_arbitrary_graphs(graph in arbitrary_graph::<i64>(30, 80, -4..=9)) {
        check(graph.n_vertices(), &arcs(&graph));
    }
}

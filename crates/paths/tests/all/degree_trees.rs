//! Spanning trees with a given number of edges at the root: the oracle and the certificate
//! against all trees there are, and against each other where those are too many.

use graph_formats::{Coo, VertexId, Weight};
use paths::spanning::SelectionViolation::{
    EdgeCycle, LighterByTwo, NotJoined, PositionOutOfRange, Replaceable, RootOutOfRange,
    TreeMissed, WrongDegree,
};
use paths::spanning::{
    self, Degree, SelectionViolation, check_spanning_forest, check_tree_of_degree,
};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

/// Every spanning tree, with its weight and degree.
fn trees(edges: &Coo<i32>, root: VertexId) -> Vec<(Vec<usize>, i128, usize)> {
    let (n, mut trees) = (edges.n_vertices(), Vec::new());
    for set in (0..1u32 << edges.n_arcs()).filter(|set| set.count_ones() as usize == n - 1) {
        let tree: Vec<_> = (0..edges.n_arcs()).filter(|at| set >> at & 1 == 1).collect();
        let mut parts: Vec<_> = (0..n).collect();
        let (mut weight, mut degree, mut is_tree) = (0, 0, true);
        for &at in &tree {
            let (u, v) = (edges.sources()[at], edges.destinations()[at]);
            let (from, to) = (parts[u as usize], parts[v as usize]);
            is_tree &= from != to;
            parts.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
            weight += i128::from(edges.weights()[at]);
            degree += usize::from(u == root || v == root);
        }
        if is_tree {
            trees.push((tree, weight, degree));
        }
    }
    trees
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn exactly_the_lightest_trees_pass(
        graph in arbitrary_graph::<i32>(6, 10, -2..=6),
        root in 0..6u32,
    ) {
        let edges = graph.to_coo();
        let root = root % edges.n_vertices() as VertexId;
        let trees = trees(&edges, root);
        for asked in 0..=6 {
            for degree in [Degree::Exactly(asked), Degree::AtMost(asked)] {
                let is_asked = |found: usize| match degree {
                    Degree::Exactly(asked) => found == asked,
                    Degree::AtMost(asked) => found <= asked,
                };
                let best = trees.iter().filter(|tree| is_asked(tree.2)).map(|tree| tree.1).min();
                let weight = spanning::spanning_tree_of_degree(&edges, root, degree);
                prop_assert_eq!(weight, best, "{:?}", degree);
                let none = check_tree_of_degree(&edges, root, degree, None);
                prop_assert_eq!(none.is_ok(), best.is_none(), "{:?}", degree);
                for (tree, weight, found) in &trees {
                    let verdict = check_tree_of_degree(&edges, root, degree, Some(tree));
                    let is_right = is_asked(*found) && Some(*weight) == best;
                    prop_assert_eq!(verdict.is_ok(), is_right, "{:?} {:?}", degree, verdict);
                    if let Err(violation) = verdict {
                        prop_assert!(is_justified(&edges, root, tree, &violation), "{}", violation);
                    }
                }
            }
        }
    }

    /// Every degree that is possible lies between two, and its weight on a convex curve.
    #[test]
    fn weights_are_convex(graph in arbitrary_graph::<u32>(30, 120, 0..=9)) {
        let edges = graph.to_coo();
        let weights: Vec<_> = (0..=30)
            .map(|degree| spanning::spanning_tree_of_degree(&edges, 0, Degree::Exactly(degree)))
            .collect();
        let possible: Vec<_> = weights.iter().skip_while(|w| w.is_none()).map_while(|w| *w).collect();
        prop_assert_eq!(possible.len(), weights.iter().flatten().count());
        prop_assert!(possible.windows(3).all(|w| w[0] + w[2] >= 2 * w[1]));
        for (degree, weight) in weights.iter().enumerate() {
            let degree = Degree::Exactly(degree);
            let none = check_tree_of_degree(&edges, 0, degree, None);
            prop_assert_eq!(none.is_ok(), weight.is_none());
        }
    }
}

/// Whether exchanges that a violation names give trees, and lighter ones.
fn is_justified(
    edges: &Coo<i32>,
    root: VertexId,
    tree: &[usize],
    violation: &SelectionViolation,
) -> bool {
    let all = trees(edges, root);
    let gain = |position: usize, by: usize| {
        let mut other = tree.to_vec();
        *other.iter_mut().find(|at| **at == position).expect("a selected edge") = by;
        other.sort_unstable();
        let degree = |tree: &[usize]| all.iter().find(|(t, ..)| t == tree).expect("a tree").2;
        let weight = |at: usize| edges.weights()[at];
        (degree(&other) as i64 - degree(tree) as i64, weight(position) - weight(by))
    };
    match *violation {
        Replaceable { position, by, .. } => gain(position, by).1 > 0,
        LighterByTwo { more, fewer } => {
            let (more, fewer) = (gain(more.0, more.1), gain(fewer.0, fewer.1));
            (more.0, fewer.0) == (1, -1) && more.1 + fewer.1 > 0
        }
        WrongDegree { .. } => true,
        _ => false,
    }
}

/// A minimum spanning tree is one of its degree.
#[test]
fn minimum_spanning_trees_pass() {
    let mut n_trees = 0;
    for (name, graph) in corner_cases::<u64>().iter().filter(|case| case.1.n_vertices() > 0) {
        let edges = graph.to_coo();
        // the positions by weight; each is taken that the certificate has nothing against
        let mut by_weight: Vec<_> = (0..edges.n_arcs()).collect();
        by_weight.sort_by_key(|&at| edges.weights()[at]);
        let tree = match graph.n_arcs() {
            9_999 => by_weight, // a path
            0..300 => by_weight.into_iter().fold(Vec::new(), |mut tree, at| {
                tree.push(at);
                if matches!(check_spanning_forest(&edges, &tree), Err(EdgeCycle { .. })) {
                    tree.pop();
                }
                tree
            }),
            _ => continue,
        };
        if tree.len() + 1 < edges.n_vertices() {
            for degree in [Degree::Exactly(1), Degree::AtMost(70)] {
                assert_eq!(check_tree_of_degree(&edges, 0, degree, None), Ok(()), "{name}");
                assert_eq!(spanning::spanning_tree_of_degree(&edges, 0, degree), None, "{name}");
            }
            continue;
        }
        n_trees += 1;
        let is_at_root = |&&at: &&usize| edges.sources()[at] == 0 || edges.destinations()[at] == 0;
        let found = tree.iter().filter(is_at_root).count();
        let weight = tree.iter().map(|&at| i128::from(edges.weights()[at])).sum();
        for degree in [Degree::Exactly(found), Degree::AtMost(found), Degree::AtMost(70)] {
            assert_eq!(check_tree_of_degree(&edges, 0, degree, Some(&tree)), Ok(()), "{name}");
            if edges.n_arcs() < 300 {
                let best = spanning::spanning_tree_of_degree(&edges, 0, degree);
                assert_eq!(best, Some(weight), "{name}");
            }
        }
    }
    assert!(n_trees > 50);
}

#[test]
fn largest_weights_do_not_wrap() {
    let (least, greatest) = (i64::MIN, i64::MAX);
    let edges = list(3, &[(0, 1, least), (1, 2, greatest), (2, 0, greatest), (0, 2, least)]);
    let weight = |degree| spanning::spanning_tree_of_degree(&edges, 0, Degree::Exactly(degree));
    assert_eq!(weight(1), Some(-1));
    assert_eq!(weight(2), Some(2 * i128::from(least)));
    check_tree_of_degree(&edges, 0, Degree::Exactly(1), Some(&[0, 1])).unwrap();
    check_tree_of_degree(&edges, 0, Degree::AtMost(2), Some(&[0, 3])).unwrap();
    assert!(check_tree_of_degree(&edges, 0, Degree::AtMost(2), Some(&[0, 1])).is_err());
}

fn list<W: Weight>(n: usize, edges: &[(VertexId, VertexId, W)]) -> Coo<W> {
    let part = |end: fn(&(VertexId, VertexId, W)) -> VertexId| edges.iter().map(end).collect();
    let weights = edges.iter().map(|edge| edge.2).collect();
    Coo::new(n, part(|edge| edge.0), part(|edge| edge.1), weights).unwrap()
}

#[test]
fn wrong_trees_are_rejected() {
    // 0 joined with all, 1, 2, 3 and 4 a path, a heavier copy of 0 – 1, a loop at the root
    let edges = list(
        5,
        &[
            (0, 1, 2u32),
            (2, 0, 3),
            (0, 3, 9),
            (0, 4, 4),
            (1, 2, 5),
            (2, 3, 7),
            (3, 4, 1),
            (1, 0, 6),
            (0, 0, 0),
        ],
    );
    let check = |degree, tree: &[usize]| {
        check_tree_of_degree(&edges, 0, Degree::Exactly(degree), Some(tree))
    };
    check(1, &[0, 4, 5, 6]).unwrap();
    check(2, &[0, 4, 3, 6]).unwrap();
    check(3, &[0, 1, 3, 6]).unwrap();
    check(4, &[0, 1, 2, 3]).unwrap();
    let verdict = |degree, tree: &[usize]| check(degree, tree).unwrap_err();
    assert_eq!(verdict(1, &[0, 4, 5, 9]), PositionOutOfRange { position: 9, length: 9 });
    assert_eq!(verdict(1, &[0, 4, 5, 8]), EdgeCycle { from: 0, to: 0, position: 8 });
    assert_eq!(verdict(1, &[0, 4, 5]), NotJoined { vertex: 4, root: 0 });
    let degree = Degree::Exactly(2);
    assert_eq!(verdict(2, &[0, 4, 5, 6]), WrongDegree { root: 0, found: 1, degree });
    // heavier at the root, and elsewhere
    assert!(matches!(verdict(1, &[7, 4, 5, 6]), Replaceable { position: 7, by: 0, .. }));
    assert!(matches!(verdict(2, &[0, 5, 3, 4]), Replaceable { position: 5, by: 6, .. }));
    // 1 – 2 for 0 – 2 costs 2, and 0 – 4 for 2 – 3 saves 3
    let two = LighterByTwo { more: (5, 3), fewer: (1, 4) };
    assert_eq!(verdict(2, &[0, 1, 5, 6]), two);
    let at_most = |degree, tree: &[usize]| {
        check_tree_of_degree(&edges, 0, Degree::AtMost(degree), Some(tree))
    };
    at_most(4, &[0, 1, 3, 6]).unwrap();
    assert!(matches!(at_most(3, &[0, 4, 3, 6]), Err(Replaceable { position: 4, by: 1, .. })));
    at_most(2, &[0, 4, 3, 6]).unwrap();
    assert!(matches!(at_most(4, &[0, 1, 2, 3]), Err(Replaceable { by: 6, .. })));
    assert!(matches!(at_most(2, &[0, 1, 3, 6]), Err(WrongDegree { found: 3, .. })));
    let none = |root, degree| check_tree_of_degree(&edges, root, degree, None);
    none(0, Degree::Exactly(0)).unwrap();
    none(0, Degree::Exactly(5)).unwrap();
    none(0, Degree::AtMost(0)).unwrap();
    let degree = Degree::AtMost(5);
    assert_eq!(none(0, degree), Err(TreeMissed { root: 0, degree }));
    assert_eq!(none(5, degree), Err(RootOutOfRange { root: 5, n_vertices: 5 }));
    assert_eq!(spanning::spanning_tree_of_degree(&edges, 5, degree), None);
    let degree = Degree::Exactly(4);
    assert_eq!(none(0, degree), Err(TreeMissed { root: 0, degree }));
    assert!(none(0, degree).unwrap_err().to_string().contains("0 has 4 edges"));
    check_tree_of_degree(&list::<u32>(1, &[]), 0, Degree::Exactly(0), Some(&[])).unwrap();
}

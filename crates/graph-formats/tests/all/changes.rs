//! A graph that changes, beside a list of arcs that is changed and made a graph.

use graph_formats::{Change, ChangeProblem, Csr, Direction, DynamicGraph, VertexId};
use proptest::collection::vec;
use proptest::prelude::*;

type Arc = (VertexId, VertexId, u32);

fn graph_of(n: usize, arcs: &[Arc], direction: Direction) -> Csr<u32> {
    match direction {
        Direction::Directed => Csr::from_arcs(n, arcs).unwrap(),
        Direction::Undirected => Csr::from_edges(n, arcs).unwrap(),
    }
}

/// Makes a change of a list; false if it cannot be made.
fn change(n: &mut usize, arcs: &mut Vec<Arc>, direction: Direction, change: Change<u32>) -> bool {
    let is = |&(u, v, _): &Arc, from, to| {
        (u, v) == (from, to) || direction == Direction::Undirected && (v, u) == (from, to)
    };
    let mut take = |from, to, weight: Option<u32>| {
        let of_pair = arcs.iter().enumerate().filter(|(_, arc)| is(arc, from, to));
        let of_weight = of_pair.filter(|(_, arc)| weight.is_none_or(|weight| arc.2 == weight));
        let lightest = of_weight.min_by_key(|(_, arc)| arc.2).map(|(at, _)| at);
        lightest.map(|at| arcs.swap_remove(at)).is_some()
    };
    match change {
        Change::Insert { from, to, weight } => arcs.push((from, to, weight)),
        Change::Delete { from, to, weight } => return take(from, to, weight),
        Change::Reweight { from, to, weight } => {
            if !take(from, to, None) {
                return false;
            }
            arcs.push((from, to, weight));
        }
        Change::InsertVertex => *n += 1,
        Change::DeleteVertex(x) => arcs.retain(|&(u, v, _)| u != x && v != x),
    }
    true
}

/// What a change is of.
fn pair(change: Change<u32>) -> Option<(VertexId, VertexId)> {
    match change {
        Change::Insert { from, to, .. }
        | Change::Delete { from, to, .. }
        | Change::Reweight { from, to, .. } => Some((from.min(to), from.max(to))),
        Change::InsertVertex | Change::DeleteVertex(_) => None,
    }
}

fn changes(n: VertexId) -> impl Strategy<Value = Vec<Change<u32>>> {
    let pair = || (0..n, 0..n);
    let one = prop_oneof![
        6 => (pair(), 0..9u32).prop_map(|((from, to), weight)| Change::Insert { from, to, weight }),
        4 => pair().prop_map(|(from, to)| Change::Delete { from, to, weight: None }),
        1 => (pair(), 0..9u32)
            .prop_map(|((from, to), w)| Change::Delete { from, to, weight: Some(w) }),
        4 => (pair(), 0..9u32)
            .prop_map(|((from, to), weight)| Change::Reweight { from, to, weight }),
        1 => Just(Change::InsertVertex),
    ];
    vec(one, 0..12)
}

proptest! {
    /// Batches of all that can be made at once; and each is taken back, and made again.
    #[test]
    fn as_a_graph_of_the_changed_list(
        mut arcs in vec((0..9u32, 0..9u32, 0..9u32), 0..40),
        batches in vec(changes(9), 1..30),
        is_directed: bool,
    ) {
        let direction = if is_directed { Direction::Directed } else { Direction::Undirected };
        let mut n = 9;
        let mut graph = DynamicGraph::new(&graph_of(n, &arcs, direction)).unwrap();
        for mut batch in batches {
            let mut seen = Vec::new();
            batch.retain(|&next| {
                let is_new = pair(next).is_none_or(|pair| !seen.contains(&pair));
                seen.extend(pair(next));
                is_new && change(&mut n, &mut arcs, direction, next)
            });
            let before = graph.to_csr().unwrap();
            let changed = graph.apply(&batch).unwrap();
            graph.undo(&changed);
            prop_assert_eq!(graph.to_csr().unwrap(), before);
            let _ = graph.apply(&batch).unwrap();
            let expected = graph_of(n, &arcs, direction);
            prop_assert_eq!(graph.to_csr().unwrap(), expected.clone());
            prop_assert_eq!((graph.n_vertices(), graph.n_arcs()), (n, expected.n_arcs()));
            let turned = expected.transposed();
            for v in expected.vertices() {
                let into = turned.arcs_from(v).collect::<Vec<_>>();
                prop_assert_eq!(graph.arcs_to(v), into);
            }
        }
    }
}

#[test]
fn a_deleted_vertex_has_no_arcs() {
    let arcs = [(0, 1, 5u32), (1, 2, 7), (2, 0, 1), (1, 1, 3), (2, 1, 4), (2, 1, 6)];
    for direction in [Direction::Directed, Direction::Undirected] {
        let before = graph_of(3, &arcs, direction);
        let mut graph = DynamicGraph::new(&before).unwrap();
        for deleted in [vec![1], vec![1, 2], vec![2, 1, 0]] {
            let batch: Vec<_> = deleted.iter().map(|&v| Change::DeleteVertex(v)).collect();
            let changed = graph.apply(&batch).unwrap();
            let mut left = arcs.to_vec();
            left.retain(|(u, v, _)| !deleted.contains(u) && !deleted.contains(v));
            assert_eq!(graph.to_csr().unwrap(), graph_of(3, &left, direction));
            graph.undo(&changed);
            assert_eq!(graph.to_csr().unwrap(), before);
        }
    }
}

/// The second change is bad, and the first is not made either.
#[test]
fn what_is_refused_changes_nothing() {
    let before = Csr::from_arcs(3, &[(0, 1, 0.5f32), (1, 2, -7.0)]).unwrap();
    let mut graph = DynamicGraph::new(&before).unwrap();
    let first = Change::Reweight { from: 0, to: 1, weight: 2.0 };
    let insert = |from, to, weight| Change::Insert { from, to, weight };
    let delete = |from, to, weight| Change::Delete { from, to, weight };
    for (bad, text) in [
        (insert(0, 1, 1.0), "an earlier change is of 0 -> 1 too"),
        (insert(2, 3, 1.0), "vertex 3 is not among the vertices 0..3"),
        (insert(2, 1, f32::NAN), "weight NaN; weights must be finite"),
        (delete(1, 0, None), "there is no arc 1 -> 0"),
        (delete(1, 2, Some(7.0)), "there is no arc 1 -> 2 of weight 7"),
        (Change::Reweight { from: 2, to: 2, weight: 1.0 }, "there is no arc 2 -> 2"),
        (Change::Reweight { from: 1, to: 2, weight: f32::INFINITY }, "weight inf"),
        (Change::DeleteVertex(1), "an earlier change is of 0 -> 1 too"),
        (Change::DeleteVertex(3), "vertex 3 is not among"),
    ] {
        let error = graph.apply(&[first, bad]).unwrap_err();
        assert_eq!(error.position, 1);
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(graph.to_csr().unwrap(), before);
    }
    let twice = [Change::DeleteVertex(1), Change::DeleteVertex(1)];
    let error = graph.apply(&twice).unwrap_err();
    assert_eq!(error.problem, ChangeProblem::Twice { from: 1, to: 1 });
    let then = [Change::DeleteVertex(1), insert(1, 0, 1.0)];
    assert!(matches!(graph.apply(&then).unwrap_err().problem, ChangeProblem::Twice { .. }));
    assert_eq!(graph.to_csr().unwrap(), before);
}

#[test]
fn negative_weights_are_counted() {
    let before = Csr::from_edges(3, &[(0, 1, 5i64), (1, 2, -7)]).unwrap();
    let mut graph = DynamicGraph::new(&before).unwrap();
    assert!(graph.has_negative());
    let changed = graph.apply(&[Change::Reweight { from: 2, to: 1, weight: 7 }]).unwrap();
    assert!(!graph.has_negative());
    assert_eq!((graph.weight(1, 2), graph.weight(0, 2), graph.weight(0, 9)), (Some(7), None, None));
    graph.undo(&changed);
    assert!(graph.has_negative());
    let both = [(0, 1, -1i64), (0, 1, 4), (0, 1, 2)];
    let mut parallel = DynamicGraph::new(&Csr::from_arcs(2, &both).unwrap()).unwrap();
    let lightest = Change::Delete { from: 0, to: 1, weight: None };
    let _ = parallel.apply(&[lightest]).unwrap();
    let _ = parallel.apply(&[Change::Delete { from: 0, to: 1, weight: Some(4) }]).unwrap();
    assert_eq!(parallel.arcs_from(0), [(1, 2)]);
    assert!(!parallel.has_negative());
}

#[test]
fn files_name_the_line_that_is_no_change() {
    let names = |name: &str| ["a", "b"].iter().position(|own| *own == name).map(|v| v as VertexId);
    let read = |text: &str| Change::<u32>::read(text, 2, &names, &|word| word.parse().ok());
    let text = "\n# roads\n  insert a b \nreweight a b 7\r\ndelete b a 3\ndelete-vertex a\ninsert-vertex c\n\
                insert c a 9\ninsert-vertex 7\nreweight 7 c 2";
    let expected = [
        (3, Change::Insert { from: 0, to: 1, weight: 1 }),
        (4, Change::Reweight { from: 0, to: 1, weight: 7 }),
        (5, Change::Delete { from: 1, to: 0, weight: Some(3) }),
        (6, Change::DeleteVertex(0)),
        (7, Change::InsertVertex),
        (8, Change::Insert { from: 2, to: 0, weight: 9 }),
        (9, Change::InsertVertex),
        (10, Change::Reweight { from: 3, to: 2, weight: 2 }),
    ];
    let found = read(text).unwrap();
    assert_eq!((found.lines, found.list), expected.into_iter().unzip());
    assert_eq!(found.new, ["c", "7"]);
    for (bad, reason) in [
        ("reweight a b", "write insert u v [w], delete u v [w], reweight u v w, insert-vertex u"),
        ("insert-vertex a", "'a' is a vertex already"),
        ("insert a c\ninsert-vertex c", "'c' is no vertex"),
        ("insert a c", "'c' is no vertex"),
        ("insert a b -1", "'-1' is no weight of this graph"),
        ("close a b", "write insert"),
    ] {
        let error = read(&format!("insert a b\n{bad}")).unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains(reason), "{error}");
    }
    let floats = |word: &str| word.parse().ok();
    let twice = read("insert-vertex c\ninsert-vertex c").unwrap_err();
    assert!(twice.to_string().contains("'c' is a vertex already"), "{twice}");
    let three = Change::<f64>::read("insert a b 3", 2, &names, &floats).unwrap().list[0];
    assert_eq!(three.to_string(), "insert 0 1 3");
    assert_eq!(
        three.try_map(|w| Some(w as u32)),
        Some(Change::Insert { from: 0, to: 1, weight: 3 })
    );
    assert_eq!(three.try_map(|_| None::<u32>), None);
}

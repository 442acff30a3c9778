//! The algorithm of Bellman and Ford on the machine: distances and trees by certificate where the
//! oracle has any, else a negative cycle by certificate, and what it costs.

use graph_formats::{Csr, VertexId};
use paths::Tree;
use paths::certificate::{check_negative_cycle, check_tree};
use paths::oracle::{self, OracleError};
use proptest::prelude::*;
use star_machine::algorithms::{BELLMAN_FORD, Edge, Runner, SignedMatrix, bellman_ford, cycle};
use star_machine::{Counting, Host, StarError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{arcs, cost, of_text, ran, replaced};

fn matrix(graph: &Csr<i64>) -> SignedMatrix {
    SignedMatrix::leaving(graph.n_vertices(), &arcs(graph)).unwrap()
}

/// Whether the text finds distances and a tree, or a negative cycle, as the oracle does.
pub(crate) fn is_right(graph: &Csr<i64>, source: VertexId, text: &str) -> bool {
    let matrix = matrix(graph);
    let task = of_text(&bellman_ford(&matrix, source).unwrap(), text);
    let mut m = Host::new();
    let mut run = ran(&task, &mut m).unwrap();
    let (before, on_cycle) = (run.table("P").unwrap(), run.int("c").unwrap());
    let expected = match oracle::bellman_ford(graph, source) {
        Ok(distances) => distances,
        Err(OracleError::NegativeCycle { .. }) => {
            let cycle = on_cycle.and_then(|vertex| cycle(&before, vertex));
            return cycle.is_some_and(|cycle| check_negative_cycle(graph, &cycle).is_ok());
        }
        Err(other) => panic!("{other}"),
    };
    let (reached, codes) = (run.slice("Z").unwrap(), before.to_values().unwrap());
    let is_reached = |v: VertexId| reached.get(v as usize).unwrap();
    let distances = run.table("D").unwrap().to_values().unwrap();
    let tree = Tree {
        source,
        limit: None,
        distances: graph
            .vertices()
            .map(|v| is_reached(v).then(|| matrix.number(distances[v as usize])))
            .collect(),
        predecessors: graph
            .vertices()
            .map(|v| (is_reached(v) && v != source).then(|| codes[v as usize] as VertexId))
            .collect(),
    };
    on_cycle.is_none() && tree.distances == expected && check_tree(graph, &tree).is_ok()
}

#[test]
fn trees_of_corner_cases() {
    for (name, graph) in corner_cases::<i64>().iter().filter(|entry| entry.1.n_vertices() <= 70) {
        if *name == "largest weights" {
            continue;
        }
        for source in graph.vertices().take(3) {
            assert!(is_right(graph, source, BELLMAN_FORD), "{name}, from {source}");
        }
    }
}

#[test]
fn flaws_are_noticed() {
    // the last vertex comes nearer in the last turn but one; there is a loop, arcs are parallel,
    // and a negative cycle leads to what is reached
    let path = (0..6).map(|v| (v, v + 1, if v % 2 == 0 { 5 } else { -4 }));
    let more = [(2, 2, 0), (2, 3, 0), (0, 3, -2), (7, 8, -3), (8, 7, 2), (7, 1, -9), (0, 9, 1)];
    let path = Csr::from_arcs(10, &path.chain(more).collect::<Vec<_>>()).unwrap();
    let long: Vec<_> = (0..6).map(|v| (v, v + 1, -1)).collect();
    let long = Csr::from_arcs(7, &long).unwrap();
    // behind the cycle is a vertex before all others
    let cycle = [(3, 2, 1), (2, 4, -2), (4, 5, -1), (5, 2, 1), (4, 0, 1), (5, 1, 0)];
    let cycle = Csr::from_arcs(6, &cycle).unwrap();
    let itself = Csr::from_arcs(2, &[(0, 1, 3), (1, 1, -1)]).unwrap();
    // all of them negative cycles: distances fall by far more than an arc in a turn, if they may
    let pairs = (0..6).flat_map(|u| (0..6).filter(move |&v| v != u).map(move |v| (u, v, -4)));
    let falling = Csr::from_arcs(6, &pairs.collect::<Vec<_>>()).unwrap();
    let graphs = [(path, 0), (long, 0), (cycle, 3), (itself, 0), (falling, 0)];
    let are_right = |text: &str| graphs.each_ref().map(|(graph, s)| is_right(graph, *s, text));
    assert_eq!(are_right(BELLMAN_FORD), [true; 5]);
    for flaw in [
        ["inf(0) := 0;", ""],
        ["Q(s) := 1;", "SET(Q);"],
        ["for k := 1 to ROWS(D) do\n  begin", "for k := 2 to ROWS(D) do\n  begin"],
        ["B := not MATCH(OUT.field(i), X, inf);", "B := X;"],
        ["w := ROW(i, E);", "w := ROW(i, D);"],
        ["SETMINS(S, D, B)", "SETMIN(S, D, B)"],
        ["SETMINS(S, D, B)", "SETMAXS(S, D, B)"],
        ["TMERGE(S, B; D)", "TMERGE(S, X; D)"],
        ["WMERGE(WORD(i), B; P)", "WMERGE(WORD(i), X; P)"],
        ["N := N or B", "N := B"],
        ["c := FND(Q)", "c := FND(Z)"],
        ["c := NUMBER(ROW(c, P))", "c := c"],
        ["Z := not MATCH(D, X, inf)", "Z := X"],
    ] {
        let text = replaced(BELLMAN_FORD, flaw);
        assert_ne!(are_right(&text), [true; 5], "{flaw:?} is not noticed");
    }
}

#[test]
fn costs_are_of_the_class_that_is_claimed() {
    // a turn for each vertex of a path, with one vertex to relax
    let n = 20;
    let arcs: Vec<_> = (0..n - 1).map(|v| (v, v + 1, [3, -2, -7][v as usize % 3])).collect();
    let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
    let (matrix, n) = (matrix(&graph), u64::from(n));
    let task = bellman_ford(&matrix, 0).unwrap();
    let mut m = Counting::new(Host::new());
    let mut run = ran(&task, &mut m).unwrap();
    let (distances, codes) = (run.table("D").unwrap(), run.table("P").unwrap());
    let (h, l) = (matrix.bits() as u64, codes.columns() as u64);
    let ones = distances.to_values().unwrap().into_iter().map(|d| u64::from(d.count_ones()));
    // the vertex; its arcs and its distance; sums, what they better, two changes of a table
    let each = 2 + (2 * h + 1 + 1) + 5 * h + 7 * h + 6 * h + 1 + 3 * l + 1;
    let turn = 1 + 2 * h + 1 + each;
    let total = h + 1 + n * turn + ones.sum::<u64>() + 2 * h + 1 + 1;
    assert_eq!(m.cost().total(), total);
    assert!(turn + h <= 23 * h + 3 * l + 8);

    // everybody in every turn, and on the way back from what still changed
    let pairs = (0..9).flat_map(|u| (0..9).map(move |v| (u, v, -1)));
    let graph = Csr::from_arcs(9, &pairs.collect::<Vec<_>>()).unwrap();
    let matrix = self::matrix(&graph);
    let (n, h, l) = (9, matrix.bits() as u64, 4);
    assert!(
        cost(&bellman_ford(&matrix, 0).unwrap())
            <= n * n * (21 * h + 3 * l + 6) + n * (2 * h + 4) + 3 * h + 4
    );
}

#[test]
fn numbers_have_a_sign_and_do_not_wrap() {
    let matrix = |n, arcs: &[Edge]| SignedMatrix::leaving(n, arcs);
    for weights in [[-1, 0], [3, -4], [1 << 40, -(1 << 40)], [(1 << 60) - 1, 5]] {
        let arcs = [(0, 1, weights[0]), (1, 2, weights[1]), (1, 2, weights[1] + 1)];
        let (graph, matrix) = (Csr::from_arcs(3, &arcs).unwrap(), matrix(3, &arcs).unwrap());
        let greatest = weights.iter().map(|w: &i64| w.unsigned_abs()).max().unwrap();
        assert!(1u128 << (matrix.bits() - 1) > 3 * u128::from(greatest) + 1);
        assert!(is_right(&graph, 0, BELLMAN_FORD));
    }
    assert_eq!(matrix(3, &[(0, 1, (i64::MAX - 1) / 3)]).unwrap().bits(), 64);
    for w in [i64::MIN, i64::MAX / 3 + 1] {
        assert!(matches!(matrix(3, &[(0, 1, w)]), Err(StarError::TooHeavy { .. })));
    }
    let away = matrix(2, &[(0, 2, 1)]);
    assert!(matches!(away, Err(StarError::OutOfRange { what: "vertex", index: 2, len: 2 })));
    assert!(bellman_ford(&matrix(0, &[]).unwrap(), 0).is_err());
}

#[test]
fn a_cycle_is_followed_where_there_is_one() {
    let codes = |values: &[u64]| star_machine::Table::from_values(values, 3).unwrap();
    assert_eq!(cycle(&codes(&[2, 0, 1]), 1), Some(vec![2, 0, 1]));
    assert_eq!(cycle(&codes(&[0]), 0), Some(vec![0]));
    // into a cycle from outside, out of the vertices, and from none
    for (values, from) in [(&[1, 2, 1][..], 0), (&[7, 0, 1], 2), (&[0], 1)] {
        assert_eq!(cycle(&codes(values), from), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn distances_or_cycles_of_arbitrary_graphs(graph in arbitrary_graph::<i64>(12, 30, -3..=9)) {
        prop_assert!(is_right(&graph, 0, BELLMAN_FORD));
    }

    #[test]
    fn trees_where_weights_are_shifted_by_potentials(
        graph in arbitrary_graph::<i64>(16, 50, 0..=4),
        potentials in prop::collection::vec(-9..=9i64, 16),
    ) {
        let at = |v: VertexId| potentials[v as usize];
        let arcs: Vec<_> = graph.arcs().map(|(u, v, w)| (u, v, w + at(u) - at(v))).collect();
        let graph = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
        prop_assert!(is_right(&graph, 0, BELLMAN_FORD));
    }
}

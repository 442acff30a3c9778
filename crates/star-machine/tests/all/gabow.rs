//! Spanning trees in which the degree of a vertex is given, against an oracle and its certificate.

use std::ops::RangeInclusive;

use graph_formats::VertexId;
use paths::spanning::{Degree, check_tree_of_degree, spanning_tree_of_degree};
use proptest::prelude::*;
use star_machine::algorithms::{Edge, GABOW, Runner, Task, WeightMatrix, gabow};
use star_machine::{Counting, Host, StarError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{Checked, arcs, coo, flawed, ran};

type Edges = [Edge];

/// The edges of the tree that a run finds, if `D` has their weights and `d` counts those at the
/// root; `None` where it finds none.
fn tree(task: &Task, edges: &Edges, root: VertexId) -> Checked<Option<Vec<usize>>> {
    let mut m = Host::new();
    let mut run = ran(task, &mut m)?;
    let Some(degree) = run.int("d")? else { return Ok(None) };
    let (before, codes) = (run.table("P")?.to_values()?, run.table("D")?.to_values()?);
    let least = edges.iter().map(|edge| edge.2).min().unwrap_or(0).min(0);
    let mut tree = Vec::new();
    for v in (0..before.len()).filter(|&v| v != root as usize) {
        let joins = |edge: &&Edge| {
            let ends = [u64::from(edge.0), u64::from(edge.1)];
            ends == [v as u64, before[v]] || ends == [before[v], v as u64]
        };
        let (at, edge) = edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| joins(edge))
            .min_by_key(|(_, edge)| edge.2)
            .ok_or_else(|| format!("no edge joins {v} with {}", before[v]))?;
        if codes[v] != edge.2.abs_diff(least) {
            return Err(format!("the edge to {v} weighs something else").into());
        }
        tree.push(at);
    }
    let at_root = before.iter().enumerate();
    let at_root = at_root.filter(|&(v, &u)| v != root as usize && u == u64::from(root)).count();
    match at_root == degree as usize {
        true => Ok(Some(tree)),
        false => Err(format!("the degree is {at_root}, not {degree}").into()),
    }
}

/// Exactly so many, or at most.
pub(crate) fn is_cheapest(
    task: &Task,
    n: usize,
    edges: &Edges,
    root: VertexId,
    degree: Degree,
) -> Checked {
    let tree = tree(task, edges, root)?;
    Ok(check_tree_of_degree(&coo(n, edges), root, degree, tree.as_deref())?)
}

fn range(degree: Degree) -> RangeInclusive<usize> {
    match degree {
        Degree::Exactly(degree) => degree..=degree,
        Degree::AtMost(degree) => 0..=degree,
    }
}

/// Every degree up to one that no vertex has, or to this one.
fn check(n: usize, edges: &Edges, root: VertexId, last: usize) {
    let matrix = WeightMatrix::symmetric(n, edges).unwrap();
    for degree in 0..=last.min(n) {
        for degree in [Degree::Exactly(degree), Degree::AtMost(degree)] {
            let task = gabow(&matrix, root, range(degree)).unwrap();
            is_cheapest(&task, n, edges, root, degree)
                .unwrap_or_else(|e| panic!("{degree:?}: {e}"));
        }
    }
}

#[test]
fn trees_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_vertices() <= 40) {
        println!("{name}");
        let n = graph.n_vertices();
        for root in [0, n / 2].into_iter().filter(|&root| root < n) {
            check(n, &arcs(graph), root as VertexId, 9);
        }
    }
}

#[test]
fn trees_of_ranges_and_extreme_weights() {
    // a star and a ring
    let edges: Vec<_> =
        (1..7).flat_map(|v| [(0, v, i64::from(v)), (v, v % 6 + 1, i64::from(v * 5 % 7))]).collect();
    let matrix = WeightMatrix::symmetric(7, &edges).unwrap();
    for (first, last) in (0..8).flat_map(|first| (0..9).map(move |last| (first, last))) {
        let task = gabow(&matrix, 0, first..=last).unwrap();
        let found = tree(&task, &edges, 0).unwrap();
        let weight = |tree: Vec<usize>| tree.iter().map(|&at| i128::from(edges[at].2)).sum();
        let exactly = |b| spanning_tree_of_degree(&coo(7, &edges), 0, Degree::Exactly(b));
        assert_eq!(found.map(weight), (first..=last).filter_map(exactly).min(), "{first}..={last}");
    }
    let (low, high) = (i64::MIN + 1, i64::MAX - 1);
    let far = [(0, 1, high), (1, 2, low), (2, 3, 0), (3, 0, high), (0, 2, low), (1, 3, 1)];
    check(4, &far, 0, 4);
    // a code of all ones is no weight
    let far = [(0, 1, i64::MIN), (0, 1, i64::MAX)];
    let error = WeightMatrix::symmetric(2, &far).unwrap_err();
    assert!(matches!(error, StarError::TooHeavy { .. }), "{error}");
    assert!(gabow(&matrix, 7, 1..=1).is_err());
    let many = gabow(&matrix, 0, usize::MAX - 1..=usize::MAX).unwrap();
    assert_eq!(tree(&many, &edges, 0).unwrap(), None);
}

#[test]
fn flaws_of_trees_of_a_degree_are_noticed() {
    // two wheels that share their hub, with cheap rims and without, a loop and parallel edges
    let edges = [
        (3, 3, 0),
        (3, 0, 9),
        (3, 1, 8),
        (3, 2, 7),
        (2, 3, 6),
        (0, 1, 2),
        (1, 2, 3),
        (2, 0, 1),
        (3, 4, 2),
        (3, 5, 3),
        (3, 6, 9),
        (4, 5, 7),
        (5, 6, 8),
        (6, 7, 1),
        (7, 3, 4),
        (7, 5, 6),
        (5, 6, 9),
    ];
    check(8, &edges, 3, 8);
    let is_noticed = |n: usize, edges: &Edges, flaw| {
        let matrix = WeightMatrix::symmetric(n, edges).unwrap();
        let degrees = (0..=n).flat_map(|b| [Degree::Exactly(b), Degree::AtMost(b)]);
        let mut all = (0..n as VertexId).flat_map(|root| degrees.clone().map(move |b| (root, b)));
        all.any(|(root, degree)| {
            let task = flawed(&gabow(&matrix, root, range(degree)).unwrap(), GABOW, flaw);
            is_cheapest(&task, n, edges, root, degree).is_err()
        })
    };
    for flaw in [
        ["SET(inf);\n  WMERGE(inf, U; D)", "WMERGE(inf, U; D)"],
        ["i := FND(MIN(D, Q))", "i := FND(Q)"],
        ["U(i) := 0;  Q(i) := 0", "Q(i) := 0"],
        ["TMERGE(G.field(i), Z; D)", "i := i"],
        ["until i = top", "until x = top"],
        ["below := r;", "below := below;"],
        ["C := C and not U", "C := C"],
        ["MIN(F, N and C)", "N and C"],
        ["REROOT(v, s, r, P)", "REROOT(v, v, r, P)"],
        ["C := MATCH(P, V, WORD(u))", "C := MATCH(P, V or not V, WORD(u))"],
        ["if not N(u) then", "if 0 = 0 then"],
        ["if not N(u) then", "if 0 = 1 then"],
        ["Z := GREAT(G.field(u), C, w)", "Z := Z"],
        ["WMERGE(w, C; M)", "w := w"],
        ["WMERGE(ROW(u, E), C; E)", "w := w"],
        ["TMERGE(K, Z; E)", "u := u"],
        ["V(r) := 0", "V(r) := 1"],
        ["if SOME(B) then N := B else", "if not SOME(B) then"],
        ["if SOME(B) then N := B else if d >= a then exit", "if SOME(B) then N := B"],
        ["REROOT(i, NUMBER(ROW(i, E))", "REROOT(i, i"],
        ["N := Y and not N", "N := Y"],
        ["if d < a or d > b then", "if d > b then"],
        ["if d < a or d > b then", "if d < a then"],
        ["d := none;\n      exit", "exit"],
    ] {
        let apart = [(0, 1, 1), (2, 3, 1)];
        let noticed = is_noticed(8, &edges, flaw) || is_noticed(4, &apart, flaw);
        assert!(noticed, "{flaw:?} is not noticed");
    }
}

#[test]
fn trees_of_a_degree_cost_what_is_claimed() {
    // one tree without the root, and then edges to all vertices of the ring
    let n = 20;
    let edges: Vec<_> =
        (1..n).flat_map(|v| [(0, v, 30 + i64::from(v)), (v, v % (n - 1) + 1, 1)]).collect();
    let matrix = WeightMatrix::symmetric(n as usize, &edges).unwrap();
    let (h, l, n) = (matrix.bits() as u64, 5, n as u64);
    let cost = |degree| {
        let mut m = Counting::new(Host::new());
        let task = gabow(&matrix, 0, degree..=degree).unwrap();
        let mut run = ran(&task, &mut m).unwrap();
        assert_eq!(run.int("d").unwrap(), Some(degree as u32));
        m.cost().total()
    };
    // a code; a turn of Prim's algorithm; a row turned round; the weight of an edge
    let forest = n * (2 + (16 * h + 3 * l + 3) + 5 + 4) + 2 * h + 3 * h + 20;
    let found = cost(1);
    assert!(found <= forest + 3 * h && 2 * found > forest, "{found}, {forest}");
    // the edges below each vertex; the best exchange; a row turned round for each vertex at most
    let exchange = n * ((2 * l + 13 * h + 9 * l + 6) + 5) + 2 * l + 14 * h + 10;
    for degree in 2..n as usize {
        let more = cost(degree) - cost(degree - 1);
        assert!(more <= exchange, "{degree}: {more}, {exchange}");
    }
    assert!(2 * (cost(2) - found) > exchange);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn trees_of_arbitrary_graphs(graph in arbitrary_graph::<i64>(9, 36, -3..=9), root in 0..9usize) {
        let n = graph.n_vertices();
        check(n, &arcs(&graph), (root % n) as VertexId, n);
    }
}

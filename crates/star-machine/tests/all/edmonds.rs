//! Branchings and arborescences on the machine, against oracles and their certificates.

use graph_formats::VertexId;
use paths::spanning::{check_maximum_branching, check_minimum_arborescence, maximum_branching};
use proptest::prelude::*;
use star_machine::algorithms::{ARBORESCENCE, EDMONDS, Edge, Runner, Task, arborescence, edmonds};
use star_machine::{Host, StarError};
use test_support::{arbitrary_graph, corner_cases};

use crate::common::{Checked, arcs, coo, cost, flawed, ran};

type Arcs = [Edge];

/// The arcs that a run takes, if `P` has their tails.
fn taken(task: &Task, arcs: &Arcs) -> Checked<Vec<usize>> {
    let mut m = Host::new();
    let mut run = ran(task, &mut m)?;
    let taken: Vec<_> = run.slice("T")?.positions().collect();
    let before = run.table("P")?.to_values()?;
    match taken.iter().find(|&&at| before[arcs[at].1 as usize] != u64::from(arcs[at].0)) {
        Some(at) => Err(format!("the tail of {at} is not that of its head").into()),
        None => Ok(taken),
    }
}

fn is_maximum_branching(task: &Task, n: usize, arcs: &Arcs) -> Checked {
    let taken = taken(task, arcs)?;
    let list = coo(n, arcs);
    check_maximum_branching(&list, &taken)?;
    let weight = |&at: &usize| i128::from(arcs[at].2);
    let total = |taken: &[usize]| taken.iter().map(weight).sum::<i128>();
    assert_eq!(total(&taken), total(&maximum_branching(&list)));
    match taken.iter().find(|&at| weight(at) <= 0) {
        Some(at) => Err(format!("{at} adds no weight").into()),
        None => Ok(()),
    }
}

fn is_arborescence(task: &Task, n: usize, arcs: &Arcs, root: VertexId) -> Checked {
    let taken = taken(task, arcs)?;
    if taken.len() + 1 < n && !taken.is_empty() {
        return Err("neither an arborescence nor none".into());
    }
    let taken = (taken.len() + 1 == n).then_some(&taken[..]);
    Ok(check_minimum_arborescence(&coo(n, arcs), root, taken)?)
}

/// A branching, and arborescences at some roots.
pub(crate) fn check(n: usize, arcs: &Arcs) {
    is_maximum_branching(&edmonds(n, arcs).unwrap(), n, arcs).unwrap();
    for root in (0..n as VertexId).step_by(n.div_ceil(3).max(1)) {
        is_arborescence(&arborescence(n, arcs, root).unwrap(), n, arcs, root).unwrap();
    }
}

#[test]
fn branchings_of_corner_cases() {
    for (name, graph) in corner_cases::<u32>().iter().filter(|entry| entry.1.n_arcs() <= 250) {
        println!("{name}");
        check(graph.n_vertices(), &arcs(graph));
    }
}

#[test]
fn branchings_of_extreme_weights() {
    let far = [(0, 1, i64::MAX), (1, 2, i64::MIN), (2, 1, -1), (1, 0, 1), (2, 0, i64::MAX)];
    check(3, &far);
    check(3, &[(0, 1, i64::MIN), (1, 0, i64::MIN), (2, 0, i64::MIN), (1, 2, 0)]);
    for root in [2, 7] {
        let error = arborescence(2, &[(0, 1, 1)], root).unwrap_err();
        assert!(matches!(error, StarError::OutOfRange { what: "vertex", .. }), "{error}");
    }
    assert!(edmonds(2, &[(0, 2, 1)]).is_err());
}

/// Cycles within cycles, each entered and left, ties, loops, parallel and useless arcs, and a bridge
/// whose weight has a code of all ones.
fn nested() -> Vec<Edge> {
    let loops = (0..8).map(|v| (v, v, 90));
    let arcs = [
        (0, 1, 20),
        (1, 0, 21),
        (1, 2, 15),
        (2, 0, 14),
        (2, 3, 9),
        (3, 1, 12),
        (3, 1, 13),
        (4, 3, 3),
        (4, 0, 2),
        (3, 4, 125),
        (5, 4, 7),
        (4, 5, 7),
        (6, 5, 0),
        (5, 6, 5),
        (6, 7, -2),
        (0, 7, 1),
        (7, 2, 4),
    ];
    loops.chain(arcs).collect()
}

/// The arcs of [`nested`] but one, for each.
fn variants() -> impl Iterator<Item = Vec<Edge>> {
    let all = nested();
    (0..all.len()).map(move |left_out| {
        let kept = all.iter().enumerate().filter(|(at, _)| *at != left_out);
        kept.map(|(_, arc)| *arc).collect()
    })
}

#[test]
fn flaws_of_branchings_are_noticed() {
    variants().for_each(|arcs| check(8, &arcs));
    for flaw in [
        // what is out of the graph
        ["Y := X and not MATCH(V, X, zero)", "Y := X"],
        ["MATCH(B, Y, WORD(v))", "MATCH(B, X, WORD(v))"],
        // cycles that become vertices
        ["MAX(V", "MIN(V"],
        ["MIN(W, M)", "MAX(W, M)"],
        ["WMERGE(z, MATCH(A, X, v); A)", "v := v"],
        ["WMERGE(z, E; B)", "E := E"],
        ["K := GREAT(W, E, d)", "K := E"],
        ["TMERGE(S, K; W)", "TCOPY(S; W)"],
        ["SUBTC(W, K, d; S)", "TCOPY(W; S)"],
        ["  X := X and not HIT(A, B, X)", "  X := X"],
        ["    X := X and not (E and not K)", "    X := X"],
        // that become arcs again
        ["for i := c - 1 downto 0", "for i := 0 to c - 1"],
        ["EXPAND(L, R, best", "EXPAND(L, B, best"],
        ["x := parent(x)", "x := i"],
        ["x := lightest(x)", "x := none"],
        ["x := lightest(i)", "x := none"],
        ["ROW(x, P) := ROW(e, L)", "x := x"],
        ["CLR(T)", "SET(T)"],
        ["CLR(path)", "path := path"],
    ] {
        let is_right = |arcs: Vec<_>| {
            let task = edmonds(8, &arcs).unwrap();
            is_maximum_branching(&flawed(&task, EDMONDS, flaw), 8, &arcs).is_ok()
        };
        assert!(!variants().all(is_right), "{flaw:?} is not noticed");
    }
    for flaw in [
        ["Y := X and not MATCH(R, X, r)", "Y := X"],
        [":= not COL", ":= COL"],
        ["SET(Y)", "CLR(Y)"],
        ["if NUMB(T) < ROWS(P) - 1 then CLR(T)", "CLR(Y)"],
        ["if NUMB(T) < ROWS(P) - 1 then CLR(T)", "CLR(T)"],
    ] {
        let is_right = |arcs: Vec<_>| {
            let task = arborescence(8, &arcs, 3).unwrap();
            is_arborescence(&flawed(&task, ARBORESCENCE, flaw), 8, &arcs, 3).is_ok()
        };
        assert!(!variants().all(is_right), "{flaw:?} is not noticed");
    }
}

#[test]
fn branchings_cost_what_is_claimed() {
    // each vertex ends in the cycle of the one before it: n - 1 cycles within each other
    let n = 33;
    let list: Vec<_> = (1..n)
        .flat_map(|v| [(v - 1, v, 4 * i64::from(n)), (v, 0, i64::from(4 * n - 2 * v))])
        .collect();
    let cost = |list: &Arcs| cost(&edmonds(n as usize, list).unwrap());
    let (h, l) = (8, 7);
    let found = cost(&list);
    // for each vertex and each cycle: its best arc; that it is in a cycle; what the arc replaces
    let each = (2 * l + 3 * h + 8) + (10 * l + 18 * h + 20) + 10;
    // for each cycle: its lightest arc, and arcs inside it
    let cycle = 3 * h + 4 * l + 12;
    let bound = 4 * l + 4 * h + 10 + (2 * n as u64 - 1) * each + (n as u64 - 1) * cycle;
    assert!(found <= bound && 2 * found > bound, "{found}, {bound}");
    // arcs cost nothing more
    assert_eq!(cost(&[&list[..], &list[..], &list[..]].concat()), found);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn branchings_of_arbitrary_graphs(graph in arbitrary_graph::<i64>(12, 50, -3..=9)) {
        check(graph.n_vertices(), &arcs(&graph));
    }
}

//! Branchings and arborescences: the oracle and the certificate against all there are, and
//! against each other where those are too many.

use graph_formats::{Coo, Csr, VertexId, Weight};
use paths::oracle;
use paths::spanning::SelectionViolation::{
    ArborescenceMissed, ArcCycle, EnteredTwice, NotEntered, NotOptimal, PositionOutOfRange,
    RootEntered, RootOutOfRange,
};
use paths::spanning::{self, check_maximum_branching, check_minimum_arborescence};
use proptest::prelude::*;
use test_support::{arbitrary_graph, corner_cases};

fn list<W: Weight>(n: usize, arcs: &[(VertexId, VertexId, W)]) -> Coo<W> {
    let part = |end: fn(&(VertexId, VertexId, W)) -> VertexId| arcs.iter().map(end).collect();
    let weights = arcs.iter().map(|arc| arc.2).collect();
    Coo::new(n, part(|arc| arc.0), part(|arc| arc.1), weights).unwrap()
}

/// Every selection of at most one arc into each vertex, cycles among them.
fn selections<W: Weight>(arcs: &Coo<W>) -> Vec<Vec<usize>> {
    let mut selections = vec![Vec::new()];
    for v in 0..arcs.n_vertices() as VertexId {
        let into_v = (0..arcs.n_arcs()).filter(|&at| arcs.destinations()[at] == v);
        let longer =
            into_v.flat_map(|at| selections.iter().map(move |s| [s.as_slice(), &[at]].concat()));
        let longer: Vec<_> = longer.collect();
        selections.extend(longer);
    }
    selections
}

fn is_acyclic<W: Weight>(arcs: &Coo<W>, selection: &[usize]) -> bool {
    let arc = |&at: &usize| (arcs.sources()[at], arcs.destinations()[at], 1u32);
    let selected: Vec<_> = selection.iter().map(arc).collect();
    let closure = oracle::closure(&Csr::from_arcs(arcs.n_vertices(), &selected).unwrap());
    (0..arcs.n_vertices() as VertexId).all(|v| !closure.reaches(v, v))
}

fn total<W: Weight + Into<i128>>(arcs: &Coo<W>, selection: &[usize]) -> i128 {
    selection.iter().map(|&at| arcs.weights()[at].into()).sum()
}

proptest! {
    #[test]
    fn exactly_the_heaviest_branchings_pass(graph in arbitrary_graph::<i32>(5, 10, -3..=6)) {
        let arcs = graph.to_coo();
        let mut selections = selections(&arcs);
        let passes = |s: &Vec<usize>| check_maximum_branching(&arcs, s).is_ok();
        prop_assert!(selections.iter().all(|s| is_acyclic(&arcs, s) || !passes(s)));
        selections.retain(|s| is_acyclic(&arcs, s));
        let best = selections.iter().map(|s| total(&arcs, s)).max().unwrap();
        prop_assert!(selections.iter().all(|s| passes(s) == (total(&arcs, s) == best)));
        let branching = spanning::maximum_branching(&arcs);
        prop_assert_eq!(total(&arcs, &branching), best);
        prop_assert!(passes(&branching));
        prop_assert!(branching.iter().all(|&at| arcs.weights()[at] > 0));
    }

    #[test]
    fn exactly_the_lightest_arborescences_pass(
        graph in arbitrary_graph::<i32>(5, 10, -3..=6),
        root in 0..5u32,
    ) {
        let arcs = graph.to_coo();
        let (n, root) = (arcs.n_vertices(), root % arcs.n_vertices() as u32);
        let passes = |s: &Vec<usize>| check_minimum_arborescence(&arcs, root, Some(s)).is_ok();
        let is_spanning = |s: &Vec<usize>| {
            let enters_root = s.iter().any(|&at| arcs.destinations()[at] == root);
            s.len() + 1 == n && !enters_root && is_acyclic(&arcs, s)
        };
        let (spanning, others): (Vec<_>, Vec<_>) = selections(&arcs).into_iter().partition(is_spanning);
        prop_assert!(!others.iter().any(passes));
        let best = spanning.iter().map(|s| total(&arcs, s)).min();
        prop_assert!(spanning.iter().all(|s| passes(s) == (Some(total(&arcs, s)) == best)));
        let arborescence = spanning::minimum_arborescence(&arcs, root);
        prop_assert_eq!(arborescence.as_ref().map(|a| total(&arcs, a)), best);
        prop_assert!(arborescence.is_none_or(|a| passes(&a)));
        prop_assert_eq!(check_minimum_arborescence(&arcs, root, None).is_ok(), best.is_none());
    }

    /// Where cycles nest, and trying all is out of the question.
    #[test]
    fn oracle_and_certificate_agree(
        graph in arbitrary_graph::<u32>(40, 160, 0..=20),
        left_out in any::<prop::sample::Index>(),
    ) {
        both_agree(&graph.to_coo());
        let mut arcs = spanning::maximum_branching(&graph.to_coo());
        if !arcs.is_empty() {
            arcs.remove(left_out.index(arcs.len()));
            let verdict = check_maximum_branching(&graph.to_coo(), &arcs);
            let is_too_light = matches!(verdict, Err(NotOptimal { .. }));
            prop_assert!(is_too_light);
        }
    }
}

fn both_agree<W: Weight + Into<i128>>(arcs: &Coo<W>) {
    let branching = spanning::maximum_branching(arcs);
    check_maximum_branching(arcs, &branching).unwrap();
    for root in 0..arcs.n_vertices().min(3) as VertexId {
        let arborescence = spanning::minimum_arborescence(arcs, root);
        check_minimum_arborescence(arcs, root, arborescence.as_deref()).unwrap();
    }
}

#[test]
fn corner_cases_agree() {
    corner_cases::<u32>().iter().for_each(|(_, graph)| both_agree(&graph.to_coo()));
    corner_cases::<i64>().iter().for_each(|(_, graph)| both_agree(&graph.to_coo()));
}

/// Two vertices form a cycle, with the next vertex another, and so on to the last.
#[test]
fn cycles_within_cycles_agree() {
    for n in [2, 3, 30, 200] {
        let arcs = (1..n).flat_map(|v| [(v - 1, v, 3 * n - v), (v, v - 1, 3 * n - 2 * v)]);
        both_agree(&list(n as usize, &arcs.collect::<Vec<_>>()));
        let towards_first = (1..n).flat_map(|v| [(v - 1, v, 5u32), (v, 0, 2 * n - v)]);
        both_agree(&list(n as usize, &towards_first.collect::<Vec<_>>()));
    }
}

#[test]
fn largest_weights_do_not_wrap() {
    let ring = |w| list(3, &[(0, 1, w), (1, 2, w), (2, 0, w), (0, 2, w), (2, 1, w), (1, 0, w)]);
    let largest = ring(u64::MAX);
    both_agree(&largest);
    let branching = spanning::maximum_branching(&largest);
    assert_eq!(total(&largest, &branching), 2 * i128::from(u64::MAX));
    let arcs = list(3, &[(0, 1, i64::MIN), (1, 2, i64::MAX), (2, 1, i64::MIN), (0, 2, i64::MIN)]);
    both_agree(&arcs);
    let arborescence = spanning::minimum_arborescence(&arcs, 0).unwrap();
    assert_eq!(total(&arcs, &arborescence), 2 * i128::from(i64::MIN));
}

/// 0 and 1 form a cycle of 4 and 5, 2 leads into it by 3 and 1; a loop, and a lighter copy.
fn arcs() -> Coo<u32> {
    list(4, &[(0, 1, 4), (1, 0, 5), (2, 0, 3), (2, 1, 1), (2, 2, 9), (1, 0, 2), (1, 3, 0)])
}

#[test]
fn wrong_branchings_are_rejected() {
    let check = |branching: &[usize]| check_maximum_branching(&arcs(), branching);
    check(&[0, 2]).unwrap();
    check(&[2, 6, 0]).unwrap();
    let verdict = |branching: &[usize]| check(branching).unwrap_err();
    assert_eq!(verdict(&[0, 7]), PositionOutOfRange { position: 7, length: 7 });
    assert_eq!(verdict(&[0, 2, 0]), EnteredTwice { vertex: 1, first: 0, second: 0 });
    assert_eq!(verdict(&[0, 1, 2]), EnteredTwice { vertex: 0, first: 1, second: 2 });
    assert!(matches!(verdict(&[0, 1]), ArcCycle { vertex: 0 | 1 }));
    assert_eq!(verdict(&[0, 2, 4]), ArcCycle { vertex: 2 });
    assert_eq!(verdict(&[1, 3]), NotOptimal { total: 6, optimum: 7 });
    assert_eq!(verdict(&[0]), NotOptimal { total: 4, optimum: 7 });
    assert_eq!(verdict(&[]), NotOptimal { total: 0, optimum: 7 });
    check_maximum_branching(&list::<u32>(0, &[]), &[]).unwrap();
}

#[test]
fn wrong_arborescences_are_rejected() {
    let check = |root, taken: &[usize]| check_minimum_arborescence(&arcs(), root, Some(taken));
    check(2, &[3, 5, 6]).unwrap();
    check_minimum_arborescence(&arcs(), 0, None).unwrap();
    let verdict = |root, taken: &[usize]| check(root, taken).unwrap_err();
    assert_eq!(verdict(2, &[3, 2, 6]), NotOptimal { total: 4, optimum: 3 });
    assert_eq!(verdict(2, &[3, 5]), NotEntered { vertex: 3 });
    assert_eq!(verdict(2, &[]), NotEntered { vertex: 0 });
    assert_eq!(verdict(0, &[0, 6]), NotEntered { vertex: 2 });
    assert_eq!(verdict(1, &[3, 5, 6]), RootEntered { root: 1 });
    assert_eq!(verdict(2, &[3, 5, 6, 6]), EnteredTwice { vertex: 3, first: 6, second: 6 });
    assert!(matches!(verdict(2, &[0, 1, 6]), ArcCycle { .. }));
    assert_eq!(verdict(4, &[]), RootOutOfRange { root: 4, n_vertices: 4 });
    let none = |root| check_minimum_arborescence(&arcs(), root, None).unwrap_err();
    assert_eq!(none(2), ArborescenceMissed { root: 2 });
    assert_eq!(none(4), RootOutOfRange { root: 4, n_vertices: 4 });
    assert_eq!(spanning::minimum_arborescence(&arcs(), 4), None);
}

//! A metric whose graph changes, and its labels, beside searches of the changed graph.

use graph_formats::{Change, Csr, DynamicGraph, Ids, VertexId, read};
use hierarchy::{Hierarchy, HierarchyError, Metric, Prepared};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use test_support::{arbitrary_graph, undirected};

use crate::common::{check, hierarchy_of};

/// A change of an arc that there is, or of any pair: what, which, and the weight.
type Draw = (u8, Index, Index, u32);

fn changes(graph: &Csr<u32>, draws: &[Draw]) -> Vec<Change<u32>> {
    let (arcs, n) = (graph.arcs().collect::<Vec<_>>(), graph.n_vertices());
    let change = |&(what, first, second, weight): &Draw| {
        let any = (first.index(n) as VertexId, second.index(n) as VertexId);
        let old = (!arcs.is_empty()).then(|| first.get(&arcs)).map(|arc| (arc.0, arc.1));
        let (from, to) = if what == 0 { any } else { old? };
        Some(match what {
            0 => Change::Insert { from, to, weight },
            1..4 => Change::Delete { from, to, weight: None },
            4..9 => Change::Reweight { from, to, weight },
            _ => Change::DeleteVertex(from),
        })
    };
    draws.iter().filter_map(change).collect()
}

/// Whether every new arc has a place: the hierarchy of the graph with them is no larger.
fn has_places(graph: &Csr<u32>, hierarchy: &Hierarchy, changes: &[Change<u32>]) -> bool {
    let new = changes.iter().filter_map(|change| match *change {
        Change::Insert { from, to, weight } => Some((from, to, weight)),
        _ => None,
    });
    let arcs: Vec<_> = graph.arcs().chain(new).collect();
    let both = Csr::from_arcs(graph.n_vertices(), &arcs).unwrap();
    Hierarchy::new(&both, &hierarchy.order()).unwrap().n_arcs() == hierarchy.n_arcs()
}

/// Makes all batches, and compares all answers each time. What is refused changes nothing.
fn follow(graph: &Csr<u32>, batches: &[Vec<Draw>]) {
    let hierarchy = hierarchy_of(graph);
    let mut metric = hierarchy.customize(graph).unwrap();
    let mut labels = metric.labels().unwrap();
    let vertices: Vec<_> = graph.vertices().collect();
    for draws in batches {
        let before = metric.graph().clone();
        let changes = changes(&before, draws);
        let mut expected = DynamicGraph::new(&before).unwrap();
        let applied = expected.apply(&changes);
        match metric.change(&changes) {
            Ok(()) => {
                let _ = applied.unwrap();
                assert!(has_places(graph, &hierarchy, &changes));
                let expected = expected.to_csr().unwrap();
                let sorted = DynamicGraph::new(metric.graph()).unwrap().to_csr().unwrap();
                assert_eq!(sorted, expected);
                check(metric.graph(), &metric, &vertices);
            }
            Err(error) => {
                match error {
                    HierarchyError::Change(error) => {
                        assert_eq!(error.position, applied.unwrap_err().position);
                    }
                    HierarchyError::NoPlace { position, .. } => {
                        assert!(!has_places(graph, &hierarchy, &changes[position..=position]));
                    }
                    error => panic!("{error}"),
                }
                assert_eq!(*metric.graph(), before);
            }
        }
        labels.renew(&metric).unwrap();
        let pairs: Vec<_> =
            vertices.iter().flat_map(|&u| vertices.iter().map(move |&v| (u, v))).collect();
        let anew = metric.labels().unwrap();
        assert_eq!(labels.pairs(&pairs).unwrap(), anew.pairs(&pairs).unwrap());
    }
}

fn batches() -> impl Strategy<Value = Vec<Vec<Draw>>> {
    vec(vec((0..10u8, any::<Index>(), any::<Index>(), 0u32..=9), 0..5), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn answers_follow_arcs(graph in arbitrary_graph::<u32>(16, 40, 0..=9), batches in batches()) {
        follow(&graph, &batches);
    }

    #[test]
    fn answers_follow_edges(graph in arbitrary_graph::<u32>(16, 40, 0..=9), batches in batches()) {
        follow(&undirected(&graph), &batches);
    }
}

fn ring() -> (Csr<i32>, Metric<i32>) {
    let edges: Vec<_> = (0..8u32).map(|v| (v, (v + 1) % 8, 10)).collect();
    let graph = Csr::from_edges(8, &edges).unwrap();
    let metric = hierarchy_of(&graph).customize(&graph).unwrap();
    (graph, metric)
}

/// A road that was closed opens again, and what lies between is as before.
#[test]
fn closed_and_opened_again() {
    let (graph, mut metric) = ring();
    metric.change(&[Change::Delete { from: 2, to: 3, weight: None }]).unwrap();
    assert_eq!(metric.query().distance(2, 3), Ok(Some(70)));
    metric.change(&[Change::DeleteVertex(0)]).unwrap();
    assert_eq!(metric.query().path(2, 3), Ok(None));
    let open = |from, to| Change::Insert { from, to, weight: 10 };
    metric.change(&[open(2, 3), open(7, 0), open(0, 1)]).unwrap();
    check(&graph, &metric, &[0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn what_is_refused_says_why() {
    let (graph, mut metric) = ring();
    let delete = Change::Delete { from: 0, to: 1, weight: None };
    let across = (0..8).flat_map(|from| (0..8).map(move |to| (from, to)));
    let mut refused = across.filter_map(|(from, to)| {
        let mut copy = metric.clone();
        copy.change(&[delete, Change::Insert { from, to, weight: 1 }]).err()
    });
    let no_place = refused.find(|error| matches!(error, HierarchyError::NoPlace { .. })).unwrap();
    assert!(no_place.to_string().contains("change 1: neither an arc nor a shortcut"), "{no_place}");
    let cases = [
        (Change::InsertVertex, "change 1: a hierarchy has no place for a vertex"),
        (Change::Delete { from: 2, to: 4, weight: None }, "change 1: there is no arc 2 -> 4"),
        (Change::Reweight { from: 1, to: 2, weight: -1 }, "weight -1"),
        (Change::Insert { from: 1, to: 2, weight: -3 }, "weight -3"),
        (Change::Insert { from: 1, to: 8, weight: 3 }, "vertex 8 is not among"),
    ];
    for (bad, reason) in cases {
        let error = metric.change(&[delete, bad]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(*metric.graph(), graph);
    check(&graph, &metric, &[0, 3, 5]);
}

/// What has changed goes into a file and comes out of it.
#[test]
fn a_changed_metric_is_written() {
    let (_, mut metric) = ring();
    metric.change(&[Change::Delete { from: 2, to: 3, weight: None }]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.prepared");
    metric.write(&path, &Ids::FromZero).unwrap();
    let loaded = read(&path).unwrap();
    let prepared = Prepared::of(&loaded).unwrap().unwrap();
    let graph = loaded.csr.into_csr::<i32>().unwrap();
    let mut again = prepared.metric(&graph).unwrap();
    assert_eq!(again.query().distance(2, 3), Ok(Some(70)));
    again.change(&[Change::Insert { from: 3, to: 2, weight: 1 }]).unwrap();
    assert_eq!(again.query().distance(2, 3), Ok(Some(1)));
}

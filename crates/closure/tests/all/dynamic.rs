//! Closures that follow changes, beside closures of the changed graph.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use closure::{
    Algorithm, ClosureError, Config, DynamicClosure, DynamicDeviceClosure, Updated, closure,
};
use gpu_runtime::Gpu;
use graph_formats::{Change, Csr, Direction, DynamicGraph, VertexId};
use paths::{Closure, oracle};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use test_support::{arbitrary_graph, draws, scattered, streets, undirected};

/// A change of an arc that there is, or of any pair: what, and which.
type Draw = (u8, Index, Index);

fn batches() -> impl Strategy<Value = Vec<Vec<Draw>>> {
    vec(vec((0..16u8, any::<Index>(), any::<Index>()), 0..7), 1..12)
}

/// The changes that these draws are of this graph, of which one batch can be made.
fn changes(graph: &DynamicGraph<u32>, draws: &[Draw]) -> Vec<Change<f32>> {
    let arcs: Vec<_> = graph.to_csr().unwrap().arcs().collect();
    let n = graph.n_vertices();
    let mut changes: Vec<Change<f32>> = Vec::new();
    for (what, first, second) in draws {
        let any = (first.index(n) as VertexId, (second.index(n + 1) % n) as VertexId);
        let old = if arcs.is_empty() { any } else { (first.get(&arcs).0, first.get(&arcs).1) };
        let change = match what {
            0..5 => Change::Insert { from: any.0, to: any.1, weight: f32::NAN },
            // a parallel arc
            5 => Change::Insert { from: old.0, to: old.1, weight: 2.0 },
            6..12 => Change::Delete { from: old.0, to: old.1, weight: None },
            12 => Change::Delete { from: old.0, to: old.1, weight: Some(7.5) },
            13 => Change::Reweight { from: old.0, to: old.1, weight: -1.0 },
            14 => Change::InsertVertex,
            _ => Change::DeleteVertex(any.0),
        };
        changes.push(change);
        let unweighted: Vec<_> =
            changes.iter().filter_map(|change| change.try_map(|_| Some(1))).collect();
        if graph.clone().apply(&unweighted).is_err() {
            changes.pop();
        }
    }
    changes
}

/// How many pairs only the second has, and only the first.
fn difference(before: &Closure, now: &Closure) -> (usize, usize) {
    let n_only_in = |one: &Closure, other: &Closure| {
        let of = |u| one.reached_from(u).filter(move |&v| !other.reaches(u, v)).count();
        (0..one.n_vertices() as VertexId).map(of).sum()
    };
    (n_only_in(now, before), n_only_in(before, now))
}

/// Makes a batch, and compares with the closure of the graph that is then.
fn update(
    dynamic: &mut DynamicClosure,
    changes: &[Change<f32>],
    expected: &dyn Fn(&Csr<u32>) -> Closure,
) -> Updated {
    let before = dynamic.closure().clone();
    let updated = dynamic.update(changes, None).unwrap();
    let expected = expected(&dynamic.graph().to_csr().unwrap());
    assert!(*dynamic.closure() == expected, "{changes:?}");
    assert_eq!((updated.n_new, updated.n_gone), difference(&before, &expected), "{changes:?}");
    updated
}

/// Makes all batches.
fn check(graph: &Csr<u32>, batches: &[Vec<Draw>]) {
    let mut dynamic = DynamicClosure::new(graph, &Config::default(), None).unwrap();
    for draws in batches {
        let changes = changes(dynamic.graph(), draws);
        update(&mut dynamic, &changes, &oracle::closure);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Rows of one word, of some words, and at the ends of words where vertices are new.
    #[test]
    fn as_closed_again(
        small in arbitrary_graph::<u32>(10, 20, 1..=1),
        wide in arbitrary_graph::<u32>(200, 260, 1..=1),
        width in prop::sample::select(vec![62usize, 63, 64, 65, 127, 128]),
        batches in batches(),
    ) {
        let arcs: Vec<_> = small.arcs().collect();
        let padded = Csr::from_arcs(width, &arcs).unwrap();
        for graph in [&small, &wide, &padded] {
            check(graph, &batches);
            check(&undirected(graph), &batches);
        }
    }
}

/// Threads share rows of many words, however much of them changes.
#[test]
fn large_batches_as_closed_again() {
    let by_components = |graph: &Csr<u32>| {
        closure(graph, &Config::with(Algorithm::Components), None).unwrap().closure
    };
    let graphs = [scattered(1500, 1), scattered(1500, 2), scattered(1100, 5), streets(30)];
    let mut draw = draws(7);
    let (mut is_new, mut is_kept) = (false, false);
    for (threads, graph) in [1, 2, 3, 7].into_iter().zip(&graphs) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let new = || DynamicClosure::new(graph, &Config::default(), None);
        let mut dynamic = pool.install(new).unwrap();
        for (n_inserted, n_deleted) in [(64, 0), (0, 64), (20, 20), (1, 1), (0, 700), (600, 0)] {
            let arcs: Vec<_> = dynamic.graph().to_csr().unwrap().arcs().collect();
            let n = dynamic.graph().n_vertices() as u64;
            let is_directed = dynamic.graph().direction() == Direction::Directed;
            let mut pairs = HashSet::new();
            let mut is_first = |u: VertexId, v: VertexId| {
                pairs.insert(if is_directed { (u, v) } else { (u.min(v), u.max(v)) })
            };
            let mut changes = Vec::new();
            for _ in 0..n_inserted {
                let (from, to) = (draw(n) as VertexId, draw(n) as VertexId);
                if is_first(from, to) {
                    changes.push(Change::Insert { from, to, weight: 1.0 });
                }
            }
            for _ in 0..n_deleted {
                let (from, to, _) = arcs[draw(arcs.len() as u64) as usize];
                if is_first(from, to) {
                    changes.push(Change::Delete { from, to, weight: None });
                }
            }
            let updated = pool.install(|| update(&mut dynamic, &changes, &by_components));
            is_new |= updated.is_new_closure;
            is_kept |= !updated.is_new_closure && updated.n_gone > 0;
        }
    }
    assert!(is_new && is_kept);
}

/// What a change costs does not show in its result, but these are known to need no rows.
#[test]
fn changes_without_effect() {
    let arcs = [(0, 1, 1u32), (1, 2, 1), (2, 0, 1), (0, 2, 1), (2, 3, 1), (1, 3, 1), (1, 3, 4)];
    let graph = Csr::from_arcs(4, &arcs).unwrap();
    let mut dynamic = DynamicClosure::new(&graph, &Config::default(), None).unwrap();
    let none = Updated::default();
    let batches = [
        vec![Change::Insert { from: 0, to: 3, weight: 1 }, Change::InsertVertex],
        vec![Change::Delete { from: 0, to: 2, weight: None }],
        vec![Change::Delete { from: 1, to: 3, weight: None }],
        vec![Change::Delete { from: 2, to: 3, weight: None }],
        vec![Change::Reweight { from: 2, to: 0, weight: 0 }, Change::DeleteVertex(4)],
        vec![],
    ];
    for batch in batches {
        assert_eq!(dynamic.update(&batch, None).unwrap(), none);
    }
    let cut = [Change::Delete { from: 2, to: 0, weight: Some(9) }];
    let updated = dynamic.update(&cut, None).unwrap();
    assert_eq!((updated.n_new, updated.n_gone), (0, 7));
}

#[test]
fn vertices_come_to_a_graph_without_any() {
    let empty = Csr::<u32>::from_arcs(0, &[]).unwrap();
    let mut dynamic = DynamicClosure::new(&empty, &Config::default(), None).unwrap();
    assert_eq!(dynamic.update::<u32>(&[], None).unwrap(), Updated::default());
    let changes = [
        Change::InsertVertex,
        Change::InsertVertex,
        Change::Insert { from: 0, to: 1, weight: 1u32 },
        Change::Insert { from: 1, to: 1, weight: 1 },
    ];
    assert_eq!(dynamic.update(&changes, None).unwrap().n_new, 2);
    let closure = dynamic.closure();
    assert!(closure.reaches(0, 1) && closure.reaches(1, 1) && !closure.reaches(0, 0));
}

#[test]
fn what_is_refused_changes_nothing() {
    // one component of 100 vertices, and 28 others, so that a new vertex makes rows longer
    let cycle: Vec<_> = (0..100).map(|v| (v, (v + 1) % 100, 1u32)).collect();
    let graph = Csr::from_arcs(128, &cycle).unwrap();
    let mut dynamic = DynamicClosure::new(&graph, &Config::default(), None).unwrap();
    let before = dynamic.closure().clone();
    let bad = [Change::InsertVertex, Change::Delete { from: 2, to: 0, weight: Some(1) }];
    let error = dynamic.update(&bad, None).unwrap_err();
    assert!(matches!(error, ClosureError::BadChange(_)));
    assert!(error.to_string().starts_with("change 1: there is no arc 2 -> 0"), "{error}");
    let insert = [Change::InsertVertex, Change::Insert { from: 5, to: 128, weight: 1 }];
    let delete = [insert[0], insert[1], Change::Delete { from: 2, to: 3, weight: None }];
    let rows = [Change::Delete { from: 98, to: 99, weight: None }, insert[0]];
    for batch in [&insert[..], &delete, &rows] {
        // however often progress was told before, the changes are made as a whole or not at all
        for last in 0.. {
            let told = AtomicU64::new(0);
            let progress = |_, _| {
                let told = told.fetch_add(1, Relaxed);
                if told >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut own = dynamic.clone();
            match own.update(batch, Some(&progress)) {
                Ok(_) if last > 0 => break,
                Ok(_) => panic!("no progress is told"),
                Err(error) => assert!(matches!(error, ClosureError::Interrupted(_))),
            }
            assert!(*own.closure() == before && own.graph().to_csr().unwrap() == graph);
        }
    }
    let only_on_gpu = Config::with(Algorithm::Lop3);
    let refused = DynamicClosure::new(&graph, &only_on_gpu, None);
    assert!(matches!(refused, Err(ClosureError::OnlyOnGpu { .. })));
}

/// On a GPU: random batches, more arcs than a turn has, and vertices beyond the padding.
#[test]
fn closures_on_a_gpu_follow_changes() {
    let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
    let mut draw = draws(7);
    for n in [1usize, 5, 40, 256, 700] {
        let ends = (0..n).map(|_| (draw(n as u64) as u32, draw(n as u64) as u32, 1u32));
        let graph = Csr::from_arcs(n, &ends.collect::<Vec<_>>()).unwrap();
        let mut all = DynamicDeviceClosure::new(&gpu, &graph, &Config::default(), None).unwrap();
        for batch in 0..12 {
            let before = all.closure().unwrap();
            let mut seen = HashSet::new();
            let n = all.graph().n_vertices() as u64;
            let most = if batch == 3 { n } else { 1 + n / 20 };
            let pairs = (0..most).map(|_| (draw(n) as u32, draw(n) as u32));
            let pairs: Vec<_> = pairs.filter(|&pair| seen.insert(pair)).collect();
            let mut changes: Vec<_> = pairs
                .into_iter()
                .map(|(from, to)| match all.graph().weight(from, to) {
                    Some(_) if batch % 3 == 0 => Change::Delete { from, to, weight: None },
                    _ => Change::Insert { from, to, weight: 1.5f32 },
                })
                .collect();
            if batch % 5 == 4 {
                changes.push(Change::InsertVertex);
            }
            let updated = all.update(&changes, None).unwrap();
            let expected = oracle::closure(&all.graph().to_csr().unwrap());
            let found = all.closure().unwrap();
            assert!(found == expected, "{n}: {changes:?}");
            let mut before = before;
            before.resize(found.n_vertices());
            assert_eq!((updated.n_new, updated.n_gone), difference(&before, &found), "{changes:?}");
        }
        let unchanged = all.closure().unwrap();
        let bad = [Change::Insert { from: 0, to: 0, weight: 1.0 }, Change::DeleteVertex(9999)];
        assert!(all.update(&bad, None).is_err());
        let stop = |_, _| ControlFlow::Break(());
        assert!(all.update(&bad[..1], Some(&stop)).is_err());
        assert!(all.closure().unwrap() == unchanged);
    }
}

/// On a GPU: arcs that go from a large sparse digraph, and some that come, are followed without
/// closing it again.
#[test]
fn closures_on_a_gpu_follow_deletions() {
    let Some(gpu) = test_support::gpu(Gpu::open()) else { return };
    let (n, mut draw) = (6000u64, draws(11));
    let mut n_followed = 0;
    for degree_in_tenths in [9, 13, 30] {
        let arcs: Vec<_> = (0..n * degree_in_tenths / 10)
            .map(|_| (draw(n) as u32, draw(n) as u32, 1u32))
            .collect();
        let graph = Csr::from_arcs(n as usize, &arcs).unwrap();
        let config = Config::default();
        let mut all = DynamicDeviceClosure::new(&gpu, &graph, &config, None).unwrap();
        for k in [1usize, 8, 40] {
            let before = all.closure().unwrap();
            let mut seen = HashSet::new();
            let mut changes = Vec::new();
            while changes.len() < k {
                let (from, to, _) = arcs[draw(arcs.len() as u64) as usize];
                if all.graph().weight(from, to).is_some() && seen.insert((from, to)) {
                    changes.push(Change::Delete { from, to, weight: None });
                }
                let (from, to) = (draw(n) as u32, draw(n) as u32);
                if changes.len() % 8 == 7 && seen.insert((from, to)) {
                    changes.push(Change::Insert { from, to, weight: 1u32 });
                }
            }
            let updated = all.update(&changes, None).unwrap();
            let now = all.graph().to_csr().unwrap();
            let expected = closure::closure(&now, &config, None).unwrap().closure;
            assert!(all.closure().unwrap() == expected, "{degree_in_tenths} {k}");
            assert_eq!((updated.n_new, updated.n_gone), difference(&before, &expected));
            n_followed += usize::from(!updated.is_new_closure && updated.n_gone > 0);
        }
    }
    assert!(n_followed > 1, "{n_followed}");
}
